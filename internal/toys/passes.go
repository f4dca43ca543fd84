package toys

import (
	"context"
	"sync/atomic"
	"time"

	"stackmate/reasoner/machine"
)

// slowPass is the duration of a pass after the context of PassesAfterEnd is done: as long as in a circuit of a
// million gates.
const slowPass = 2 * time.Millisecond

// PassesAfterEnd runs a search on m, ends the context of the search in the given pass of the machine (an
// evaluation or a step of any batch), and returns the number of later passes, or -1 if the search ends before
// the given pass.
func PassesAfterEnd(m machine.Machine, pass int64, search func(ctx context.Context, m machine.Machine)) int64 {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	counted := &counted{Machine: m, last: pass, end: cancel}
	search(ctx, counted)
	return max(counted.passes.Load()-pass, -1)
}

// counted is a machine whose passes are counted.
type counted struct {
	machine.Machine
	passes atomic.Int64
	last   int64
	end    func()
}

func (m *counted) NewBatch() machine.Batch       { return &countedBatch{m.Machine.NewBatch(), m} }
func (m *counted) NewNarrowBatch() machine.Batch { return &countedBatch{m.Machine.NewNarrowBatch(), m} }

// Unwrap implements machine.Wrapper.
func (m *counted) Unwrap() machine.Machine { return m.Machine }

func (m *counted) pass() {
	switch n := m.passes.Add(1); {
	case n == m.last:
		m.end()
	case n > m.last:
		time.Sleep(slowPass)
	}
}

type countedBatch struct {
	machine.Batch
	machine *counted
}

func (b *countedBatch) Evaluate(n int) {
	b.machine.pass()
	b.Batch.Evaluate(n)
}

func (b *countedBatch) Prepare(n int) {
	b.machine.pass()
	machine.Prepare(b.Batch, n)
}

func (b *countedBatch) Advance(n int) {
	b.machine.pass()
	b.Batch.Advance(n)
}

// Unwrap implements machine.Wrapper.
func (b *countedBatch) Unwrap() machine.Batch { return b.Batch }
