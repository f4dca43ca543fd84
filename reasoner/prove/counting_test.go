package prove

import (
	"testing"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/prove/sat"
)

// holes returns a position in which each pigeon is in a hole, and at most one pigeon in a hole. Its fluents are
// ordered by pigeon and hole.
func holes(pigeons, holes int) (*circuit.Game, *Invariants) {
	g := &circuit.Game{Net: logic.NewNetwork()}
	inv := &Invariants{}
	for range pigeons {
		var group []int32
		for range holes {
			group = append(group, int32(len(g.Fluents)))
			g.Fluents = append(g.Fluents, g.Net.Input())
		}
		inv.groups = append(inv.groups, group)
	}
	g.Terminal = logic.False
	for i := range len(g.Fluents) {
		for j := range i {
			if i%holes == j%holes || i/holes == j/holes {
				inv.pairs = append(inv.pairs, pair{literal(int32(i)).Not(), literal(int32(j)).Not()})
			}
		}
	}
	return g, inv
}

func TestCountingRefutesMorePigeonsThanHoles(t *testing.T) {
	for _, c := range []struct {
		pigeons, holes int
		empty          bool // assume that the last hole is empty
		want           sat.Status
	}{
		{12, 11, false, sat.Unsat},
		{11, 11, false, sat.Sat},
		{11, 11, true, sat.Unsat},
		{10, 11, true, sat.Sat},
	} {
		g, inv := holes(c.pigeons, c.holes)
		f := &Formula{unrolling: unroll(g, nil), engine: sat.NewSolver()}
		f.assume(0, inv)
		f.Count(t.Context(), inv)
		var empty []logic.Lit
		if c.empty {
			for p := range c.pigeons {
				empty = append(empty, f.SignalAt(0, g.Fluents[p*c.holes+c.holes-1]).Not())
			}
		}
		if got := f.Solve(t.Context(), sat.Limits{MaxConflicts: 100}, empty...); got != c.want {
			t.Errorf("%d pigeons in %d holes, the last empty %v: %v, expected %v", c.pigeons, c.holes, c.empty, got, c.want)
		}
	}
}
