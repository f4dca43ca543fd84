package games

import (
	"fmt"
	"slices"
)

// families lists all games, sorted by name.
var families = []family{
	{
		Family: Family{
			Pattern:    "amazons-WxH", // invented by Walter Zamkauskas
			Summary:    "amazons on W x H cells: move a queen, shoot an arrow, and keep room to move",
			Parameters: []Parameter{columns(4, 12, 10), rows(4, 12, 10)},
		},
		prepare: func(a arguments) error {
			// Queens begin a third of each side away from the corners.
			a["C"], a["R"] = (a["W"].(int)+2)/3, (a["H"].(int)+2)/3
			return nil
		},
	},
	{
		Family: Family{
			Pattern: "biddingTicTacToe-C",
			Summary: "tic-tac-toe where the players, C coins each, bid for the right to move",
			Parameters: []Parameter{
				{Name: "C", About: "coins of each player", Min: 1, Max: 60, Default: 3, separator: "-"},
			},
		},
		prepare: func(a arguments) error {
			a["All"] = 2 * a["C"].(int)
			return nil
		},
	},
	{
		Family: Family{
			Pattern:    "breakthrough-WxH", // invented by Dan Troyka
			Summary:    "breakthrough on W x H cells: be the first across the board",
			Parameters: []Parameter{columns(2, 12, 8), rows(4, 12, 8)},
		},
	},
	{Family: Family{Pattern: "checkers", Summary: "checkers, or English draughts: captures are mandatory"}},
	{Family: Family{Pattern: "chess", Summary: "chess with all rules but repetition"}},
	{
		Family: Family{
			Pattern:    "connectFour-WxH",
			Summary:    "connect four on W columns of H cells",
			Parameters: []Parameter{columns(4, 20, 7), rows(4, 20, 6)},
		},
	},
	copsAndRobber("copsAndRobber-WxH-C-R", "C cops chase a robber on W x H cells by turns, for R rounds at most", false),
	// A move is made with probability 4/5, otherwise one of the other moves that are legal is.
	copsAndRobber("copsAndRobberSlips-WxH-C-R", "the same with chance: one move in five becomes another one", true),
	// The matrix of Example 2 of Saffidine, Finnsson and Buro, Alpha-Beta Pruning for Games with
	// Simultaneous Moves (AAAI 2012), its payoffs taken as goal points.
	oneShot("example2", "a 3x3 matrix of value 3 without dominated moves",
		[]string{"a1", "a2", "a3"}, []string{"b1", "b2", "b3"},
		constantSum([][]int{{6, 1, 0}, {3, 3, 3}, {0, 1, 6}})),
	{
		Family: Family{
			Pattern:    "gomoku-WxH", // without the restrictions of tournaments
			Summary:    "gomoku on W x H points: five in a row",
			Parameters: []Parameter{columns(5, 19, 15), rows(5, 19, 15)},
		},
	},
	// Won by the larger sum of prizes.
	goofspiel("goofspiel-N-PRIZES", "goofspiel with N cards each; more points win", maxCards, false),
	// With at most 50 points in the game the goals are exactly linear in the lead.
	goofspiel("goofspielPoints-N-PRIZES", "goofspiel with N cards each; the goal is 50 plus the lead in points", 9, true),
	{
		Family: Family{
			Pattern:    "hex-WxH", // its winning condition is recursive: the Boolean network has cycles
			Summary:    "hex on W x H cells: connect your two opposite sides",
			Parameters: []Parameter{columns(2, 15, 5), rows(2, 15, 5)},
		},
	},
	{
		Family: Family{
			// A game of our own after liar's dice: who bids more must not have hoped for too
			// much. Both players set their dice at once, so nothing is hidden and nothing is known.
			Pattern: "liarsBid-N",
			Summary: "liar's bid with N dice each: bid on the sum of two dice, of which one is yours",
			Parameters: []Parameter{
				{Name: "N", About: "dice of each player, 1 to N, and rounds", Min: 2, Max: 8, Default: 3, separator: "-"},
			},
		},
	},
	oneShot("matchingPennies", "matching pennies: row wins if the pennies show the same side",
		[]string{"heads", "tails"}, []string{"heads", "tails"},
		constantSum([][]int{{100, 0}, {0, 100}})),
	{
		Family: Family{
			Pattern: "nim-HEAPS", // solved by the exclusive or of its heaps
			Summary: "nim, such as nim-3.4.5; whoever takes the last object wins",
			Parameters: []Parameter{
				{Name: "HEAPS", About: "sizes of the heaps", Min: 1, Max: 30, List: true, separator: "-"},
			},
		},
		prepare: func(a arguments) error {
			heaps := a["HEAPS"].([]int)
			if heaps == nil {
				heaps = []int{3, 4, 5}
			}
			a["HEAPS"], a["Largest"] = heaps, slices.Max(heaps)
			return nil
		},
	},
	{
		Family: Family{
			// Buro, Solving the Oshi-Zumo Game, Advances in Computer Games 10, 2003.
			Pattern: "oshiZumo-N-K-M",
			Summary: "oshi-zumo: N coins each push the wrestler off a board of 2K+1 positions; bids of M or more",
			Parameters: []Parameter{
				{Name: "N", About: "coins of each player", Min: 1, Max: 100, Default: 6, separator: "-"},
				{Name: "K", About: "positions on each side of the middle", Min: 1, Max: 20, Default: 2, separator: "-"},
				{Name: "M", About: "smallest bid", Min: 0, Max: 1, Default: 1, separator: "-"},
			},
		},
	},
	{Family: Family{Pattern: "pentago", Summary: "pentago: five in a row on a board whose quarters turn"}},
	{
		Family: Family{
			Pattern: "pig-N-T", // the folk game, its length limited so that it can be solved
			Summary: "pig, a game of dice: first to N points, or ahead after T turns",
			Parameters: []Parameter{
				{Name: "N", About: "points to win", Min: 2, Max: 60, Default: 20, separator: "-"},
				{Name: "T", About: "turns of each player", Min: 1, Max: 30, Default: 5, separator: "-"},
			},
		},
		prepare: func(a arguments) error {
			a["Turns"] = 2*a["T"].(int) + 1
			return nil
		},
	},
	// Not of constant sum.
	oneShot("prisonersDilemma", "the prisoner's dilemma: to defect is better in any case, and worse for both",
		[]string{"cooperate", "defect"}, []string{"cooperate", "defect"},
		payoffs{{{60, 60}, {0, 100}}, {{100, 0}, {20, 20}}}),
	{
		Family: Family{
			// The game of the experiments with double oracle: Bošanský, Lisý, Lanctot, Čermák and
			// Winands, Artificial Intelligence, 2016.
			Pattern: "pursuit-WxH-D",
			Summary: "two pursuers chase an evader on W x H cells for D rounds, all moving at once",
			Parameters: []Parameter{
				columns(3, 12, 4), rows(3, 12, 4),
				{Name: "D", About: "rounds", Min: 1, Max: 50, Default: 4, separator: "-"},
			},
		},
		prepare: func(a arguments) error {
			a["X"], a["Y"] = (a["W"].(int)+1)/2, (a["H"].(int)+1)/2
			return nil
		},
	},
	{Family: Family{Pattern: "quarto", Summary: "quarto: make a line of pieces with something in common, each given by the other"}},
	{
		Family: Family{
			Pattern: "reversi-WxH",
			Summary: "reversi on W x H cells: turn the other's discs by enclosing them",
			Parameters: []Parameter{
				{Name: "W", About: "columns, an even number", Min: 4, Max: 12, Default: 8, separator: "-"},
				{Name: "H", About: "rows, an even number", Min: 4, Max: 12, Default: 8, separator: "x"},
			},
		},
		prepare: func(a arguments) error {
			for _, side := range []string{"W", "H"} {
				if a[side].(int)%2 != 0 {
					return fmt.Errorf("%s must be even, found %d", side, a[side])
				}
			}
			return nil
		},
	},
	oneShot("rockPaperScissors", "rock beats scissors, scissors beat paper, paper beats rock",
		[]string{"rock", "paper", "scissors"}, []string{"rock", "paper", "scissors"},
		constantSum([][]int{{50, 0, 100}, {100, 50, 0}, {0, 100, 50}})),
	{
		Family: Family{
			Pattern: "rockPaperScissorsMatch-N",
			Summary: "rock, paper, scissors, the best of N throws",
			Parameters: []Parameter{
				{Name: "N", About: "throws", Min: 1, Max: 99, Default: 5, separator: "-"},
			},
		},
	},
	slidingPuzzle,
	{Family: Family{Pattern: "ticTacToe", Summary: "tic-tac-toe on 3x3 cells"}},
	{
		Family: Family{
			Pattern:    "trio-WxH", // three roles, each against the two others
			Summary:    "tic-tac-toe for three players on W x H cells; three in a row win",
			Parameters: []Parameter{columns(3, 10, 4), rows(3, 10, 4)},
		},
	},
	{
		Family: Family{
			Pattern:    "tron-WxH",
			Summary:    "tron on W x H cells: both players move at once and leave walls",
			Parameters: []Parameter{columns(2, 20, 6), rows(2, 20, 6)},
		},
	},
	{Family: Family{Pattern: "ultimateTicTacToe", Summary: "nine boards of tic-tac-toe: each move names the board of the next"}},
}

// columns is the width of a board, in a name before rows, its height.
func columns(least, most, usual int) Parameter {
	return Parameter{Name: "W", About: "columns", Min: least, Max: most, Default: usual, separator: "-"}
}

func rows(least, most, usual int) Parameter {
	return Parameter{Name: "H", About: "rows", Min: least, Max: most, Default: usual, separator: "x"}
}
