package cli

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/player/training"
	"stackmate/search/evaluate"
)

// learntFile returns the only file of a folder of knowledge.
func learntFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	return files[0]
}

func TestTrainingGoesOnWhereItEnded(t *testing.T) {
	games := func(run map[string]any, i int) float64 {
		return run["checkpoints"].([]any)[i].(map[string]any)["games"].(float64)
	}
	for length := 300 * time.Millisecond; ; length *= 2 { // on a busy machine games come late
		dir := filepath.Join(t.TempDir(), "knowledge")
		train := func() map[string]any {
			plot := filepath.Join(t.TempDir(), "course.svg")
			o := execute(t, "train", "ticTacToe", "--time", length.String(), "--knowledge", dir, "--plot", plot, "--json")
			o.expect(t, statusFine)
			if text := must.Get(os.ReadFile(plot))(t); !strings.Contains(string(text), "ticTacToe: strength") {
				t.Errorf("the plot is %s", text)
			}
			return o.objects(t)[0]
		}
		first := train()
		if n := len(first["checkpoints"].([]any)); n != training.LeastCheckpoints || first["total"] == nil || first["file"] != learntFile(t, dir) {
			t.Fatalf("%d checkpoints, %v", n, first)
		}
		again := train()
		before, after := games(first, training.LeastCheckpoints-1), games(again, 0)
		if before > 0 && after > before {
			return
		}
		if length > patience/4 {
			t.Fatalf("%v games at the end of training for %v, %v at the next checkpoint", before, length, after)
		}
	}
}

func TestKnowledgeIsFoundUnderOtherNames(t *testing.T) {
	exhaustive.NotUnderRace(t, "learns for long; other tests of training look at its goroutines")
	_, src := must.Get2(games.Source("connectFour-4x4"))(t)
	tree := must.Get(gdl.Parse("", src))(t)
	scrambled := filepath.Join(t.TempDir(), "scrambled.kif")
	must.OK(t, os.WriteFile(scrambled, []byte(gdl.Print(rewrite.Scramble(tree, rand.New(rand.NewPCG(1, 1))))), 0o600))
	for length := 300 * time.Millisecond; ; length *= 2 { // on a busy machine games come late
		dir := t.TempDir()
		games := func(args ...string) int64 {
			execute(t, append(args, "--knowledge", dir)...).expect(t, statusFine)
			known := must.Get(evaluate.Learnt(learntFile(t, dir)))(t)
			return known.Games
		}
		first, second := games("train", "connectFour-4x4", "--time", length.String()), games("train", scrambled, "--time", length.String())
		if first == 0 || second <= first {
			if length > patience/4 {
				t.Fatalf("%d games, then %d under other names", first, second)
			}
			continue
		}
		if exhaustive.On() {
			third := games("match", "connectFour-4x4", "--scramble", "--start-clock", "8", "--players", "mcts,random")
			if third <= second {
				t.Errorf("%d games, then %d after a scrambled match", second, third)
			}
		}
		return
	}
}

func TestDamagedKnowledgeIsRefusedAndMatchesArePlayedAllTheSame(t *testing.T) {
	exhaustive.NotUnderRace(t, "learns for long; other tests of training look at its goroutines")
	dir := t.TempDir()
	execute(t, "train", "connectFour-5x4", "--time", "200ms", "--knowledge", dir).expect(t, statusFine, "saved in")
	path := learntFile(t, dir)
	must.OK(t, os.WriteFile(path, []byte("damaged"), 0o600))
	execute(t, "train", "connectFour-5x4", "--time", "200ms", "--knowledge", dir).expect(t, statusBad, path, "remove it to learn anew")
	execute(t, "match", "ticTacToe", "--knowledge", dir, "--start-clock", "20", "--play-clock", "20").expect(t, statusFine, "matches")
}

func TestAnInterruptedTrainingKeepsWhatItHas(t *testing.T) {
	dir := t.TempDir()
	args := []string{"train", "ticTacToe", "--time", "1h", "--knowledge", dir}
	o := interruptWhen(t, args, func(o outcome) bool { return strings.Contains(o.out, "saved in") })
	o.expect(t, statusBad, "saved in", learntFile(t, dir))
}

func TestTrainingNeedsATimeAndAFolder(t *testing.T) {
	execute(t, "train", "ticTacToe", "--time", "1s").expect(t, statusUsage, "--knowledge")
	execute(t, "train", "prisonersDilemma", "--time", "1s", "--knowledge", t.TempDir()).expect(t, statusBad, "prisonersDilemma", "opposite interests", "2 players, simultaneous", "general sum")
	execute(t, "train", "ticTacToe", "--time", "-1s", "--knowledge", t.TempDir()).expect(t, statusUsage, "--time")
	execute(t, "train", "ticTacToe", "--knowledge", "/dev/null/x").expect(t, statusUsage, "--knowledge")
	execute(t, "train", "ticTacToe", "--knowledge", t.TempDir(), "--plot", "/dev/null/x.svg").expect(t, statusUsage, "/dev/null/x.svg")
}
