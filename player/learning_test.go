package player

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
)

func TestWhatWasLearntIsUsedAsMatchesShowToBeBest(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	plain := [2]float64{500, 500}
	for name, c := range map[string]struct {
		alone, mixed [2]float64 // points with it and without
		matches      int
		used         bool
		weight       int
	}{
		"estimates are better":                {[2]float64{700, 300}, [2]float64{650, 350}, 10, true, 0},
		"playouts beside them are better yet": {[2]float64{700, 300}, [2]float64{800, 200}, 10, true, mixedWeight},
		"playouts alone are as good":          {plain, plain, 10, false, 0},
		"three matches won are enough":        {[2]float64{300, 0}, plain, 3, true, 0},
		"too few matches to say":              {[2]float64{200, 0}, [2]float64{200, 0}, trialMatches - 1, false, 0},
		"no playouts can be better":           {[2]float64{990, 10}, [2]float64{1000, 0}, 10, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch}})
			p.compare = func(_ context.Context, _ position, of comparison, _ int, _ int64) ([2]float64, int) {
				switch with, without := of.rivals[0], of.rivals[1]; {
				case with.Evaluator == nil:
					return plain, 10 // another comparison
				case without.Evaluator != nil:
					t.Error("both rivals estimate")
				case with.Weight == 0:
					return c.alone, c.matches
				}
				return c.mixed, c.matches
			}
			ctx, cancel := context.WithTimeout(t.Context(), leastLearning+time.Second/5)
			defer cancel()
			p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
			if used := p.evaluator != nil; used != c.used || p.weight != c.weight {
				t.Errorf("used %v with weight %d", used, p.weight)
			}
			if got := p.sampling(); (got.Evaluator != nil) != c.used || got.Weight != c.weight {
				t.Error("the search does otherwise")
			}
		})
	}
}

func TestNothingIsLearntInAShortStartClock(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), without: []string{exactSearch}})
	p.compare = func(_ context.Context, _ position, of comparison, _ int, _ int64) ([2]float64, int) {
		if of.rivals[0].Evaluator != nil {
			t.Error("an evaluation is tried out")
		}
		return [2]float64{}, 0
	}
	ctx, cancel := context.WithTimeout(t.Context(), leastLearning/2)
	defer cancel()
	p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1, 2, 3}})
}

func TestKnowledgeIsUsedInsteadOfLearning(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	l, err := evaluate.New(m, evaluate.Config{ConstantSum: true})
	if err != nil {
		t.Fatal(err)
	}
	l.Learn(t.Context(), 50)
	file := filepath.Join(t.TempDir(), KnowledgeFile("rules"))
	if err := l.Save(file, "rules"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		knowledge knowledge
		known     bool
	}{
		"of the game":     {knowledge{file, "rules"}, true},
		"none":            {knowledge{}, false},
		"no file":         {knowledge{file + ".not", "rules"}, false},
		"of another game": {knowledge{file, "others"}, false},
	} {
		p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0), knowledge: c.knowledge})
		got := p.recall(m, evaluate.Config{ConstantSum: true})
		if (got != nil) != c.known || c.known && got.Progress().Games != l.Progress().Games {
			t.Errorf("knowledge %s: learner %v", name, got)
		}
	}
}
