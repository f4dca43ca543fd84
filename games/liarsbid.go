package games

// liarsBid is a game of our own after liar's dice: who bids more must not have hoped for too
// much. Both players set their dice at once, so that nothing is hidden and nothing is known.
var liarsBid = family{
	Family: Family{
		Pattern: "liarsBid-N",
		Summary: "liar's bid with N dice each: bid on the sum of two dice, of which one is yours",
		Parameters: []Parameter{
			{Name: "N", About: "dice of each player, 1 to N, and rounds", Min: 2, Max: 8, Default: 3, separator: "-"},
		},
	},
	rules: rulesheet(`
; Liar's bid with {{.N}} dice. Each player has dice that show 1 to {{.N}} and sets each of them once. In
; every round both set one at the same time, and bid that the sum of the two dice is at
; least its own number and another one, that which they hope for from the other. The higher bid
; is tried: if it is true, it wins a point, and if not, the other player does. Equal
; bids win nothing. When all dice are set, more points win.
;
; (bid 3 2) sets the 3 and hopes for 2: it bids 5.

(role red)
(role blue)

(other red blue)
(other blue red)

{{facts "number" 1 .N}}

{{succ (sub 0 .N) (mul 2 .N)}}

; The position: the dice that are left, and red's lead in points, which is negative if blue leads.

(<= (base (hand ?p ?d))
    (role ?p)
    (number ?d))

(<= (base (lead ?l))
    (margin ?l))

(margin {{sub 0 .N}})

(<= (margin ?n)
    (margin ?m)
    (succ ?m ?n)
    (less ?m {{.N}}))

(<= (init (hand ?p ?d))
    (role ?p)
    (number ?d))

(init (lead 0))

; Moves.

(<= (input ?p (bid ?d ?h))
    (role ?p)
    (number ?d)
    (number ?h))

(<= (legal ?p (bid ?d ?h))
    (true (hand ?p ?d))
    (number ?h))

(<= (sets ?p ?d)
    (does ?p (bid ?d ?h)))

(<= (next (hand ?p ?d))
    (true (hand ?p ?d))
    (not (sets ?p ?d)))

; Who wins the point. (sum a b c): a + b = c, for the numbers of dice.

(<= (sum ?a 1 ?b)
    (number ?a)
    (succ ?a ?b))

(<= (sum ?a ?c ?e)
    (sum ?a ?b ?d)
    (succ ?b ?c)
    (number ?c)
    (succ ?d ?e))

(<= (less ?a ?b)
    (succ ?a ?b))

(<= (less ?a ?c)
    (less ?a ?b)
    (succ ?b ?c))

(<= (bids ?p ?s)
    (does ?p (bid ?d ?h))
    (sum ?d ?h ?s))

(<= (higher ?p)
    (other ?p ?q)
    (bids ?p ?s)
    (bids ?q ?t)
    (less ?t ?s))

(<= (hopes ?p ?h)
    (does ?p (bid ?d ?h)))

(<= (lies ?p)
    (other ?p ?q)
    (hopes ?p ?h)
    (sets ?q ?d)
    (less ?d ?h))

(<= (scores ?p)
    (higher ?p)
    (not (lies ?p)))

(<= (scores ?p)
    (other ?p ?q)
    (higher ?q)
    (lies ?q))

(<= (next (lead ?n))
    (true (lead ?m))
    (scores red)
    (succ ?m ?n))

(<= (next (lead ?m))
    (true (lead ?n))
    (scores blue)
    (succ ?m ?n))

(<= (next (lead ?n))
    (true (lead ?n))
    (not (scores red))
    (not (scores blue)))

; The end.

(<= unfinished
    (true (hand ?p ?d)))

(<= terminal
    (not unfinished))

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
