package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// ways returns, for each reachable position, the highest goal that can be reached and the distance to goal 100, by
// iteration to the fixpoint.
func ways(m machine.Machine) (best map[uint64]int32, distance map[uint64]int) {
	children := map[uint64][]uint64{}
	best, distance = map[uint64]int32{}, map[uint64]int{}
	x := play.NewExpander(m)
	for todo := []uint64{m.Initial()[0]}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, ok := best[s]; ok {
			continue
		}
		best[s], distance[s] = machine.NoGoal, unreachable
		terminal, goals := x.Look(machine.State{s})
		if terminal {
			if best[s] = goals[0]; goals[0] == 100 {
				distance[s] = 0
			}
			continue
		}
		var e play.Expansion
		if x.Expand(&e, machine.State{s}) == nil {
			children[s] = append(children[s], e.States...)
			todo = append(todo, e.States...)
		}
	}
	for changed := true; changed; {
		changed = false
		for s, next := range children {
			for _, c := range next {
				if best[c] > best[s] || distance[c]+1 < distance[s] {
					best[s], distance[s], changed = max(best[s], best[c]), min(distance[s], distance[c]+1), true
				}
			}
		}
	}
	return best, distance
}

func TestPatternsBoundGoalsAndDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 6))
	hopeless, distant := 0, 0
	for range 200 {
		g, m := aPuzzle(t, rng, 8, 5)
		p := must.Get(New(g, m))(t)
		if terminal, _ := play.NewExpander(m).Look(m.Initial()); terminal {
			continue // no joint move to plan
		}
		q := p.newPlanning(m.Initial(), facts.PlanLimits{})
		q.findPatterns(func() bool { return true }, closedSets(g))
		best, far := ways(m)
		q.interleave(t.Context(), coroutine{search: q.byDepth, weight: 1})
		if want := best[m.Initial()[0]]; q.plan.Goal != want || q.plan.Bound != want {
			t.Fatalf("best goal %d, depth-first search found a plan of %d and a bound of %d", want, q.plan.Goal, q.plan.Bound)
		}
		for s := range best {
			for _, p := range q.patterns {
				i := p.positions.find(machine.State{s})
				if i < 0 {
					t.Fatalf("a reachable position is not in the pattern")
				}
				if p.bestGoal[i] < best[s] || int(p.distance[i]) > far[s] && p.bestGoal[0] == 100 {
					t.Fatalf("from %b: goal %d after %d joint moves, the pattern %b says %d after %d", s, best[s], far[s], p.positions.mask, p.bestGoal[i], p.distance[i])
				}
				if p.bestGoal[i] < 100 {
					hopeless++
				}
				if p.distance[i] > 1 {
					distant++
				}
			}
		}
	}
	if hopeless < 100 || distant < 100 {
		t.Errorf("%d positions without the best goal, %d distant from it: expected more", hopeless, distant)
	}
}

// Patterns of single lamps carry no distance, so the beams go without patterns.
func TestNoPatternsOfSingleFluents(t *testing.T) {
	const lamps = 8
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{nil}}
	for i := range lamps {
		names.Fluents, names.Moves[0] = append(names.Fluents, fmt.Sprintf("lit%d", i)), append(names.Moves[0], fmt.Sprintf("light%d", i))
	}
	g := circuit.NewGame(names, names.NewState())
	g.Legal = [][]logic.Lit{nil}
	for i, lit := range g.Fluents {
		g.Next, g.Legal[0] = append(g.Next, g.Net.Or(lit, g.Does[0][i])), append(g.Legal[0], lit.Not())
	}
	g.Terminal = g.Net.And(g.Fluents...)
	g.Goals = []circuit.Goal{{Value: 100, When: g.Terminal}}
	m := compiled(t, g)
	p := must.Get(New(g, m))(t)
	q := p.newPlanning(m.Initial(), facts.PlanLimits{})
	q.interleave(t.Context(), coroutine{search: q.byPatterns, weight: 1})
	if q.plan.Goal != 100 || len(q.patterns) > 0 {
		t.Errorf("goal %d with %d patterns", q.plan.Goal, len(q.patterns))
	}
}
