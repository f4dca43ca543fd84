package simultaneous

import (
	"context"
	"fmt"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The benchmarks make the tables of docs/lab/simultaneous.md:
//
//	go test -run '^$' -bench . -benchtime 1x ./search/simultaneous
//
// Times contain the toy machine of the tests, which is not made for speed.

// measure reports the mean counters of a configuration over some games.
func measure(b *testing.B, config Config, games ...machine.Machine) {
	var nodes, serialized, calls float64
	for range b.N {
		nodes, serialized, calls = 0, 0, 0
		for _, m := range games {
			searcher := must.Get(New(config))(b)
			result := solveWith(b, searcher, m)
			nodes += float64(result.Nodes)
			serialized += float64(searcher.SerializedNodes())
			calls += float64(result.LPCalls)
		}
	}
	count := float64(len(games))
	b.ReportMetric(nodes/count, "nodes")
	b.ReportMetric(serialized/count, "serialized")
	b.ReportMetric(calls/count, "LPs")
}

func BenchmarkTable2(b *testing.B) {
	for n := 4; n <= 7; n++ {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			measure(b, Config{Method: BackwardInduction}, newGoofspiel(descending(n), false))
		})
	}
}

func BenchmarkTable4(b *testing.B) {
	for n := 4; n <= 7; n++ {
		for skip := range 5 {
			for _, moves := range []MoveOrder{MovesDynamic, MovesLegal} {
				b.Run(fmt.Sprintf("N=%d/s=%d/moves=%s", n, skip, moves), func(b *testing.B) {
					measure(b, Config{Order: OrderL, Skip: skip, Moves: moves}, newGoofspiel(descending(n), false))
				})
			}
		}
	}
}

func BenchmarkAblationOfSMAB(b *testing.B) {
	cases := []struct {
		name   string
		config Config
		low    bool // the lowest card is the first move
	}{
		{"as used", Config{}, false},
		{"as used, low cards first", Config{}, true},
		{"no exit", Config{variant: variant{noExit: true}}, false},
		{"lexicographical", Config{Order: OrderLex}, false},
		{"best order", Config{Order: OrderBest}, false},
		{"moves as listed", Config{Moves: MovesLegal}, false},
		{"moves as listed, low cards first", Config{Moves: MovesLegal}, true},
		{"moves as listed, no exit", Config{Moves: MovesLegal, variant: variant{noExit: true}}, false},
		{"moves as listed, no exit, terminal cells unknown", Config{Moves: MovesLegal, variant: variant{noExit: true, blind: true}}, false},
		{"moves as listed, terminal cells unknown", Config{Moves: MovesLegal, variant: variant{blind: true}}, false},
		{"moves as listed, no exit, low cards first", Config{Moves: MovesLegal, variant: variant{noExit: true}}, true},
		{"moves as listed, lexicographical", Config{Moves: MovesLegal, Order: OrderLex}, false},
	}
	for n := 4; n <= 6; n++ {
		for _, c := range cases {
			b.Run(fmt.Sprintf("N=%d/%s", n, c.name), func(b *testing.B) {
				m := newGoofspiel(descending(n), false)
				if c.low {
					m = lowCardsFirst(descending(n))
				}
				if c.config.Order == "" {
					c.config.Order = OrderL
				}
				measure(b, c.config, m)
			})
		}
	}
}

func BenchmarkRandomPrizeOrders(b *testing.B) {
	for _, points := range []bool{false, true} {
		var games []machine.Machine
		for _, prizes := range prizeOrders(7, 10) {
			games = append(games, newGoofspiel(prizes, points))
		}
		for _, table := range []bool{true, false} {
			for _, config := range methods {
				if config.Table = table; !table && (points || config.Method == BackwardInduction || config.Order == OrderL) {
					continue // minutes
				}
				b.Run(fmt.Sprintf("points=%t/table=%t/%s", points, table, config.name()), func(b *testing.B) {
					measure(b, config, games...)
				})
			}
		}
	}
}

func BenchmarkGrowth(b *testing.B) {
	for n := 5; n <= 8; n++ {
		for _, config := range methods {
			b.Run(fmt.Sprintf("N=%d/%s", n, config.name()), func(b *testing.B) {
				measure(b, config, newGoofspiel(descending(n), false))
			})
		}
	}
}

// BenchmarkTable3 needs -tags glpk.
func BenchmarkTable3(b *testing.B) {
	for n := 3; n <= 5; n++ {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			m := newGoofspiel(descending(n), false)
			searcher := must.Get(New(Config{Method: SequenceForm}))(b)
			for range b.N {
				result, err := searcher.Search(context.Background(), m, m.Initial(), search.Limits{})
				if err != nil {
					b.Skip(err)
				}
				b.ReportMetric(float64(result.PeakBytes)/(1<<20), "MiB")
				b.ReportMetric(float64(result.Nodes), "nodes")
			}
		})
	}
}
