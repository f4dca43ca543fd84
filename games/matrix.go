package games

import "slices"

// The one-shot games: both players choose once, at the same time, and a payoff
// matrix says the rest.

// oneShot makes a family of one game from the payoff matrix of the row player,
// in goal points; the column player gets what is missing to 100.
func oneShot(name, summary string, rows, columns []string, payoffs [][]int) family {
	return family{
		Family: Family{Pattern: name, Summary: summary},
		prepare: func(a arguments) error {
			a["Summary"], a["Rows"], a["Columns"], a["Payoffs"] = summary, rows, columns, payoffs
			values := slices.Concat(payoffs...)
			slices.Sort(values)
			a["Values"] = slices.Compact(values)
			return nil
		},
		rules: oneShotRules,
	}
}

var matchingPennies = oneShot("matchingPennies",
	"matching pennies: row wins if the pennies show the same side",
	[]string{"heads", "tails"}, []string{"heads", "tails"},
	[][]int{{100, 0}, {0, 100}})

var rockPaperScissors = oneShot("rockPaperScissors",
	"rock beats scissors, scissors beat paper, paper beats rock",
	[]string{"rock", "paper", "scissors"}, []string{"rock", "paper", "scissors"},
	[][]int{{50, 0, 100}, {100, 50, 0}, {0, 100, 50}})

// example2 is the matrix of Example 2 of Saffidine, Finnsson and Buro, Alpha-Beta
// Pruning for Games with Simultaneous Moves (AAAI 2012), its payoffs taken as
// goal points.
var example2 = oneShot("example2",
	"a 3x3 matrix of value 3 without dominated moves",
	[]string{"a1", "a2", "a3"}, []string{"b1", "b2", "b3"},
	[][]int{{6, 1, 0}, {3, 3, 3}, {0, 1, 6}})

var oneShotRules = rulesheet(`
; A one-shot game: {{.Summary}}.
; Both players choose once, at the same time. (payoff a b n) says that the row
; player gets n goal points if the choices are a and b; the column player gets
; 100 - n.

(role row)
(role column)
{{range $r, $row := .Payoffs}}
{{- range $c, $n := $row}}
(payoff {{index $.Rows $r}} {{index $.Columns $c}} {{$n}})
{{- end}}
{{- end}}
{{range .Values}}
(remainder {{.}} {{sub 100 .}})
{{- end}}

; The position: nothing at first, then what the row player got.

(<= (base (got ?n)) (payoff ?a ?b ?n))

; Moves.

(<= (input row ?a) (payoff ?a ?b ?n))
(<= (input column ?b) (payoff ?a ?b ?n))

(<= (legal row ?a) (payoff ?a ?b ?n))
(<= (legal column ?b) (payoff ?a ?b ?n))

(<= (next (got ?n))
    (does row ?a)
    (does column ?b)
    (payoff ?a ?b ?n))

; The end.

(<= terminal
    (true (got ?n)))

(<= (goal row ?n)
    (true (got ?n)))

(<= (goal column ?m)
    (true (got ?n))
    (remainder ?n ?m))

(<= (goal ?p 0)
    (role ?p)
    (not terminal))
`)
