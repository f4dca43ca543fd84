package montecarlo

import (
	"context"
	"math"
	"math/bits"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// TestMovesOfPlayoutsAreThoseOfTheirMarks plays hex, in which each move leaves a mark, and
// compares the moves gathered in all lanes with the marks in the last positions.
func TestMovesOfPlayoutsAreThoseOfTheirMarks(t *testing.T) {
	m := gamestest.Machine(t, "hex-4x4")
	b, names := m.NewBatch(), m.Names()
	v := newRave(b, names)
	b.Fill(m.Initial(), nil)
	b.Evaluate(b.Lanes())
	states := make([]uint64, b.Lanes()*len(m.Initial()))
	marks := map[int]int{} // by lane, of all fluents in which a last position differs from the first
	goals, of := make([]int32, 2), make([][2]float32, b.Lanes())
	v.begin(1)
	play.NewLockstep(b).Run(t.Context(), machine.NewRand(1), b.Lanes(), func(steps int, ended, playing []uint64) bool {
		if steps > 0 {
			v.watch(ended, playing)
		}
		b.Store(states, b.Lanes())
		for lane := range b.Lanes() {
			if ended[lane>>6]>>uint(lane&63)&1 == 0 {
				continue
			}
			for f, fluent := range names.Fluents {
				if states[lane*len(m.Initial())+f>>6]>>uint(f&63)&1 != 0 && len(fluent) > 5 && fluent[:5] == "(cell" {
					marks[lane]++
				}
			}
			b.Goals(goals, lane)
			v.end(lane, goals)
			of[lane] = [2]float32{float32(search.Points(goals[0])), float32(search.Points(goals[1]))}
		}
		return true
	})
	made, counted, sum, want := map[int]int{}, float32(0), float32(0), float32(0)
	for r, lanes := range v.made {
		for i, mask := range lanes {
			for ; mask != 0; mask &= mask - 1 {
				lane := i%v.words<<6 | bits.TrailingZeros64(mask)
				if names.Moves[r][i/v.words] != "noop" {
					made[lane]++
				}
				want += of[lane][r]
			}
		}
	}
	for lane := range b.Lanes() {
		if made[lane] != marks[lane] || marks[lane] < 7 {
			t.Fatalf("lane %d: %d moves, %d marks", lane, made[lane], marks[lane])
		}
	}
	v.divide(make([]leaf, 1))
	for i := range v.all {
		counted, sum = counted+v.counts[i], sum+v.sums[i]
	}
	if counted == 0 || sum != want {
		t.Errorf("%g playouts that made moves brought %g, want %g", counted, sum, want)
	}
}

func TestMovesAreGatheredWhereBatchesTellThem(t *testing.T) {
	canRave := func(m machine.Machine) bool { return newRave(m.NewNarrowBatch(), m.Names()) != nil }
	if !canRave(gamestest.Machine(t, "hex-4x4")) || canRave(newSubtraction([]string{"left", "right"}, 9)) {
		t.Error("hex tells its moves, a machine of one position at a time does not")
	}
}

func TestWhatWasProvedStandsAgainstAllMovesAsFirst(t *testing.T) {
	for _, workers := range []int{1, 2} {
		m := gamestest.Machine(t, "hex-3x3")
		r, err := New(Config{Rave: true, Workers: workers}).Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: 50_000, Seed: 1})
		if err != nil || !r.Solved() || r.Values[0] != search.Exact(100) {
			t.Errorf("%d workers: %v, solved %v, error %v", workers, r.Values, r.Solved(), err)
		}
	}
}

func TestAllMovesAsFirstCountForHalfAtRaveVisitsAndForLessLater(t *testing.T) {
	for visits, want := range map[float64]float64{0: 1, raveVisits: 0.5, 8 * raveVisits: 0.2} {
		if got := raveShare(visits); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %v visits they count for %v, want %v", visits, got, want)
		}
	}
}
