package simultaneous

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"stackmate/search"
)

// tolerance is what a value may be off by, in goal points.
const tolerance = 1e-7

func configurations() []Config {
	all := []Config{{Method: Auto}}
	for _, table := range []bool{false, true} {
		for _, method := range []Method{BackwardInduction, BoundedInduction, DoubleOracle, BestFirst} {
			all = append(all, Config{Method: method, Table: table})
		}
		for _, order := range []Order{OrderL, OrderLex} {
			for skip := range 3 {
				all = append(all, Config{Method: SMAB, Table: table, Order: order, Skip: skip})
			}
		}
		for _, exit := range []exit{exitOutside, exitNever} {
			all = append(all, Config{Method: SMAB, Table: table, variant: variant{exit}})
		}
	}
	return all
}

func (c Config) String() string {
	return fmt.Sprintf("%s table=%t order=%s skip=%d %+v", c.Method, c.Table, c.Order, c.Skip, c.variant)
}

func TestEveryMethodFindsTheExactValueOfRandomStackedGames(t *testing.T) {
	for _, config := range configurations() {
		t.Run(config.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := drawStacked(t)
				want, _ := g.exact().Float64()
				searcher, err := New(config)
				if err != nil {
					t.Fatal(err)
				}
				m := g.machine()
				got, err := searcher.Search(context.Background(), m, m.Initial(), search.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if !got.Solved() || math.Abs(got.Values[g.row].Lower-want) > tolerance {
					t.Fatalf("value %v (solved: %v), want %v", got.Values[g.row], got.Solved(), want)
				}
			})
		})
	}
}

func TestEveryMethodAnswersEveryWindow(t *testing.T) {
	for _, config := range configurations() {
		if config.Method == Auto {
			continue // no search of its own
		}
		t.Run(config.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := drawStacked(t)
				want, _ := g.exact().Float64()
				searcher, err := New(config)
				if err != nil {
					t.Fatal(err)
				}
				m := g.machine()
				s, err := newSolver(searcher.config, m, 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				s.ctx = context.Background()
				alpha := float64(rapid.IntRange(-1, 100).Draw(t, "alpha"))
				beta := alpha + rapid.Float64Range(0.001, 101).Draw(t, "width")
				if terminal, _ := s.expander.Look(m.Initial()); terminal {
					return
				}
				got := s.value(0, m.Initial(), alpha, beta)
				if !decided(got, alpha, beta) {
					t.Fatalf("window (%v, %v): %v answers nothing", alpha, beta, got)
				}
				if want < got.Lower-tolerance || want > got.Upper+tolerance {
					t.Fatalf("window (%v, %v): %v does not contain %v", alpha, beta, got, want)
				}
			})
		})
	}
}

func TestStoppedSearchGivesBoundsThatHold(t *testing.T) {
	for _, config := range configurations() {
		t.Run(config.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := drawStacked(t)
				want, _ := g.exact().Float64()
				searcher, err := New(config)
				if err != nil {
					t.Fatal(err)
				}
				m := g.machine()
				limits := search.Limits{MaxNodes: rapid.Int64Range(1, 30).Draw(t, "nodes")}
				got, err := searcher.Search(context.Background(), m, m.Initial(), limits)
				if err != nil {
					t.Fatal(err)
				}
				v := got.Values[g.row]
				if !got.Proved || want < v.Lower-tolerance || want > v.Upper+tolerance {
					t.Fatalf("%v (proved: %v) does not contain %v", v, got.Proved, want)
				}
			})
		})
	}
}
