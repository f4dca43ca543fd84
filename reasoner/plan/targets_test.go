package plan

import (
	"fmt"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// aKey returns a game whose steps write one of two bits each; only if all bits are 0 the goal is 100. Random games
// miss it.
func aKey(t *testing.T, steps int) *planning {
	t.Helper()
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{{"0", "1", "2", "3"}}, Fluents: []string{"run"}}
	for i := range steps + 1 {
		names.Fluents = append(names.Fluents, fmt.Sprint("step ", i))
	}
	for i := range steps {
		names.Fluents = append(names.Fluents, fmt.Sprint("one ", i))
	}
	initial := names.NewState()
	initial.Set(0)
	initial.Set(1)
	g := circuit.NewGame(names, initial)
	run, step, one, does := g.Fluents[0], g.Fluents[1:steps+2], g.Fluents[steps+2:], g.Does[0]
	g.Next = append(g.Next, g.Net.And(run, g.Net.Or(does[0], does[1])), logic.False)
	g.Next = append(g.Next, step[:steps]...)
	for i, l := range one {
		g.Next = append(g.Next, g.Net.Or(l, g.Net.And(step[i], g.Net.Or(does[1], does[3]))))
	}
	g.Legal = [][]logic.Lit{{logic.True, logic.True, logic.True, logic.True}}
	g.Terminal = step[steps]
	won := g.Net.And(g.Terminal, run)
	g.Goals = []circuit.Goal{{Role: 0, Value: 100, When: won}, {Role: 0, Value: 0, When: won.Not()}}
	m := must.Get(g.Compile(t.Context(), circuit.Options{Kernel: kernel.Portable64}))(t)
	p := must.Get(New(g, m))(t)
	return p.newPlanning(g.Initial, facts.PlanLimits{})
}

func TestTargetsDoNotRefuteAGoalThatRandomGamesMiss(t *testing.T) {
	for _, steps := range []int{16, 20, 24, 28} {
		q := aKey(t, steps)
		q.byTargets(t.Context(), func() bool { return true })
		if q.plan.Bound != 100 {
			t.Errorf("%d steps: the bound is %d, but a plan has 100", steps, q.plan.Bound)
		}
	}
}
