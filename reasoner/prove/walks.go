package prove

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
)

// walks are random games with their joint moves: what refutes most properties that do not
// hold, and confirms what a formula says.
type walks struct {
	machine machine.Machine
	batch   machine.Batch
	rng     *machine.Rand
	games   [][][]machine.Move
	sum     int32 // of the players' goals at the end of the first game that ended
	longest int   // game, in joint moves
	// circle is a line along which a position comes back, or nil if none was met.
	cycle [][]machine.Move
}

const (
	// maxWalks is the number of random games that are kept, and maxWalkSteps their length.
	maxWalks     = 200
	maxWalkSteps = 500
)

func newWalks(m machine.Machine) *walks {
	return &walks{machine: m, batch: m.NewNarrowBatch(), rng: machine.NewRand(1), sum: 100}
}

// play plays random games until there are that many, at least one, or ctx ends.
func (w *walks) play(ctx context.Context, games int) {
	summed := false
	for len(w.games) < games && (len(w.games) == 0 || ctx.Err() == nil) {
		line := w.game(ctx)
		w.games = append(w.games, line)
		w.longest = max(w.longest, len(line))
		if now, _ := w.lastViews(line); now.terminal && !summed {
			summed, w.sum = true, 0
			for _, r := range w.machine.Names().Players() {
				w.sum += max(now.goals[r], 0)
			}
		}
	}
}

// game plays one random game.
func (w *walks) game(ctx context.Context) [][]machine.Move {
	var line [][]machine.Move
	seen := map[string]bool{}
	state := make(machine.State, w.machine.Words())
	w.batch.Load(w.machine.Initial(), 1)
	for len(line) < maxWalkSteps && ctx.Err() == nil {
		w.batch.Store(state, 1)
		if key := state.Key(); seen[key] && w.cycle == nil {
			w.cycle = slices.Clone(line)
		} else {
			seen[key] = true
		}
		v := w.view()
		if v.terminal || v.isStuck() {
			break
		}
		joint := make([]machine.Move, len(v.legal))
		for r, moves := range v.legal {
			joint[r] = moves[w.rng.Uint64()%uint64(len(moves))]
		}
		w.step(joint)
		line = append(line, joint)
	}
	return line
}

// look is the view of lane 0.
func (w *walks) view() *view {
	w.batch.Evaluate(1)
	return viewOf(w.batch, 0, len(w.machine.Names().Roles))
}

func (w *walks) step(joint []machine.Move) {
	for r, m := range joint {
		w.batch.Choose(0, machine.Role(r), m)
	}
	w.batch.Advance(1)
}

// follow makes joint moves from the initial position, and calls visit with each position and the
// one before, until that returns false. It tells whether all moves made were legal.
func (w *walks) replay(line [][]machine.Move, visit func(k int, now, before *view) bool) bool {
	w.batch.Load(w.machine.Initial(), 1)
	var before *view
	for k, now := 0, w.view(); visit(k, now, before) && k < len(line); k++ {
		for r, m := range line[k] {
			if now.terminal || !slices.Contains(now.legal[r], m) {
				return false
			}
		}
		w.step(line[k])
		now, before = w.view(), now
	}
	return true
}

// last is the last position of a line and the one before; nil if a move is not legal.
func (w *walks) lastViews(line [][]machine.Move) (now, before *view) {
	if !w.replay(line, func(_ int, n, b *view) bool { now, before = n, b; return true }) {
		return nil, nil
	}
	return now, before
}

// breaks tells whether a line ends where the property fails.
func (w *walks) breaks(q property, line [][]machine.Move) bool {
	now, before := w.lastViews(line)
	return now != nil && q.fails(now, before)
}

// broken is a line of the random games that breaks the property, the shortest that was met.
func (w *walks) counterexample(q property) (line [][]machine.Move, ok bool) {
	for _, game := range w.games {
		w.replay(game, func(k int, now, before *view) bool {
			if !q.fails(now, before) {
				return true
			}
			if !ok || k < len(line) {
				line, ok = game[:k], true
			}
			return false
		})
	}
	return line, ok
}
