package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

func TestSolveWritesMatricesAndTreesThatItReads(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
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
		execute(t, "solve", "goofspiel-5", "--exact", "--export", path).expect(t, statusFine)
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("no %q in %s: %v", want, text, err)
		}
	}
}

func TestBadExportsAreRefused(t *testing.T) {
	execute(t, "solve", "ticTacToe", "--export", "x.foo").expect(t, statusUsage, "expected a file that ends in .csv, .tex, .nfg or .efg")
	execute(t, "solve", "ticTacToe", "--exact", "--method", "bab").expect(t, statusUsage, "expected --method equilibrium, found --method bab")
}

func TestTheMatrixOfAnyPositionIsPrintedAndWritten(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	after := []string{"solve", "goofspiel-6", "--moves", "(play 6) (play 5)", "--matrix"}
	execute(t, after...).expect(t, statusFine, "method            smab", "strategy of red", "matrix ", "(play 1)  ")
	execute(t, "solve", "goofspiel-4", "--matrix").expect(t, statusFine, "42.1053, 57.8947")
	execute(t, "solve", "ticTacToe", "--matrix", "--moves", "(mark 1 1) (mark 1 2)").expect(t, statusFine, "(mark 2 2)  100, 0")
	matrix := execute(t, append(after, "--json")...).objects(t)[0]["matrix"].(map[string]any)
	if len(matrix["rows"].([]any)) != 5 || len(matrix["payoffs"].([]any)) != 5 {
		t.Errorf("matrix %v", matrix)
	}
	path := filepath.Join(t.TempDir(), "matrix.nfg")
	execute(t, append(after, "--export", path)...).expect(t, statusFine)
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "NFG 1 R") || len(strings.Fields(string(text[strings.LastIndex(string(text), `"`):]))) != 2*25+1 {
		t.Errorf("%s, %v", text, err)
	}
	execute(t, "solve", "trio-3x3", "--matrix").expect(t, statusUsage, "expected one or two players, found 3")
}

func TestAnExportWithoutAMatrixNamesTheReason(t *testing.T) {
	for _, name := range []string{"x.csv", "x.tex", "x.nfg"} {
		path := filepath.Join(t.TempDir(), name)
		o := execute(t, "solve", "goofspiel-10", "--export", path, "--time", "50ms")
		o.expect(t, statusBad, "no matrix: ", "goofspiel-10 is not solved: the time of 50ms is over")
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was written", path)
		}
	}
}

func TestAMatrixHasPayoffsOfPlayersAlone(t *testing.T) {
	puzzle := "slidingPuzzle-2x2-4"
	for _, more := range []string{"--matrix", "--exact"} { // the second one sets the method
		for name, want := range map[string]string{"x.csv": "south,0\nwest,100\n", "x.tex": "south & $0$ \\\\\nwest & $100$ \\\\\n"} {
			path := filepath.Join(t.TempDir(), name)
			execute(t, "solve", puzzle, more, "--export", path).expect(t, statusFine)
			if text := must.Get(os.ReadFile(path))(t); !strings.Contains(string(text), want) {
				t.Errorf("%s: %s, want %q", more, text, want)
			}
		}
	}
	execute(t, "solve", puzzle, "--matrix").expect(t, statusFine, "west   100\n")
	execute(t, "solve", puzzle, "--matrix", "--json").expect(t, statusFine, `"payoffs":[[["0"]],[["100"]]]`)
	for _, more := range []string{"--matrix", "--json"} {
		if o := execute(t, "solve", "pig-2-1", more); strings.Contains(o.out, "value of random") || strings.Contains(o.out, `"random":[`) {
			t.Errorf("chance has a value: %s", o.out)
		}
	}
}

func TestFractionsThatAreTooLongAreDecimalsInTables(t *testing.T) {
	const long = "14910338037013007819452776/87302860306901149005899733"
	if got := short(long); got != "≈ 0.170789" || short("1100/19") != "1100/19" {
		t.Errorf("%s, %s", got, short("1100/19"))
	}
}

func TestAnExportForAnotherNumberOfPlayersIsRefusedBeforeTheSearch(t *testing.T) {
	for _, test := range []struct{ game, flag, want string }{
		{"trio-3x3", "x.csv", "one or two players, found 3"},
		{"trio-3x3", "x.tex", "one or two players, found 3"},
		{"trio-3x3", "x.nfg", "two players, found 3"},
		{"slidingPuzzle-2x2-4", "x.nfg", "two players, found 1"},
		{"slidingPuzzle-2x2-4", "x.efg", "two players, found 1"},
	} {
		path := filepath.Join(t.TempDir(), test.flag)
		o := execute(t, "solve", test.game, "--export", path)
		if o.expect(t, statusUsage, "--export: expected "+test.want); o.out != "" {
			t.Errorf("%s, %s: the search was done first: %s", test.game, test.flag, o.out)
		}
	}
}

func TestAToleranceThatCannotBeCertifiedIsRefusedBeforeTheSearch(t *testing.T) {
	for _, args := range [][]string{{"goofspiel-12"}, {"goofspiel-12", "--method", "smab"}, {"trio-3x3"}} {
		o := execute(t, append([]string{"solve", "--epsilon", "60", "--certify"}, args...)...)
		if o.expect(t, statusUsage, "--certify: expected a solution with tolerance 0, or by method bab or dfs"); o.out != "" {
			t.Errorf("%v: the search was done first: %s", args, o.out)
		}
	}
	execute(t, "solve", "ticTacToe", "--epsilon", "60", "--certify").expect(t, statusFine, "certified")
}
