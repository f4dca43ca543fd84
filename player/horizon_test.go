package player

import (
	"context"
	"fmt"
	"testing"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/sequential"
)

// horizons are the games of BenchmarkHorizon, each with the plies that are searched.
var horizons = []struct {
	game  string
	depth int
}{
	{"amazons-6x6", 4},
	{"breakthrough-6x6", 9},
	{"breakthrough", 7},
	{"checkers", 10},
	{"checkersSmall", 12},
	{"chess", 5},
	{"connectFour-7x6", 12},
	{"gomoku-9x9", 4},
	{"hex-5x5", 8},
	{"linesOfAction", 5},
	{"nineBoardTicTacToe", 9},
	{"pentago", 4},
	{"reversi-6x6", 10},
	{"reversi", 8},
	{"speedChess", 6},
}

// BenchmarkHorizon searches six positions of random matches by alpha-beta to a fixed depth, with an evaluation
// learnt from a fixed number of positions, and reports nodes and milliseconds of processor time.
func BenchmarkHorizon(b *testing.B) {
	const positions, learning = 6, 100_000
	for _, h := range horizons {
		b.Run(fmt.Sprintf("%s/%d", h.game, h.depth), func(b *testing.B) {
			m := newReferee(b, h.game).machine
			e, err := evaluate.New(machine.Decisive(b.Context(), m, false), evaluate.Config{ConstantSum: true, Seed: 5, Signals: m.Signals(b.Context())})
			if err != nil {
				b.Fatal(err)
			}
			for e.Progress().Positions < learning {
				e.Learn(b.Context(), 100)
			}
			learnt, nodes, began := e.Evaluation(), int64(0), cputime.Now()
			for i := range positions {
				v := sequential.New(sequential.Config{Depth: h.depth, Evaluate: func(dst []float64, states []uint64) {
					learnt.ValuesOf(m.Names().Players()[0], dst, states)
				}})
				r, err := v.Search(b.Context(), m, afterRandomMoves(m, 3+3*(i%4), uint64(i)), search.Limits{MaxBytes: 256 << 20})
				if err != nil {
					b.Fatal(err)
				}
				nodes += r.Nodes
			}
			b.ReportMetric(float64(nodes), "nodes")
			b.ReportMetric(1000*(cputime.Now()-began).Seconds(), "ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// afterRandomMoves is the position after so many random moves, in a match that goes on.
func afterRandomMoves(m machine.Machine, moves int, seed uint64) machine.State {
	batch, s := m.NewNarrowBatch(), make(machine.State, m.Words())
	for ; ; seed += 100 {
		batch.Fill(m.Initial(), nil)
		batch.Evaluate(1)
		goesOn := false
		machine.NewLockstep(batch).Run(context.Background(), machine.NewRand(seed), 1, func(steps int, _, playing []uint64) bool {
			goesOn = steps == moves && playing[0] != 0
			return steps < moves
		})
		if goesOn {
			batch.Store(s, 1)
			return s
		}
	}
}
