package plan

import (
	"context"
	"fmt"
	"math"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// aWay is a game of one move that goes along a row of places, and ends at the last with 100.
func aWay(t *testing.T, places int) *planning {
	t.Helper()
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{{"go"}}}
	for i := range places {
		names.Fluents = append(names.Fluents, fmt.Sprint(i))
	}
	initial := names.NewState()
	initial.Set(0)
	g := circuit.NewGame(names, initial)
	g.Next = append(g.Next, logic.False)
	g.Next = append(g.Next, g.Fluents[:places-1]...)
	g.Legal = [][]logic.Lit{{logic.True}}
	g.Terminal = g.Fluents[places-1]
	g.Goals = []circuit.Goal{{Role: 0, Value: 100, When: g.Terminal}, {Role: 0, Value: 0, When: g.Terminal.Not()}}
	m := must.Get(circuit.Compile(t.Context(), g, circuit.Options{Kernel: kernel.Narrow}))(t)
	p := must.Get(New(g, m))(t)
	return p.begin(g.Initial, machine.PlanLimits{})
}

func TestASearchByDepthThatCutsPositionsOffProvesNothing(t *testing.T) {
	on := func() bool { return true }
	q := aWay(t, 10)
	if x := q.newExplorer(t.Context()); !x.depthFirst(on, math.MaxInt, nil, nil) || q.plan.Goal != 100 {
		t.Errorf("a way of 10 places: a plan of %d, want 100 and all positions seen", q.plan.Goal)
	}
	q = aWay(t, maxLine+2)
	if x := q.newExplorer(t.Context()); x.depthFirst(on, 3, nil, nil) || x.depthFirst(func() bool { return false }, math.MaxInt, nil, nil) {
		t.Error("a search of three expansions, or without time, has expanded all positions")
	}
	if x := q.newExplorer(t.Context()); x.depthFirst(on, math.MaxInt, nil, nil) {
		t.Errorf("all positions are seen of a way that is longer than the longest line, with a plan of %d", q.plan.Goal)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, limit := range map[string]func(*explorer){
		"no memory": func(x *explorer) { x.expander.Limit(t.Context(), 1, 0) },
		"no time":   func(x *explorer) { x.expander.Limit(ended, 1<<20, 0) },
	} {
		q = aWay(t, 10)
		x := q.newExplorer(t.Context())
		limit(x)
		if x.depthFirst(on, math.MaxInt, nil, nil) && q.plan.Goal != 100 {
			t.Errorf("%s: all positions are seen, without a plan", name)
		}
	}
}
