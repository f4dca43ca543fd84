package games

import "fmt"

// reversi is reversi, or Othello, on a board with an even number of columns and rows.
var reversi = family{
	Family: Family{
		Pattern: "reversi-WxH",
		Summary: "reversi on W x H cells: turn the other's discs by enclosing them",
		Parameters: []Parameter{
			{Name: "W", About: "columns, an even number", Min: 4, Max: 12, Default: 8, separator: "-"},
			{Name: "H", About: "rows, an even number", Min: 4, Max: 12, Default: 8, separator: "x"},
		},
	},
	prepare: func(a arguments) error {
		for _, side := range []string{"W", "H"} {
			if a[side].(int)%2 != 0 {
				return fmt.Errorf("%s must be even, found %d", side, a[side])
			}
		}
		return nil
	},
	rules: rulesheet(`
; Reversi on {{.W}} x {{.H}} cells. The players place discs in turn, black first. A disc must
; enclose discs of the other player: lines of them, straight or diagonal, between the new disc and
; another one of the same colour. All that are enclosed change their colour. Whoever
; cannot place a disc passes; when neither can, more discs win.

(role black)
(role white)

(other black white)
(other white black)

{{facts "column" 1 .W}}

{{facts "row" 1 .H}}

{{succ 0 (mul .W .H)}}

{{template "compass"}}

; The position: the discs, and whose turn it is.

(<= (base (cell ?x ?y ?p))
    (column ?x)
    (row ?y)
    (role ?p))

(<= (base (control ?p))
    (role ?p))

(init (cell {{half .W}} {{half .H}} white))
(init (cell {{half .W}} {{add (half .H) 1}} black))
(init (cell {{add (half .W) 1}} {{half .H}} black))
(init (cell {{add (half .W) 1}} {{add (half .H) 1}} white))
(init (control black))

; Moves.

(<= (input ?p (place ?x ?y))
    (role ?p)
    (column ?x)
    (row ?y))

(<= (input ?p pass)
    (role ?p))

(<= (input ?p noop)
    (role ?p))

; (enclosed p d x y): from (x, y) on in direction d, there are discs of the other player up to
; one of p.

(<= (enclosed ?p ?d ?x ?y)
    (other ?p ?q)
    (true (cell ?x ?y ?q))
    (step ?d ?x ?y ?u ?v)
    (true (cell ?u ?v ?p)))

(<= (enclosed ?p ?d ?x ?y)
    (other ?p ?q)
    (true (cell ?x ?y ?q))
    (step ?d ?x ?y ?u ?v)
    (enclosed ?p ?d ?u ?v))

(<= (taken ?x ?y)
    (true (cell ?x ?y ?p)))

(<= (can ?p ?x ?y)
    (step ?d ?x ?y ?u ?v)
    (enclosed ?p ?d ?u ?v)
    (not (taken ?x ?y)))

(<= (mobile ?p)
    (can ?p ?x ?y))

(<= (legal ?p (place ?x ?y))
    (true (control ?p))
    (can ?p ?x ?y))

(<= (legal ?p pass)
    (true (control ?p))
    (not (mobile ?p)))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

; The discs that change their colour.

(<= (turns ?d ?u ?v)
    (does ?p (place ?x ?y))
    (step ?d ?x ?y ?u ?v)
    (enclosed ?p ?d ?u ?v))

(<= (turns ?d ?u ?v)
    (turns ?d ?x ?y)
    (step ?d ?x ?y ?u ?v)
    (true (control ?p))
    (enclosed ?p ?d ?u ?v))

(<= (turned ?x ?y)
    (turns ?d ?x ?y))

(<= (next (cell ?x ?y ?p))
    (does ?p (place ?x ?y)))

(<= (next (cell ?x ?y ?p))
    (true (control ?p))
    (turned ?x ?y))

(<= (next (cell ?x ?y ?p))
    (true (cell ?x ?y ?p))
    (not (turned ?x ?y)))

(<= (next (control ?p))
    (other ?p ?q)
    (true (control ?q)))

; The end.

(<= unfinished
    (mobile ?p))

(<= terminal
    (not unfinished))

; Discs are counted first in each row, from the left, then from row to row. (inRow p x y n): p has
; n discs in the first x columns of row y; (upTo p y n): n in the first y rows; (sum a b c): a + b = c,
; where b is at most the length of a row.

(<= (sum 0 0 0)
    (column 1))

(<= (sum ?b 0 ?b)
    (succ ?a ?b))

(<= (sum ?a ?c ?e)
    (sum ?a ?b ?d)
    (succ ?b ?c)
    (column ?c)
    (succ ?d ?e))

(<= (inRow ?p 0 ?y 0)
    (role ?p)
    (row ?y))

(<= (inRow ?p ?x ?y ?n)
    (inRow ?p ?w ?y ?n)
    (succ ?w ?x)
    (column ?x)
    (not (true (cell ?x ?y ?p))))

(<= (inRow ?p ?x ?y ?n)
    (inRow ?p ?w ?y ?m)
    (succ ?w ?x)
    (column ?x)
    (succ ?m ?n)
    (true (cell ?x ?y ?p)))

(<= (upTo ?p 0 0)
    (role ?p))

(<= (upTo ?p ?y ?c)
    (upTo ?p ?z ?a)
    (succ ?z ?y)
    (inRow ?p {{.W}} ?y ?b)
    (sum ?a ?b ?c))

(<= (atLeast ?p ?n)
    (upTo ?p {{.H}} ?n))

(<= (atLeast ?p ?m)
    (succ ?m ?n)
    (atLeast ?p ?n))

(<= (leads ?p)
    (other ?p ?q)
    (atLeast ?p ?n)
    (not (atLeast ?q ?n)))

(<= (goal ?p 100)
    (leads ?p))

(<= (goal ?p 50)
    (role ?p)
    (not (leads black))
    (not (leads white)))

(<= (goal ?p 0)
    (other ?p ?q)
    (leads ?q))
`),
}
