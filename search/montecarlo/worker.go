package montecarlo

import (
	"context"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// DefaultPlayouts is the minimum number of playouts of a new leaf, and the number of playouts that an evaluation counts
// for (docs/lab/sampling.md).
const DefaultPlayouts = 8

// A round starts with firstLeaves leaves, or with lanes/DefaultPlayouts if that is more. It grows by one
// leaf for each leafVisits visits of the root, up to the capacity of the batch. In larger rounds too many
// leaves are selected without knowledge of each other's results.
const (
	firstLeaves = 64
	leafVisits  = 16
)

// keptMoves is the maximum capacity for moves that a leaf keeps for its next use.
const keptMoves = 1 << 10

// worker grows a tree, alone or with other workers (common.go). A round has three stages:
//
//	gather  select leaves in one descent (round.go)
//	run     evaluate all leaves in one batch of playouts
//	absorb  add the leaves to the tree and back up goals and bounds
type worker struct {
	*common
	config   Config
	rng      *machine.Rand
	playouts *playouts
	ctx      context.Context // of the current search
	progress func()
	seen     goalSum // since the worker was created

	nodes    int64
	games    int64 // playouts
	maxNodes int64
	report   int64 // number of nodes at the next progress report
	fixed    int64 // bytes of the batch and its buffers

	barren   int // successive rounds without a leaf
	patience int // barren rounds before the worker checks the whole tree

	leaves   []leaf
	round    round
	changed  []int32 // stack of propagateBounds
	zeros    []float64
	brought  []float64 // scratch memory of backUp
	matrices matrices
	picks    []int32 // by role: index of its move
}

// newWorker returns a worker on m whose playouts run on the machine playing of the same game. Batch and
// buffers take at most the given bytes.
func newWorker(m, playing machine.Machine, c Config, seed uint64, bytes int64) *worker {
	names := m.Names()
	w := &worker{config: c, rng: machine.NewRand(seed)}
	lanes := c.Lanes
	switch {
	case lanes > 0:
	case !m.Info().Parallel:
		lanes = slowLanes
	case c.estimatesAlone():
		lanes = firstLeaves
	default:
		lanes = 1 << 30 // all lanes of the batch
	}
	w.playouts = newPlayouts(playing, &w.config, lanes, w.rng, bytes/2)
	w.playouts.priors = newPriors(m, &w.config)
	w.playouts.check = w.checkSum
	roles := len(names.Roles)
	w.leaves = newLeaves(max(1, w.playouts.lanes/c.Playouts), m)
	w.fixed = w.playouts.bytes + int64(len(w.leaves)*(16*len(m.Initial())+16*roles))
	w.zeros, w.brought, w.picks = make([]float64, roles), make([]float64, roles), make([]int32, roles)
	return w
}

// punctual is a context that checks its deadline against the clock. When searches occupy all processors,
// the timer of a deadline can fire up to 10 ms late, since the scheduler must preempt a search first.
type punctual struct{ context.Context }

// Err implements context.Context.
func (p punctual) Err() error {
	err := p.Context.Err()
	if deadline, ok := p.Deadline(); err == nil && ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return err
}

// reset begins a search.
func (w *worker) reset(ctx context.Context, maxNodes int64) {
	w.ctx = punctual{ctx}
	w.playouts.ctx = w.ctx
	w.nodes, w.games, w.maxNodes, w.report = 0, 0, maxNodes, 0
	w.barren, w.patience = 0, barrenRounds
}

// prepare makes q the root, and reuses its subtree if the tree contains q and q, or no node, has maxVisits. It returns
// false if a role has no legal move.
func (w *worker) prepare(q machine.State) bool {
	t := w.tree
	t.complete = false
	if t.reroot(t.below(q)); t.most >= maxVisits && t.root != none && t.at(t.root).visits < maxVisits {
		t.reroot(none)
	}
	if t.root == none {
		t.plant(q)
	}
	if w.plan != nil {
		w.plan.goal, w.plan.line = -1, nil // a search begins at another position
	}
	root := t.at(t.root)
	return root.terminal || root.moves != none || w.openRoot()
}

// openRoot opens the root, or solves it if it is terminal. It returns false if a role has no legal move.
func (w *worker) openRoot() bool {
	t, b := w.tree, w.playouts.batch
	q, moves := t.state(t.root), make([][]machine.Move, t.roles)
	if !w.playouts.legal(moves, q) {
		if b.Terminal()[0]&1 == 0 {
			return false
		}
		goals := make([]int32, t.roles)
		b.Goals(goals, 0)
		t.finish(t.root, func(r int) float64 { return float64(search.Points(goals[r])) })
		return true
	}
	t.open(t.root, moves)
	if p := w.playouts.priors; p != nil {
		root := []leaf{{state: q, moves: moves, opens: true}}
		p.evaluate(root)
		t.setPriors(t.root, root[0].priors)
	}
	return true
}

// grow runs rounds until a limit is reached, ctx is done, the root is solved, the tree is complete or a node has
// maxVisits. It first reports the root's statistics from earlier searches.
func (w *worker) grow() {
	for leaves, goOn := w.next(nil); goOn; leaves, goOn = w.next(leaves) {
		if len(leaves) > 0 {
			w.playouts.run(leaves)
		}
	}
}

// next adds the leaves of a round to the tree and gathers the leaves of the next round. It returns false
// at the end of the search. It holds the lock of the tree.
func (w *worker) next(leaves []leaf) (more []leaf, goOn bool) {
	w.lock()
	defer w.mu.Unlock()
	if w.isMistaken() {
		return nil, false
	}
	if len(leaves) > 0 {
		w.absorb(leaves)
	}
	if w.progress != nil && w.nodes >= w.report && w.tree.at(w.tree.root).visits > 0 {
		w.report = max(1, 2*w.nodes)
		w.progress()
	}
	if w.isSolved() || w.tree.complete || w.tree.most >= maxVisits || w.ctx.Err() != nil || w.maxNodes > 0 && w.nodes >= w.maxNodes {
		return nil, false
	}
	more = w.gather()
	return more, !w.isComplete(len(more))
}

func (w *worker) isSolved() bool { return w.tree.at(w.tree.root).solved }
