package machine

import "context"

// From is the same game begun in another position of it: what Initial returns, and what
// the lanes of new batches hold.
func From(m Machine, start State) Machine {
	at := &begun{m, start}
	if d, ok := m.(Decider); ok {
		return &begunDecider{at, d}
	}
	return at
}

type begun struct {
	Machine
	start State
}

// Initial implements Machine.
func (m *begun) Initial() State { return m.start }

// NewBatch implements Machine.
func (m *begun) NewBatch() Batch { return m.placed(m.Machine.NewBatch()) }

// NewNarrowBatch implements Machine.
func (m *begun) NewNarrowBatch() Batch { return m.placed(m.Machine.NewNarrowBatch()) }

func (m *begun) placed(b Batch) Batch {
	b.Fill(m.start, nil)
	return b
}

type begunDecider struct {
	*begun
	decider Decider
}

// Decisive implements Decider.
func (m *begunDecider) Decisive(ctx context.Context, atOnce bool) Machine {
	if d := m.decider.Decisive(ctx, atOnce); d != nil {
		return From(d, m.start)
	}
	return nil
}
