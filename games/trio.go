package games

// trio is a game of three roles, each against the two others.
var trio = family{
	Family: Family{
		Pattern: "trio-WxH",
		Summary: "tic-tac-toe for three players on W x H cells; three in a row win",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 3, Max: 10, Default: 4, separator: "-"},
			{Name: "H", About: "rows", Min: 3, Max: 10, Default: 4, separator: "x"},
		},
	},
	rules: rulesheet(`
; Trio on {{.W}} x {{.H}} cells. Three players mark cells in turn. Three marks of one player
; side by side in a row, column or diagonal win. If the board is full without,
; everybody gets a third.

(role x)
(role o)
(role z)

(after x o)
(after o z)
(after z x)

{{facts "column" 1 .W}}
{{facts "row" 1 .H}}

{{succ 1 (max .W .H)}}

; The position: the marks that were made, and whose turn it is.

(<= (base (cell ?c ?r ?p)) (column ?c) (row ?r) (role ?p))
(<= (base (control ?p)) (role ?p))

(init (control x))

; Moves.

(<= (input ?p (mark ?c ?r)) (role ?p) (column ?c) (row ?r))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (mark ?c ?r))
    (true (control ?p))
    (column ?c)
    (row ?r)
    (not (marked ?c ?r)))

(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (marked ?c ?r)
    (true (cell ?c ?r ?p)))

(<= (next (cell ?c ?r ?p))
    (does ?p (mark ?c ?r)))

(<= (next (cell ?c ?r ?p))
    (true (cell ?c ?r ?p)))

(<= (next (control ?q))
    (true (control ?p))
    (after ?p ?q))

; The end.

{{inLine 3}}

(<= open
    (column ?c)
    (row ?r)
    (not (marked ?c ?r)))

(<= decided
    (line ?p))

(<= terminal
    decided)

(<= terminal
    (not open))

(<= (goal ?p 100)
    (line ?p))

(<= (goal ?p 33)
    (role ?p)
    (not decided))

(<= (goal ?p 0)
    (role ?p)
    decided
    (not (line ?p)))
`),
}
