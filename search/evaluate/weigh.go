package evaluate

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// The value of a node in a sampling search is a mean over the leaves below it. The noise of their playouts averages out;
// an error that neighbouring positions share does not, whether an evaluation or random play makes it. So an evaluation e
// is compared with the mean p of as many playouts as decide between the moves of a node. Both are calibrated first: e and p become the linear functions
// of themselves that are closest to the outcomes z of games. Of all blends a·e + (1−a)·p the least-squares fit to z has
//
//	a = Σ (z−p)(e−p) / Σ (e−p)²
//
// (Bates and Granger, "The combination of forecasts", 1969). Here n playouts of variance s² stand for N. Their
// mean varies by s²/n − s²/N more than p, so this is subtracted (errors in variables).
const (
	weighedPositions = 1 << 14
	weighedPerGame   = 8
	weighedPlayouts  = 8
	// spread is the variance of outcomes around the blend, in squared goal points, by which the variance of the share is
	// spread / Σ (e−p)²: about 2 000 for independent positions, more for the positions of one game, which have one outcome. doubt is
	// the variance of a normal prior of the share, of mean 0. Both matter for few positions, and for positions in which e
	// and p differ little (docs/lab/evaluation.md).
	spread = 5000
	doubt  = 0.5 * 0.5
)

// weigher compares evaluations and playouts with the outcomes of games.
type weigher struct {
	*Learner
	states   []uint64
	outcomes []float64 // goal of the first player, by position
	seen     float64   // positions compared
	sums     [3]float64
	products [3][3]float64
	noise    float64 // Σ s²/n
	surplus  float64 // 1 − n/N
}

// The quantities of weigher.sums.
const (
	outcome = iota
	estimate
	playout
)

// Weigh measures Evaluation.Share beside a number of playouts until ctx is done.
func (l *Learner) Weigh(ctx context.Context, playouts float64) {
	w := &weigher{Learner: l, surplus: 1 - weighedPlayouts/playouts}
	l.games.over = w.sample
	defer func() { l.games.over = l.learn }()
	per := max(1, l.games.batch.Lanes()/weighedPlayouts)
	e, values := l.Evaluation(), make([]float64, per)
	for seen := 0; seen < weighedPositions && ctx.Err() == nil; {
		l.games.step()
		for n := per * l.view.words; len(w.outcomes) >= per; w.states, w.outcomes = w.states[n:], w.outcomes[per:] {
			e.ValuesOf(l.current.players[0], values, w.states[:n])
			for i, t := range w.playouts(ctx, per) {
				w.compare(w.outcomes[i], values[i], t)
			}
			seen += per
		}
	}
	l.current.share = w.share()
}

// share returns the share of the evaluation in the best blend, by the positions compared so far; 0 if it is below its
// standard deviation: the share of an evaluation that was hardly compared with playouts is chance.
func (w *weigher) share() float64 {
	e, p := w.slope(estimate), w.slope(playout)
	ee, pp, ep := e*w.covariance(outcome, estimate), p*w.covariance(outcome, playout), e*p*w.covariance(estimate, playout)
	squares := ee + pp - 2*ep + spread/doubt
	share := (ee - ep) / squares
	if share < math.Sqrt(spread/squares) {
		return 0
	}
	return min(share, 1)
}

// slope returns the factor that calibrates an estimator of outcomes, or 0 if it has no positive correlation with them.
func (w *weigher) slope(i int) float64 {
	with, variance := w.covariance(outcome, i), w.covariance(i, i)
	if i == playout {
		variance -= w.noise * w.surplus
	}
	if min(with, variance) <= 0 {
		return 0
	}
	return with / variance
}

// covariance returns the covariance of two quantities, times the number of positions.
func (w *weigher) covariance(i, j int) float64 {
	return w.products[i][j] - w.sums[i]*w.sums[j]/max(1, w.seen)
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

// tally holds sums over the playouts of a position.
type tally struct{ count, goals, squares float64 }

// playouts returns the goals of the first player in random games from each of the first positions.
func (w *weigher) playouts(ctx context.Context, positions int) []tally {
	b, first := w.games.batch, w.current.players[0]
	lanes := positions * weighedPlayouts
	b.Load(slices.Repeat(w.states[:positions*w.view.words], weighedPlayouts), lanes)
	b.Evaluate(lanes)
	tallies, goals := make([]tally, positions), make([]int32, w.games.roles)
	play.NewLockstep(b).Run(ctx, w.games.rng, lanes, func(_ int, ended, _ []uint64) bool {
		for i, over := range ended {
			for ; over != 0; over &= over - 1 {
				lane := i<<6 | bits.TrailingZeros64(over)
				b.Goals(goals, lane)
				v, t := float64(search.Points(goals[first])), &tallies[lane%positions]
				t.count, t.goals, t.squares = t.count+1, t.goals+v, t.squares+v*v
			}
		}
		return true
	})
	return tallies
}

// compare adds a position with its outcome, its evaluation and its playouts.
func (w *weigher) compare(goal, value float64, t tally) {
	if t.count < 2 {
		return
	}
	mean := t.goals / t.count
	w.noise += (t.squares - t.goals*mean) / (t.count - 1) / t.count
	w.seen++
	all := [3]float64{outcome: goal, estimate: value, playout: mean}
	for i, x := range all {
		w.sums[i] += x
		for j, y := range all {
			w.products[i][j] += x * y
		}
	}
}
