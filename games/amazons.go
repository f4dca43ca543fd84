package games

// amazons is the game of the amazons, invented by Walter Zamkauskas.
var amazons = family{
	Family: Family{
		Pattern: "amazons-WxH",
		Summary: "amazons on W x H cells: move a queen, shoot an arrow, and keep room to move",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 4, Max: 12, Default: 10, separator: "-"},
			{Name: "H", About: "rows", Min: 4, Max: 12, Default: 10, separator: "x"},
		},
	},
	prepare: func(a arguments) error {
		// Queens begin a third of each side away from the corners.
		a["C"], a["R"] = (a["W"].(int)+2)/3, (a["H"].(int)+2)/3
		return nil
	},
	rules: rulesheet(`
; Amazons on {{.W}} x {{.H}} cells. Each player has four queens, which move as in chess. In turn, white
; first, a player moves a queen, which then shoots an arrow, in another move, along a line on
; which it could go on. The arrow blocks the cell that it hits for ever. Nothing is
; captured. A player who cannot move a queen loses.

(role white)
(role black)

(other white black)
(other black white)

{{facts "column" 1 .W}}

{{facts "row" 1 .H}}

{{succ 1 (max .W .H)}}

{{template "compass"}}

; The position: the queens, the arrows, the queen that is to shoot, and whose turn it is.

(<= (base (queen ?x ?y ?p))
    (column ?x)
    (row ?y)
    (role ?p))

(<= (base (arrow ?x ?y))
    (column ?x)
    (row ?y))

(<= (base (moved ?x ?y))
    (column ?x)
    (row ?y))

(<= (base (control ?p))
    (role ?p))

(init (queen 1 {{.R}} white))
(init (queen {{.C}} 1 white))
(init (queen {{sub .W .C | add 1}} 1 white))
(init (queen {{.W}} {{.R}} white))
(init (queen 1 {{sub .H .R | add 1}} black))
(init (queen {{.C}} {{.H}} black))
(init (queen {{sub .W .C | add 1}} {{.H}} black))
(init (queen {{.W}} {{sub .H .R | add 1}} black))
(init (control white))

; Moves. (clear d x y u v): from (x, y), the cells in direction d up to (u, v) are free.

(<= (line ?d ?x ?y ?u ?v)
    (step ?d ?x ?y ?u ?v))

(<= (line ?d ?x ?y ?u ?v)
    (line ?d ?x ?y ?z ?w)
    (step ?d ?z ?w ?u ?v))

(<= (input ?p (move ?x ?y ?u ?v))
    (role ?p)
    (line ?d ?x ?y ?u ?v))

(<= (input ?p (shoot ?x ?y))
    (role ?p)
    (column ?x)
    (row ?y))

(<= (input ?p noop)
    (role ?p))

(<= (taken ?x ?y)
    (true (queen ?x ?y ?p)))

(<= (taken ?x ?y)
    (true (arrow ?x ?y)))

(<= (clear ?d ?x ?y ?u ?v)
    (step ?d ?x ?y ?u ?v)
    (not (taken ?u ?v)))

(<= (clear ?d ?x ?y ?u ?v)
    (clear ?d ?x ?y ?z ?w)
    (step ?d ?z ?w ?u ?v)
    (not (taken ?u ?v)))

(<= shooting
    (true (moved ?x ?y)))

(<= (legal ?p (move ?x ?y ?u ?v))
    (true (control ?p))
    (not shooting)
    (true (queen ?x ?y ?p))
    (clear ?d ?x ?y ?u ?v))

(<= (legal ?p (shoot ?u ?v))
    (true (control ?p))
    (true (moved ?x ?y))
    (clear ?d ?x ?y ?u ?v))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (leaves ?x ?y)
    (does ?p (move ?x ?y ?u ?v)))

(<= (next (queen ?x ?y ?p))
    (true (queen ?x ?y ?p))
    (not (leaves ?x ?y)))

(<= (next (queen ?u ?v ?p))
    (does ?p (move ?x ?y ?u ?v)))

(<= (next (moved ?u ?v))
    (does ?p (move ?x ?y ?u ?v)))

(<= (next (arrow ?x ?y))
    (does ?p (shoot ?x ?y)))

(<= (next (arrow ?x ?y))
    (true (arrow ?x ?y)))

(<= (next (control ?p))
    (true (control ?p))
    (not shooting))

(<= (next (control ?p))
    (other ?p ?q)
    (true (control ?q))
    shooting)

; The end.

(<= (mobile ?p)
    (true (queen ?x ?y ?p))
    (step ?d ?x ?y ?u ?v)
    (not (taken ?u ?v)))

(<= (loses ?p)
    (true (control ?p))
    (not shooting)
    (not (mobile ?p)))

(<= terminal
    (loses ?p))

(<= (goal ?p 100)
    (other ?p ?q)
    (loses ?q))

(<= (goal ?p 50)
    (role ?p)
    (not (loses white))
    (not (loses black)))

(<= (goal ?p 0)
    (loses ?p))
`),
}
