package solve

import (
	"context"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// knowing is a machine that knows something of each kind of fact.
type knowing struct{ machine.Machine }

type nothing struct{}

func (nothing) List() []facts.Signal    { return nil }
func (nothing) NewSensor() facts.Sensor { return nil }

func (k knowing) Decisive(context.Context, bool) machine.Machine { return k }
func (k knowing) Subgames(context.Context) []facts.Subgame       { return []facts.Subgame{{Machine: k}} }
func (k knowing) Signals(context.Context) facts.Signals          { return nothing{} }
func (k knowing) Plan(context.Context, machine.State, facts.PlanLimits) (facts.Plan, error) {
	return facts.Plan{Goal: 7}, nil
}
func (k knowing) Symmetries() []facts.Symmetry                { return make([]facts.Symmetry, 1) }
func (k knowing) GoalValues() [][]int32                       { return [][]int32{{100}} }
func (k knowing) ProvedGoalSum(context.Context) (int32, bool) { return 100, true }
func (k knowing) ProvedLength(context.Context) (int, bool)    { return 9, true }

func TestAMachineWithoutSymmetriesForwardsAllThatIsKnown(t *testing.T) {
	ctx, m := t.Context(), plain{knowing{toys.Wide{Roles: []string{"a"}, Moves: []int{2}, Depth: 1}.Machine()}}
	plan, err := facts.FindPlan(ctx, m, m.Initial(), facts.PlanLimits{})
	sum, summed := facts.ProvedGoalSum(ctx, m)
	length, ends := facts.ProvedLength(ctx, m)
	for fact, known := range map[string]bool{
		"decisive moves": facts.Decisive(ctx, m, false) != nil,
		"subgames":       len(facts.Subgames(ctx, m)) == 1,
		"signals":        facts.SignalsOf(ctx, m) == nothing{},
		"plans":          err == nil && plan.Goal == 7,
		"goal sum":       summed && sum == 100,
		"length":         ends && length == 9,
		"goals":          len(facts.GoalValues(m)) == 1,
	} {
		if !known {
			t.Errorf("a machine without symmetries does not forward its %s", fact)
		}
	}
	if facts.Symmetries(m) != nil {
		t.Error("a machine without symmetries has symmetries")
	}
}

func TestWhatMachinesMakeHasNoSymmetriesEither(t *testing.T) {
	m := plain{knowing{toys.Wide{Roles: []string{"a"}, Moves: []int{2}, Depth: 1}.Machine()}}
	if _, ok := facts.Decisive(t.Context(), m, false).(plain); !ok {
		t.Error("the machine with decisive moves may have symmetries")
	}
	if _, ok := facts.Subgames(t.Context(), m)[0].Machine.(plain); !ok {
		t.Error("subgames may have symmetries")
	}
}
