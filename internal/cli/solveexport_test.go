package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
)

func TestSolveWritesMatricesAndTreesThatItReads(t *testing.T) {
	for game, payoff := range map[string]string{"prisonersDilemma": "payoff of row       20", "matchingPennies": "payoff of row       50"} {
		for _, extension := range []string{".nfg", ".efg"} {
			path := filepath.Join(t.TempDir(), game+extension)
			execute(t, "solve", game, "--export", path).expect(t, statusFine)
			execute(t, "solve", path, "--exact").expect(t, statusFine, payoff)
		}
	}
	execute(t, "solve", file(t, "broken.nfg", "NFG 1 R \"\" { \"A\" }")).expect(t, statusUsage, "broken.nfg: line 1: expected two players, found 1")
}

func TestSolveExactPrintsFractionsAndTheMatrix(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	execute(t, "solve", "goofspiel-5", "--exact").expect(t, statusFine, "1100/19", "equilibria        1 in pure strategies", "strategy of red   1  (play 5)")
	for extension, want := range map[string]string{".csv": "(play 2),100 0,50 50,0 100,0 100,800/19 1100/19", ".tex": "$800/19, 1100/19$"} {
		path := filepath.Join(t.TempDir(), "matrix"+extension)
		execute(t, "solve", "goofspiel-5", "--export", path).expect(t, statusFine)
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("no %q in %s: %v", want, text, err)
		}
	}
}

func TestBadExportsAreRefused(t *testing.T) {
	execute(t, "solve", "ticTacToe", "--export", "x.foo").expect(t, statusUsage, "expected a file that ends in .csv, .tex, .nfg or .efg")
	execute(t, "solve", "ticTacToe", "--exact", "--method", "bab").expect(t, statusUsage, "expected --method equilibrium, found --method bab")
}
