package montecarlo

import (
	"context"
	"testing"

	"stackmate/reasoner/machine"
)

// decider is a machine with decisive moves that notes which machine makes batches.
type decider struct {
	machine.Machine
	wide *[]string // by whom wide batches were made
}

func (d decider) Decisive(_ context.Context, atOnce bool) machine.Machine {
	if atOnce {
		return maker{d.Machine, "at once", d.wide}
	}
	return maker{d.Machine, "decisive", d.wide}
}

func (d decider) NewBatch() machine.Batch { return maker{d.Machine, "plain", d.wide}.NewBatch() }

type maker struct {
	machine.Machine
	name string
	wide *[]string
}

func (m maker) NewBatch() machine.Batch {
	*m.wide = append(*m.wide, m.name)
	return m.Machine.NewBatch()
}

func TestPlayoutsMakeDecisiveMovesWhereAsked(t *testing.T) {
	for name, c := range map[string]Config{"decisive": {}, "at once": {AtOnce: true}, "plain": {Without: Decisive, AtOnce: true}} {
		var wide []string
		m := decider{newSubtraction([]string{"left", "right"}, 9), &wide}
		sample(t, c, m, 100)
		if len(wide) != 1 || wide[0] != name {
			t.Errorf("%s playouts on batches of %v", name, wide)
		}
	}
}
