package games

import "slices"

// The one-shot games: both players choose once, at the same time, and a payoff
// matrix says the rest.

// payoffs holds the goal points of the row player and of the column player for
// every pair of choices.
type payoffs [][][2]int

// constantSum gives the column player what the row player lacks of 100.
func constantSum(rows [][]int) payoffs {
	var out payoffs
	for _, row := range rows {
		var cells [][2]int
		for _, n := range row {
			cells = append(cells, [2]int{n, 100 - n})
		}
		out = append(out, cells)
	}
	return out
}

// values lists the goal points that occur, ascending.
func (m payoffs) values() []int {
	var all []int
	for _, row := range m {
		for _, cell := range row {
			all = append(all, cell[0], cell[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// oneShot makes a family of one game.
func oneShot(name, summary string, rows, columns []string, matrix payoffs) family {
	return family{
		Family: Family{Pattern: name, Summary: summary},
		prepare: func(a arguments) error {
			a["Summary"], a["Rows"], a["Columns"], a["Payoffs"] = summary, rows, columns, matrix
			a["Values"] = matrix.values()
			return nil
		},
		rules: oneShotRules,
	}
}

var matchingPennies = oneShot("matchingPennies",
	"matching pennies: row wins if the pennies show the same side",
	[]string{"heads", "tails"}, []string{"heads", "tails"},
	constantSum([][]int{{100, 0}, {0, 100}}))

var rockPaperScissors = oneShot("rockPaperScissors",
	"rock beats scissors, scissors beat paper, paper beats rock",
	[]string{"rock", "paper", "scissors"}, []string{"rock", "paper", "scissors"},
	constantSum([][]int{{50, 0, 100}, {100, 50, 0}, {0, 100, 50}}))

// example2 is the matrix of Example 2 of Saffidine, Finnsson and Buro, Alpha-Beta
// Pruning for Games with Simultaneous Moves (AAAI 2012), its payoffs taken as
// goal points.
var example2 = oneShot("example2",
	"a 3x3 matrix of value 3 without dominated moves",
	[]string{"a1", "a2", "a3"}, []string{"b1", "b2", "b3"},
	constantSum([][]int{{6, 1, 0}, {3, 3, 3}, {0, 1, 6}}))

// prisonersDilemma is not of constant sum.
var prisonersDilemma = oneShot("prisonersDilemma",
	"the prisoner's dilemma: to defect is better in any case, and worse for both",
	[]string{"cooperate", "defect"}, []string{"cooperate", "defect"},
	payoffs{{{60, 60}, {0, 100}}, {{100, 0}, {20, 20}}})

var oneShotRules = rulesheet(`
; A one-shot game: {{.Summary}}.
; Both players choose once, at the same time. (payoff a b n m): if the choices are
; a and b, the row player gets n and the column player m.

(role row)
(role column)
{{range $r, $row := .Payoffs}}
{{- range $c, $cell := $row}}
(payoff {{index $.Rows $r}} {{index $.Columns $c}} {{index $cell 0}} {{index $cell 1}})
{{- end}}
{{- end}}

; The position: nothing at first, then what the players got.

(<= (base (got row ?n))
    (payoff ?a ?b ?n ?m))
(<= (base (got column ?m))
    (payoff ?a ?b ?n ?m))

; Moves.

(<= (input row ?a)
    (payoff ?a ?b ?n ?m))
(<= (input column ?b)
    (payoff ?a ?b ?n ?m))

(<= (legal row ?a)
    (payoff ?a ?b ?n ?m))
(<= (legal column ?b)
    (payoff ?a ?b ?n ?m))

(<= (next (got row ?n))
    (does row ?a)
    (does column ?b)
    (payoff ?a ?b ?n ?m))

(<= (next (got column ?m))
    (does row ?a)
    (does column ?b)
    (payoff ?a ?b ?n ?m))

; The end.

(<= terminal
    (true (got ?p ?n)))
{{range .Values}}
(<= (goal ?p {{.}})
    (true (got ?p {{.}})))
{{- end}}

(<= (goal ?p 0)
    (role ?p)
    (not terminal))
`)
