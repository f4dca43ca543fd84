package games

import _ "embed" // the rulesheets below

// The games without parameters whose rules are too long to stand in a Go file. Each is the
// rulesheet of its name in this folder.

var (
	//go:embed checkers.kif
	checkersRules string
	//go:embed chess.kif
	chessRules string

	checkers = fixed("checkers", "checkers, or English draughts: captures are mandatory", checkersRules)
	chess    = fixed("chess", "chess with all rules but repetition", chessRules)
)

// fixed is a family of one game.
func fixed(name, summary, rules string) family {
	return family{Family: Family{Pattern: name, Summary: summary}, rules: rulesheet(rules)}
}
