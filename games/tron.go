package games

// tron is the race of light cycles.
var tron = family{
	Family: Family{
		Pattern: "tron-WxH",
		Summary: "tron on W x H cells: both players move at once and leave walls",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 2, Max: 20, Default: 6, separator: "-"},
			{Name: "H", About: "rows", Min: 2, Max: 20, Default: 6, separator: "x"},
		},
	},
	rules: rulesheet(`
; Tron on {{.W}} x {{.H}} cells. Two cycles start in opposite corners. In each round both
; move one cell north, east, south or west at once, onto a cell where no cycle
; has been. A player who has no such move loses; it is a draw if neither has one,
; or if both cycles move onto the same cell.

(role red)
(role blue)

(other red blue)
(other blue red)

(direction north)
(direction east)
(direction south)
(direction west)

; (step d x y u v): direction d leads from (x, y) to (u, v).
{{steps .W .H}}

; The position: the cycles, and the cells where they have been.

(<= (base (cycle ?p ?x ?y))
    (role ?p)
    (step ?d ?x ?y ?u ?v))
(<= (base (wall ?x ?y))
    (step ?d ?x ?y ?u ?v))

(init (cycle red 1 1))
(init (wall 1 1))
(init (cycle blue {{.W}} {{.H}}))
(init (wall {{.W}} {{.H}}))

; Moves.

(<= (input ?p ?d)
    (role ?p)
    (direction ?d))

(<= (legal ?p ?d)
    (true (cycle ?p ?x ?y))
    (step ?d ?x ?y ?u ?v)
    (not (true (wall ?u ?v))))

(<= (next (cycle ?p ?u ?v))
    (reaches ?p ?u ?v))

(<= (next (wall ?u ?v))
    (reaches ?p ?u ?v))

(<= (next (wall ?x ?y))
    (true (wall ?x ?y)))

(<= (reaches ?p ?u ?v)
    (does ?p ?d)
    (true (cycle ?p ?x ?y))
    (step ?d ?x ?y ?u ?v))

; The end.

(<= (mobile ?p)
    (legal ?p ?d))

(<= (trapped ?p)
    (role ?p)
    (not (mobile ?p)))

(<= collision
    (true (cycle red ?x ?y))
    (true (cycle blue ?x ?y)))

(<= terminal
    (trapped ?p))

(<= terminal
    collision)

; After a collision both have the same cells to go to, so neither beats the other.

(<= (beats ?p ?q)
    (other ?p ?q)
    (mobile ?p)
    (trapped ?q))

(<= decided
    (beats ?p ?q))

(<= (goal ?p 100)
    (beats ?p ?q))

(<= (goal ?p 50)
    (role ?p)
    (not decided))

(<= (goal ?q 0)
    (beats ?p ?q))
`),
}
