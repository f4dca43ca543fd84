package prove

import (
	"context"
	"math/bits"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// playouts are rounds of random games, a game in each lane of a batch. They refute properties whose violation is
// rare, such as once in a hundred thousand terminal positions. Only the seed of the last round is kept; the line of a
// game is found by a repetition of the round.
type playouts struct {
	machine machine.Machine
	batch   machine.Batch
	games   *play.Lockstep
	seed    uint64
}

// ending identifies the end of a game in a round: its lane and its number of joint moves.
type ending struct{ lane, moves int }

// maxParents bounds the memory of the children of each position of a line.
const maxParents = 1 << 26

func newPlayouts(m machine.Machine) *playouts {
	b := m.NewBatch()
	return &playouts{machine: m, batch: b, games: play.NewLockstep(b)}
}

// play plays a round and returns, for each property that fails in a terminal position, the first such ending.
func (r *playouts) play(ctx context.Context, properties map[int]property) map[int]ending {
	found := map[int]ending{}
	r.seed++
	r.run(ctx, func(moves int, ended []uint64) bool {
		for w, lanes := range ended {
			for ; lanes != 0; lanes &= lanes - 1 {
				end := ending{64*w + bits.TrailingZeros64(lanes), moves}
				v := viewOf(r.batch, end.lane, len(r.machine.Names().Roles))
				for i, q := range properties {
					if _, ok := found[i]; !ok && q.fails(v, nil) {
						found[i] = end
					}
				}
			}
		}
		return true
	})
	return found
}

// run plays the games of the current round.
func (r *playouts) run(ctx context.Context, visit func(moves int, ended []uint64) bool) {
	r.batch.Fill(r.machine.Initial(), nil)
	r.batch.Evaluate(r.batch.Lanes())
	r.games.Run(ctx, machine.NewRand(r.seed), r.batch.Lanes(), func(moves int, ended, _ []uint64) bool {
		return visit(moves, ended)
	})
}

// lineTo returns the line to an ending of the current round, or nil if its joint moves are unknown.
func (r *playouts) lineTo(ctx context.Context, end ending) [][]machine.Move {
	words := len(r.machine.Initial())
	states := make([]uint64, r.batch.Lanes()*words)
	var path []machine.State
	r.run(ctx, func(moves int, _ []uint64) bool {
		r.batch.Store(states, end.lane+1)
		path = append(path, append(machine.State(nil), states[end.lane*words:][:words]...))
		return moves < end.moves
	})
	x := play.NewExpander(r.machine)
	x.Limit(ctx, maxParents, 0)
	var e play.Expansion
	var line [][]machine.Move
	for i := 1; i < len(path); i++ {
		if x.Expand(&e, path[i-1]) != nil {
			return nil
		}
		joint := make([]machine.Move, len(e.Moves))
		for c := range e.Children {
			if e.Child(c).Equal(path[i]) {
				e.Joint(joint, c)
				break
			}
		}
		line = append(line, joint)
	}
	return line
}
