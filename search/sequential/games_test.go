package sequential

import (
	"context"
	"fmt"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/cputime"
	"stackmate/internal/must"
	"stackmate/search"
	"stackmate/search/table"
)

// BenchmarkGames solves games of turns through GDL: by Bounded Alpha-Beta (bab), the
// same without deepening (dfs) and without looking ahead (alone), on two threads
// (two), and how often the first move searched closes a window that some move closes.
func BenchmarkGames(b *testing.B) {
	for _, game := range []string{"ticTacToe", "connectFour-4x4", "connectFour-5x4", "connectFour-5x5", "breakthrough-3x5", "breakthrough-4x5", "hex-4x4", "connectFour-6x5"} {
		m := gamestest.Machine(b, game)
		for _, method := range []string{"bab", "two", "dfs", "alone"} {
			b.Run(game+"/"+method, func(b *testing.B) {
				nodes, positions, cuts := int64(0), int64(0), [2]int64{}
				began := cputime.Now()
				for b.Loop() {
					solver := New(Config{Threads: map[string]int{"two": 2}[method], Without: map[string]Refinement{"dfs": Deepening, "alone": Ahead}[method]})
					r, err := solver.Search(context.Background(), m, m.Initial(), search.Limits{MaxBytes: 4 << 30})
					if err != nil || !r.Solved() {
						b.Fatal(err, r.Values)
					}
					nodes, positions, cuts = nodes+r.Nodes, positions+r.Positions, solver.cuts
				}
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes")
				b.ReportMetric(float64(positions)/float64(b.N), "positions")
				b.ReportMetric(float64(positions)/(cputime.Now()-began).Seconds()/1e6, "Mpositions/s")
				if cuts[0] > 0 {
					b.ReportMetric(100*float64(cuts[0])/float64(cuts[0]+cuts[1]), "%first")
				}
			})
		}
	}
}

// BenchmarkFullTable solves a game with a part of the room that its table wants, and says how many times the nodes that takes:
// as "solve" does, and depth first.
func BenchmarkFullTable(b *testing.B) {
	for _, game := range []string{"connectFour-5x5", "connectFour-6x5", "connectFour-6x6"} {
		m := gamestest.Machine(b, game)
		for method, c := range map[string]Config{"bab": {Halves: true}, "dfs": {Without: Deepening}} {
			solved := func(bytes int64) (nodes, peak int64) {
				v := New(c)
				must.OK(b, v.prepare(m, 0))
				v.table = table.NewShared(m, v.packing.bits, bytes)
				r, err := v.Search(b.Context(), m, m.Initial(), search.Limits{})
				if err != nil || !r.Solved() {
					b.Fatal(err, r.Values)
				}
				return r.Nodes, v.table.Stats().Bytes
			}
			all, room := int64(0), int64(0)
			for _, part := range []int64{1, 4, 16, 64} {
				b.Run(fmt.Sprintf("%s/%s/1:%d", game, method, part), func(b *testing.B) {
					nodes := int64(0)
					for b.Loop() {
						if part == 1 {
							nodes, room = solved(0)
							all = nodes
						} else {
							nodes, _ = solved(room / part)
						}
					}
					b.ReportMetric(float64(nodes)/float64(all), "times")
				})
			}
		}
	}
}

// BenchmarkThreads solves games as "solve" does on one thread and on two, and says how many times as long one takes, in the mean over
// several beginnings: the order in which moves are tried first decides more than how many search, for one thread as for two.
func BenchmarkThreads(b *testing.B) {
	for game, beginnings := range map[string]uint64{"connectFour-6x5": 8, "breakthrough-5x5": 4} {
		m := gamestest.Machine(b, game)
		b.Run(game, func(b *testing.B) {
			var took [2]time.Duration
			var nodes [2]int64
			for b.Loop() {
				for seed := range beginnings {
					for i := range took {
						v := New(Config{Halves: true, Threads: i + 1})
						v.seed = seed + 1
						began := time.Now()
						r, err := v.Search(b.Context(), m, m.Initial(), search.Limits{MaxBytes: 4 << 30})
						if err != nil || !r.Solved() {
							b.Fatal(err, r.Values)
						}
						took[i], nodes[i] = took[i]+time.Since(began), nodes[i]+r.Nodes
					}
				}
			}
			b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "times")
			b.ReportMetric(float64(nodes[1])/float64(nodes[0]), "nodes")
		})
	}
}
