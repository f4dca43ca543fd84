package reasoner

import (
	"context"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// informed is a machine with an Info only.
type informed struct{ machine.Machine }

func (informed) Info() machine.Info { return machine.Info{} }

// On a busy machine an engine may look at its context long after its time is up.
func TestAnEngineThatTakesTheWholeBudgetLeavesTimeForTheNext(t *testing.T) {
	const budget = 50 * time.Millisecond
	late := engine{name: "late", time: 0.7, make: func(ctx context.Context, _ *gdl.Game, _ Options, _ string) (machine.Machine, error) {
		<-ctx.Done()
		time.Sleep(budget)
		return nil, ctx.Err()
	}}
	quick := engine{name: "quick", time: 1, make: func(ctx context.Context, _ *gdl.Game, _ Options, _ string) (machine.Machine, error) {
		return informed{}, ctx.Err()
	}}
	m, err := first(t.Context(), []engine{late, quick}, nil, Options{Budget: budget})
	if err != nil || m == nil {
		t.Errorf("machine %v, error %v", m, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = first(gone, []engine{late, quick}, nil, Options{Budget: budget}); err == nil || strings.Contains(err.Error(), "quick") {
		t.Errorf("after the caller has gone: %v", err)
	}
}
