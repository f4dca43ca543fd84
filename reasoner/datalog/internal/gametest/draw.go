package gametest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// RandomGame draws a rulesheet over constants a, b and c: fluents and moves of
// arity 0 to 2, some wrapped in function terms, derived relations in layers that
// negate lower layers and recur on their own, and rules with many variables. Moves,
// goals and the end are layers too: the rules above read them.
func RandomGame(t *rapid.T) string {
	d := drawer{T: t}
	d.line("(role x) (role y) (dom a) (dom b) (dom c) (link a b) (link b c)")
	for f := range d.pick("initial fluents", 5) {
		d.line("(init %s)", d.fluent(fmt.Sprint("init", f), []string{"a", "b", "c"}))
	}
	for layer := 1; layer <= 3; layer++ {
		for range 1 + d.pick("rules", 3) {
			d.rule(fmt.Sprintf("r%d", layer), layer, false)
		}
	}
	for _, role := range []string{"x", "y"} {
		d.line("(legal %s wait)", role)
		d.rule("(legal "+role+" (m %s %s))", moves, false)
	}
	d.rule("(goal x 100)", goals, false)
	d.line("(goal y 50)")
	d.rule("terminal", end, false)
	for range 2 + d.pick("next rules", 4) {
		d.rule("next", end+1, true)
	}
	return d.String()
}

// The layers of the outputs, above three layers of derived relations.
const (
	moves = 4 + iota
	goals
	end
)

type drawer struct {
	*rapid.T
	strings.Builder
}

func (d *drawer) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(d.T, label) }

func (d *drawer) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// fluent draws a fluent over the given terms.
func (d *drawer) fluent(label string, terms []string) string {
	one := func() string { return terms[d.pick(label, len(terms))] }
	switch d.pick(label, 4) {
	case 0:
		return "flag"
	case 1:
		return fmt.Sprintf("(p %s)", one())
	case 2:
		return fmt.Sprintf("(q %s %s)", one(), one())
	}
	return fmt.Sprintf("(p (box %s))", one())
}

// rule draws a rule whose body asks for fluents, links, layers below and, if
// asksMoves is set, the joint move. Its variables are bound by dom.
func (d *drawer) rule(head string, layer int, asksMoves bool) {
	vars := []string{"?u", "?v", "?w", "?z"}[:1+d.pick("variables", 4)]
	one := func() string { return vars[d.pick("variable", len(vars))] }
	var body []string
	for _, v := range vars {
		body = append(body, fmt.Sprintf("(dom %s)", v))
	}
	for range d.pick("literals", 5) {
		body = append(body, d.literal(one, layer, asksMoves))
	}
	switch {
	case head == "next":
		head = fmt.Sprintf("(next %s)", d.fluent("next", vars))
	case strings.HasPrefix(head, "r"):
		if d.pick("recursive", 3) == 0 {
			body = append(body, fmt.Sprintf("(%s %s %s)", head, one(), one()))
		}
		head = fmt.Sprintf("(%s %s %s)", head, one(), one())
	case strings.Contains(head, "%s"):
		head = fmt.Sprintf(head, one(), one())
		if d.pick("shared", 3) == 0 {
			body = append(body, strings.NewReplacer("legal x", "legal y", "legal y", "legal x").Replace(head))
		}
	}
	d.line("(<= %s %s)", head, strings.Join(body, " "))
}

func (d *drawer) literal(one func() string, layer int, asksMoves bool) string {
	atom := ""
	switch d.pick("literal", 5) {
	case 0:
		return fmt.Sprintf("(distinct %s %s)", one(), one())
	case 1:
		atom = fmt.Sprintf("(link %s %s)", one(), one())
	case 2:
		if layer > 1 {
			atom = d.derived(one, 1+d.pick("layer", layer-1))
			break
		}
		fallthrough
	case 3:
		if asksMoves {
			atom = fmt.Sprintf("(does %s (m %s %s))", []string{"x", "y"}[d.pick("role", 2)], one(), one())
			break
		}
		fallthrough
	default:
		atom = fmt.Sprintf("(true %s)", d.fluent("true", []string{one(), one()}))
	}
	if d.pick("negated", 3) == 0 {
		return "(not " + atom + ")"
	}
	return atom
}

// derived draws an atom of a layer.
func (d *drawer) derived(one func() string, layer int) string {
	switch layer {
	case moves:
		return fmt.Sprintf("(legal %s (m %s %s))", []string{"x", "y"}[d.pick("role", 2)], one(), one())
	case goals:
		return "(goal x 100)"
	case end:
		return "terminal"
	}
	return fmt.Sprintf("(r%d %s %s)", layer, one(), one())
}

// Rewritable draws a game in which static relations join several columns. Other relations recur on themselves
// in the last literal, with results that are passed on, and read each other. Such relations may be outputs: roles share
// moves and goals.
func Rewritable(t *rapid.T) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	line("(role x) (role y) (place a) (place b) (place c) (place d) (number 0) (number 1) (number 2)")
	line("(succ 0 1) (succ 1 2) (kind a 0) (kind b 0) (kind b 1) (kind c 1) (kind d 2) (init (at a 0)) (init (at b 1))")
	for range rapid.IntRange(2, 6).Draw(t, "links") {
		line("(link %s %s)", pick("from", "a", "b", "c", "d"), pick("to", "a", "b", "c", "d"))
	}
	line("(<= (link ?p ?p) (place ?p) (kind ?p 2))")
	for range rapid.IntRange(1, 3).Draw(t, "alike") {
		line("(<= (alike ?p ?q ?r) (kind ?p ?k) (kind ?q ?k) %s)",
			pick("third", "(kind ?r ?k)", "(link ?q ?r)", "(kind ?r ?l) (succ ?k ?l)", "(place ?r) (distinct ?p ?r)", "(place ?r) (not (link ?r ?p))"))
	}
	line("(<= (three ?p) (true (at ?p ?i)) (true (at ?q ?j)) (true (at ?r ?j)) (alike ?p ?q ?r))")
	line("(<= (three d) (true (at ?p ?i)) (alike ?p c ?r) %s)", pick("more", "(kind ?r 0)", "(true (at ?r ?i))", "(not (true (at ?r ?i)))"))
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		line("(<= (count ?p ?i ?n ?m) %s %s (count %s ?n ?m))",
			pick("guard", "(true (at ?p ?i)) (link ?p ?q) (succ ?i ?j)", "(link ?p ?q) (succ ?i ?j) (not (true (at ?q ?i)))",
				"(true (at ?p ?h)) (link ?p ?q) (number ?i) (succ ?h ?j)", "(number ?i) (true (at ?p ?j)) (link ?q ?p)"),
			pick("also", "", "(distinct ?p ?q)", "(not (three ?q))"), pick("goes on", "?q ?j", "?q 0", "d ?j", "?p ?j"))
	}
	line("(<= (count %s ?i ?n ?i) (number ?i) (number ?n) %s)", pick("end", "c", "d"), pick("then", "", "(distinct ?i ?n)", "(three ?p) (true (at ?p ?n))"))
	line("(<= (count ?p ?i ?i 0) (true (at ?p ?i)) (kind ?p ?i))")
	line("(<= (tally ?p ?n) %s (tally ?q ?n))", pick("tally", "(link ?p ?q)", "(link ?p ?q) (not (true (at ?p 0)))", "(count ?p ?i ?j ?k) (link ?p ?q)",
		"(count ?p 0 ?i ?j) (kind ?q ?i) (kind ?p ?j)", "(link ?p ?q) (count ?q 0 ?i ?j)"))
	line("(<= (tally %s ?n) (count %s ?n ?m))", pick("tally ends", "a", "b", "d"), pick("tally reads", "a 0", "b ?n", "c 1"))
	line("(<= (near ?p ?q) (true (at ?p ?i)) %s)", pick("near", "(link ?p ?q)", "(true (at ?q ?i)) (distinct ?p ?q)"))
	line("(<= (safe ?p ?r) (true (at ?p ?i)) (true (at ?k ?j)) (true (at ?r ?n)) %s)", pick("safe", "(not (near ?k ?p))", "(not (near ?p ?k)) (not (near ?k ?r))"))
	line("(<= (next (at ?p ?i)) (true (at ?p ?i)) (safe ?p %s))", pick("from", "a", "b"))
	line("(<= (legal x (from ?n)) (count %s %s ?n ?m) (succ ?m ?n))", pick("start", "a", "b"), pick("first", "0", "1"))
	line("(<= (legal y (from ?n)) (tally %s ?n) %s)", pick("tally from", "a", "b", "c"), pick("tally filter", "", "(true (at b ?n))", "(kind a ?n)"))
	line("(<= (legal ?r (go ?p ?n)) (role ?r) (true (at ?p ?i)) (count ?p ?i ?n ?m) %s)", pick("filter", "", "(distinct ?n ?i)", "(link ?p ?q) (kind ?q ?m)", "(not (three ?p))"))
	line("(legal x wait) (legal y wait) (mate %s)", pick("mates", "x y", "y x", "x y) (mate y x"))
	if rapid.Bool().Draw(t, "shared moves") {
		line("(<= (legal ?r ?m) (mate ?r ?s) %s (legal ?s ?m))", pick("sharing", "", "(true (at b 1))", "(not (three d))"))
	}
	if rapid.Bool().Draw(t, "shared goals") {
		line("(<= (goal ?r ?v) (mate ?r ?s) (goal ?s ?v))")
	}
	line("(<= (next (at ?p ?n)) (does x (go ?p ?n)))")
	line("(<= (next (at ?q ?j)) (true (at ?p ?i)) (link ?p ?q) %s)", pick("next", "(succ ?i ?j)", "(count ?p 0 ?j ?m)", "(does y (go ?p ?j))", "(legal y (go ?p ?j))"))
	line("(<= (next (at ?p ?i)) (true (at ?p ?i)) (three ?p))")
	line("(<= (goal x 100) (three d)) (<= (goal y 10) (count a 1 ?n 2))")
	for _, p := range []string{"b", "c"} { // rules that differ in one condition
		line("(<= (goal x 90) (true (at a ?i)) (true (at %s ?i)))", p)
	}
	line("(<= terminal (true (at d 2)) %s)", pick("ends", "(count a 0 2 ?m)", "(legal y (go ?p 1))", "(not (legal x (from 1)))", "(goal x 90)"))
	return b.String()
}

// Composed draws a game with a relation that is composed with itself, or nearly.
func Composed(t *rapid.T) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	line("(role x) (colour 0) (colour 1) (init (on a 0)) (init (on b 1)) (goal x 50) (<= terminal (true (on d 1)) (path 0 a d))")
	for _, p := range []string{"a", "b", "c", "d"} {
		line("(place %s)", p)
	}
	for range rapid.IntRange(3, 8).Draw(t, "links") {
		line("(link %s %s)", pick("from", "a", "b", "c", "d"), pick("to", "a", "b", "c", "d"))
	}
	line("(side a 0) (side b 0) (side b 1) (side d 1)")
	line("(<= (legal x (join ?i)) (path ?i ?p ?q) (side ?p ?i) %s)", pick("use", "(side ?q ?i)", "(link ?q ?p)", "(true (on ?q ?i))", "(not (side ?q ?i))"))
	line("(<= (legal x (put ?p ?i)) (place ?p) (colour ?i) (not (true (on ?p ?i))))")
	line("(<= (next (on ?p ?i)) (does x (put ?p ?i)))")
	line("(<= (next (on ?p ?i)) (true (on ?p ?i)) %s)", pick("keep", "", "(not (does x (put c 0)))", "(path ?i ?p ?q)"))
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		line("%s", pick("step", "(<= (path ?i ?p ?q) (link ?p ?q) (true (on ?p ?i)))", "(<= (path ?i ?p ?q) (link ?q ?p) (true (on ?q ?i)) (true (on ?p ?i)))",
			"(path 1 c d)", "(<= (path 0 ?p ?p) (true (on ?p 1)))", "(<= (path ?i a ?p) (true (on ?p ?i)) (not (true (on a 1))))",
			"(<= (path ?i ?p ?q) (link ?p ?q) (colour ?i) (true (on ?q ?j)) (place ?o) (distinct ?o ?p))"))
	}
	guard := pick("guard",
		"(place ?o) (colour ?i)", "(place ?o) (true (on ?o ?i))", "(place ?o) (colour ?i) (not (true (on ?o ?i)))", "(place ?o) (colour ?i) (side ?p ?i)", "(place ?o) (colour ?i) (not (side ?q ?i))", "(place ?o) (colour ?i) (link ?o ?q)")
	line("(<= (path ?i ?p ?q) %s %s)", guard, pick("rule", "(path ?i ?p ?o) (path ?i ?o ?q)", "(path ?i ?o ?q) (path ?i ?p ?o)",
		"(path ?i ?p ?o) (path ?i ?q ?o)", "(path ?i ?o ?p) (path ?i ?o ?q)", "(path ?i ?p ?o) (path ?i ?o ?q) (path 0 ?o ?o)", "(path ?i ?p ?o) (path 0 ?o ?q)"))
	if rapid.Bool().Draw(t, "more") {
		line("(<= (path ?i ?p ?q) (link ?o ?p) (path ?i ?o ?q))")
	}
	return b.String()
}

// Handing draws a game of relations that pass their columns on to each other. Some relations
// read them: by constants, other domains, inequalities, fluents and negation.
func Handing(t *rapid.T) string {
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("(role x) (bit 0) (bit 1) (digit 0) (digit 1) (digit 2) (init (at 0)) (init (at 2)) (step 0 1) (step 1 2) (step 2 0)")
	line("(<= (p ?a ?b) (bit ?a) %s %s)", pick("domain", "(bit ?b)", "(digit ?b)"),
		pick("p looks", "(true (at 0))", "(not (true (at 1)))", "(true (at ?b))", "(distinct ?a ?b)", "(not (true (at ?a)))"))
	line("(<= (p %s) (bit ?a) (bit ?b) (q ?a %s) (q %s))", pick("head", "?a ?b", "?b ?a", "?a ?a", "1 ?b"),
		pick("given", "?b 0", "?a ?b", "1 ?b", "?a 2"), pick("also", "?b ?a 1", "?a ?b ?b", "?b ?b 1"))
	line("(<= (q ?a ?b ?c) (bit ?a) (bit ?b) %s %s)", pick("third", "(bit ?c)", "(digit ?c)"),
		pick("q looks", "(true (at 1))", "(true (at ?d))", "(p ?b ?a)", "(not (true (at ?c)))", "(step ?a ?b)"))
	line("(<= (q ?a ?b ?c) (%s ?a ?b) %s)", pick("from", "p", "step"), pick("bound", "(bit ?c)", "(digit ?c) (true (at ?c))"))
	line("(<= (legal x (go ?a)) (digit ?a) %s)", pick("uses", "(p 0 ?a)", "(p ?a ?a)", "(q 0 1 ?a)", "(q ?a ?b 1) (p 2 ?b)", "(true (at 0))"))
	line("(legal x wait)")
	line("(<= (next (at ?b)) (true (at ?a)) (step ?a ?b) %s)", pick("when", "(p 0 1)", "(q 1 1 0)", "(q ?a 0 ?b)", "(does x wait)"))
	line("(<= (next (at ?b)) (does x (go ?a)) (step ?a ?b))")
	line("(<= (goal x 100) %s)", pick("wins", "(q 0 0 0)", "(p 1 2)", "(not (p 1 1))"))
	line("(<= terminal (p 0 0) %s)", pick("ends", "(true (at 1))", "(q 1 ?b ?b)"))
	return b.String()
}

// Explosive has a rule with a million instances that no split can avoid.
const Explosive = `
(role r) (init (n 1)) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4)
(digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(<= (legal r (say ?a ?b ?c ?d ?e ?f))
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f)
    (true (n ?n)))
(<= (next (n 1)) (true (n 1)))
(goal r 0)
terminal
`

// BecomesStatic has a relation r2 that is the same in all positions, as r1 never holds.
const BecomesStatic = `
(role x) (dom a) (dom b)
(<= (r1 ?u) (dom ?u) (r1 ?u))
(<= (r2 a) (dom a))
(<= (r2 ?u) (dom ?u) (r1 ?u) (not (true flag)))
(legal x wait)
(<= (legal x (mark ?u)) (dom ?u) (not (r2 ?u)))
(<= (next flag) (does x wait))
(goal x 100)
(<= terminal (true flag))`

// Growing has terms that grow with each move.
const Growing = `(role r) (init (at nil)) (item a) (item b) (goal r 0)
(<= (legal r (take ?x)) (item ?x)) (<= terminal (true (at (list a (list b (list a nil))))))
(<= (next (at (list ?x ?tail))) (does r (take ?x)) (true (at ?tail)))`
