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

func (d decider) Decisive(context.Context) machine.Machine {
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
	for name, c := range map[string]Config{"decisive": {}, "plain": {Without: Decisive}} {
		var wide []string
		m := decider{newSubtraction([]string{"left", "right"}, 9), &wide}
		sample(t, c, m, 100)
		if len(wide) != 1 || wide[0] != name {
			t.Errorf("%s playouts on batches of %v", name, wide)
		}
	}
}
