package games

// pig is the folk dice game, its length limited so that it can be solved.
var pig = family{
	Family: Family{
		Pattern: "pig-N-T",
		Summary: "pig, a game of dice: first to N points, or ahead after T turns",
		Parameters: []Parameter{
			{Name: "N", About: "points to win", Min: 2, Max: 60, Default: 20, separator: "-"},
			{Name: "T", About: "turns of each player", Min: 1, Max: 30, Default: 5, separator: "-"},
		},
	},
	prepare: func(a arguments) error {
		a["Turns"] = 2*a["T"].(int) + 1
		return nil
	},
	rules: rulesheet(`
; Pig. In its turn a player rolls a die as often as it likes and then holds. What
; was rolled goes into the pot; holding adds the pot to the player's score; a
; rolled 1 loses the pot and ends the turn. The first to reach {{.N}} points wins.
; Points above are not counted, so with {{.N}} in the pot the player has to hold.
; After {{.T}} turns each, more points win, and equal points are a draw.
;
; The die is cast by chance: the role random.

(role red)
(role blue)
(role random)

(player red)
(player blue)

(other red blue)
(other blue red)

(die 1)
(die 2)
(die 3)
(die 4)
(die 5)
(die 6)

{{succ 0 (max 6 (max .N .Turns))}}

(amount 0)

(<= (amount ?n)
    (succ ?m ?n)
    (amount ?m)
    (distinct ?m {{.N}}))

(turnNumber 1)

(<= (turnNumber ?k)
    (succ ?j ?k)
    (turnNumber ?j)
    (distinct ?j {{.Turns}}))

; The position: the scores, the pot, whose turn it is, the number of the turn
; (turn {{.Turns}} is not played), and whether the die is in the air.

(<= (base (score ?p ?n))
    (player ?p)
    (amount ?n))
(<= (base (pot ?n))
    (amount ?n))
(<= (base (control ?p))
    (player ?p))
(<= (base (turn ?k))
    (turnNumber ?k))
(base rolling)

(<= (init (score ?p 0))
    (player ?p))
(init (pot 0))
(init (control red))
(init (turn 1))

; Moves.

(<= (input ?p roll)
    (player ?p))
(<= (input ?p hold)
    (player ?p))
(<= (input random (cast ?d))
    (die ?d))
(<= (input ?p noop)
    (role ?p))

(<= (legal ?p roll)
    (true (control ?p))
    (not (true (pot {{.N}})))
    (not (true rolling)))

(<= (legal ?p hold)
    (true (control ?p))
    (not (true rolling)))

(<= (legal random (cast ?d))
    (die ?d)
    (true rolling))

(<= (legal ?p noop)
    (player ?p)
    (true rolling))

(<= (legal ?q noop)
    (true (control ?p))
    (other ?p ?q)
    (not (true rolling)))

(<= (legal random noop)
    (not (true rolling)))

; The successor.

(<= holds
    (does ?p hold))

(<= turnEnds
    holds)

(<= turnEnds
    (does random (cast 1)))

(<= (next rolling)
    (does ?p roll))

(<= (next (control ?p))
    (true (control ?p))
    (not turnEnds))

(<= (next (control ?q))
    (true (control ?p))
    (other ?p ?q)
    turnEnds)

(<= (next (turn ?k))
    (true (turn ?k))
    (not turnEnds))

(<= (next (turn ?k))
    (true (turn ?j))
    (turnNumber ?k)
    (succ ?j ?k)
    turnEnds)

(<= (next (score ?p ?n))
    (true (score ?p ?n))
    (not (does ?p hold)))

(<= (next (score ?p ?n))
    (does ?p hold)
    (true (score ?p ?m))
    (true (pot ?b))
    (sum ?m ?b ?n))

(<= (next (pot 0))
    turnEnds)

(<= (next (pot ?n))
    (does random (cast ?d))
    (distinct ?d 1)
    (true (pot ?m))
    (sum ?m ?d ?n))

(<= (next (pot ?n))
    (true (pot ?n))
    (does random noop)
    (not holds))

; (sum a b c): a + b = c, or c = {{.N}} if it is more.

(<= (sum ?a 0 ?a)
    (amount ?a))

(<= (sum ?a ?c ?e)
    (addend ?c)
    (succ ?b ?c)
    (amount ?e)
    (succ ?d ?e)
    (sum ?a ?b ?d))

(<= (sum ?a ?c {{.N}})
    (addend ?c)
    (succ ?b ?c)
    (sum ?a ?b {{.N}}))

(<= (addend ?n)
    (amount ?n))

(<= (addend ?n)
    (die ?n))

; The end.

(<= arrived
    (true (score ?p {{.N}})))

(<= terminal
    arrived)

(<= terminal
    (true (turn {{.Turns}})))

(<= (more ?a ?b)
    (amount ?a)
    (succ ?b ?a))

(<= (more ?a ?c)
    (more ?a ?b)
    (succ ?c ?b))

(<= (leads ?p)
    (other ?p ?q)
    (true (score ?p ?a))
    (true (score ?q ?b))
    (more ?a ?b))

(<= (goal ?p 100)
    (leads ?p))

(<= (goal ?p 50)
    (player ?p)
    (not (leads red))
    (not (leads blue)))

(<= (goal ?p 0)
    (other ?p ?q)
    (leads ?q))

(goal random 0)
`),
}
