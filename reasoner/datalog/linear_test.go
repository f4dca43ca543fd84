package datalog

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
)

// composed draws a game with a relation that is composed with itself, or nearly.
func composed(t *rapid.T) string {
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

// recursions is the largest number of times that a rule recurs directly.
func recursions(th *theory) int {
	most := 0
	for _, r := range th.rules {
		n := 0
		for i := range r.body {
			if r.body[i].atom.rel == r.head.rel {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func TestCompositionsBecomeLinear(t *testing.T) {
	for _, c := range []struct {
		rule string
		want int
	}{
		{"(place ?o) (path ?i ?p ?o) (path ?i ?o ?q)", 1},
		{"(path ?i ?o ?q) (place ?o) (colour ?i) (not (true (on ?o ?i))) (path ?i ?p ?o)", 1},
		{"(place ?o) (link ?p a) (path ?i ?p ?o) (path ?i ?o ?q)", 2}, // demanded from the beginning only
		{"(place ?o) (link ?q a) (path ?i ?p ?o) (path ?i ?o ?q)", 2},
		{"(place ?o) (path ?i ?o ?p) (path ?i ?o ?q)", 2},
		{"(place ?o) (path ?i ?p ?o) (path 0 ?o ?q)", 2},
		{"(place ?o) (colour ?j) (path ?i ?p ?o) (path ?j ?o ?q)", 2},
		{"(place ?o) (place ?u) (path ?i ?p ?o) (path ?i ?u ?q)", 2},
		{"(place ?o) (path ?i ?p ?o) (path ?i ?o ?q) (path ?i ?o ?o)", 3},
	} {
		g := load(t, "composition", `(role x) (goal x 0) (place a) (place b) (colour 0) (colour 1) (link a b) (init (on a 0))
			(<= (legal x (put ?p)) (place ?p)) (<= (next (on ?p 0)) (does x (put ?p))) (<= terminal (path ?i a ?p))
			(<= (path ?i ?p ?q) (link ?p ?q) (true (on ?q ?i))) (<= (path ?i ?p ?q) `+c.rule+")")
		gr := newGrounder(t.Context(), g, Limits{})
		must.OK(t, gr.linearise())
		if got := recursions(gr.theory); got != c.want {
			t.Errorf("%s: the relation recurs %d times in a rule, want %d", c.rule, got, c.want)
		}
	}
}

func TestLinearCompositionsMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, oracle := drawGame(t, composed)
		agree(t, []machine.Machine{oracle, newProgramMachine(groundBy(t, g, never)), newProgramMachine(groundBy(t, g, always))}, 1, 8)
	})
}

// Connections are computed from one side only, not for all pairs.
func TestConnectionsAreFollowedFromOneSide(t *testing.T) {
	const places = 60
	var b strings.Builder
	for p := range places {
		fmt.Fprintf(&b, "(place %d) (link %d %d) (start w %d) (end w %d) (start b %[1]d) (end b %[1]d)\n", p, p, p+1, p/20, places-p/20)
	}
	for _, recursion := range []string{"(path ?i ?p ?o) (link ?o ?q) (true (on ?q ?i))", "(place ?o) (path ?i ?p ?o) (path ?i ?o ?q)"} {
		g := load(t, "sides", b.String()+`(role w) (role b) (<= (legal ?r wait) (role ?r)) (goal w 0) (goal b 0)
			(<= (legal ?r (put ?p)) (role ?r) (place ?p)) (<= (next (on ?p ?r)) (does ?r (put ?p))) (<= (next (on ?p ?r)) (true (on ?p ?r)))
			(<= (path ?i ?p ?q) (link ?p ?q) (true (on ?p ?i)) (true (on ?q ?i))) (<= (path ?i ?p ?q) `+recursion+`)
			(<= terminal (start ?i ?p) (end ?i ?q) (path ?i ?p ?q))`)
		p := must.Get(Ground(t.Context(), g, Limits{}))(t)
		if n := len(p.Head); n > 20*places {
			t.Errorf("%d rule instances for %d places: %s", n, places, recursion)
		}
	}
}
