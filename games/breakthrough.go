package games

// breakthrough is the race of pawns invented by Dan Troyka.
var breakthrough = family{
	Family: Family{
		Pattern: "breakthrough-WxH",
		Summary: "breakthrough on W x H cells: be the first across the board",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 2, Max: 12, Default: 8, separator: "-"},
			{Name: "H", About: "rows", Min: 4, Max: 12, Default: 8, separator: "x"},
		},
	},
	rules: rulesheet(`
; Breakthrough on {{.W}} x {{.H}} cells. Each player has two rows of pawns. In turn, white
; first, a pawn moves one cell forward, straight or diagonally, onto a free cell,
; or captures a pawn of the other player diagonally. A player wins with a pawn on
; the farthest row, or when the other has no pawns.

(role white)
(role black)

(other white black)
(other black white)

{{facts "column" 1 .W}}

{{succ 1 (max .W .H)}}

; (ahead p y v): row v comes after row y on the way of p. (far p y): the last row.

(<= (ahead white ?y ?v)
    (row ?y)
    (row ?v)
    (succ ?y ?v))

(<= (ahead black ?y ?v)
    (ahead white ?v ?y))

{{facts "row" 1 .H}}

(far white {{.H}})
(far black 1)

(<= (beside ?x ?u)
    (column ?x)
    (column ?u)
    (succ ?x ?u))

(<= (beside ?x ?u)
    (column ?x)
    (column ?u)
    (succ ?u ?x))

; The position: the pawns, and whose turn it is.

(<= (base (pawn ?x ?y ?p))
    (column ?x)
    (row ?y)
    (role ?p))
(<= (base (control ?p))
    (role ?p))

(<= (init (pawn ?x 1 white))
    (column ?x))
(<= (init (pawn ?x 2 white))
    (column ?x))
(<= (init (pawn ?x {{sub .H 1}} black))
    (column ?x))
(<= (init (pawn ?x {{.H}} black))
    (column ?x))
(init (control white))

; Moves.

(<= (input ?p (move ?x ?y ?x ?v))
    (column ?x)
    (ahead ?p ?y ?v))
(<= (input ?p (move ?x ?y ?u ?v))
    (beside ?x ?u)
    (ahead ?p ?y ?v))
(<= (input ?p noop)
    (role ?p))

(<= (legal ?p (move ?x ?y ?x ?v))
    (true (control ?p))
    (true (pawn ?x ?y ?p))
    (ahead ?p ?y ?v)
    (not (occupied ?x ?v)))

(<= (legal ?p (move ?x ?y ?u ?v))
    (true (control ?p))
    (true (pawn ?x ?y ?p))
    (ahead ?p ?y ?v)
    (beside ?x ?u)
    (not (true (pawn ?u ?v ?p))))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (occupied ?x ?y)
    (true (pawn ?x ?y ?p)))

(<= (leaves ?x ?y)
    (does ?p (move ?x ?y ?u ?v)))

(<= (enters ?u ?v)
    (does ?p (move ?x ?y ?u ?v)))

(<= (next (pawn ?u ?v ?p))
    (does ?p (move ?x ?y ?u ?v)))

(<= (next (pawn ?x ?y ?p))
    (true (pawn ?x ?y ?p))
    (not (leaves ?x ?y))
    (not (enters ?x ?y)))

(<= (next (control ?p))
    (other ?p ?q)
    (true (control ?q)))

; The end.

(<= (armed ?p)
    (true (pawn ?x ?y ?p)))

(<= (wins ?p)
    (far ?p ?y)
    (true (pawn ?x ?y ?p)))

(<= (wins ?p)
    (other ?p ?q)
    (not (armed ?q)))

(<= terminal
    (wins ?p))

(<= (goal ?p 100)
    (wins ?p))

(<= (goal ?p 0)
    (role ?p)
    (not (wins ?p)))
`),
}
