package experiment

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
)

func TestGamesOfTurnsSayWhatIsProved(t *testing.T) {
	lab := Lab{
		Games: []string{"ticTacToe", "some/where/pig-6-2", "copsAndRobber-8x8-3-40"}, Limit: time.Second, Memory: 64,
		Compile: func(_ context.Context, game string) (machine.Machine, error) {
			return gamestest.Machine(t, strings.TrimPrefix(game, "some/where/")), nil
		},
	}
	var rows []Row
	err := lab.Run(t.Context(), turnsName, func(r Row) error {
		rows = append(rows, r)
		return nil
	})
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, want := range []struct {
		method, note string
		finished     bool
	}{{"ticTacToe", "value 50", true}, {"pig-6-2", "value ", true}, {"copsAndRobber-8x8-3-40", "value in [", false}} {
		r := rows[i]
		if r.Method != want.method || !strings.HasPrefix(r.Note, want.note) || r.Finished != want.finished {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	if err := lab.Run(t.Context(), "bab", nil); !errors.Is(err, ErrNoGames) {
		t.Errorf("games for another experiment: %v", err)
	}
}
