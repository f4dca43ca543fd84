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
	best, most, ties := at.legal[0], math.Inf(-1), 0
	for first := 0; first < len(at.legal) && ctx.Err() == nil; first += g.batch.Lanes() {
		tried := at.legal[first:min(len(at.legal), first+g.batch.Lanes())]
		for i, lead := range g.leads(at, tried) {
			switch {
			case lead > most:
				best, most, ties = tried[i], lead, 1
			case lead == most:
				if ties++; g.rng.Intn(ties) == 0 {
					best = tried[i]
				}
			}
		}
	}
	return choice{move: best, verdict: verdict{by: byKind}}
}

// leads says by how many goal points the role leads after each of some moves, no more
// than there are lanes, on average over the others' moves. A lead counts half while the
// game goes on.
func (g *onePly) leads(at position, moves []machine.Move) []float64 {
	b, roles := g.batch, len(at.machine.Names().Roles)
	sum := make([]float64, len(moves))
	goals := make([]int32, roles)
	samples := max(1, min(onePlySamples, b.Lanes()/len(moves)))
	lanes := samples * len(moves)
	b.Fill(at.state, nil)
	b.Evaluate(lanes)
	legal := make([][]machine.Move, roles)
	for r := range legal {
		legal[r] = b.AppendLegal(nil, 0, machine.Role(r))
	}
	for lane := range lanes {
		for r := range legal {
			move := legal[r][g.rng.Intn(len(legal[r]))]
			if machine.Role(r) == at.role {
				move = moves[lane%len(moves)]
			}
			b.Choose(lane, machine.Role(r), move)
		}
	}
	b.Advance(lanes)
	b.Evaluate(lanes)
	players := at.machine.Names().Players()
	for lane := range lanes {
		b.Goals(goals, lane)
		lead := 0.0
		for _, r := range players {
			goal := float64(search.Points(goals[r]))
			if r == at.role {
				lead += goal * float64(max(1, len(players)-1))
			} else {
				lead -= goal
			}
		}
		if b.Terminal()[lane>>6]>>uint(lane&63)&1 == 0 {
			lead /= 2
		}
		sum[lane%len(moves)] += lead
	}
	return sum
}
