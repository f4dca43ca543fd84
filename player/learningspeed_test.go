package player

import (
	"testing"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/evaluate"
)

// passes counts the passes of the wide batch of a machine, and the lanes that they use.
type passes struct {
	machine.Machine
	count, lanes, used int
}

func (p *passes) Unwrap() machine.Machine { return p.Machine }

func (p *passes) NewBatch() machine.Batch { return passing{p.Machine.NewBatch(), p} }

// passing is a batch whose passes are counted.
type passing struct {
	machine.Batch
	to *passes
}

func (b passing) Unwrap() machine.Batch { return b.Batch }

func (b passing) Advance(n int) {
	b.to.count, b.to.lanes, b.to.used = b.to.count+1, b.to.lanes+b.Lanes(), b.to.used+n
	b.Batch.Advance(n)
}

// BenchmarkLearningSpeed reports, for a second of processor time, the games of self-play, the positions that are learnt
// from and the evaluations, one for each lane in use; the share of the lanes in use, in percent; how well the outcomes of
// unseen games are foreseen after learningClock; and the processor time of an evaluation of a position among its siblings.
func BenchmarkLearningSpeed(b *testing.B) {
	for _, game := range []string{
		"breakthrough", "connectFour", "reversi", "checkers", "checkersSmall", "gomoku_11x11", "chess", "amazons_8x8", "hex", "linesOfAction", "nineBoardTicTacToe",
	} {
		b.Run(game, func(b *testing.B) {
			var all passes
			var p evaluate.Progress
			var correlation, each float64
			for range b.N {
				m := newReferee(b, game).machine
				all.Machine = withDecisive(m)
				l := learner(b, &all, facts.SignalsOf(b.Context(), m))
				learn(l, learningClock)
				now := l.Progress()
				p.Games, p.Positions = p.Games+now.Games, p.Positions+now.Positions
				correlation += now.Correlation
				each += evaluationTime(l.Evaluation(), m)
			}
			seconds := float64(b.N) * learningClock.Seconds()
			b.ReportMetric(float64(p.Games)/seconds, "games/s")
			b.ReportMetric(float64(p.Positions)/seconds, "positions/s")
			b.ReportMetric(float64(all.used)/seconds, "evaluations/s")
			b.ReportMetric(100*float64(all.used)/float64(all.lanes), "%lanes")
			b.ReportMetric(correlation/float64(b.N), "r")
			b.ReportMetric(each/float64(b.N), "ns/evaluation")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// evaluationTime returns the processor time of the evaluation of a position among its siblings, in nanoseconds.
func evaluationTime(e *evaluate.Evaluation, m machine.Machine) float64 {
	const times = 50
	states := siblings(m)
	n := len(states) / len(m.Initial())
	values := make([]float64, n*len(m.Names().Roles))
	e.Values(values, states)
	began := cputime.Now()
	for range times {
		e.Values(values, states)
	}
	return float64((cputime.Now() - began).Nanoseconds()) / float64(times*n)
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
