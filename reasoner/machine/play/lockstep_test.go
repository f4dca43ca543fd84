package play_test

import (
	"context"
	"math/bits"
	"slices"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
)

func TestLockstepPlaysEveryLaneToItsEndOnce(t *testing.T) {
	m := newCounting()
	b := m.NewBatch()
	b.Fill(m.Initial(), nil)
	const n = 40
	b.Evaluate(n)
	games, last, lanes := 0, -1, uint64(0)
	play.NewLockstep(b).Run(t.Context(), machine.NewRand(1), n, func(steps int, ended, playing []uint64) bool {
		if steps != last+1 || lanes&ended[0] != 0 || ended[0]&^b.Terminal()[0] != 0 || (playing[0]&b.Terminal()[0]) != 0 {
			t.Errorf("after %d moves, %d before: ended %x, playing %x of terminal %x", steps, last, ended[0], playing[0], b.Terminal()[0])
		}
		last = steps
		lanes |= ended[0]
		games += bits.OnesCount64(ended[0])
		if games+bits.OnesCount64(playing[0]) != n {
			t.Errorf("%d games have ended, %d go on, of %d", games, bits.OnesCount64(playing[0]), n)
		}
		return true
	})
	if lanes != 1<<n-1 {
		t.Errorf("lanes %x have ended, want the first %d", lanes, n)
	}
}

func TestARandomGameShowsEachPositionToItsEnd(t *testing.T) {
	m := newCounting()
	x, e, b := play.NewExpander(m), new(play.Expansion), m.NewBatch()
	for seed := range uint64(20) {
		for most := range 6 {
			before, visits := slices.Clone(m.Initial()), 0
			play.RandomGame(t.Context(), b, machine.NewRand(seed), m.Initial(), func(q machine.State, over bool) bool {
				if ends, _ := x.Look(q); ends != over {
					t.Errorf("seed %d: position %v is over: %v, shown as %v", seed, q, ends, over)
				}
				if visits == 0 && !q.Equal(m.Initial()) || visits > 0 && !isChild(x, e, before, q) {
					t.Errorf("seed %d: position %v after %v", seed, q, before)
				}
				copy(before, q)
				visits++
				return visits <= most
			})
			if over, _ := x.Look(before); visits > most+1 || visits <= most && !over {
				t.Errorf("seed %d: %d positions, told to stop after %d; the last is %v", seed, visits, most+1, before)
			}
		}
	}
}

// isChild reports whether a joint move leads from one position to another.
func isChild(x *play.Expander, e *play.Expansion, from, to machine.State) bool {
	if x.Expand(e, from) != nil {
		return false
	}
	for c := range e.Children {
		if to.Equal(e.Child(c)) {
			return true
		}
	}
	return false
}

// endless is counting without change of the position.
type endless struct{ counting }

func (*endless) Next(dst machine.State, _ []machine.Move) { dst[0] = 1 }

func TestLockstepEnds(t *testing.T) {
	m := newScalar(func() scalar.Stepper { return &endless{} })
	b := m.NewBatch()
	for _, c := range []struct {
		name  string
		visit func(steps int, cancel func()) bool
		want  int
	}{
		{"at the limit", func(int, func()) bool { return true }, play.MaxPlayout},
		{"when told", func(steps int, _ func()) bool { return steps < 5 }, 5},
		{"with its context", func(steps int, cancel func()) bool {
			if steps == 7 {
				cancel()
			}
			return true
		}, 7},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		b.Fill(m.Initial(), nil)
		b.Evaluate(1)
		made := 0
		play.NewLockstep(b).Run(ctx, machine.NewRand(1), 1, func(steps int, _, _ []uint64) bool {
			made = steps
			return c.visit(steps, cancel)
		})
		if cancel(); made != c.want {
			t.Errorf("%s: %d moves, want %d", c.name, made, c.want)
		}
	}
}

func TestARandomGameReturnsGoals(t *testing.T) {
	m := newCounting()
	for at, want := range map[int]int32{9: 0, 10: 100} { // where it is over
		s := make(machine.State, len(m.Initial()))
		if s.Set(at); !slices.Equal(play.RandomGoals(t.Context(), m, s), []int32{want}) {
			t.Errorf("goals %v at %d, want %d", play.RandomGoals(t.Context(), m, s), at, want)
		}
	}
	if goals := play.RandomGoals(t.Context(), m, m.Initial()); len(goals) != 1 || goals[0]%100 != 0 {
		t.Errorf("goals %v of a random game", goals)
	}
	stuck := newScalar(func() scalar.Stepper { return &endless{} })
	if goals := play.RandomGoals(t.Context(), stuck, m.Initial()); goals != nil {
		t.Errorf("goals %v of a game without an end", goals)
	}
}
