package reference_test

import (
	"testing"

	"stackmate/internal/corpus"
	"stackmate/reasoner/trace"
)

// replayed are rulesheets of every kind that the reference engine replays in a second or two: sequential, simultaneous,
// puzzles, chance, recursion, function terms.
var replayed = []string{
	"ticTacToe", "biddingTicTacToe", "connectFour", "hex", "blocks", "breakthrough", "2pttc",
	"blocker", "aipsrovers01", "blockerSerial", "futoshiki5", "majorities",
}

func TestRecordedMatchesReplayExactly(t *testing.T) {
	for _, name := range replayed {
		t.Run(name, func(t *testing.T) {
			m := compile(t, string(corpus.Source(t, name)))
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
