package reasoner_test

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// benchGames are the games of the table of published figures.
var benchGames = []string{
	"amazons_8x8", "battlebrushes", "biddingTicTacToe", "biddingTicTacToe_10coins", "blocker", "breakthrough",
	"checkers", "checkers-v1", "chess", "chineseCheckers4", "chineseCheckers4-v1", "connectFour",
	"connectFourSimultaneous", "eightPuzzle", "gomoku_15x15", "hex", "nineBoardTicTacToe", "othello-comp2007",
	"pancakes6", "reversi", "shmup", "speedChess", "speedChess-v1", "ticTacToe", "tron_10x10",
}

// compileCorpus compiles a rulesheet of the corpus for kernels of that family.
func compileCorpus(b *testing.B, name, kernel string) machine.Machine {
	game := readRules(b, name, corpus.Source(b, name))
	return must.Get(reasoner.New(context.Background(), game, reasoner.Options{Kernel: kernel}))(b)
}

// BenchmarkPhases reports where the time of a playout step goes, in nanoseconds
// a position: evaluate (legal, terminal), choose (random moves), advance (next)
// and restart (the lanes that have ended).
func BenchmarkPhases(b *testing.B) {
	for _, name := range benchGames {
		m := compileCorpus(b, name, kernel.Auto)
		batch, rng := m.NewBatch(), machine.NewRand(1)
		lanes := batch.Lanes()
		mask := slices.Repeat([]uint64{0x8080808080808080}, lanes/64)
		phases := []struct {
			name string
			run  func()
		}{
			{"evaluate", func() { batch.Evaluate(lanes) }},
			{"choose", func() { batch.ChooseRandom(rng, lanes) }},
			{"advance", func() { batch.Advance(lanes) }},
			{"restart", func() { batch.Fill(m.Initial(), mask) }},
		}
		for range 3 { // positions of a match rather than its beginning
			for _, p := range phases[:3] {
				p.run()
			}
		}
		for _, p := range phases {
			b.Run(name+"/"+p.name, func(b *testing.B) {
				for b.Loop() {
					p.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lanes), "ns/position")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkScaling runs ten batches on as many threads as -cpu says.
func BenchmarkScaling(b *testing.B) {
	for _, name := range []string{"connectFour", "breakthrough", "amazons_8x8"} {
		m := compileCorpus(b, name, kernel.Auto)
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(10 / runtime.GOMAXPROCS(0))
			var states atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				p := play.NewPlayouts(m, m.Initial(), 1)
				for pb.Next() {
					p.Step()
				}
				states.Add(p.States)
			})
			b.ReportMetric(float64(states.Load())/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkPlayouts reports random playouts on one thread, by game and kernel, a second
// of processor time, so that other work on the machine counts little.
func BenchmarkPlayouts(b *testing.B) {
	for _, name := range benchGames {
		for _, family := range kernel.Families {
			b.Run(name+"/"+family.Name, func(b *testing.B) {
				if _, err := kernel.From(family.Name); err != nil {
					b.Skip(err)
				}
				began := time.Now()
				m := compileCorpus(b, name, family.Name)
				init := time.Since(began)
				p := play.NewPlayouts(m, m.Initial(), 1)
				before := cputime.Now()
				for b.Loop() {
					p.Step()
				}
				seconds := (cputime.Now() - before).Seconds()
				b.ReportMetric(float64(p.States)/seconds, "states/s")
				b.ReportMetric(float64(p.Ended)/seconds, "playouts/s")
				b.ReportMetric(init.Seconds(), "init-s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
