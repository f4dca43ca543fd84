package games

// connectFour is connect four on a board of any size.
var connectFour = family{
	Family: Family{
		Pattern: "connectFour-WxH",
		Summary: "connect four on W columns of H cells",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 4, Max: 20, Default: 7, separator: "-"},
			{Name: "H", About: "rows", Min: 4, Max: 20, Default: 6, separator: "x"},
		},
	},
	rules: rulesheet(`
; Connect four on {{.W}} columns of {{.H}} cells. The players drop discs in turn, red first;
; a disc falls to the lowest free cell of its column. Four discs of one colour in
; a row, column or diagonal win; a full board without such a line is a draw.

(role red)
(role yellow)

(other red yellow)
(other yellow red)

{{facts "column" 1 .W}}
{{facts "row" 1 .H}}
{{succ 1 (max .W .H)}}

; Row 1 is the lowest. The position: the discs, and whose turn it is.

(<= (base (cell ?c ?r ?p)) (column ?c) (row ?r) (role ?p))
(<= (base (control ?p)) (role ?p))

(init (control red))

; Moves.

(<= (input ?p (drop ?c)) (role ?p) (column ?c))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (drop ?c))
    (true (control ?p))
    (open ?c))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (filled ?c ?r)
    (true (cell ?c ?r ?p)))

(<= (open ?c)
    (column ?c)
    (not (filled ?c {{.H}})))

; The cell of column ?c where the next disc comes to rest.

(<= (lowest ?c 1)
    (column ?c)
    (not (filled ?c 1)))

(<= (lowest ?c ?r)
    (row ?r)
    (succ ?below ?r)
    (filled ?c ?below)
    (not (filled ?c ?r)))

(<= (next (cell ?c ?r ?p))
    (does ?p (drop ?c))
    (lowest ?c ?r))

(<= (next (cell ?c ?r ?p))
    (true (cell ?c ?r ?p)))

(<= (next (control ?p))
    (other ?p ?q)
    (true (control ?q)))

; The end.

{{inLine 4}}

(<= unfinished
    (open ?c))

(<= terminal
    (line ?p))

(<= terminal
    (not unfinished))

(<= (goal ?p 100)
    (line ?p))

(<= (goal ?p 50)
    (role ?p)
    (not (line red))
    (not (line yellow)))

(<= (goal ?p 0)
    (other ?p ?q)
    (line ?q))
`),
}
