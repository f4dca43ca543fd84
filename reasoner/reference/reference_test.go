package reference_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"stackmate/gdl"
	"stackmate/reasoner/reference"
	"stackmate/reasoner/trace"
)

// replayed are rulesheets of every kind that the interpreter replays in a second
// or two: sequential, simultaneous, puzzles, chance, recursion, function terms.
var replayed = []string{
	"ticTacToe", "biddingTicTacToe", "connectFour", "hex", "blocks", "breakthrough", "2pttc",
	"blocker", "aipsrovers01", "blockerSerial", "futoshiki5", "majorities",
}

// corpus is the folder of the corpus; the test is skipped without it.
func corpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("STACKMATE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "traces")); err != nil {
		t.Skip("no corpus at " + dir + "; STACKMATE_CORPUS names its folder")
	}
	return dir
}

func TestRecordedMatchesReplayExactly(t *testing.T) {
	dir := corpus(t)
	for _, name := range replayed {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "rulesheets", name+".kif")
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			g, _, err := gdl.Load(t.Context(), file, src)
			if err != nil {
				t.Fatal(err)
			}
			m, err := reference.New(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			matches := 0
			for match, err := range trace.Read(filepath.Join(dir, "traces", name+".jsonl.gz")) {
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
