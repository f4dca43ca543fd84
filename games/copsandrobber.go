package games

import (
	"fmt"
	"strings"
)

// copsAndRobber is the game on grids of Moldenhauer and Sturtevant (2009), with the score
// of the experiments with Bounded Alpha-Beta: the time until the robber is caught.
var copsAndRobber = family{
	Family: Family{
		Pattern:    "copsAndRobber-WxH-C-R",
		Summary:    "C cops chase a robber on W x H cells by turns, for R rounds at most",
		Parameters: copsParameters,
	},
	prepare: func(a arguments) error { return prepareCops(a, false) },
	rules:   rulesheet(copsRules),
}

// copsAndRobberSlips is the same with chance: a move is made with probability 4/5, otherwise
// one of the other moves that are legal is.
var copsAndRobberSlips = family{
	Family: Family{
		Pattern:    "copsAndRobberSlips-WxH-C-R",
		Summary:    "the same with chance: one move in five becomes another one",
		Parameters: copsParameters,
	},
	prepare: func(a arguments) error { return prepareCops(a, true) },
	rules:   rulesheet(copsRules),
}

var copsParameters = []Parameter{
	{Name: "W", About: "columns", Min: 3, Max: 10, Default: 6, separator: "-"},
	{Name: "H", About: "rows", Min: 3, Max: 10, Default: 6, separator: "x"},
	{Name: "C", About: "cops", Min: 1, Max: 3, Default: 3, separator: "-"},
	{Name: "R", About: "rounds", Min: 1, Max: 50, Default: 10, separator: "-"},
}

func prepareCops(a arguments, slips bool) error {
	w, h, c, rounds := a["W"].(int), a["H"].(int), a["C"].(int), a["R"].(int)
	ways := []string{"?d", "?e", "?f"}[:c]
	var facts, starts, goes, able, way []string
	for i, unit := range []string{"a", "b", "c"}[:c] {
		facts = append(facts, fmt.Sprintf("(cop %s)", unit))
		corner := [][2]int{{1, 1}, {w, h}, {w, 1}}[i]
		starts = append(starts, fmt.Sprintf("(init (at %s %d %d))", unit, corner[0], corner[1]))
		goes = append(goes, fmt.Sprintf("(<= (goes %s %s)\n    (makes cops (go %s)))", unit, ways[i], strings.Join(ways, " ")))
		able = append(able, fmt.Sprintf("    (can %s %s)", unit, ways[i]))
		way = append(way, fmt.Sprintf("    (way %s)", ways[i]))
	}
	var goals []string
	for n := range rounds + 1 {
		g := 100 * n / rounds
		goals = append(goals, fmt.Sprintf("(<= (goal robber %d)\n    (true (round %d)))\n\n(<= (goal cops %d)\n    (true (round %d)))", g, n, 100-g, n))
	}
	a["Slips"], a["X"], a["Y"] = slips, (w+1)/2, (h+1)/2
	a["Ways"], a["WayFacts"] = strings.Join(ways, " "), strings.Join(way, "\n")
	a["Cops"], a["Starts"] = lines(facts), lines(starts)
	a["Goes"], a["Able"] = strings.Join(goes, "\n\n"), strings.Join(able, "\n")
	a["Goals"] = strings.Join(goals, "\n\n")
	return nil
}

const copsRules = `
; Cops and robber on {{.W}} x {{.H}} cells. The robber moves first, then all cops at once, and so
; on: each goes one cell north, east, south or west, or stays. The robber is caught as
; soon as it is on a cop's cell, and gets more points the more rounds it has survived;
; the cops get the rest of 100. After {{.R}} rounds the game ends.
{{- if .Slips}}
; A move that was chosen is made if chance, the role random, does not throw a 5 with a
; die of 5 sides. Otherwise chance picks one of the other moves.{{end}}

(role robber)
(role cops)
{{- if .Slips}}
(role random)

(number 1)
(number 2)
(number 3)
(number 4)
(number 5){{end}}

(other robber cops)
(other cops robber)

{{.Cops}}

(unit robber)

(<= (unit ?u)
    (cop ?u))

(way stay)
(way north)
(way east)
(way south)
(way west)

; (step d x y u v): direction d leads from (x, y) to (u, v).
{{steps .W .H}}

(<= (leads stay ?x ?y ?x ?y)
    (step ?d ?x ?y ?u ?v))

(<= (leads ?d ?x ?y ?u ?v)
    (step ?d ?x ?y ?u ?v))

{{succ 0 .R}}

(<= (plan robber ?d)
    (way ?d))

(<= (plan cops (go {{.Ways}}))
{{.WayFacts}})

; The position: the places, whose turn it is, and the rounds played{{if .Slips}};
; then the move that was chosen, and whether another one is to be made{{end}}.

(<= (base (at ?u ?x ?y))
    (unit ?u)
    (step ?d ?x ?y ?v ?w))
(<= (base (control ?p))
    (other ?p ?q))
(base (round 0))
(<= (base (round ?n))
    (succ ?k ?n))
{{- if .Slips}}
(<= (base (wants ?p ?m))
    (plan ?p ?m))
(base slipping){{end}}

{{.Starts}}
(init (at robber {{.X}} {{.Y}}))
(init (control robber))
(init (round 0))

; Moves.

(<= (input ?p ?m)
    (plan ?p ?m))
(<= (input ?p noop)
    (role ?p))
{{- if .Slips}}
(<= (input random (throw ?n))
    (number ?n))
(<= (input random (instead ?m))
    (plan ?p ?m)){{end}}

(<= (can ?u ?d)
    (true (at ?u ?x ?y))
    (leads ?d ?x ?y ?v ?w))

(<= (able robber ?d)
    (can robber ?d))

(<= (able cops (go {{.Ways}}))
{{.Able}})
{{if .Slips}}
(<= decided
    (true (wants ?p ?m)))

(<= (legal ?p ?m)
    (true (control ?p))
    (able ?p ?m)
    (not decided))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q))
    (not decided))

(<= (legal ?p noop)
    (other ?p ?q)
    decided)

(<= (legal random noop)
    (not decided))

(<= (legal random (throw ?n))
    (number ?n)
    decided
    (not (true slipping)))

(<= (legal random (instead ?m))
    (true slipping)
    (true (control ?p))
    (able ?p ?m)
    (not (true (wants ?p ?m))))

(<= (next (wants ?p ?m))
    (plan ?p ?m)
    (does ?p ?m))

(<= (next (wants ?p ?m))
    (true (wants ?p ?m))
    (does random (throw 5)))

(<= (next slipping)
    (does random (throw 5)))

(<= (makes ?p ?m)
    (true (wants ?p ?m))
    (does random (throw ?n))
    (distinct ?n 5))

(<= (makes ?p ?m)
    (true (control ?p))
    (plan ?p ?m)
    (does random (instead ?m)))
{{else}}
(<= (legal ?p ?m)
    (true (control ?p))
    (able ?p ?m))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (makes ?p ?m)
    (plan ?p ?m)
    (does ?p ?m))
{{end}}
; The successor.

(<= (goes robber ?d)
    (makes robber ?d))

{{.Goes}}

(<= (moves ?u)
    (goes ?u ?d))

(<= (next (at ?u ?v ?w))
    (goes ?u ?d)
    (true (at ?u ?x ?y))
    (leads ?d ?x ?y ?v ?w))

(<= (next (at ?u ?x ?y))
    (true (at ?u ?x ?y))
    (not (moves ?u)))

(<= (done ?p)
    (makes ?p ?m))

(<= (next (control ?q))
    (other ?p ?q)
    (done ?p))
{{if .Slips}}
(<= (next (control ?p))
    (true (control ?p))
    (not (done ?p)))
{{end}}
(<= (next (round ?n))
    (done cops)
    (true (round ?k))
    (succ ?k ?n))

(<= (next (round ?n))
    (true (round ?n))
    (not (done cops)))

; The end.

(<= caught
    (true (at robber ?x ?y))
    (cop ?u)
    (true (at ?u ?x ?y)))

(<= terminal
    caught)

(<= terminal
    (true (round {{.R}})))

{{.Goals}}
{{- if .Slips}}

(goal random 0){{end}}
`
