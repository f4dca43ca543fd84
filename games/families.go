package games

import (
	"fmt"
	"slices"
)

// families lists all games, sorted by name.
var families = []family{
	// Invented by Walter Zamkauskas.
	game("amazons-WxH", "amazons on W x H cells: move a queen, shoot an arrow, and keep room to move", columns(4, 12, 10), rows(4, 12, 10)),
	game("biddingTicTacToe-C", "tic-tac-toe where the players, C coins each, bid for the right to move",
		number("C", "coins of each player", 1, 60, 3)),
	// Invented by Dan Troyka.
	game("breakthrough-WxH", "breakthrough on W x H cells: be the first across the board", columns(2, 12, 8), rows(4, 12, 8)),
	game("checkers", "checkers, or English draughts: captures are mandatory"),
	game("chess", "chess with all rules but repetition"),
	game("connectFour-WxH", "connect four on W columns of H cells", columns(4, 20, 7), rows(4, 20, 6)),
	copsAndRobber("copsAndRobber-WxH-C-R", "C cops chase a robber on W x H cells by turns, for R rounds at most", false),
	// A move is made with probability 4/5, otherwise one of the other moves that are legal is.
	copsAndRobber("copsAndRobberSlips-WxH-C-R", "the same with chance: one move in five becomes another one", true),
	// The matrix of Example 2 of Saffidine, Finnsson and Buro, Alpha-Beta Pruning for Games with
	// Simultaneous Moves (AAAI 2012), its payoffs taken as goal points.
	oneShot("example2", "a 3x3 matrix of value 3 without dominated moves",
		[]string{"a1", "a2", "a3"}, []string{"b1", "b2", "b3"},
		constantSum([][]int{{6, 1, 0}, {3, 3, 3}, {0, 1, 6}})),
	// Without the restrictions of tournaments.
	game("gomoku-WxH", "gomoku on W x H points: five in a row", columns(5, 19, 15), rows(5, 19, 15)),
	// Won by the larger sum of prizes.
	goofspiel("goofspiel-N-PRIZES", "goofspiel with N cards each; more points win", maxCards, false),
	// With at most 50 points in the game the goals are exactly linear in the lead.
	goofspiel("goofspielPoints-N-PRIZES", "goofspiel with N cards each; the goal is 50 plus the lead in points", 9, true),
	// Its winning condition is recursive: the Boolean network has cycles.
	game("hex-WxH", "hex on W x H cells: connect your two opposite sides", columns(2, 15, 5), rows(2, 15, 5)),
	// A game of our own after liar's dice: the higher bidder loses if the bid exceeds the sum of the dice. Both players set
	// their dice at once, so no information is hidden.
	game("liarsBid-N", "liar's bid with N dice each: bid on the sum of two dice, of which one is yours",
		number("N", "dice of each player, 1 to N, and rounds", 2, 8, 3)),
	oneShot("matchingPennies", "matching pennies: row wins if the pennies show the same side",
		[]string{"heads", "tails"}, []string{"heads", "tails"},
		constantSum([][]int{{100, 0}, {0, 100}})),
	// Solved by the exclusive or of its heaps.
	game("nim-HEAPS", "nim, such as nim-3.4.5; whoever takes the last object wins", numbers("HEAPS", "sizes of the heaps", 1, 30)).prepared(
		func(a arguments) error {
			heaps := a["HEAPS"].([]int)
			if heaps == nil {
				heaps = []int{3, 4, 5}
			}
			a["HEAPS"], a["Largest"] = heaps, slices.Max(heaps)
			return nil
		}),
	// Buro, Solving the Oshi-Zumo Game, Advances in Computer Games 10, 2003.
	game("oshiZumo-N-K-M", "oshi-zumo: N coins each push the wrestler off a board of 2K+1 positions; bids of M or more",
		number("N", "coins of each player", 1, 100, 6),
		number("K", "positions on each side of the middle", 1, 20, 2),
		number("M", "smallest bid", 0, 1, 1)),
	game("pentago", "pentago: five in a row on a board whose quarters turn"),
	// The folk game, its length limited so that it can be solved.
	game("pig-N-T", "pig, a game of dice: first to N points, or ahead after T turns",
		number("N", "points to win", 2, 60, 20), number("T", "turns of each player", 1, 30, 5)),
	// Not of constant sum.
	oneShot("prisonersDilemma", "the prisoner's dilemma: to defect is better in any case, and worse for both",
		[]string{"cooperate", "defect"}, []string{"cooperate", "defect"},
		payoffs{{{60, 60}, {0, 100}}, {{100, 0}, {20, 20}}}),
	// The game of the experiments with double oracle: Bošanský, Lisý, Lanctot, Čermák and
	// Winands, Artificial Intelligence, 2016.
	game("pursuit-WxH-D", "two pursuers chase an evader on W x H cells for D rounds, all moving at once",
		columns(3, 12, 4), rows(3, 12, 4), number("D", "rounds", 1, 50, 4)),
	game("quarto", "quarto: make a line of pieces with something in common, each given by the other"),
	reversi,
	oneShot("rockPaperScissors", "rock beats scissors, scissors beat paper, paper beats rock",
		[]string{"rock", "paper", "scissors"}, []string{"rock", "paper", "scissors"},
		constantSum([][]int{{50, 0, 100}, {100, 50, 0}, {0, 100, 50}})),
	game("rockPaperScissorsMatch-N", "rock, paper, scissors, the best of N throws", number("N", "throws", 1, 99, 5)),
	slidingPuzzle,
	game("ticTacToe", "tic-tac-toe on 3x3 cells"),
	// Three roles, each against the two others.
	game("trio-WxH", "tic-tac-toe for three players on W x H cells; three in a row win", columns(3, 10, 4), rows(3, 10, 4)),
	game("tron-WxH", "tron on W x H cells: both players move at once and leave walls", columns(2, 20, 6), rows(2, 20, 6)),
	game("ultimateTicTacToe", "nine boards of tic-tac-toe: each move names the board of the next"),
}

var reversi = game("reversi-WxH", "reversi on W x H cells: turn the other's discs by enclosing them",
	number("W", "columns, an even number", 4, 12, 8),
	Parameter{Name: "H", About: "rows, an even number", Min: 4, Max: 12, Default: 8, separator: "x"},
).prepared(func(a arguments) error {
	for _, side := range []string{"W", "H"} {
		if a[side].(int)%2 != 0 {
			return fmt.Errorf("%s must be even, found %d", side, a[side])
		}
	}
	return nil
})

// number returns a parameter with its limits and its default.
func number(name, about string, least, most, usual int) Parameter {
	return Parameter{Name: name, About: about, Min: least, Max: most, Default: usual, separator: "-"}
}

// numbers returns a list parameter with limits of its numbers.
func numbers(name, about string, least, most int) Parameter {
	return Parameter{Name: name, About: about, Min: least, Max: most, List: true, separator: "-"}
}

// columns returns the parameter for the width of a board, which precedes rows in names.
func columns(least, most, usual int) Parameter { return number("W", "columns", least, most, usual) }

func rows(least, most, usual int) Parameter {
	return Parameter{Name: "H", About: "rows", Min: least, Max: most, Default: usual, separator: "x"}
}
