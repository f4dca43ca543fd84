package machine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/reasoner/machine"
)

// stack is a batch of batches side by side: as many lanes as those of the circuit.
type stack []machine.Batch

// stacked is a machine whose wide batches are stacks.
type stacked struct {
	machine.Machine
	height int
}

func (m stacked) NewBatch() machine.Batch {
	var s stack
	for range m.height {
		s = append(s, m.Machine.NewBatch())
	}
	return s
}

// each calls do with every batch that has one of the lanes 0..n-1, the number of
// its first lane, and how many of its lanes those are.
func (s stack) each(n int, do func(b machine.Batch, first, n int)) {
	for i, b := range s {
		if left := n - 64*i; left > 0 {
			do(b, 64*i, min(64, left))
		}
	}
}

func (s stack) masks(of func(machine.Batch) []uint64) []uint64 {
	var all []uint64
	for _, b := range s {
		all = append(all, of(b)[0])
	}
	return all
}

func (s stack) Lanes() int { return 64 * len(s) }

func (s stack) Fill(q machine.State, mask []uint64) {
	for i, b := range s {
		if mask == nil {
			b.Fill(q, nil)
		} else {
			b.Fill(q, mask[i:i+1])
		}
	}
}

func (s stack) Load(states []uint64, n int) {
	words := len(states) / n
	s.each(n, func(b machine.Batch, first, n int) { b.Load(states[first*words:], n) })
}

func (s stack) Store(dst []uint64, n int) {
	words := len(dst) / n
	s.each(n, func(b machine.Batch, first, n int) { b.Store(dst[first*words:], n) })
}

func (s stack) Merge(from machine.Batch, mask []uint64) {
	for i, b := range s {
		b.Merge(from.(stack)[i], mask[i:i+1])
	}
}

func (s stack) Evaluate(n int) {
	s.each(n, func(b machine.Batch, _, n int) { b.Evaluate(n) })
}

func (s stack) Terminal() []uint64 { return s.masks(machine.Batch.Terminal) }
func (s stack) Stuck() []uint64    { return s.masks(machine.Batch.Stuck) }

func (s stack) AppendLegal(dst []machine.Move, lane int, r machine.Role) []machine.Move {
	return s[lane/64].AppendLegal(dst, lane%64, r)
}

func (s stack) Goals(dst []int32, lane int) { s[lane/64].Goals(dst, lane%64) }

func (s stack) AddGoals(totals []int64, mask []uint64) {
	for i, b := range s {
		b.AddGoals(totals, mask[i:i+1])
	}
}

func (s stack) Choose(lane int, r machine.Role, m machine.Move) { s[lane/64].Choose(lane%64, r, m) }

func (s stack) ChooseRandom(rng *machine.Rand, n int) {
	s.each(n, func(b machine.Batch, _, n int) { b.ChooseRandom(rng, n) })
}

func (s stack) Advance(n int) {
	s.each(n, func(b machine.Batch, _, n int) { b.Advance(n) })
}

func TestLockstepPlaysTheLanesAskedForOfAnyWord(t *testing.T) {
	m := stacked{newCounting(), 3}
	for _, n := range []int{1, 63, 64, 65, 127, 128, 130, 192} {
		b := m.NewBatch()
		b.Evaluate(b.Lanes()) // lanes that nobody asks for have not ended either
		want, seen := make([]uint64, 3), make([]uint64, 3)
		for lane := range n {
			want[lane/64] |= 1 << (lane % 64)
		}
		machine.NewLockstep(b).Run(t.Context(), machine.NewRand(1), n, func(steps int, ended, playing []uint64) bool {
			for w := range seen {
				if seen[w]&(ended[w]|playing[w]) != 0 || ended[w]&playing[w] != 0 || seen[w]|ended[w]|playing[w] != want[w] {
					t.Errorf("of %d lanes, after %d moves: word %d has %x ended, %x playing, %x before", n, steps, w, ended[w], playing[w], seen[w])
				}
				seen[w] |= ended[w]
			}
			return true
		})
		if !cmp.Equal(seen, want) {
			t.Errorf("lanes %x have ended, want %x", seen, want)
		}
	}
}

// stuckAt6 is counting without a legal move at 6.
type stuckAt6 struct{ counting }

func (g *stuckAt6) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if g.at == 6 {
		return dst
	}
	return g.counting.AppendLegal(dst, r)
}

// Playouts gather final positions and start lanes again word by word; here every
// lane is counted by itself at once.
func TestPlayoutsCountEveryLaneOfAnyWord(t *testing.T) {
	fast := newCounting()
	scalar := machine.NewScalar(fast.Names(), fast.Initial(), fast.Info(), func() machine.Stepper { return new(stuckAt6) })
	m := stacked{scalar, 3}
	p := machine.NewPlayouts(m, m.Initial(), 1)
	b, rng := m.NewBatch(), machine.NewRand(1)
	var states, ended, faulty, goals int64
	for step := range 200 {
		p.Step()
		b.Evaluate(b.Lanes())
		again := make([]uint64, 3)
		for lane := range b.Lanes() {
			w, bit := lane/64, uint64(1)<<(lane%64)
			switch {
			case b.Terminal()[w]&bit != 0:
				var goal [1]int32
				b.Goals(goal[:], lane)
				goals += int64(goal[0])
				ended++
			case b.Stuck()[w]&bit != 0:
				faulty++
			default:
				states++
				continue
			}
			again[w] |= bit
		}
		b.ChooseRandom(rng, b.Lanes())
		b.Advance(b.Lanes())
		b.Fill(m.Initial(), again)
		if p.States != states || p.Ended != ended || p.Faulty != faulty {
			t.Fatalf("step %d: %d positions, %d ended, %d faulty, want %d, %d, %d", step, p.States, p.Ended, p.Faulty, states, ended, faulty)
		}
	}
	if got := p.Goals()[0]; got != goals || goals == 0 || ended < 1000 || faulty < 1000 {
		t.Errorf("goals of %d, want %d; %d ended, %d faulty", got, goals, ended, faulty)
	}
}

func TestEndlessPlayoutsAreCutOff(t *testing.T) {
	fast := newCounting()
	m := stacked{machine.NewScalar(fast.Names(), fast.Initial(), fast.Info(), func() machine.Stepper { return new(endless) }), 2}
	p := machine.NewPlayouts(m, m.Initial(), 1)
	for p.Faulty == 0 && p.States < 3*machine.MaxSteps*128 {
		p.Step()
	}
	// It looks at the clocks once in MaxSteps, so a match may get twice as long.
	if p.Faulty != 128 || p.Ended != 0 || p.States < machine.MaxSteps*128 || p.States > 2*machine.MaxSteps*128 {
		t.Errorf("%d of 128 matches cut off, %d ended, after %d positions", p.Faulty, p.Ended, p.States)
	}
	p.Step()
	if p.Faulty != 128 {
		t.Errorf("%d matches cut off: they did not begin again", p.Faulty)
	}
}
