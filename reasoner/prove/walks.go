package prove

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
)

// walks are random games with their joint moves. They refute most properties that do not hold, and check the lines of
// formulas.
type walks struct {
	machine machine.Machine
	batch   machine.Batch
	rng     *machine.Rand
	games   [][][]machine.Move
	sum     int32 // of the players' goals at the end of the first complete game
	longest int   // length of the longest game in joint moves
	// cycle is a line to a position that occurs on it twice, or nil.
	cycle [][]machine.Move
}

const (
	// maxWalks bounds the games, and maxWalkSteps the joint moves of a game.
	maxWalks     = 200
	maxWalkSteps = 500
)

func newWalks(m machine.Machine) *walks {
	return &walks{machine: m, batch: m.NewNarrowBatch(), rng: machine.NewRand(1), sum: 100}
}

// play plays random games until there are the given number, or ctx ends, but at least a single game.
func (w *walks) play(ctx context.Context, games int) {
	summed := false
	for len(w.games) < games && (len(w.games) == 0 || ctx.Err() == nil) {
		line := w.randomGame(ctx)
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

// randomGame plays a random game and returns its line.
func (w *walks) randomGame(ctx context.Context) [][]machine.Move {
	var line [][]machine.Move
	seen := map[string]bool{}
	state := make(machine.State, len(w.machine.Initial()))
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

// view returns the view of lane 0.
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

// replay makes the joint moves of a line from the initial position. It calls visit with each view and the view
// before, until visit returns false. It reports whether all moves made were legal.
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

// lastViews returns the views of the last two positions of a line; nil if a move is illegal.
func (w *walks) lastViews(line [][]machine.Move) (now, before *view) {
	if !w.replay(line, func(_ int, n, b *view) bool { now, before = n, b; return true }) {
		return nil, nil
	}
	return now, before
}

// breaks reports whether a property fails at the end of a line.
func (w *walks) breaks(q property, line [][]machine.Move) bool {
	now, before := w.lastViews(line)
	return now != nil && q.fails(now, before)
}

// counterexamples returns the shortest line of the random games that breaks each property, and reports which properties
// are broken. It replays each game once, until ctx ends.
func (w *walks) counterexamples(ctx context.Context, properties []property) (lines [][][]machine.Move, broken []bool) {
	lines, broken = make([][][]machine.Move, len(properties)), make([]bool, len(properties))
	for _, game := range w.games {
		if ctx.Err() != nil {
			break
		}
		w.replay(game, func(k int, now, before *view) bool {
			for i, q := range properties {
				if (!broken[i] || k < len(lines[i])) && q.fails(now, before) {
					lines[i], broken[i] = game[:k], true
				}
			}
			return ctx.Err() == nil
		})
	}
	return lines, broken
}
