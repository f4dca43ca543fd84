package evaluate

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// A leaf of a sampling search is valued by the mean of its playouts blended with an estimate. The best
// weight of the estimate, in playouts, depends on the game: high where random play is uninformative, low
// where the estimate misses wins that playouts find. Of all blends a·e + (1−a)·p of the estimate e and
// the mean p of a few playouts, the least-squares fit to the outcomes z of games has
//
//	a = Σ (z−p)(e−p) / Σ (e−p)²
//
// (Bates and Granger, "The combination of forecasts", 1969). The outcomes come from the self-play that
// trains the estimates, which favours the estimates, and few positions are noisy. A prior of `doubt`
// pseudo-observations at equal weight counters both.
const (
	weighedPositions = 1 << 14
	weighedPerGame   = 4
	weighedPlayouts  = 8
	// doubt is Σ (e−p)² of the pseudo-observations, in squared goal points.
	doubt = 50 * 20 * 20
	// leastWeight and mostWeight bound the weight: neither source is worthless.
	leastWeight = 1
	mostWeight  = 64
)

// weigher compares estimates and playouts with the outcomes of games.
type weigher struct {
	*Learner
	states   []uint64
	outcomes []float64 // goal of the first player, by position
	with     float64   // Σ (z−p)(e−p)
	apart    float64   // Σ (e−p)²
}

// Weigh measures the weight of an estimate in playouts, for Evaluation.Weight, until ctx is done.
func (l *Learner) Weigh(ctx context.Context) {
	w := &weigher{Learner: l}
	l.games.over = w.sample
	defer func() { l.games.over = l.learn }()
	per := max(1, l.games.batch.Lanes()/weighedPlayouts)
	e, values := l.Evaluation(), make([]float64, per)
	for seen := 0; seen < weighedPositions && ctx.Err() == nil; {
		l.games.step()
		for n := per * l.view.words; len(w.outcomes) >= per; w.states, w.outcomes = w.states[n:], w.outcomes[per:] {
			e.ValuesOf(l.current.players[0], values, w.states[:n])
			w.compare(values, w.playouts(ctx, per))
			seen += per
		}
	}
	l.current.weight = w.weight()
}

// weight returns the weight of an estimate in playouts, by the positions compared so far.
func (w *weigher) weight() float64 {
	a := min(max(0, (w.with+doubt/2)/(w.apart+doubt)), 1)
	return min(max(leastWeight, weighedPlayouts*a/(1-a)), mostWeight)
}

// sample draws positions of a game.
func (w *weigher) sample(g PlayedGame) {
	words := w.view.words
	for range weighedPerGame {
		at := w.games.rng.Intn(len(g.States)/words) * words
		w.states = append(w.states, g.States[at:at+words]...)
		w.outcomes = append(w.outcomes, 100*float64(g.Outcome[0]))
	}
}

// playouts returns the mean goals of the first player in random games from each of the first positions.
func (w *weigher) playouts(ctx context.Context, positions int) []float64 {
	b, first := w.games.batch, w.current.players[0]
	lanes := positions * weighedPlayouts
	b.Load(slices.Repeat(w.states[:positions*w.view.words], weighedPlayouts), lanes)
	b.Evaluate(lanes)
	sums, counts, goals := make([]float64, positions), make([]float64, positions), make([]int32, w.games.roles)
	play.NewLockstep(b).Run(ctx, w.games.rng, lanes, func(_ int, ended, _ []uint64) bool {
		for i, over := range ended {
			for ; over != 0; over &= over - 1 {
				lane := i<<6 | bits.TrailingZeros64(over)
				b.Goals(goals, lane)
				sums[lane%positions] += float64(search.Points(goals[first]))
				counts[lane%positions]++
			}
		}
		return true
	})
	for i, n := range counts {
		sums[i] /= n // NaN without playouts
	}
	return sums
}

// compare adds positions, given their estimates and means of playouts.
func (w *weigher) compare(estimates, playouts []float64) {
	for i, p := range playouts {
		if d := estimates[i] - p; !math.IsNaN(d) {
			w.with += (w.outcomes[i] - p) * d
			w.apart += d * d
		}
	}
}
