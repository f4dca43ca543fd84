package sequential

import (
	"context"
	"math/bits"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Before anything is searched, fluents have the scores that random games suggest: what a role gets in those games in
// which the fluent comes true, against what it gets in all (all moves as first; Brügmann, 1993). That orders
// moves from the beginning, and is forgotten as history learns.

const (
	// priorGames are played at most, and priorSteps joint moves in all lanes together.
	priorGames = 1024
	priorSteps = 2048
	// priorWeight is the score of a goal point. Doubted are fluents that came true in few games.
	priorWeight = 20
	priorDoubt  = 16
	// priorMargin, a share of the range of goals, is more than chance takes the mean of so many games away from the truth.
	priorMargin = 0.04
)

// tally adds up the goals of the role that maximises, of all games and of those in which each fluent came true.
type tally struct {
	games, total float64
	count, sums  []float64
}

// add takes a game in whose course some fluents came true.
func (t *tally) add(seen []uint64, goal float64) {
	t.games, t.total = t.games+1, t.total+goal
	for i, w := range seen {
		for ; w != 0; w &= w - 1 {
			f := i<<6 | bits.TrailingZeros64(w)
			t.count[f], t.sums[f] = t.count[f]+1, t.sums[f]+goal
		}
	}
}

// prior scores fluents for each role by random games from position s, on a parallel machine; others are too slow, and get nil,
// as does who has no time for all games. It also tells whether the role that maximises gets clearly more than the middle of the
// goals in the mean.
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
	return scores, t.total/t.games > p.goals.Lower+(0.5+priorMargin)*(p.goals.Upper-p.goals.Lower)
}

// sample plays random games from position s, which is not terminal.
func (p *payoff) sample(ctx context.Context, m machine.Machine, s machine.State, seed uint64) *tally {
	b, rng, words := m.NewNarrowBatch(), machine.NewRand(seed), m.Words()
	lanes := b.Lanes()
	games := machine.NewLockstep(b)
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
					t.add(seen[lane*words:(lane+1)*words], float64(search.Points(goals[p.maximiser])))
				}
			}
			steps++
			return steps < priorSteps
		})
	}
	return t
}
