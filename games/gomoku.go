package games

// gomoku is five in a row, without the restrictions of tournaments.
var gomoku = family{
	Family: Family{
		Pattern: "gomoku-WxH",
		Summary: "gomoku on W x H points: five in a row",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 5, Max: 19, Default: 15, separator: "-"},
			{Name: "H", About: "rows", Min: 5, Max: 19, Default: 15, separator: "x"},
		},
	},
	rules: rulesheet(`
; Gomoku on {{.W}} x {{.H}} points. The players place stones in turn, black first. Five stones of one
; colour side by side in a row, column or diagonal win, and so do more than five. A full board
; without such a line is a draw.

(role black)
(role white)

(other black white)
(other white black)

{{facts "column" 1 .W}}

{{facts "row" 1 .H}}

{{succ 1 (max .W .H)}}

; The position: the stones, and whose turn it is.

(<= (base (cell ?x ?y ?p))
    (column ?x)
    (row ?y)
    (role ?p))

(<= (base (control ?p))
    (role ?p))

(init (control black))

; Moves.

(<= (input ?p (place ?x ?y))
    (role ?p)
    (column ?x)
    (row ?y))

(<= (input ?p noop)
    (role ?p))

(<= (taken ?x ?y)
    (true (cell ?x ?y ?p)))

(<= (legal ?p (place ?x ?y))
    (true (control ?p))
    (column ?x)
    (row ?y)
    (not (taken ?x ?y)))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (next (cell ?x ?y ?p))
    (does ?p (place ?x ?y)))

(<= (next (cell ?x ?y ?p))
    (true (cell ?x ?y ?p)))

(<= (next (control ?p))
    (other ?p ?q)
    (true (control ?q)))

; The end.

{{inLine 5}}

(<= unfinished
    (column ?x)
    (row ?y)
    (not (taken ?x ?y)))

(<= terminal
    (line ?p))

(<= terminal
    (not unfinished))

(<= (goal ?p 100)
    (line ?p))

(<= (goal ?p 50)
    (role ?p)
    (not (line black))
    (not (line white)))

(<= (goal ?p 0)
    (other ?p ?q)
    (line ?q))
`),
}
