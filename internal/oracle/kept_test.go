package oracle_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/oracle"
	"stackmate/search"
	"stackmate/search/solve"
)

// kept returns the rulesheets that were once answered wrongly, by name.
func kept(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.kif"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rulesheets in testdata: %v", err)
	}
	texts := make(map[string]string)
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		texts[strings.TrimSuffix(filepath.Base(file), ".kif")] = string(text)
	}
	return texts
}

func TestKeptRulesheetsAreAnsweredAsByTheOracle(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches small games; the tests of crews look at goroutines")
	for name, text := range kept(t) {
		t.Run(name, func(t *testing.T) {
			game := must.Get(oracle.New(text, limit))(t)
			c := newComparison(t.Context(), text, game, 1, nil)
			if c == nil {
				t.Fatal("the rulesheet is invalid")
			}
			c.run("engine", c.compareEngines)
			c.run("analysis", c.compareAnalysis)
			c.run("prove", c.compareProofs)
			c.run("solve", c.searchByAll)
			for _, f := range c.faults {
				t.Errorf("%s: %s", f.kind, f.text)
			}
		})
	}
}

// searchByAll searches by every method on every engine; in the fast tier on circuits alone.
func (c *comparison) searchByAll() {
	for _, method := range solve.Methods {
		for _, engine := range exhaustive.Choose(engines[:1], engines) {
			if engine == "reference" && (len(c.game.Positions) > 60 || !c.acyclic) {
				continue
			}
			o := solve.Default()
			o.Method, o.Memory, o.Threads = method, 64, 1+len(engine)%2
			c.search(engine, o, true, false)
		}
	}
}

func TestFaultyGoalsAreRefused(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches small games; the tests of crews look at goroutines")
	for name, text := range kept(t) {
		if !strings.HasPrefix(name, "goal-") {
			continue
		}
		game := must.Get(oracle.New(text, limit))(t)
		c := newComparison(t.Context(), text, game, 1, nil)
		for _, engine := range engines {
			for _, method := range solve.Methods {
				o := solve.Default()
				o.Method, o.Memory = method, 64
				s := must.Get(solve.New(o))(t)
				m := c.machine(engine)
				r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 64 << 20, MaxNodes: nodes})
				if err == nil && r.Solved() {
					t.Errorf("%s, %s on %s: solved %v", name, method, engine, r.Values)
				}
				if method == solve.Auto && !errors.Is(err, search.ErrGoals) {
					t.Errorf("%s, %s on %s: %v, want %v", name, method, engine, err, search.ErrGoals)
				}
			}
		}
	}
}

func TestAPuzzleWithoutAPlanIsDecidedByDefault(t *testing.T) {
	text := kept(t)["parity"]
	game := must.Get(oracle.New(text, limit))(t)
	c := newComparison(t.Context(), text, game, 1, nil)
	o := solve.Default()
	o.Memory = 64
	s := must.Get(solve.New(o))(t)
	m := c.machine("circuit")
	if r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 64 << 20, MaxNodes: nodes}); err != nil || !r.Solved() || r.Values[0].Lower != 0 {
		t.Errorf("%v %v, want 0, solved", r.Values, err)
	}
}
