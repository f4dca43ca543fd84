package games

import "slices"

// Group is a group of games of one kind, best-known families first.
type Group struct {
	Name     string
	Families []Family
}

// groups names the games for people, in the order in which people look for them.
var groups = []struct {
	name  string
	games []string
}{
	{"First games", []string{"connectFour", "goofspiel", "chess", "biddingTicTacToe", "oshiZumo", "tron"}},
	{"Well known", []string{"ticTacToe", "checkers", "reversi", "gomoku", "rockPaperScissors", "nim"}},
	{"Boards", []string{"hex", "breakthrough", "amazons", "quarto", "pentago", "ultimateTicTacToe", "trio", "copsAndRobber"}},
	{"All move at the same time", []string{
		"goofspielPoints", "rockPaperScissorsMatch", "pursuit",
		"matchingPennies", "prisonersDilemma",
	}},
	{"Chance", []string{"pig", "liarsBid", "copsAndRobberSlips"}},
	{"Puzzles", []string{"slidingPuzzle"}},
}

// Groups describes the games for people by their kinds, in the order in which people look for them.
func Groups() []Group {
	var all []Group
	for _, g := range groups {
		group := Group{Name: g.name}
		for _, f := range Families() {
			if slices.Contains(g.games, f.Name()) {
				group.Families = append(group.Families, f)
			}
		}
		slices.SortFunc(group.Families, func(a, b Family) int { return slices.Index(g.games, a.Name()) - slices.Index(g.games, b.Name()) })
		all = append(all, group)
	}
	return all
}
