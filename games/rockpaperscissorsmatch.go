package games

// rockPaperScissorsMatch is rock, paper, scissors over several throws.
var rockPaperScissorsMatch = family{
	Family: Family{
		Pattern: "rockPaperScissorsMatch-N",
		Summary: "rock, paper, scissors, the best of N throws",
		Parameters: []Parameter{
			{Name: "N", About: "throws", Min: 1, Max: 99, Default: 5, separator: "-"},
		},
	},
	rules: rulesheet(`
; A match of rock, paper, scissors: the best of {{.N}} throws. The players throw at the same time. More
; throws win the match, which ends when the other player cannot catch up.

(role red)
(role blue)

(other red blue)
(other blue red)

(beats rock scissors)
(beats scissors paper)
(beats paper rock)

{{succ (sub 0 .N) .N}}

(<= (less ?a ?b)
    (succ ?a ?b))

(<= (less ?a ?c)
    (less ?a ?b)
    (succ ?b ?c))

(<= (opposite 0 0)
    (succ 0 1))

(<= (opposite ?a ?d)
    (opposite ?b ?c)
    (succ ?a ?b)
    (succ ?c ?d))

; The position: the number of throws to come, and red's lead, which is negative if blue leads.

(<= (base (throws ?n))
    (opposite ?m ?n))

(<= (base (lead ?n))
    (opposite ?m ?n))

(<= (base (lead ?m))
    (opposite ?m ?n))

(init (throws {{.N}}))
(init (lead 0))

; Moves.

(<= (input ?p ?a)
    (role ?p)
    (beats ?a ?b))

(<= (legal ?p ?a)
    (role ?p)
    (beats ?a ?b))

(<= (wins ?p)
    (other ?p ?q)
    (does ?p ?a)
    (does ?q ?b)
    (beats ?a ?b))

(<= (next (throws ?m))
    (true (throws ?n))
    (succ ?m ?n)
    (less 0 ?n))

(<= (next (lead ?n))
    (true (lead ?m))
    (wins red)
    (succ ?m ?n))

(<= (next (lead ?m))
    (true (lead ?n))
    (wins blue)
    (succ ?m ?n))

(<= (next (lead ?n))
    (true (lead ?n))
    (not (wins red))
    (not (wins blue)))

; The end.

(<= terminal
    (true (throws 0)))

(<= terminal
    (true (throws ?n))
    (true (lead ?l))
    (less ?n ?l))

(<= terminal
    (true (throws ?n))
    (true (lead ?l))
    (opposite ?l ?k)
    (less ?n ?k))

(<= (leads red)
    (true (lead ?l))
    (less 0 ?l))

(<= (leads blue)
    (true (lead ?l))
    (less ?l 0))

(<= (goal ?p 100)
    (leads ?p))

(<= (goal ?p 50)
    (role ?p)
    (true (lead 0)))

(<= (goal ?p 0)
    (other ?p ?q)
    (leads ?q))
`),
}
