package simultaneous

import (
	"context"
	"testing"
	"time"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
)

// unproved is a machine that cannot prove that its matches end: a proof takes all the time that it gets.
type unproved struct {
	*symmetric
	granted []time.Duration // of each proof
}

func (m *unproved) ProvedGoalSum(context.Context) (int32, bool) { return machine.NoGoal, false }

func (m *unproved) ProvedLength(ctx context.Context) (int, bool) {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(time.Hour)
	}
	m.granted = append(m.granted, time.Until(until))
	return 0, false
}

// A player searches anew after each move: a proof that takes seconds would leave no time for the search.
func TestTheProofThatMatchesEndTakesNoTimeFromTheSearch(t *testing.T) {
	game := toys.Matrix([][]int32{{50, 0}, {100, 50}})
	for _, c := range []struct {
		name   string
		roles  []machine.Role // images
		proofs int
	}{
		{"the players are exchanged", []machine.Role{1, 0}, 1},
		{"the players stay", []machine.Role{0, 1}, 0},
	} {
		m := &unproved{symmetric: &symmetric{game.Machine(), nil}}
		y := facts.Symmetry{Roles: c.roles, Moves: [][]machine.Move{{0, 1, 2, 3}, {0, 1, 2, 3}}}
		for f := range 64 * len(m.Initial()) {
			y.Fluents = append(y.Fluents, int32(f))
		}
		m.symmetries = []facts.Symmetry{y}
		if v := solve(t, Config{Table: true}, m).Values[0]; v.Lower != 50 || v.Upper != 50 {
			t.Errorf("%s: value %v, want 50", c.name, v)
		}
		if len(m.granted) != c.proofs {
			t.Errorf("%s: %d proofs, want %d", c.name, len(m.granted), c.proofs)
		}
		for _, g := range m.granted {
			if g > lengthTime {
				t.Errorf("%s: a proof may take %v, want at most %v", c.name, g, lengthTime)
			}
		}
	}
	if lengthTime > 100*time.Millisecond {
		t.Errorf("a proof may take %v, longer than a short move", lengthTime)
	}
}

// An interval of the range of goals stays within this range when the players are exchanged, for every sum, and in the table.
func TestAnExchangedIntervalLiesWithinTheGoals(t *testing.T) {
	for sum, want := range map[float64]search.Interval{150: {Lower: 50, Upper: 100}, 100: {Lower: 0, Upper: 100}, 40: {Lower: 0, Upper: 40}} {
		y := &symmetry{sum: sum}
		got := y.exchange(search.GoalRange, true)
		kept := make([]uint64, 2)
		proved.Encode(kept, got)
		if back := proved.Decode(kept); got != want || back != want {
			t.Errorf("sum %g: %v, from the table %v, want %v", sum, got, back, want)
		}
		if got := y.exchange(search.GoalRange, false); got != search.GoalRange {
			t.Errorf("sum %g: %v without an exchange", sum, got)
		}
	}
}
