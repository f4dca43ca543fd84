package player

import (
	"testing"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
)

// BenchmarkLearningSpeed reports how many positions a second of processor time is enough to learn
// from, how well the outcomes of unseen games are foreseen after learningClock, and the processor
// time of an evaluation of a position among its siblings.
func BenchmarkLearningSpeed(b *testing.B) {
	for _, game := range []string{"breakthrough", "connectFour", "reversi", "checkersSmall", "gomoku_11x11"} {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			var perSecond, correlation, each float64
			for range b.N {
				l := learnt(b, m, true)
				p := l.Progress()
				perSecond += float64(p.Positions) / learningClock.Seconds()
				correlation += p.Correlation
				e, states := l.Evaluation(), siblings(m)
				n := len(states) / len(m.Initial())
				values := make([]float64, n*len(m.Names().Roles))
				e.Values(values, states)
				began := cputime.Now()
				const times = 50
				for range times {
					e.Values(values, states)
				}
				each += float64((cputime.Now() - began).Nanoseconds()) / float64(times*n)
			}
			b.ReportMetric(perSecond/float64(b.N), "positions/s")
			b.ReportMetric(correlation/float64(b.N), "r")
			b.ReportMetric(each/float64(b.N), "ns/evaluation")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// siblings returns positions of random games, eight successors of one after the other.
func siblings(m machine.Machine) []uint64 {
	const successors, plies = 8, 20
	batch, rng := m.NewBatch(), machine.NewRand(3)
	lanes, words := batch.Lanes()&^(successors-1), len(m.Initial())
	states, all := make([]uint64, lanes*words), []uint64(nil)
	batch.Fill(m.Initial(), nil)
	for range plies {
		batch.Evaluate(lanes)
		batch.ChooseRandom(rng, lanes)
		batch.Advance(lanes)
		batch.Store(states, lanes)
		all = append(all, states...)
		for i := range lanes {
			first := i &^ (successors - 1)
			copy(states[i*words:(i+1)*words], states[first*words:(first+1)*words])
		}
		batch.Load(states, lanes)
	}
	return all
}
