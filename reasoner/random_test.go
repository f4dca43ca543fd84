package reasoner_test

import (
	"fmt"
	"slices"
	"strings"
)

// A random game is drawn from bytes, so that a fuzzer can search among games. It is valid by construction:
// relations come in layers that negate lower layers only, and an atom binds every variable. dom bounds the
// function terms that heads build, so that there are few terms.
//
// Such a game has one to three roles, fluents and moves of arity 0 to 2 with function terms, and moves that
// are fluents. It has recursion: through a fact, mutual, or through relations that depend on moves. It has
// disjunctions, distinct, their negations, and legal and goal in bodies. A step counter may end it.
type game struct {
	draws []byte
	strings.Builder
	roles []string
}

// randomGame draws a rulesheet.
func randomGame(draws []byte) string {
	g := &game{draws: draws, roles: []string{"x", "y", "random"}}
	g.roles = g.roles[:1+g.pick(3)]
	for _, r := range g.roles {
		g.line("(role %s)", r)
	}
	g.line("(dom a) (dom b) (dom c) (link a b) (link b c) (succ 0 1) (succ 1 2) (succ 2 3)")
	g.line("(init (step 0)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))")
	for range 1 + g.pick(4) {
		g.line("(init %s)", g.fluent("a", "b", "c"))
	}
	g.static()
	for layer := 1; layer <= 3; layer++ {
		for range 1 + g.pick(3) {
			g.derived(layer)
		}
	}
	for _, r := range g.roles {
		g.line("(legal %s wait)", r)
		g.rule("(legal "+r+" "+g.move("?u", "?v")+")", 4, false)
	}
	if g.pick(3) == 0 {
		g.rule("(legal x (take ?f))", 4, false, "(true ?f)")
		g.rule("(next ?f)", 5, true, "(does x (take ?f))")
	}
	g.rule("(moved ?u ?v)", 4, true)
	g.rule("(moved ?u ?v)", 4, true, "(link ?u ?z)", "(moved ?z ?v)")
	g.rule("(next ?f)", 5, true, "(true ?f)", "(distinct ?f (step 0))", "(distinct ?f (step 1))", "(distinct ?f (step 2))")
	for range 1 + g.pick(4) {
		g.rule("(next "+g.fluent("?u", "?v")+")", 5, true)
	}
	for _, r := range g.roles {
		g.rule("(goal "+r+" 100)", 4, false)
		g.line("(<= (goal %s 0) (not (r1 a b)))", r)
	}
	g.line("(<= terminal (true (step 3)))")
	if g.pick(2) == 0 {
		g.rule("terminal", 4, false, "(goal x 100)", "(legal x wait)")
	}
	return g.String()
}

// pick draws a number from 0 to n-1; when the bytes are used up it is 0.
func (g *game) pick(n int) int {
	if len(g.draws) == 0 {
		return 0
	}
	b := g.draws[0]
	g.draws = g.draws[1:]
	return int(b) % n
}

func (g *game) of(list ...string) string { return list[g.pick(len(list))] }

func (g *game) line(format string, args ...any) { fmt.Fprintf(g, format+"\n", args...) }

func (g *game) fluent(terms ...string) string {
	switch g.pick(5) {
	case 0:
		return "flag"
	case 1:
		return fmt.Sprintf("(p (box %s))", g.of(terms...))
	case 2, 3:
		return fmt.Sprintf("(q %s %s)", g.of(terms...), g.of(terms...))
	}
	return fmt.Sprintf("(p %s)", g.of(terms...))
}

func (g *game) move(terms ...string) string {
	switch g.pick(3) {
	case 0:
		return "go"
	case 1:
		return fmt.Sprintf("(m (box %s))", g.of(terms...))
	}
	return fmt.Sprintf("(m %s %s)", g.of(terms...), g.of(terms...))
}

// static draws relations that do not change: path is recursive, even and odd
// recur on each other, far is negated.
func (g *game) static() {
	g.line("(<= (path ?u ?v) (link ?u ?v))")
	g.line("(<= (path ?u ?v) (dom ?z) %s %s)", g.of("(path ?u ?z)", "(link ?u ?z)"), g.of("(path ?z ?v)", "(link ?z ?v)"))
	g.line("(even a) (<= (even ?v) (link ?u ?v) (odd ?u)) (<= (odd ?v) (link ?u ?v) (even ?u))")
	g.line("(<= (far ?u ?v) (dom ?u) (dom ?v) (not (%s ?u ?v)))", g.of("path", "link"))
}

// derived draws a rule of r1, r2 or r3, which may recur, or a pair of rules that
// recur on each other.
func (g *game) derived(layer int) {
	name := fmt.Sprintf("r%d", layer)
	switch g.pick(4) {
	case 0:
		g.rule("("+name+" ?u ?v)", layer, false, "("+name+" "+g.of("?u ?z", "?v ?u", "?z ?v")+")")
	case 1:
		other := fmt.Sprintf("s%d", layer)
		g.rule("("+name+" ?u ?v)", layer, false, "("+other+" ?v ?u)")
		g.rule("("+other+" ?u ?v)", layer, false, g.of("(link ?u ?z)", "(path ?z ?u)"), "("+name+" ?z ?v)")
		g.rule("("+other+" ?u ?v)", layer, false)
	}
	g.rule("("+name+" ?u ?v)", layer, false)
}

// rule draws a rule with the given conditions and others of lower layers; moves
// allows does.
func (g *game) rule(head string, layer int, moves bool, body ...string) {
	for range 1 + g.pick(3) {
		body = append(body, g.literal(layer, moves))
	}
	text := head + " " + strings.Join(body, " ")
	for _, v := range []string{"?u", "?v", "?z"} {
		if strings.Contains(text, v) {
			body = append(body, "(dom "+v+")")
		}
	}
	for i := range body { // the order of conditions means nothing
		j := i + g.pick(len(body)-i)
		body[i], body[j] = body[j], body[i]
	}
	g.line("(<= %s %s)", head, strings.Join(slices.Compact(body), " "))
}

func (g *game) literal(layer int, moves bool) string {
	switch g.pick(7) {
	case 0:
		return fmt.Sprintf(g.of("(distinct %s %s)", "(not (distinct %s %s))"), g.of("?u", "?v", "a"), g.of("?v", "?z", "(box ?u)"))
	case 1:
		return fmt.Sprintf("(or %s %s)", g.atom(layer, moves), g.literal(layer, moves))
	case 2:
		return fmt.Sprintf("(not (or %s %s))", g.atom(layer, moves), g.atom(layer, moves))
	case 3, 4:
		return fmt.Sprintf("(not %s)", g.atom(layer, moves))
	}
	return g.atom(layer, moves)
}

func (g *game) atom(layer int, moves bool) string {
	one, two := g.of("?u", "?v", "?z"), g.of("?u", "?v", "b")
	switch {
	case moves && g.pick(2) == 0:
		return fmt.Sprintf("(does %s %s)", g.of(g.roles...), g.move(one, two))
	case layer > 4 && g.pick(3) == 0:
		return fmt.Sprintf("(%s %s %s)", g.of("moved", "reached"), one, two)
	case layer > 1 && g.pick(2) == 0:
		return fmt.Sprintf("(r%d %s %s)", 1+g.pick(min(layer-1, 3)), one, two)
	case g.pick(3) == 0:
		return fmt.Sprintf("(%s %s %s)", g.of("path", "far", "link"), one, two)
	case g.pick(6) == 0:
		return fmt.Sprintf("(%s %s)", g.of("even", "odd"), one)
	}
	return fmt.Sprintf("(true %s)", g.fluent(one, two))
}
