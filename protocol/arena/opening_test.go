package arena

import (
	"fmt"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/protocol"
	"stackmate/reasoner/machine/play"

	"github.com/google/go-cmp/cmp"
)

// TestMatchesAfterAnOpeningAreMatchesOfTheSameGame plays from random positions: with players that get the machine, with players that get the
// rules under other names, and from a seed again.
func TestMatchesAfterAnOpeningAreMatchesOfTheSameGame(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays many matches; other tests of matches look at their goroutines")
	for _, name := range []string{"ticTacToe", "goofspiel-4", "pig-6-2", "trio"} {
		m := builtIn(t, name)
		openings := make(map[string]bool)
		for seed := range uint64(6) {
			s := quick
			s.Opening, s.OpeningSeed, s.Scramble = 2, seed/2, seed%2 == 1
			var players []Player
			for range m.PlayerRoles() {
				newAgent := func() protocol.Agent { return &compiling{t: t} }
				players = append(players, Player{Name: "p", New: newAgent})
			}
			r := playMatch(t, m, s, players...)
			clean(t, r)
			if !r.Completed || len(r.Opening) != 2 || len(r.States) != r.Turns+1 {
				t.Fatalf("%s, seed %d: %+v", name, seed, r)
			}
			if err := r.Replay(m.machine); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			}
			openings[fmt.Sprint(r.Opening)] = true
		}
		if len(openings) < 2 || len(openings) > 3 {
			t.Errorf("%s: %d openings of 3 seeds", name, len(openings))
		}
	}
}

func TestNoOpeningEndsTheGame(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	m := builtIn(t, "matchingPennies") // of one turn
	s := quick
	s.Opening = 3
	r := playMatch(t, m, s, in("a", &fake{}), in("b", &fake{}))
	if r.Turns != 1 || len(r.Opening) != 0 {
		t.Errorf("%+v", r)
	}
	m = builtIn(t, "nim-1.2")
	for seed := range exhaustive.Choose[uint64](5, 20) {
		moves := m.opening(50, seed)
		if len(moves) == 0 || len(moves) >= 50 {
			t.Fatalf("moves %v", moves)
		}
		if at, err := play.Follow(m.machine, moves); err != nil || at.IsOver() {
			t.Errorf("after %v: %v, or the game is over", moves, err)
		}
		if same := m.opening(50, seed); cmp.Diff(moves, same) != "" {
			t.Errorf("seed %d leads to %v and %v", seed, moves, same)
		}
	}
}
