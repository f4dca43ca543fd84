package montecarlo

import (
	"context"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// DefaultPlayouts is how many playouts a new leaf gets at least. Beside an estimate there are fewer, fewestPlayouts or more: the
// more it counts for, the less they say, and the more leaves there are time for (docs/lab/sampling.md).
const (
	DefaultPlayouts = 8
	fewestPlayouts  = 2
)

// A round has firstLeaves at first, or one for each DefaultPlayouts of its batch where that is more, and as the tree grows one
// for each leafVisits of the root, as far as there is room for them. More would be chosen with too little knowledge of each other.
const (
	firstLeaves = 64
	leafVisits  = 16
)

// keptMoves bounds the room for the moves of a leaf that is kept for the next one.
const keptMoves = 1 << 10

// worker grows a tree, alone or with others (common.go). A round is:
//
//	gather  go down the tree once per leaf, in one pass (round.go)
//	run     evaluate all leaves in one batch of playouts
//	absorb  add the leaves to the tree, pass goals and bounds up
type worker struct {
	*common
	config   Config
	rng      *machine.Rand
	playouts *playouts
	ctx      context.Context // of the present search
	progress func()
	heard    hearing // since the worker began

	nodes    int64
	games    int64 // playouts
	maxNodes int64
	report   int64 // the number of nodes at which progress is told next
	fixed    int64 // bytes of the batch and what belongs to it

	barren   int // successive rounds without a leaf
	patience int // how many of them make the worker look at the whole tree

	leaves   []leaf
	round    round
	changed  []int32 // see settle
	zeros    []float64
	brought  []float64 // see backUp
	matrices matrices
	picks    []int32 // by role: which of its moves
}

// newWorker makes a worker on m, with playouts on the machine playing of the same
// game, that takes the given bytes of memory at most.
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
		lanes = 1 << 30 // as many as the batch has
	}
	w.playouts = newPlayouts(playing, &w.config, lanes, w.rng, bytes/2)
	w.playouts.priors = newPriors(m, &w.config)
	w.playouts.check = w.checkSum
	roles := len(names.Roles)
	w.leaves = newLeaves(max(1, w.playouts.lanes/c.Playouts), m)
	w.fixed = w.playouts.bytes + int64(len(w.leaves)*(16*m.Words()+16*roles))
	w.zeros, w.brought, w.picks = make([]float64, roles), make([]float64, roles), make([]int32, roles)
	return w
}

// punctual is a context that looks at the clock itself. Where searches keep all processors busy, the timer of a deadline goes
// off up to 10 ms late: the scheduler must interrupt one of them first.
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

// prepare makes q the root, with what the tree knows of it already; false if some role has no move there.
func (w *worker) prepare(q machine.State) bool {
	t := w.tree
	t.complete = false
	if t.reroot(t.below(q)); t.root == none {
		t.plant(q)
	}
	if w.plan != nil {
		w.plan.goal, w.plan.line = -1, nil // a search begins at another position
	}
	root := t.at(t.root)
	return root.terminal || root.moves != none || w.look()
}

// look opens the root, for whose moves there is room in any case, or settles it where the game is over there; false
// if some role has no move.
func (w *worker) look() bool {
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
		t.begin(t.root, p.of(nil, q, moves))
	}
	return true
}

// grow runs rounds until a limit is reached, ctx is done, the root is solved or the tree complete. What earlier searches have found
// of the root is reported at once.
func (w *worker) grow() {
	for leaves, goOn := w.next(nil); goOn; leaves, goOn = w.next(leaves) {
		if len(leaves) > 0 {
			w.playouts.run(leaves)
		}
	}
}

// next adds the leaves of a round to the tree and gathers those of the next one, unless there is none. No other worker
// sees the tree meanwhile.
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
	if w.isSolved() || w.tree.complete || w.ctx.Err() != nil || w.maxNodes > 0 && w.nodes >= w.maxNodes {
		return nil, false
	}
	more = w.gather()
	return more, !w.isComplete(len(more))
}

func (w *worker) isSolved() bool { return w.tree.at(w.tree.root).solved }
