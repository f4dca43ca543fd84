package play_test

import (
	"errors"
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
)

// stack is a batch of several batches side by side: as wide as a batch of the circuit.
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

// each calls do with every batch that holds lanes of 0..n-1, the number of its first lane, and the number of
// its lanes in that range.
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

func (s stack) Evaluate(n int) {
	s.each(n, func(b machine.Batch, _, n int) { b.Evaluate(n) })
}

func (s stack) Terminal() []uint64 { return s.masks(machine.Batch.Terminal) }
func (s stack) Stuck() []uint64    { return s.masks(machine.Batch.Stuck) }
func (s stack) Lost() []uint64     { return s.masks(machine.Lost) }

func (s stack) Prepare(n int) {
	s.each(n, func(b machine.Batch, _, n int) { machine.Prepare(b, n) })
}

func (s stack) AppendLegal(dst []machine.Move, lane int, r machine.Role) []machine.Move {
	return s[lane/64].AppendLegal(dst, lane%64, r)
}

func (s stack) Goals(dst []int32, lane int) { s[lane/64].Goals(dst, lane%64) }

func (s stack) AddGoals(totals []int64, mask []uint64) {
	goals := make([]int32, len(totals))
	for lane := range s.Lanes() {
		if s.Goals(goals, lane); !machine.State(mask).Has(lane) {
			continue
		}
		for r, g := range goals {
			totals[r] += int64(max(g, 0))
		}
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
		b.Evaluate(b.Lanes()) // lanes from n on count as not ended, too
		want, seen := make([]uint64, 3), make([]uint64, 3)
		for lane := range n {
			want[lane/64] |= 1 << (lane % 64)
		}
		play.NewLockstep(b).Run(t.Context(), machine.NewRand(1), n, func(steps int, ended, playing []uint64) bool {
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

// Goal is above 0 in the stuck position, too, whose goal does not count.
func (g *stuckAt6) Goal(machine.Role) int32 { return 10 + int32(g.at) }

func (g *stuckAt6) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if g.at == 6 {
		return dst
	}
	return g.counting.AppendLegal(dst, r)
}

// Playouts count goals and restart lanes word by word; here every lane is counted by itself.
func TestPlayoutsCountEveryLaneOfAnyWord(t *testing.T) {
	alone := newScalar(func() scalar.Stepper { return new(stuckAt6) })
	for name, m := range map[string]machine.Machine{"adding up goals": stacked{alone, 3}, "a lane at a time": alone} {
		t.Run(name, func(t *testing.T) { countEveryLane(t, m) })
	}
}

func countEveryLane(t *testing.T, m machine.Machine) {
	p := play.NewPlayouts(m, m.Initial(), 1)
	b, rng := m.NewBatch(), machine.NewRand(1)
	var states, ended, faulty, goals int64
	for step := range 200 {
		p.Step()
		b.Evaluate(b.Lanes())
		again := make([]uint64, b.Lanes()/64)
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
	if got := p.Goals()[0]; got != goals || goals == 0 || ended < 300 || faulty < 300 {
		t.Errorf("goals of %d, want %d; %d ended, %d faulty", got, goals, ended, faulty)
	}
}

// forgetful is counting whose answers are incomplete at 6 and at the ends.
type forgetful struct{ counting }

func (g *forgetful) Err() error {
	if g.at == 6 || g.at >= 9 {
		return machine.ErrLost
	}
	return nil
}

// passing wraps a machine and changes nothing.
type passing struct{ machine.Machine }

type passingBatch struct{ machine.Batch }

func (m passing) NewBatch() machine.Batch       { return passingBatch{m.Machine.NewBatch()} }
func (m passing) NewNarrowBatch() machine.Batch { return m.NewBatch() }
func (b passingBatch) Unwrap() machine.Batch    { return b.Batch }

// A limit of the machine is no fault of the game and no end of it; wrapping a machine does not change that.
func TestWrappersReportLostPositions(t *testing.T) {
	m := passing{newScalar(func() scalar.Stepper { return new(forgetful) })}
	b := m.NewBatch()
	b.Load(machine.State{1 << 6}, 1)
	if b.Evaluate(1); !errors.Is(machine.Unknown(b, 0), machine.ErrLost) {
		t.Error("a lost position is taken for one that is known")
	}
	if err := play.NewExpander(m).Expand(new(play.Expansion), machine.State{1 << 6}); !errors.Is(err, machine.ErrLost) {
		t.Errorf("expanding it: %v", err)
	}
	counts, err := play.Perft(t.Context(), m, machine.State{1 << 5}, 1)
	if !errors.Is(err, machine.ErrLost) {
		t.Errorf("counting joint moves that lead to it: %v, %v", counts, err)
	}
	over := 0
	b.Fill(m.Initial(), nil)
	b.Evaluate(64)
	play.NewLockstep(b).Run(t.Context(), machine.NewRand(1), 64, func(_ int, ended, _ []uint64) bool {
		over += bits.OnesCount64(ended[0])
		return true
	})
	if over != 0 {
		t.Errorf("%d matches ended", over)
	}
}

func TestPlayoutsCountLostPositionsApart(t *testing.T) {
	m := newScalar(func() scalar.Stepper { return new(forgetful) })
	p := play.NewPlayouts(m, m.Initial(), 1)
	p.Run(t.Context(), 10_000)
	if p.Goals(); p.Lost < 100 || p.Ended != 0 || p.Faulty != 0 {
		t.Errorf("%d lost, %d ended, %d faulty", p.Lost, p.Ended, p.Faulty)
	}
}

// sometimesEndless is counting in which 1 leads only to itself.
type sometimesEndless struct{ counting }

func (g *sometimesEndless) Next(dst machine.State, joint []machine.Move) {
	g.counting.Next(dst, joint)
	if g.at == 1 {
		dst[0] = 1 << 1
	}
}

// Matches are cut off after MaxSteps joint moves, and before twice as many.
func TestPlayoutsOfMaxStepsAreCutOff(t *testing.T) {
	m := stacked{newScalar(func() scalar.Stepper { return new(sometimesEndless) }), 2}
	p := play.NewPlayouts(m, m.Initial(), 1)
	b, rng := m.NewBatch(), machine.NewRand(1)
	age, cut := make([]int, b.Lanes()), int64(0)
	for step := range 3 * play.MaxSteps {
		p.Step()
		b.Evaluate(b.Lanes())
		again := make([]uint64, 2)
		for lane := range age {
			over := b.Terminal()[lane/64]>>(lane%64)&1 != 0
			if age[lane] >= 2*play.MaxSteps {
				t.Fatalf("step %d: the match of lane %d goes on", step, lane)
			}
			if p.Faulty > cut && age[lane] >= play.MaxSteps && !over {
				cut++
				over = true
			}
			if age[lane]++; over {
				age[lane] = 0
				again[lane/64] |= 1 << (lane % 64)
			}
		}
		if p.Faulty != cut {
			t.Fatalf("step %d: %d matches cut off, %d are as long", step, p.Faulty, cut)
		}
		b.ChooseRandom(rng, b.Lanes())
		b.Advance(b.Lanes())
		b.Fill(m.Initial(), again)
	}
	if cut < 100 {
		t.Errorf("%d matches were cut off", cut)
	}
}

func TestPlayoutsFromATerminalPositionCountItsGoals(t *testing.T) {
	m := stacked{newCounting(), 2}
	p := play.NewPlayouts(m, machine.State{1 << 10}, 1)
	for range 5 {
		p.Step()
	}
	if p.Ended != 5*128 || p.Goals()[0] != 5*128*100 || p.States != 0 {
		t.Errorf("%d matches ended with goals of %d, after %d positions", p.Ended, p.Goals()[0], p.States)
	}
}

func TestPlayoutsStopAtTheNumberOfPositionsAskedFor(t *testing.T) {
	m := newScalar(func() scalar.Stepper { return new(endless) })
	for asked, want := range map[int64]int64{5 * 64: 5 * 64, 5*64 + 1: 6 * 64} {
		p := play.NewPlayouts(m, m.Initial(), 1)
		if p.Run(t.Context(), asked); p.States != want {
			t.Errorf("%d positions, want %d", p.States, want)
		}
	}
}
