package experiment

import (
	"slices"
	"testing"

	"stackmate/games"
	"stackmate/internal/must"
	"stackmate/search/solve"
)

func TestEveryGameOfEveryExperimentExists(t *testing.T) {
	for _, name := range Names {
		runs := must.Get(runsOf(name, Range{Min: 1, Max: 1000}))(t)
		for _, r := range runs {
			for _, game := range r.games {
				if _, _, err := games.Source(game); err != nil {
					t.Errorf("%s, %s: %v", name, r.table, err)
				}
			}
		}
	}
}

func TestTheOrdersOfThePrizesAreDifferentAndAlwaysTheSame(t *testing.T) {
	first := drawOrders("goofspiel", 7)
	if !slices.Equal(first, drawOrders("goofspiel", 7)) {
		t.Error("drawn anew, the orders are others")
	}
	slices.Sort(first)
	if got := len(slices.Compact(first)); got != orders {
		t.Errorf("%d different orders, want %d", got, orders)
	}
}

func TestFiguresOfThePaperStandBesideRunsWithoutATableOnly(t *testing.T) {
	published := 0
	for _, name := range Names {
		runs := must.Get(runsOf(name, Range{}))(t)
		for _, r := range runs {
			if r.paper == nil {
				continue
			}
			published++
			if r.options.Table == solve.On || r.paper.Source == "" {
				t.Errorf("%s, %s, size %d: figures of %q, table %v", r.table, r.method, r.size, r.paper.Source, r.options.Table)
			}
		}
	}
	if published < 30 {
		t.Errorf("%d published figures", published)
	}
}
