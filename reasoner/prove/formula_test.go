package prove

import (
	"math/rand/v2"
	"testing"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/prove/sat"
)

func TestExactlyOneOfManyLiteralsIsTrue(t *testing.T) {
	for _, n := range []int{1, pairwise, pairwise + 1, 10, 37} {
		f := NewFormula(aToken(0), nil)
		defer f.Close()
		var literals []logic.Lit
		for range n {
			literals = append(literals, f.net.Input())
		}
		unless := f.net.Input()
		f.requireOne(literals, unless)
		check := func(want sat.Status, signals ...logic.Lit) {
			t.Helper()
			if got := f.Solve(t.Context(), sat.Limits{}, signals...); got != want {
				t.Errorf("%d literals: status %v with %v, want %v", n, got, signals, want)
			}
		}
		none := f.net.Or(literals...).Not()
		check(sat.Sat, none, unless)
		check(sat.Unsat, none, unless.Not())
		for i, l := range literals {
			check(sat.Sat, l)
			for _, other := range literals[:i] {
				check(sat.Unsat, l, other)
			}
		}
	}
}

// aMesh returns a game of two roles whose next positions and legal moves are random functions of a few signals.
func aMesh(rng *rand.Rand) *circuit.Game {
	moves := []string{"a", "b", "c"}
	names := &machine.Names{
		Roles: []string{"x", "o"}, Moves: [][]string{moves, moves}, Fluents: []string{"f0", "f1", "f2", "f3", "f4", "f5", "f6"},
	}
	initial := names.NewState()
	for f := range names.Fluents {
		if rng.IntN(2) == 0 {
			initial.Set(f)
		}
	}
	g := circuit.NewGame(names, initial)
	draw := func(signals []logic.Lit) logic.Lit { return signals[rng.IntN(len(signals))] ^ logic.Lit(rng.IntN(2)) }
	all := append(append(append([]logic.Lit{}, g.Fluents...), g.Does[0]...), g.Does[1]...)
	for _, f := range g.Fluents {
		next := g.Net.And(draw(all), draw(g.Fluents))
		if rng.IntN(2) == 0 {
			next = g.Net.Or(next, g.Net.And(f, draw(all)))
		}
		g.Next = append(g.Next, next)
	}
	for range g.Does {
		g.Legal = append(g.Legal, []logic.Lit{logic.True, draw(g.Fluents), g.Net.Or(draw(g.Fluents), draw(g.Fluents))})
	}
	g.Terminal = g.Net.And(draw(g.Fluents), draw(g.Fluents), draw(g.Fluents))
	return g
}

// The formula of the whole game proves the invariants of games with too many joint moves for induction by cases.
func TestInvariantsHoldWhereverTheGameLeads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	proved, refuted := 0, 0
	for range 40 {
		g := aMesh(rng)
		m := compiled(t, g)
		for _, w := range []*caseAnalysis{nil, newCaseAnalysis(g, nil)} {
			s := carelessSample(m)
			count := func() int { return len(s.pairs) + len(s.groups) + len(s.lasting) + len(s.equations) }
			before := count()
			if !s.induce(t.Context(), w, g, &Invariants{}, 1<<28, neverPause) {
				t.Fatal("a candidate is undecided")
			}
			proved, refuted = proved+count(), refuted+before-count()
			checkReachable(t, m, &s.Invariants)
		}
	}
	if proved == 0 || refuted == 0 {
		t.Errorf("%d candidates are proved, %d refuted", proved, refuted)
	}
}

// carelessSample returns a sample of few positions, which suggest many false candidates.
func carelessSample(m machine.Machine) *sample {
	s := newSample(m, nil)
	var fluents []int32
	for f := range s.true {
		fluents = append(fluents, int32(f))
	}
	s.hull = newHull(len(fluents))
	s.walk.Batch.Fill(m.Initial(), nil)
	s.walk.Batch.Store(s.states, s.walk.Batch.Lanes())
	for range 2 {
		s.record()
		s.advance(m.Initial(), nil)
	}
	s.extendHull()
	s.findPairs(fluents)
	s.findGroups()
	s.findEquations()
	for _, f := range fluents {
		s.findLasting(f)
	}
	return s
}

// checkReachable checks that invariants hold in all positions of a game, and that lasting literals last.
func checkReachable(t *testing.T, m machine.Machine, inv *Invariants) {
	t.Helper()
	x := play.NewExpander(m)
	seen := map[string]bool{m.Initial().Key(): true}
	for queue := []machine.State{m.Initial()}; len(queue) > 0; queue = queue[1:] {
		now := queue[0]
		if !inv.Holds(now) {
			t.Fatalf("an invariant of %+v fails in the position %v", *inv, now)
		}
		var e play.Expansion
		if terminal, _ := x.Look(now); terminal || x.Expand(&e, now) != nil {
			continue
		}
		for c := range e.Children {
			then := append(machine.State(nil), e.Child(c)...)
			for _, l := range inv.lasting {
				if Holds(now, l) && !Holds(then, l) {
					t.Fatalf("literal %d does not last from %v to %v", l, now, then)
				}
			}
			if key := then.Key(); !seen[key] {
				seen[key] = true
				queue = append(queue, then)
			}
		}
	}
}
