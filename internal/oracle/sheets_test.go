package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// draft is a rulesheet under way: one clause a line.
type draft struct {
	*rand.Rand
	lines []string
}

func (d *draft) add(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *draft) text() string { return strings.Join(d.lines, "\n") + "\n" }

// one reports true once in n draws.
func (d *draft) one(n int) bool { return d.IntN(n) == 0 }

// among draws an element of a list.
func among[T any](d *draft, list ...T) T { return list[d.IntN(len(list))] }

// A family draws rulesheets of one kind.
type family struct {
	name string
	draw func(d *draft)
}

// families are the kinds of rulesheets that searches and proofs got wrong, or might.
var families = []family{
	{"turns", func(d *draft) {
		d.tangle(tangle{players: 2, turns: true, clock: 2 + d.IntN(5), sum: among(d, 100, 100, 90)})
	}},
	{"waits", func(d *draft) { d.tangle(tangle{players: 2, turns: true, clock: 2 + d.IntN(4), sum: 100, waits: true}) }},
	{"simultaneous", func(d *draft) { d.tangle(tangle{players: 2, clock: 1 + d.IntN(4), sum: 100}) }},
	{"hidden sum", func(d *draft) {
		d.tangle(tangle{players: 2, turns: !d.one(3), clock: 2 + d.IntN(4), sum: 100, odd: true, waits: d.one(2)})
	}},
	{"general sum", func(d *draft) { d.tangle(tangle{players: 2, turns: !d.one(3), clock: 1 + d.IntN(4), sum: -1}) }},
	{"cycles", func(d *draft) { d.tangle(tangle{players: 2, turns: !d.one(4), sum: 100, waits: d.one(2)}) }},
	{"chance", func(d *draft) {
		d.tangle(tangle{players: 1 + d.IntN(2), turns: !d.one(3), clock: 1 + d.IntN(4), sum: 100, chance: true})
	}},
	{"three roles", func(d *draft) { d.tangle(tangle{players: 3, turns: !d.one(3), clock: 1 + d.IntN(4), sum: -1}) }},
	{"puzzle", func(d *draft) { d.tangle(tangle{players: 1, clock: d.IntN(8), sum: -1}) }},
	{"faulty goals", func(d *draft) {
		d.tangle(tangle{players: 1 + d.IntN(2), turns: true, clock: 1 + d.IntN(4), sum: 100, faulty: true})
	}},
	{"rare event", rareEvent},
	{"levers", levers},
	{"jugs", jugs},
	{"walk", walk},
	{"rounds", repeatedMatrix},
	{"joined", joined},
	{"symmetric", symmetric},
	{"lock", lock},
	{"formula", formula},
	{"scores", scores},
	{"connection", connection},
	{"points", points},
	{"rare event", rareEvent},
	{"long turns", func(d *draft) {
		d.tangle(tangle{players: 2, turns: true, clock: 6 + d.IntN(4), sum: 100, waits: d.one(2), odd: d.one(4)})
	}},
	{"chance in circles", func(d *draft) { d.tangle(tangle{players: 1 + d.IntN(2), turns: true, sum: 100, chance: true}) }},
}

// tangle is the plan of a game whose rules are drawn literal by literal.
type tangle struct {
	players int
	turns   bool // one player at a time has the control
	chance  bool // there is a role random
	clock   int  // joint moves to the end, 0 for a game without a clock
	sum     int  // of the goals, −1 for any
	odd     bool // in a rare case the goals have another sum
	waits   bool // players without the control choose between several moves
	faulty  bool // in some case a role has two goals, none, or one that is no number from 0 to 100
}

// spelling is how the fluents of a tangle are written.
var spellings = []func(i int) string{
	func(i int) string { return fmt.Sprintf("f%d", i) },
	func(i int) string { return fmt.Sprintf("(f %d)", i) },
	func(i int) string { return fmt.Sprintf("(at (cell %d %d) (mark x))", i/2, i%2) },
}

// literal draws a condition over the fluents of a position.
func (d *draft) literal(fluents []string) string {
	f := fluents[d.IntN(len(fluents))]
	if d.one(2) {
		return fmt.Sprintf("(not (true %s))", f)
	}
	return fmt.Sprintf("(true %s)", f)
}

// conjunction draws some literals.
func (d *draft) conjunction(fluents []string, least, most int) string {
	var list []string
	for range least + d.IntN(most-least+1) {
		list = append(list, d.literal(fluents))
	}
	return strings.Join(list, " ")
}

// tangle writes a game by its plan.
func (d *draft) tangle(t tangle) {
	roles := []string{"x", "o", "z"}[:t.players]
	all := roles
	if t.chance {
		all = append(append([]string{}, roles...), "random")
	}
	for _, r := range all {
		d.add("(role %s)", r)
	}
	spelled := among(d, spellings...)
	fluents := make([]string, 3+d.IntN(3))
	for i := range fluents {
		if fluents[i] = spelled(i); d.one(3) {
			d.add("(init %s)", fluents[i])
		}
	}
	d.clock(t.clock)
	moves := d.legal(t, all, fluents)
	for _, f := range fluents {
		d.next(f, fluents, all, moves)
	}
	if t.clock == 0 || d.one(3) {
		d.add("(<= terminal %s)", d.conjunction(fluents, 1, 3))
		if t.clock == 0 && d.one(2) {
			d.add("(<= terminal %s)", d.conjunction(fluents, 2, 3))
		}
	}
	d.goals(t, all, fluents)
	d.readOutputs(t, fluents, moves)
}

// readOutputs adds a rule that reads legal moves or goals to one game of three.
func (d *draft) readOutputs(t tangle, fluents []string, moves map[string][]string) {
	reader, read := among(d, t.list()...), among(d, t.list()...)
	legal := fmt.Sprintf("(legal %s %s)", read, among(d, moves[read]...))
	switch d.IntN(12) {
	case 0:
		d.add("(<= (next %s) %s %s)", among(d, fluents...), legal, d.conjunction(fluents, 1, 2))
	case 1:
		d.add("(<= (next %s) (goal %s 100) %s)", among(d, fluents...), read, d.conjunction(fluents, 1, 2))
	case 2:
		d.add("(<= terminal (not %s) %s)", legal, d.conjunction(fluents, 1, 2))
	case 3:
		d.add("(shares %s %s)", reader, read)
		d.add("(<= (legal ?r ?m) (shares ?r ?s) %s (legal ?s ?m))", d.conjunction(fluents, 0, 1))
	}
}

// clock writes a counter of steps up to n, at which the game ends.
func (d *draft) clock(n int) {
	if n == 0 {
		return
	}
	if d.one(4) {
		d.add("(init t0)")
		for i := range n {
			d.add("(<= (next t%d) (true t%d))", i+1, i)
		}
		d.add("(<= terminal (true t%d))", n)
		return
	}
	d.add("(init (step 0))")
	for i := range n {
		d.add("(succ %d %d)", i, i+1)
	}
	d.add("(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))")
	d.add("(<= terminal (true (step %d)))", n)
}

// legal writes the legal rules, and returns the moves by role.
func (d *draft) legal(t tangle, all, fluents []string) map[string][]string {
	moves := make(map[string][]string)
	if t.turns && len(t.list()) > 1 {
		players := t.list()
		d.add("(init (control %s))", players[0])
		for i, r := range players {
			d.add("(<= (next (control %s)) (true (control %s)))", players[(i+1)%len(players)], r)
		}
	}
	for _, r := range all {
		own := []string{"a", "b", "(mv 1 (g 0))"}[:1+d.IntN(3)]
		moves[r] = append(moves[r], own...)
		guard := ""
		if t.turns && t.players > 1 && r != "random" {
			guard = fmt.Sprintf(" (true (control %s))", r)
		}
		for i, m := range own {
			extra := ""
			if i > 0 && d.one(4) || guard == "" && i > 0 && d.one(2) {
				extra = " " + d.conjunction(fluents, 1, 1)
			}
			d.fact(fmt.Sprintf("(legal %s %s)", r, m), guard+extra)
		}
		if guard == "" {
			continue // the first move is always legal
		}
		waiting := []string{"noop"}
		if t.waits {
			waiting = []string{"noop", "wait", "stay"}[:1+d.IntN(3)]
		}
		moves[r] = append(moves[r], waiting...)
		for i, m := range waiting {
			switch {
			case i > 0 && d.one(2):
				d.add("(legal %s %s)", r, m) // even with the control
			case d.one(2):
				d.add("(<= (legal %s %s) (not (true (control %s))))", r, m, r)
			default:
				for _, other := range t.list() {
					if other != r {
						d.add("(<= (legal %s %s) (true (control %s)))", r, m, other)
					}
				}
			}
		}
	}
	return moves
}

// list returns the players.
func (t tangle) list() []string { return []string{"x", "o", "z"}[:t.players] }

// fact writes a rule, or a fact where the body is empty.
func (d *draft) fact(head, body string) {
	if body = strings.TrimSpace(body); body == "" {
		d.add("%s", head)
	} else {
		d.add("(<= %s %s)", head, body)
	}
}

// next writes when a fluent is true next.
func (d *draft) next(f string, fluents, all []string, moves map[string][]string) {
	does := func() string {
		r := all[d.IntN(len(all))]
		s := fmt.Sprintf("(does %s %s)", r, moves[r][d.IntN(len(moves[r]))])
		if d.one(4) {
			return "(not " + s + ")"
		}
		return s
	}
	if d.one(2) {
		d.fact(fmt.Sprintf("(next %s)", f), among(d, "", does()+" ")+fmt.Sprintf("(true %s)", f))
	}
	for range 1 + d.IntN(2) {
		body := does()
		switch {
		case d.one(6):
			body = d.denials(all, moves)
		case d.one(3):
			body += " " + does()
		}
		if d.one(2) {
			body += " " + d.conjunction(fluents, 1, 2)
		}
		if d.one(6) {
			body = fmt.Sprintf("(or %s %s)", body[:strings.LastIndex(body, "(does")]+body[strings.LastIndex(body, "(does"):], d.literal(fluents))
			if strings.Count(body, "(not (does") > 0 || strings.Count(body, "(does") > 1 {
				body = does() + " " + d.literal(fluents)
			}
		}
		d.fact(fmt.Sprintf("(next %s)", f), body)
	}
}

// denials draws the negations of most moves of a role, and perhaps one of its moves, as frame rules have them.
func (d *draft) denials(all []string, moves map[string][]string) string {
	r := all[d.IntN(len(all))]
	made, first := d.IntN(2*len(moves[r])), d.IntN(len(moves[r]))
	var list []string
	for i, m := range moves[r] {
		switch {
		case i == made:
			list = append(list, fmt.Sprintf("(does %s %s)", r, m))
		case i == first || !d.one(4):
			list = append(list, fmt.Sprintf("(not (does %s %s))", r, m))
		}
	}
	return strings.Join(list, " ")
}

// goals writes the goals of all roles: a list of cases, the first that holds decides.
func (d *draft) goals(t tangle, all, fluents []string) {
	cases, earlier := 2+d.IntN(2), ""
	for c := range cases {
		own := ""
		if c < cases-1 {
			own = fmt.Sprintf(" k%d", c)
			d.add("(<= k%d %s)", c, d.conjunction(fluents, 1, 2))
		}
		d.add("(<= (c %d)%s%s)", c, earlier, own)
		earlier += fmt.Sprintf(" (not k%d)", c)
	}
	for c := range cases {
		odd := t.odd && c == 0
		left := t.sum
		for i, r := range t.list() {
			v := among(d, 0, 100, 50, 30, 70)
			switch {
			case t.sum < 0 || odd && i > 0:
			case i == len(t.list())-1 && i > 0:
				v = left
			default:
				v = min(v, left)
				left -= v
			}
			if t.sum < 0 && t.players == 1 && c == 0 {
				v = 100
			}
			if t.faulty { // a faulty goal in a rule is no valid rulesheet, behind a variable it is
				d.add("(worth %s %d %s)", r, c, d.spelled(t, v))
				d.add("(<= (goal %s ?v) (c %d) (worth %s %d ?v))", r, c, r, c)
			} else {
				d.add("(<= (goal %s %d) (c %d))", r, v, c)
			}
			if t.faulty && d.one(4) {
				d.add("(<= (goal %s %d) (c %d))", r, among(d, 0, 10, 100), c)
			}
		}
		if t.chance && d.one(2) {
			d.add("(<= (goal random 0) (c %d))", c)
		}
	}
}

// spelled writes a goal, of faulty games sometimes wrongly.
func (d *draft) spelled(t tangle, v int) string {
	if t.faulty && d.one(4) {
		return among(d, "200", "-1", "+50", "win", "1.5", "050")
	}
	return fmt.Sprint(v)
}
