package games

import _ "embed" // the rulesheets below

// The games without parameters whose rules are too long to stand in a Go file. Each is the
// rulesheet of its name in this folder.

var (
	//go:embed checkers.kif
	checkersRules string
	//go:embed chess.kif
	chessRules string
	//go:embed pentago.kif
	pentagoRules string
	//go:embed quarto.kif
	quartoRules string
	//go:embed ultimateTicTacToe.kif
	ultimateTicTacToeRules string

	checkers = fixed("checkers", "checkers, or English draughts: captures are mandatory", checkersRules)
	chess    = fixed("chess", "chess with all rules but repetition", chessRules)
	pentago  = fixed("pentago", "pentago: five in a row on a board whose quarters turn", pentagoRules)
	quarto   = fixed("quarto", "quarto: make a line of pieces with something in common, each given by the other", quartoRules)

	ultimateTicTacToe = fixed("ultimateTicTacToe", "nine boards of tic-tac-toe: each move names the board of the next", ultimateTicTacToeRules)
)

// fixed is a family of one game.
func fixed(name, summary, rules string) family {
	return family{Family: Family{Pattern: name, Summary: summary}, rules: rulesheet(rules)}
}
