package ground

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/machine"
)

// recursions is the largest number of times that a rule recurs directly.
func recursions(th *rules.Theory) int {
	most := 0
	for _, r := range th.Rules {
		n := 0
		for i := range r.Body {
			if r.Body[i].Atom.Rel == r.Head.Rel {
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
		g := gametest.Load(t, "composition", `(role x) (goal x 0) (place a) (place b) (colour 0) (colour 1) (link a b) (init (on a 0))
			(<= (legal x (put ?p)) (place ?p)) (<= (next (on ?p 0)) (does x (put ?p))) (<= terminal (path ?i a ?p))
			(<= (path ?i ?p ?q) (link ?p ?q) (true (on ?q ?i))) (<= (path ?i ?p ?q) `+c.rule+")")
		gr := newGrounder(t.Context(), g, datalog.Limits{})
		must.OK(t, gr.linearise())
		if got := recursions(gr.Theory); got != c.want {
			t.Errorf("%s: the relation recurs %d times in a rule, want %d", c.rule, got, c.want)
		}
	}
}

func TestLinearCompositionsMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, oracle := gametest.DrawGame(t, gametest.Composed)
		gametest.Agree(t, []machine.Machine{oracle, newProgramMachine(groundBy(t, g, never)), newProgramMachine(groundBy(t, g, always))}, 1, 8)
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
		g := gametest.Load(t, "sides", b.String()+`(role w) (role b) (<= (legal ?r wait) (role ?r)) (goal w 0) (goal b 0)
			(<= (legal ?r (put ?p)) (role ?r) (place ?p)) (<= (next (on ?p ?r)) (does ?r (put ?p))) (<= (next (on ?p ?r)) (true (on ?p ?r)))
			(<= (path ?i ?p ?q) (link ?p ?q) (true (on ?p ?i)) (true (on ?q ?i))) (<= (path ?i ?p ?q) `+recursion+`)
			(<= terminal (start ?i ?p) (end ?i ?q) (path ?i ?p ?q))`)
		p := must.Get(New(t.Context(), g, datalog.Limits{}))(t)
		if n := len(p.Head); n > 20*places {
			t.Errorf("%d rule instances for %d places: %s", n, places, recursion)
		}
	}
}
