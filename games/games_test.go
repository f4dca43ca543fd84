package games_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"stackmate/games"
	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/must"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// names are small members of all families.
var names = []string{
	"amazons", "amazons-4x4", "amazons-6x5",
	"biddingTicTacToe", "biddingTicTacToe-1", "biddingTicTacToe-10",
	"breakthrough-3x4", "breakthrough", "breakthrough-5x4",
	"checkers",
	"chess",
	"connectFour", "connectFour-5x4", "connectFour-4x8",
	"copsAndRobber", "copsAndRobber-3x3-1-2", "copsAndRobber-4x3-2-5",
	"copsAndRobberSlips-3x3-1-2", "copsAndRobberSlips-3x4-2-3",
	"example2",
	"goofspiel", "goofspiel-1", "goofspiel-2", "goofspiel-7", "goofspiel-5-3.1.5.2.4",
	"goofspielPoints-1", "goofspielPoints-4", "goofspielPoints-3-1.3.2",
	"gomoku", "gomoku-5x5", "gomoku-6x5",
	"hex-2x2", "hex", "hex-3x4",
	"liarsBid", "liarsBid-2", "liarsBid-5",
	"matchingPennies",
	"nim", "nim-1", "nim-3.1.2",
	"oshiZumo", "oshiZumo-1-1", "oshiZumo-8-2-0", "oshiZumo-6-3-1", "oshiZumo-2-5",
	"pentago",
	"pig-2-1", "pig-6-2", "pig",
	"prisonersDilemma",
	"pursuit", "pursuit-5x3-2",
	"quarto",
	"reversi", "reversi-4x4", "reversi-6x4",
	"rockPaperScissors",
	"rockPaperScissorsMatch", "rockPaperScissorsMatch-1", "rockPaperScissorsMatch-12",
	"slidingPuzzle", "slidingPuzzle-2x2-5", "slidingPuzzle-4x3-1",
	"ticTacToe",
	"trio", "trio-3x5",
	"tron", "tron-2x2", "tron-4x3",
	"ultimateTicTacToe",
}

func TestEveryGameLoadsWithoutAWarning(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) { gamestest.Rules(t, name) })
	}
}

func TestRulesheetsAreLaidOutCanonically(t *testing.T) {
	for _, name := range names {
		_, src := must.Get2(games.Source(name))(t)
		want := must.Get(gdl.Format(src))(t)
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(src), "\n")); diff != "" {
			t.Errorf("%s (-formatted +found):\n%s", name, diff)
		}
	}
}

func TestEveryFamilyIsAmongTheTestedNames(t *testing.T) {
	for _, f := range games.Families() {
		if _, _, err := games.Source(f.Name()); err != nil {
			t.Errorf("no usual member: %v", err)
		}
		found := false
		for _, name := range names {
			first, _, _ := strings.Cut(name, "-")
			found = found || first == f.Name()
		}
		if !found {
			t.Errorf("no member of %s is tested", f.Pattern)
		}
	}
}

func TestDefaultParametersMayBeLeftOut(t *testing.T) {
	for short, long := range map[string]string{
		"connectFour":      "connectFour-7x6",
		"biddingTicTacToe": "biddingTicTacToe-3",
		"goofspiel-4":      "goofspiel-4-4.3.2.1",
		"oshiZumo-6-2":     "oshiZumo-6-2-1",
		"hex":              "hex-5x5",
		"nim":              "nim-3.4.5",
	} {
		_, a, err := games.Source(short)
		if err != nil {
			t.Error(err)
		}
		_, b, err := games.Source(long)
		if err != nil {
			t.Error(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s and %s differ", short, long)
		}
	}
}

func TestAWrongNameIsExplained(t *testing.T) {
	for name, want := range map[string]string{
		"conectFour":               "did you mean connectFour?",
		"goofspeil-4":              "did you mean goofspiel?",
		"bidding":                  "did you mean biddingTicTacToe?",
		"tic-tac-toe":              "did you mean ticTacToe?",
		"Connect_Four":             "did you mean connectFour?",
		"chess960anarchy":          "unknown game",
		"":                         "unknown game",
		"-x":                       `unknown game "-x"`,
		"connectFour-":             `W (columns) must be a number from 4 to 20, found ""`,
		"connectFour-3x4":          `W (columns) must be a number from 4 to 20, found "3"`,
		"connectFour-5":            `found "" where "x" and H should stand`,
		"connectFour-5x":           `H (rows) must be a number from 4 to 20, found ""`,
		"connectFour-5x400":        `H (rows) must be a number from 4 to 20, found "400"`,
		"connectFour-5x4x3":        `found "x3" behind it`,
		"connectFour-5y4":          `found "y4" where "x" and H should stand`,
		"ticTacToe-3":              `found "-3" behind it`,
		"ticTacToe-":               `found "-" behind it`,
		"goofspiel-0":              "must be a number from 1 to 13",
		"goofspiel-3-1.2":          "PRIZES: expected each number from 1 to 3 once, found 1.2",
		"goofspiel-3-1.2.2":        "PRIZES: expected each number from 1 to 3 once, found 1.2.2",
		"goofspiel-3-1.2.":         `must be a number from 1 to 13, found ""`,
		"oshiZumo-5-2-2":           "M (smallest bid) must be a number from 0 to 1",
		"reversi-7x8":              "W must be even, found 7",
		"reversi-8x5":              "H must be even, found 5",
		"oshiZumo--2":              "N (coins of each player) must be a number",
		"nim-99999999999999999999": "must be a number from 1 to 30",
	} {
		_, _, err := games.Source(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", name, err, want)
		}
	}
}

func TestAnyNameGivesAGameOrAnError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(games.Families()).Draw(t, "family")
		tail := rapid.StringMatching(`(-[0-9]{1,3}([x.][0-9]{1,3}){0,2}){0,3}`).Draw(t, "tail")
		name := f.Name() + tail
		file, src, err := games.Source(name)
		if err != nil {
			if !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
				t.Fatalf("the error does not say which name it means: %v", err)
			}
			return
		}
		if file != name+".kif" || len(src) == 0 {
			t.Fatalf("%s: file %q, %d bytes", name, file, len(src))
		}
	})
}

func TestEveryGameForPeopleIsInOneGroupAndHasAPage(t *testing.T) {
	count := make(map[string]int)
	for _, g := range games.Groups() {
		for _, f := range g.Families {
			count[f.Name()]++
		}
	}
	for _, f := range games.Families() {
		want := 1
		if f.Name() == "example2" {
			want = 0 // an example of an article
		}
		if count[f.Name()] != want {
			t.Errorf("%s is in %d groups, want %d", f.Name(), count[f.Name()], want)
		}
		var page struct{ Title, Rules string }
		text := games.Page(f.Name() + "-3")
		if want == 0 {
			continue
		}
		if err := json.Unmarshal(text, &page); err != nil {
			t.Errorf("the page of %s: %v", f.Name(), err)
		}
		sentences := strings.Count(page.Rules+" ", ". ") + strings.Count(page.Rules, ": ")/2
		if page.Title == "" || strings.Contains(page.Title, f.Name()) || sentences < 2 || sentences > 5 || strings.Contains(page.Rules, "{") {
			t.Errorf("%s: title %q, %d sentences: %s", f.Name(), page.Title, sentences, page.Rules)
		}
	}
	if games.Page("chequers") != nil {
		t.Error("an unknown game has a page")
	}
}
