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

// onePly plays the move after which it has most, by the goals that the rules give the
// position then, less what the others have: a search of one joint move. The others'
// moves that it does not know are random.
type onePly struct {
	rng   *machine.Rand
	batch machine.Batch
	of    machine.Machine
}

// onePlySamples is how often it looks at each move: often enough for the others' moves
// of most games.
const onePlySamples = 16

func (*onePly) begin(context.Context, position)  {}
func (*onePly) ponder(context.Context, position) {}
func (g *onePly) choose(ctx context.Context, at position) choice {
	if g.of != at.machine {
		g.of, g.batch = at.machine, at.machine.NewNarrowBatch()
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

// lead says by how many goal points the role leads after a move, summed over samples. A lead counts
// half while the game goes on.
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
