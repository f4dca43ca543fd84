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
	"stackmate/reasoner/machine/facts"
)

// aRow returns a game with one move along a row of places, which ends at the last place with goal 100.
func aRow(t *testing.T, places int) *planning {
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
	m := must.Get(g.Compile(t.Context(), circuit.Options{Kernel: kernel.Portable64}))(t)
	p := must.Get(New(g, m))(t)
	return p.newPlanning(g.Initial, facts.PlanLimits{})
}

func TestADepthFirstSearchThatIsCutOffProvesNothing(t *testing.T) {
	neverStop := func() bool { return true }
	q := aRow(t, 10)
	if x := q.newExplorer(t.Context()); !x.depthFirst(neverStop, math.MaxInt, nil, nil) || q.plan.Goal != 100 {
		t.Errorf("10 places: a plan of %d, want 100 and all positions expanded", q.plan.Goal)
	}
	q = aRow(t, maxLine+2)
	if x := q.newExplorer(t.Context()); x.depthFirst(neverStop, 3, nil, nil) || x.depthFirst(func() bool { return false }, math.MaxInt, nil, nil) {
		t.Error("a search with three expansions, or without time, reports that all positions are expanded")
	}
	if x := q.newExplorer(t.Context()); x.depthFirst(neverStop, math.MaxInt, nil, nil) {
		t.Errorf("a row longer than the longest line: all positions are expanded, with a plan of %d", q.plan.Goal)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, limit := range map[string]func(*explorer){
		"no memory": func(x *explorer) { x.expander.Limit(t.Context(), 1, 0) },
		"no time":   func(x *explorer) { x.expander.Limit(ended, 1<<20, 0) },
	} {
		q = aRow(t, 10)
		x := q.newExplorer(t.Context())
		limit(x)
		if x.depthFirst(neverStop, math.MaxInt, nil, nil) && q.plan.Goal != 100 {
			t.Errorf("%s: all positions are expanded, without a plan", name)
		}
	}
}
