package reference_test

import (
	"context"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/reasoner/reference"
	"stackmate/reasoner/trace"
)

// replayed are rulesheets of every kind that the interpreter replays in a second
// or two: sequential, simultaneous, puzzles, chance, recursion, function terms.
var replayed = []string{
	"ticTacToe", "biddingTicTacToe", "connectFour", "hex", "blocks", "breakthrough", "2pttc",
	"blocker", "aipsrovers01", "blockerSerial", "futoshiki5", "majorities",
}

func TestRecordedMatchesReplayExactly(t *testing.T) {
	for _, name := range replayed {
		t.Run(name, func(t *testing.T) {
			g, _, err := gdl.Load(t.Context(), name, corpus.Source(t, name))
			if err != nil {
				t.Fatal(err)
			}
			m, err := reference.New(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			matches := 0
			file, _ := corpus.Trace(t, name)
			for match, err := range trace.Read(file) {
				if err != nil {
					t.Fatal(err)
				}
				if err := trace.Replay(m, match); err != nil {
					t.Error(err)
				}
				matches++
			}
			if matches == 0 {
				t.Error("the file holds no match")
			}
		})
	}
}
