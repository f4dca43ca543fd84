package solve

import (
	"context"
	"reflect"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
)

// knowing is a machine that knows something of each part of an Analysis.
type knowing struct{ machine.Machine }

type nothing struct{}

func (nothing) List() []machine.Signal    { return nil }
func (nothing) NewSensor() machine.Sensor { return nil }

func (k knowing) Decisive(context.Context, bool) machine.Machine { return k }
func (k knowing) Subgames(context.Context) []machine.Subgame     { return []machine.Subgame{{Machine: k}} }
func (k knowing) Signals(context.Context) machine.Signals        { return nothing{} }
func (k knowing) Plan(context.Context, machine.State, machine.PlanLimits) (machine.Plan, error) {
	return machine.Plan{Goal: 7}, nil
}
func (k knowing) ProvedGoalSum(context.Context) (int32, bool) { return 100, true }
func (k knowing) ProvedLength(context.Context) (int, bool)    { return 9, true }

// isKnown asks a machine for one part of its analysis.
func isKnown(m machine.Machine, part reflect.Method) bool {
	method := reflect.ValueOf(m).MethodByName(part.Name)
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	for i := 1; i < part.Type.NumIn(); i++ {
		arguments = append(arguments, reflect.Zero(part.Type.In(i)))
	}
	found := method.Call(arguments)[0]
	return !found.IsZero() && !reflect.DeepEqual(found.Interface(), reflect.ValueOf(machine.Unanalysed{}).MethodByName(part.Name).Call(arguments)[0].Interface())
}

func TestAMachineWithoutSymmetriesForwardsAllThatIsKnown(t *testing.T) {
	m := knowing{toys.Wide{Roles: []string{"a"}, Moves: []int{2}, Depth: 1}.Machine()}
	for part := range reflect.TypeFor[machine.Analysis]().Methods() {
		if !isKnown(m, part) {
			t.Errorf("the machine of this test knows nothing of %s: expected an answer", part.Name)
		}
		if !isKnown(plain{m}, part) {
			t.Errorf("a machine without symmetries does not forward %s", part.Name)
		}
	}
}

func TestWhatMachinesMakeHasNoSymmetriesEither(t *testing.T) {
	m := plain{knowing{toys.Wide{Roles: []string{"a"}, Moves: []int{2}, Depth: 1}.Machine()}}
	if _, ok := m.Decisive(t.Context(), false).(plain); !ok {
		t.Error("the machine with decisive moves may have symmetries")
	}
	if _, ok := m.Subgames(t.Context())[0].Machine.(plain); !ok {
		t.Error("subgames may have symmetries")
	}
}
