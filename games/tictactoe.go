package games

// ticTacToe is the classic, and its perft counts are known.
var ticTacToe = family{
	Family: Family{
		Pattern: "ticTacToe",
		Summary: "tic-tac-toe on 3x3 cells",
	},
	rules: rulesheet(`
; Tic-tac-toe. The players mark cells of a 3x3 board in turn, x first. Three
; marks of one player in a row, column or diagonal win; a full board without
; such a line is a draw.

(role x)
(role o)

(other x o)
(other o x)

(index 1)
(index 2)
(index 3)

; The position: the marks that were made, and whose turn it is.

(<= (base (cell ?c ?r ?p))
    (index ?c)
    (index ?r)
    (role ?p))
(<= (base (control ?p))
    (role ?p))

(init (control x))

; Moves.

(<= (input ?p (mark ?c ?r))
    (role ?p)
    (index ?c)
    (index ?r))
(<= (input ?p noop)
    (role ?p))

(<= (legal ?p (mark ?c ?r))
    (true (control ?p))
    (index ?c)
    (index ?r)
    (not (marked ?c ?r)))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (marked ?c ?r)
    (true (cell ?c ?r ?p)))

(<= (next (cell ?c ?r ?p))
    (does ?p (mark ?c ?r)))

(<= (next (cell ?c ?r ?p))
    (true (cell ?c ?r ?p)))

(<= (next (control ?p))
    (other ?p ?q)
    (true (control ?q)))

; The end.

{{template "threeOnNine"}}
`),
}
