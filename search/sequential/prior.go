package sequential

import (
	"context"
	"math/bits"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// Prior scores of fluents come from random games: the mean goal of the games in which the fluent became true, minus the
// mean goal of all games (all moves as first; Brügmann, 1993). They order moves before the first cutoff; the history
// heuristic then overwrites them.

const (
	// priorGames bounds the number of games, priorSteps the joint moves of a batch.
	priorGames = 1024
	priorSteps = 2048
	// priorWeight is the score of a goal point. priorDoubt shrinks the scores of fluents that became true in few games.
	priorWeight = 20
	priorDoubt  = 16
	// priorMargin, a share of the range of goals, exceeds the sampling error of the mean of priorGames games.
	priorMargin = 0.04
)

// tally sums the maximiser's goals over all games, and by fluent over the games in which it became true.
type tally struct {
	games, total float64
	count, sums  []float64
}

// add enters a game with the fluents that became true in it.
func (t *tally) add(seen []uint64, goal float64) {
	t.games, t.total = t.games+1, t.total+goal
	for i, w := range seen {
		for ; w != 0; w &= w - 1 {
			f := i<<6 | bits.TrailingZeros64(w)
			t.count[f], t.sums[f] = t.count[f]+1, t.sums[f]+goal
		}
	}
}

// prior returns scores of fluents by role from random games at position s. It returns nil if the machine is not parallel,
// as games are too slow there, and if ctx is done before the games are. Result hopeful reports whether the
// maximiser's mean goal is clearly above the middle of the range.
func (p *payoff) prior(ctx context.Context, m machine.Machine, s machine.State, seed uint64) (scores [][]int64, hopeful bool) {
	if !m.Info().Parallel || m.Names().Open != nil {
		return nil, false
	}
	t := p.sample(ctx, m, s, seed)
	if ctx.Err() != nil {
		return nil, false
	}
	scores = make([][]int64, p.roles)
	for r := range scores {
		scores[r] = make([]int64, len(t.sums))
		weight := float64(priorWeight)
		if !p.maximises(machine.Role(r)) {
			weight = -weight
		}
		for f, count := range t.count {
			if count > 0 {
				scores[r][f] = int64(weight * (t.sums[f] - count*t.total/t.games) / (count + priorDoubt))
			}
		}
	}
	return scores, t.total/t.games > (0.5+priorMargin)*machine.MaxGoal
}

// sample plays random games from position s, which is not terminal.
func (p *payoff) sample(ctx context.Context, m machine.Machine, s machine.State, seed uint64) *tally {
	b, rng, words := m.NewNarrowBatch(), machine.NewRand(seed), len(m.Initial())
	lanes := b.Lanes()
	games := play.NewLockstep(b)
	states, seen := make([]uint64, lanes*words), make([]uint64, lanes*words)
	goals := make([]int32, p.roles)
	t := &tally{count: make([]float64, 64*words), sums: make([]float64, 64*words)}
	for steps := 0; steps < priorSteps && t.games < priorGames && ctx.Err() == nil; {
		clear(seen)
		b.Fill(s, nil)
		b.Evaluate(lanes)
		games.Run(ctx, rng, lanes, func(_ int, ended, _ []uint64) bool {
			b.Store(states, lanes)
			for i, w := range states {
				seen[i] |= w &^ s[i%words]
			}
			for i, over := range ended {
				for over &= b.Terminal()[i]; over != 0; over &= over - 1 {
					lane := i<<6 | bits.TrailingZeros64(over)
					b.Goals(goals, lane)
					t.add(seen[lane*words:(lane+1)*words], float64(search.Points(goals[p.First])))
				}
			}
			steps++
			return steps < priorSteps
		})
	}
	return t
}
