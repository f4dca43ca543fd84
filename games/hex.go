package games

// hex has a recursive winning condition: the Boolean network has cycles.
var hex = family{
	Family: Family{
		Pattern: "hex-WxH",
		Summary: "hex on W x H cells: connect your two opposite sides",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 2, Max: 15, Default: 5, separator: "-"},
			{Name: "H", About: "rows", Min: 2, Max: 15, Default: 5, separator: "x"},
		},
	},
	rules: rulesheet(`
; Hex on {{.W}} x {{.H}} cells. The players occupy cells in turn, red first. Red wins with
; a chain from row 1 to row {{.H}}, blue with one from column 1 to column {{.W}}. One of
; them always does. There is no swapping.

(role red)
(role blue)

(other red blue)
(other blue red)

{{facts "column" 1 .W}}
{{facts "row" 1 .H}}

{{succ 0 (max .W .H)}}

; The six neighbours: the same column, the same row, and one diagonal.

(<= (forward ?x ?y ?x ?v)
    (column ?x)
    (row ?y)
    (row ?v)
    (succ ?y ?v))

(<= (forward ?x ?y ?u ?y)
    (column ?x)
    (column ?u)
    (row ?y)
    (succ ?x ?u))

(<= (forward ?x ?y ?u ?v)
    (column ?x)
    (column ?u)
    (row ?y)
    (row ?v)
    (succ ?x ?u)
    (succ ?v ?y))

(<= (adjacent ?x ?y ?u ?v)
    (forward ?x ?y ?u ?v))

(<= (adjacent ?x ?y ?u ?v)
    (forward ?u ?v ?x ?y))

; The position: the occupied cells, and whose turn it is.

(<= (base (cell ?x ?y ?p))
    (column ?x)
    (row ?y)
    (role ?p))
(<= (base (control ?p))
    (role ?p))

(init (control red))

; Moves.

(<= (input ?p (place ?x ?y))
    (role ?p)
    (column ?x)
    (row ?y))
(<= (input ?p noop)
    (role ?p))

(<= (legal ?p (place ?x ?y))
    (true (control ?p))
    (column ?x)
    (row ?y)
    (not (occupied ?x ?y)))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (occupied ?x ?y)
    (true (cell ?x ?y ?p)))

(<= (next (cell ?x ?y ?p))
    (does ?p (place ?x ?y)))

(<= (next (cell ?x ?y ?p))
    (true (cell ?x ?y ?p)))

(<= (next (control ?p))
    (other ?p ?q)
    (true (control ?q)))

; (linked p x y): a chain of p leads from its first side to the cell.

(<= (linked red ?x 1)
    (true (cell ?x 1 red)))

(<= (linked blue 1 ?y)
    (true (cell 1 ?y blue)))

(<= (linked ?p ?u ?v)
    (true (cell ?u ?v ?p))
    (adjacent ?x ?y ?u ?v)
    (linked ?p ?x ?y))

; The end.

(<= (wins red)
    (linked red ?x {{.H}}))

(<= (wins blue)
    (linked blue {{.W}} ?y))

(<= terminal
    (wins ?p))

(<= (goal ?p 100)
    (wins ?p))

(<= (goal ?p 0)
    (role ?p)
    (not (wins ?p)))
`),
}
