package experiment

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"stackmate/games"
	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
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

func TestAnUnfinishedRowHasTheMeansOfItsGames(t *testing.T) {
	broken, m := errors.New("broken"), gamestest.Machine(t, "goofspiel-3")
	l := Lab{Limit: time.Hour, Memory: 64, Compile: func(_ context.Context, game string) (machine.Machine, error) {
		if game == "broken" {
			return nil, broken
		}
		return m, nil
	}}
	nodes := func(games ...string) (float64, error) {
		r := run{method: solve.SimultaneousAlphaBeta, games: games, options: solve.Options{Method: solve.SimultaneousAlphaBeta}}
		row := newRow("test", r)
		err := l.measure(t.Context(), r, &row)
		return row.Nodes, err
	}
	one, err := nodes("whole")
	two, failed := nodes("whole", "broken")
	if err != nil || !errors.Is(failed, broken) || one == 0 || two != one/2 {
		t.Errorf("%g nodes of one game, %v; %g in the mean of it and one without nodes, %v", one, err, two, failed)
	}
}
