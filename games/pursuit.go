package games

// pursuit is the pursuit-evasion game of the experiments with double oracle
// (Bošanský, Lisý, Lanctot, Čermák and Winands, Artificial Intelligence, 2016).
var pursuit = family{
	Family: Family{
		Pattern: "pursuit-WxH-D",
		Summary: "two pursuers chase an evader on W x H cells for D rounds, all moving at once",
		Parameters: []Parameter{
			{Name: "W", About: "columns", Min: 3, Max: 12, Default: 4, separator: "-"},
			{Name: "H", About: "rows", Min: 3, Max: 12, Default: 4, separator: "x"},
			{Name: "D", About: "rounds", Min: 1, Max: 50, Default: 4, separator: "-"},
		},
	},
	prepare: func(a arguments) error {
		a["X"], a["Y"] = (a["W"].(int)+1)/2, (a["H"].(int)+1)/2
		return nil
	},
	rules: rulesheet(`
; Pursuit on {{.W}} x {{.H}} cells. The pursuer has two units, a and b, which start in
; opposite corners; the evader starts in the middle. In each round all three move
; one cell north, east, south or west at once. The evader is caught when it ends
; a round on the cell of a unit or changes places with one, and escapes if it is
; free after {{.D}} rounds.

(role pursuer)
(role evader)

; (step d x y u v): direction d leads from (x, y) to (u, v).
{{steps .W .H}}

(direction north)
(direction east)
(direction south)
(direction west)

(unit a)
(unit b)

{{succ 0 .D}}

; The position: the three places, the rounds played, and whether the evader has
; been caught.

(<= (base (at ?w ?x ?y))
    (unit ?w)
    (step ?d ?x ?y ?u ?v))
(<= (base (at evader ?x ?y))
    (step ?d ?x ?y ?u ?v))
(base (round 0))
(<= (base (round ?n))
    (succ ?m ?n))
(base caught)

(init (at a 1 1))
(init (at b {{.W}} {{.H}}))
(init (at evader {{.X}} {{.Y}}))
(init (round 0))

; Moves.

(<= (input evader ?d)
    (direction ?d))
(<= (input pursuer (move ?d ?e))
    (direction ?d)
    (direction ?e))

(<= (open ?w ?d)
    (true (at ?w ?x ?y))
    (step ?d ?x ?y ?u ?v))

(<= (legal evader ?d)
    (open evader ?d))

(<= (legal pursuer (move ?d ?e))
    (open a ?d)
    (open b ?e))

(<= (goes evader ?d)
    (does evader ?d))

(<= (goes a ?d)
    (does pursuer (move ?d ?e)))

(<= (goes b ?e)
    (does pursuer (move ?d ?e)))

(<= (reaches ?w ?u ?v)
    (goes ?w ?d)
    (true (at ?w ?x ?y))
    (step ?d ?x ?y ?u ?v))

(<= (next (at ?w ?u ?v))
    (reaches ?w ?u ?v))

(<= (next (round ?n))
    (true (round ?m))
    (succ ?m ?n))

(<= (next caught)
    (unit ?w)
    (reaches ?w ?u ?v)
    (reaches evader ?u ?v))

(<= (next caught)
    (unit ?w)
    (step ?d ?x ?y ?u ?v)
    (true (at ?w ?x ?y))
    (true (at evader ?u ?v))
    (reaches ?w ?u ?v)
    (reaches evader ?x ?y))

; The end.

(<= terminal
    (true caught))

(<= terminal
    (true (round {{.D}})))

(<= (goal pursuer 100)
    (true caught))

(<= (goal evader 0)
    (true caught))

(<= (goal pursuer 0)
    (not (true caught)))

(<= (goal evader 100)
    (not (true caught)))
`),
}
