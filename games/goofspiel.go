package games

import (
	"fmt"
	"slices"
)

// Goofspiel, the game of pure strategy: cards are bids, prizes are known.

// maxCards keeps the rulesheet small; solving stops far below it.
const maxCards = 13

// goofspiel is won by the larger sum of prizes.
var goofspiel = family{
	Family: Family{
		Pattern: "goofspiel-N-PRIZES",
		Summary: "goofspiel with N cards each; more points win",
		Parameters: []Parameter{
			{Name: "N", About: "cards of each player", Min: 1, Max: maxCards, Default: 5, separator: "-"},
			prizes,
		},
	},
	prepare: func(a arguments) error {
		a["Proportional"] = false
		return preparePrizes(a)
	},
	rules: goofspielRules,
}

// goofspielPoints pays the difference of the points. With at most 50 points in
// the game the goals are exactly linear in it.
var goofspielPoints = family{
	Family: Family{
		Pattern: "goofspielPoints-N-PRIZES",
		Summary: "goofspiel with N cards each; the goal is 50 plus the lead in points",
		Parameters: []Parameter{
			{Name: "N", About: "cards of each player", Min: 1, Max: 9, Default: 5, separator: "-"},
			prizes,
		},
	},
	prepare: func(a arguments) error {
		a["Proportional"] = true
		return preparePrizes(a)
	},
	rules: goofspielRules,
}

var prizes = Parameter{
	Name: "PRIZES", About: "the prizes in order, N to 1 by default",
	Min: 1, Max: maxCards, List: true, separator: "-",
}

// preparePrizes checks the order of the prizes and adds the points in the game
// and, for each round, the largest lead with which it can be played.
func preparePrizes(a arguments) error {
	n, order := a["N"].(int), a["PRIZES"].([]int)
	if order == nil {
		order = count(1, n)
		slices.Reverse(order)
		a["PRIZES"] = order
	}
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, count(1, n)) {
		return fmt.Errorf("expected each prize of 1 to %d once, found %v", n, order)
	}
	total, given := n*(n+1)/2, 0
	var limits []int
	for _, prize := range order {
		if a["Proportional"].(bool) {
			limits = append(limits, given)
		} else {
			limits = append(limits, min(given, total-given))
		}
		given += prize
	}
	a["Total"], a["Limits"] = total, limits
	return nil
}

var goofspielRules = rulesheet(`
; Goofspiel with {{.N}} cards. Each player holds the cards 1 to {{.N}}. In each round a prize
; is at stake and both players play a card at once. The higher card takes the
; prize; if the cards are equal, the prize is discarded.
;
{{- if .Proportional}}
; All rounds are played. Red gets 50 plus its lead in points, blue 50 minus it.
{{- else}}
; The game ends as soon as the lead exceeds the points that are left. More points
; win, equal points are a draw.
{{- end}}

(role red)
(role blue)

(other red blue)
(other blue red)

{{facts "card" 1 .N}}

; (prize k p): prize p is at stake in round k.
{{range $i, $p := .PRIZES}}
(prize {{add $i 1}} {{$p}})
{{- end}}

{{succ (sub 0 .Total) (max .Total (add .N 1))}}

; The position: the cards in hand, the round, and red's lead in points, which is
; negative if blue leads.

(<= (base (hand ?p ?c))
    (role ?p)
    (card ?c))
(<= (base (round ?k))
    (prize ?k ?p))
(base (round {{add .N 1}}))
(<= (base (lead ?l))
    (margin ?l))

(<= (init (hand ?p ?c))
    (role ?p)
    (card ?c))
(init (round 1))
(init (lead 0))

(margin -{{.Total}})

(<= (margin ?m)
    (margin ?l)
    (succ ?l ?m)
    (distinct ?l {{.Total}}))

; Moves.

(<= (input ?p (play ?c))
    (role ?p)
    (card ?c))

(<= (legal ?p (play ?c))
    (true (hand ?p ?c)))

(<= (next (hand ?p ?c))
    (true (hand ?p ?c))
    (not (does ?p (play ?c))))

(<= (next (round ?j))
    (true (round ?k))
    (prize ?k ?p)
    (succ ?k ?j))

; Who takes the prize.

(<= (playsAtLeast ?p ?c)
    (does ?p (play ?c)))

(<= (playsAtLeast ?p ?b)
    (card ?b)
    (succ ?b ?c)
    (playsAtLeast ?p ?c))

(<= (takes ?p)
    (does ?p (play ?c))
    (other ?p ?q)
    (not (playsAtLeast ?q ?c)))

(<= (next (lead ?m))
    (takes red)
    (contested ?k ?l)
    (true (round ?k))
    (true (lead ?l))
    (prize ?k ?p)
    (sum ?l ?p ?m))

(<= (next (lead ?m))
    (takes blue)
    (contested ?k ?l)
    (true (round ?k))
    (true (lead ?l))
    (prize ?k ?p)
    (sum ?m ?p ?l))

(<= (next (lead ?l))
    (true (lead ?l))
    (not (takes red))
    (not (takes blue)))

; (sum l p m): lead l and prize p make lead m.

(<= (sum ?l 0 ?l)
    (margin ?l))

(<= (sum ?l ?p ?n)
    (card ?p)
    (succ ?o ?p)
    (margin ?n)
    (succ ?m ?n)
    (sum ?l ?o ?m))

; (contested k l): round k is played if the lead is l. (limits k m n): that is so
; from m to n.
{{range $i, $n := .Limits}}
(limits {{add $i 1}} {{sub 0 $n}} {{$n}})
{{- end}}

(<= (contested ?k ?m)
    (limits ?k ?m ?n))

(<= (contested ?k ?j)
    (limits ?k ?m ?n)
    (distinct ?i ?n)
    (succ ?i ?j)
    (contested ?k ?i))

; The end.

(<= unfinished
    (true (round ?k))
    (true (lead ?l))
    (contested ?k ?l))

(<= terminal
    (not unfinished))
{{if .Proportional}}{{range count (sub 0 .Total) .Total}}
(<= (goal red {{add 50 .}})
    (true (lead {{.}})))
(<= (goal blue {{sub 50 .}})
    (true (lead {{.}})))
{{- end}}
{{else}}
(<= (positive ?l)
    (succ 0 ?l))

(<= (positive ?m)
    (margin ?m)
    (succ ?l ?m)
    (positive ?l))

(<= (leads red)
    (true (lead ?l))
    (positive ?l))

(<= (leads blue)
    (true (lead ?l))
    (distinct ?l 0)
    (not (positive ?l)))

(<= (goal ?p 100)
    (leads ?p))

(<= (goal ?p 50)
    (role ?p)
    (true (lead 0)))

(<= (goal ?p 0)
    (other ?p ?q)
    (leads ?q))
{{end -}}
`)
