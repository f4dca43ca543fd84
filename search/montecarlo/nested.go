package montecarlo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Nested Monte Carlo search (Cazenave, "Nested Monte-Carlo search", 2009) for one role without
// chance. A search of level n goes from a position to the end of the game: in each position it
// tries all moves by searches of level n-1, and makes the move of the best line that it has
// come across so far, now or before. Level 0 are playouts: those after all moves of a position
// are made in the lanes of one batch. Levels 1, 2, … up to maxLevel are searched one after the
// other, the last one again and again.
//
// Invariant: the line gives its goal, so the goal is a proved lower bound.

// maxLevel: of a game of 30 moves with 60 to choose from, level 3 takes hours.
const maxLevel = 3

// Nested is this search. It belongs to one goroutine.
type Nested struct{}

var _ search.Searcher = (*Nested)(nil)

// NewNested makes it.
func NewNested() *Nested { return &Nested{} }

// found is the best line from a position; goal -1 if there is none.
type found struct {
	goal float64
	line []machine.Move
}

// nest is a search under way.
type nest struct {
	playouts *playouts
	batch    machine.Batch // for one position at a time
	ctx      context.Context
	leaves   []leaf
	legal    []machine.Move
	goals    [1]int32
	counters search.Counters
	limits   search.Limits
	began    time.Time
	best     found // from the root
}

// Search implements search.Searcher. A node is a playout. Games of several roles are an error.
func (*Nested) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	if roles := len(m.Names().Roles); roles != 1 {
		return search.Result{}, fmt.Errorf("nested search: expected one role, found %d", roles)
	}
	if lim.MaxBytes <= 0 {
		lim.MaxBytes = defaultBytes
	}
	n := newNest(ctx, m, lim)
	moves, over := n.look(q)
	if err := machine.Unknown(n.batch, 0); err != nil {
		return search.Result{}, fmt.Errorf("the position to search: %w", err)
	}
	if over {
		n.best.goal = float64(search.Points(n.goals[0]))
		return n.result(), nil
	}
	if len(moves) == 0 {
		return search.Result{}, fmt.Errorf("the position to search: %w", machine.ErrStuck)
	}
	for level := 1; !n.isOver(); level = min(level+1, maxLevel) {
		n.search(level, q, nil)
	}
	return n.result(), nil
}

func newNest(ctx context.Context, m machine.Machine, lim search.Limits) *nest {
	n := &nest{ctx: ctx, limits: lim, batch: m.NewNarrowBatch(), began: time.Now(), best: found{goal: -1}}
	lanes := slowLanes
	if m.Info().Parallel {
		lanes = 1 << 30 // as many as the batch has
	}
	n.playouts = newPlayouts(m, &Config{}, lanes, machine.NewRand(lim.Seed), lim.MaxBytes)
	n.playouts.ctx, n.playouts.check = ctx, func([]int32) {}
	n.counters.PeakBytes = n.playouts.bytes
	for range n.playouts.lanes {
		n.leaves = append(n.leaves, leaf{
			joint: make([]machine.Move, 1), state: make(machine.State, m.Words()), goals: make([]float64, 1),
		})
	}
	return n
}

// isOver tells whether a limit is reached, or there is nothing better to be found.
func (n *nest) isOver() bool {
	return n.ctx.Err() != nil || n.best.goal >= machine.MaxGoal || n.limits.MaxNodes > 0 && n.counters.Nodes >= n.limits.MaxNodes
}

// search is that of a level of at least 1 from position q, to which the moves of prefix lead
// from the root: the best line from q.
func (n *nest) search(level int, q machine.State, prefix []machine.Move) found {
	best := found{goal: -1}
	state := slices.Clone(q)
	for made := 0; ; made++ {
		moves, over := n.look(state)
		if over && made == 0 {
			best.goal = float64(search.Points(n.goals[0]))
			n.record(prefix, best)
		}
		if over || n.isOver() {
			return best
		}
		prefix := slices.Concat(prefix, best.line[:made])
		if level == 1 {
			n.sample(state, moves, func(f found) {
				best = found{f.goal, slices.Concat(best.line[:made], f.line)}
				n.record(prefix, f)
			}, func() float64 { return best.goal })
		} else {
			child := make(machine.State, len(state))
			for _, m := range slices.Clone(moves) {
				n.step(child, state, m)
				if f := n.search(level-1, child, append(slices.Clone(prefix), m)); f.goal > best.goal {
					best = found{f.goal, slices.Concat(best.line[:made], []machine.Move{m}, f.line)}
				}
			}
		}
		if len(best.line) <= made {
			return best // no game has come to its end
		}
		n.step(state, state, best.line[made])
	}
}

// sample plays from all moves of a position to the end, and tells improve of games that are
// better than bound.
func (n *nest) sample(q machine.State, moves []machine.Move, improve func(found), bound func() float64) {
	from := func(*leaf) machine.State { return q }
	for first := 0; first < len(moves) && n.ctx.Err() == nil; first += len(n.leaves) {
		leaves := n.leaves[:min(len(n.leaves), len(moves)-first)]
		for i := range leaves {
			leaves[i].joint[0] = moves[first+i]
		}
		p := n.playouts
		p.run(leaves, from, func(*leaf, machine.Batch, int) {})
		for i := range leaves {
			n.counters.Nodes += int64(leaves[i].count)
			n.counters.Playouts += int64(leaves[i].count)
		}
		goal, lane := p.bestGoal, p.bestLane
		if goal <= bound() {
			continue
		}
		if line, ok := p.moves(p.replay(leaves, from, lane)); ok {
			improve(found{goal, append([]machine.Move{leaves[lane%len(leaves)].joint[0]}, line...)})
		}
	}
}

// record takes note of a line from the root.
func (n *nest) record(prefix []machine.Move, f found) {
	if f.goal <= n.best.goal {
		return
	}
	n.best = found{f.goal, slices.Concat(prefix, f.line)}
	if n.limits.Progress != nil {
		n.limits.Progress(n.result())
	}
}

// look tells the moves in a position, or that it is terminal, with the goal in goals. The
// moves are valid until the next call.
func (n *nest) look(q machine.State) (moves []machine.Move, over bool) {
	b := n.batch
	b.Load(q, 1)
	b.Evaluate(1)
	if b.Terminal()[0]&1 != 0 {
		b.Goals(n.goals[:], 0)
		return nil, true
	}
	n.legal = b.AppendLegal(n.legal[:0], 0, 0)
	return n.legal, false
}

// step writes the position after a move in q to dst.
func (n *nest) step(dst, q machine.State, m machine.Move) {
	n.batch.Load(q, 1)
	n.batch.Evaluate(1)
	n.batch.Choose(0, 0, m)
	n.batch.Advance(1)
	n.batch.Store(dst, 1)
}

func (n *nest) result() search.Result {
	r := search.Result{
		Values: []search.Interval{{Lower: max(0, n.best.goal), Upper: machine.MaxGoal}}, Proved: true,
		Strategies: make([][]search.Weighted, 1), Counters: n.counters,
	}
	r.Elapsed = time.Since(n.began)
	for _, m := range n.best.line {
		r.Line = append(r.Line, []machine.Move{m})
	}
	if len(n.best.line) > 0 {
		r.Strategies[0] = []search.Weighted{{Move: n.best.line[0], Probability: 1}}
	} else if n.best.goal >= 0 { // the game is over
		r.Values[0] = search.Exact(n.best.goal)
	}
	return r
}
