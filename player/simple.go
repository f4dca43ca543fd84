package player

import (
	"context"
	"math"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// firstMove plays the first legal move.
type firstMove struct{}

func (firstMove) begin(context.Context, position)  {}
func (firstMove) ponder(context.Context, position) {}
func (firstMove) choose(_ context.Context, at position) choice {
	return choice{move: at.legal[0], verdict: verdict{by: byKind}}
}

// randomMove plays a random legal move.
type randomMove struct{ rng *machine.Rand }

func (*randomMove) begin(context.Context, position)  {}
func (*randomMove) ponder(context.Context, position) {}
func (r *randomMove) choose(_ context.Context, at position) choice {
	return choice{move: at.legal[r.rng.Intn(len(at.legal))], verdict: verdict{by: byKind}}
}

// onePly plays the move with the greatest expected lead after one joint move. The lead is the difference of the goal
// values of the next position, also of a position that is not terminal. Moves of the other roles are random.
type onePly struct {
	rng     *machine.Rand
	batch   machine.Batch
	machine machine.Machine
}

// onePlySamples is the number of samples of each move: enough for the joint moves of the other roles in most
// games.
const onePlySamples = 16

func (*onePly) begin(context.Context, position)  {}
func (*onePly) ponder(context.Context, position) {}
func (g *onePly) choose(ctx context.Context, at position) choice {
	if g.machine != at.machine {
		g.machine, g.batch = at.machine, at.machine.NewNarrowBatch()
	}
	best, most, ties := at.legal[g.rng.Intn(len(at.legal))], math.Inf(-1), 0
	for _, m := range at.legal {
		if ctx.Err() != nil {
			break
		}
		switch lead := g.lead(at, m); {
		case lead > most:
			best, most, ties = m, lead, 1
		case lead == most:
			if ties++; g.rng.Intn(ties) == 0 {
				best = m
			}
		}
	}
	return choice{move: best, verdict: verdict{by: byKind}}
}

// lead returns the lead of the role after a move in goal points, summed over the samples. The lead in a nonterminal
// position counts half.
func (g *onePly) lead(at position, m machine.Move) (sum float64) {
	b, n, players := g.batch, min(onePlySamples, g.batch.Lanes()), at.machine.Names().Players()
	goals := make([]int32, len(at.machine.Names().Roles))
	b.Fill(at.state, nil)
	b.Evaluate(n)
	b.ChooseRandom(g.rng, n)
	for lane := range n {
		b.Choose(lane, at.role, m)
	}
	b.Advance(n)
	b.Evaluate(n)
	for lane := range n {
		b.Goals(goals, lane)
		share := 0.5
		if b.Terminal()[0]>>uint(lane)&1 != 0 {
			share = 1
		}
		for _, r := range players {
			weight := -share
			if r == at.role {
				weight = share * float64(max(1, len(players)-1))
			}
			sum += weight * float64(search.Points(goals[r]))
		}
	}
	return sum
}
