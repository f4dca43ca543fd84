package play_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
)

// counting is a game of one role that counts from 0 to 9 in steps of 1 or 2, one
// fluent for each number; at 9 or 10 it ends, with a goal of 100 at exactly 10.
type counting struct{ at int }

func (c *counting) SetState(s machine.State) {
	for c.at = 0; !s.Has(c.at); c.at++ {
	}
}
func (c *counting) Terminal() bool { return c.at >= 9 }
func (c *counting) AppendLegal(dst []machine.Move, _ machine.Role) []machine.Move {
	return append(dst, 0, 1)
}
func (c *counting) Goal(machine.Role) int32 { return int32(c.at-9) * 100 }
func (c *counting) Next(dst machine.State, joint []machine.Move) {
	clear(dst)
	dst.Set(c.at + 1 + int(joint[0]))
}

func newCounting() machine.Machine {
	return newScalar(func() scalar.Stepper { return new(counting) })
}

// newScalar makes a machine of a stepper with the names and the initial position of counting.
func newScalar(stepper func() scalar.Stepper) machine.Machine {
	names := &machine.Names{Roles: []string{"r"}, Moves: [][]string{{"one", "(step Two)"}}}
	for range 11 {
		names.Fluents = append(names.Fluents, "f")
	}
	return scalar.New(names, machine.State{1}, machine.Info{Engine: "toy"}, stepper)
}

func TestPerftCountsSequencesOfJointMoves(t *testing.T) {
	counts := must.Get(play.Perft(context.Background(), newCounting(), machine.State{1}, 6))(t)
	// Compositions into steps of 1 and 2: 2^d until the end is reached. Five steps of 2 reach 10, and four
	// steps of 2 with a step of 1 reach 9 in 5 orders.
	want := []play.PerftCount{{1, 2, 0}, {2, 4, 0}, {3, 8, 0}, {4, 16, 0}, {5, 32, 6}, {6, 52, 30}}
	for i := range want {
		if counts[i] != want[i] {
			t.Errorf("depth %d: %+v, want %+v", i+1, counts[i], want[i])
		}
	}
}

func TestPerftReportsCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := play.Perft(ctx, newCounting(), machine.State{1}, 3); err == nil {
		t.Error("no error from a cancelled count")
	}
}

func TestPerftCountsToTheDepthAskedFor(t *testing.T) {
	for depth, want := range map[int][]play.PerftCount{
		0: nil,
		1: {{1, 2, 0}},
		2: {{1, 2, 0}, {2, 4, 0}},
	} {
		counts, err := play.Perft(t.Context(), newCounting(), machine.State{1}, depth)
		if diff := cmp.Diff(want, counts); diff != "" || err != nil {
			t.Errorf("to depth %d: error %v, counts (-want +got)\n%s", depth, err, diff)
		}
	}
	counts, err := play.Perft(t.Context(), newCounting(), machine.State{1 << 9}, 2)
	if want := []play.PerftCount{{1, 0, 0}, {2, 0, 0}}; err != nil || !cmp.Equal(counts, want) {
		t.Errorf("from a terminal position: %v, error %v", counts, err)
	}
}

func TestPerftRefusesADepthThatNoMatchHas(t *testing.T) {
	counts, err := play.Perft(t.Context(), newCounting(), machine.State{1 << 8}, play.MaxSteps)
	if last := (play.PerftCount{Depth: play.MaxSteps}); err != nil || counts[0] != (play.PerftCount{1, 2, 2}) || counts[len(counts)-1] != last {
		t.Errorf("the greatest depth: %d counts, error %v", len(counts), err)
	}
	for _, depth := range []int{play.MaxSteps + 1, 1 << 40} {
		if counts, err := play.Perft(t.Context(), newCounting(), machine.State{1}, depth); err == nil || counts != nil {
			t.Errorf("counts %v, error %v", counts, err)
		}
	}
}

func TestPerftOfPositionsOfSeveralWords(t *testing.T) {
	m := toys.Wide{Roles: []string{"a", "b"}, Moves: []int{3, 2}, Depth: 5, Words: 3}.Machine()
	counts, err := play.Perft(t.Context(), m, m.Initial(), 5)
	want := []play.PerftCount{{1, 6, 0}, {2, 36, 0}, {3, 216, 0}, {4, 1296, 0}, {5, 7776, 7776}}
	if diff := cmp.Diff(want, counts); diff != "" || err != nil {
		t.Errorf("error %v, counts (-want +got)\n%s", err, diff)
	}
}

func TestPlayoutsAreReproducibleAndEnd(t *testing.T) {
	run := func(seed uint64) *play.Playouts {
		p := play.NewPlayouts(newCounting(), machine.State{1}, seed)
		p.Run(context.Background(), 100_000)
		return p
	}
	p, q, other := run(1), run(1), run(2)
	if p.States != q.States || p.Ended != q.Ended || p.Goals()[0] != q.Goals()[0] {
		t.Errorf("the same seed gave %d/%d/%d and %d/%d/%d", p.States, p.Ended, p.Goals()[0], q.States, q.Ended, q.Goals()[0])
	}
	if p.Goals()[0] == other.Goals()[0] && p.Ended == other.Ended {
		t.Error("another seed gave the same playouts")
	}
	if p.Faulty != 0 {
		t.Errorf("%d faulty playouts", p.Faulty)
	}
	// The chance to hit 9 from 0 with fair steps of 1 and 2 is (2+2^-9)/3, and
	// the walk that misses 9 goes from 8 to 10.
	got, want := float64(p.Goals()[0])/float64(p.Ended), 100*(1-2.0/3)
	if got < want-1 || got > want+1 {
		t.Errorf("mean goal %.2f, want about %.2f", got, want)
	}
}

// slow is counting by an engine that computes a successor in a millisecond.
type slow struct {
	counting
	onNext func()
}

func (s *slow) Next(dst machine.State, joint []machine.Move) {
	s.onNext()
	time.Sleep(time.Millisecond)
	s.counting.Next(dst, joint)
}

func TestPlayoutsOfSlowEnginesStopAfterTheStepAtHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		late := 0
		m := newScalar(func() scalar.Stepper {
			return &slow{onNext: func() {
				if ctx.Err() != nil {
					late++
				}
			}}
		})
		p := play.NewPlayouts(m, m.Initial(), 1)
		p.Run(ctx, 0)
		if lanes := m.NewBatch().Lanes(); late > lanes || p.States == 0 {
			t.Errorf("%d positions were computed after the context was done", late)
		}
	})
}

func TestEachLaneMakesItsOwnRandomMoves(t *testing.T) {
	m := toys.Wide{Roles: []string{"a", "b"}, Moves: []int{3, 2}, Depth: 2}.Machine()
	b := m.NewBatch()
	n := b.Lanes()
	b.Evaluate(n)
	b.ChooseRandom(machine.NewRand(1), n)
	b.Advance(n)
	states := make([]uint64, n*len(m.Initial()))
	b.Store(states, n)
	reached := [2]map[uint64]int{{}, {}} // by half of the lanes and hash
	for lane := range n {
		reached[2*lane/n][states[lane*len(m.Initial())+1]]++
	}
	for half, of := range reached {
		if len(of) != 6 {
			t.Errorf("half %d of the lanes made %d of 6 joint moves: %v", half, len(of), of)
		}
	}
}

func TestExpansionNumbersChildrenByJointMove(t *testing.T) {
	m := newCounting()
	x, e := play.NewExpander(m), new(play.Expansion)
	s := make(machine.State, 1)
	s.Set(8)
	if x.Expand(e, s) != nil || e.Children != 2 {
		t.Fatalf("%d children", e.Children)
	}
	joint := make([]machine.Move, 1)
	for c, goal := range []int32{0, 100} {
		if e.Joint(joint, c); joint[0] != machine.Move(c) {
			t.Errorf("child %d follows from move %d", c, joint[0])
		}
		if !e.Child(c).Has(9+c) || !e.Terminal[c] || e.ChildGoals(c)[0] != goal {
			t.Errorf("child %d: %v terminal %v goal %v", c, e.Child(c), e.Terminal[c], e.ChildGoals(c))
		}
	}
}

func TestExpandingManyIsExpandingEach(t *testing.T) {
	const n = 100 // more positions than lanes
	one := make([]uint64, n)
	for i := range one {
		one[i] = 1 << (i % 9)
	}
	expandManyAndEach(t, newCounting(), one)

	const words = 3
	several := make([]uint64, n*words)
	for i := range n {
		several[i*words], several[i*words+1], several[i*words+2] = uint64(i%7), uint64(i), uint64(i)
	}
	for _, inTurn := range []bool{true, false} { // other moves in every position; more children than lanes
		m := toys.Wide{Roles: []string{"a", "b"}, Moves: []int{9, 10}, InTurn: inTurn, Depth: 7, Words: words}.Machine()
		expandManyAndEach(t, m, several)
	}
}

func expandManyAndEach(t *testing.T, m machine.Machine, states []uint64) {
	t.Helper()
	x := play.NewExpander(m)
	many := make([]play.Expansion, len(states)/len(m.Initial()))
	x.ExpandMany(many, states)
	for i := range many {
		one := new(play.Expansion)
		x.Expand(one, states[i*len(m.Initial()):(i+1)*len(m.Initial())])
		if diff := cmp.Diff(one, &many[i], cmpopts.IgnoreUnexported(play.Expansion{}), cmpopts.IgnoreFields(play.Expansion{}, "Goals")); diff != "" {
			t.Fatalf("position %d: %s", i, diff)
		}
		for c, over := range one.Terminal {
			goals := one.ChildGoals(c)
			if len(goals) != len(m.Names().Roles) || over && !cmp.Equal(goals, many[i].ChildGoals(c)) {
				t.Fatalf("position %d, child %d: goals %v and %v", i, c, goals, many[i].ChildGoals(c))
			}
		}
	}
}
