package montecarlo

import (
	"context"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// DefaultPlayouts is how many playouts a new leaf gets at least, and fewestPlayouts beside estimates that count
// for the most (docs/lab/sampling.md).
const (
	DefaultPlayouts = 8
	fewestPlayouts  = 2
)

// besideEstimates is how many playouts a leaf gets at least beside an estimate that counts for so many: the more that is,
// the less they say, and the more leaves there are time for.
func besideEstimates(weight float64) int {
	return int(min(max(fewestPlayouts, DefaultPlayouts*DefaultPlayouts/weight), DefaultPlayouts))
}

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
	number   int // of the workers
	config   Config
	rng      *machine.Rand
	playouts *playouts
	priors   *priors         // nil where moves begin with nothing
	single   machine.Batch   // for one position at a time
	ctx      context.Context // of the present search
	progress func()
	heard    hearing // since the worker began
	seen     int     // restarts before its leaves were gathered

	nodes    int64
	games    int64 // playouts
	maxNodes int64
	fixed    int64 // bytes of the batch and what belongs to it

	leaves   []leaf
	round    round
	changed  []int32 // see settle
	zeros    []float64
	brought  []float64 // see bring
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
	w.priors = newPriors(m, &w.config)
	w.single = playing.NewNarrowBatch()
	w.playouts.check = w.checkSum
	roles := len(names.Roles)
	w.leaves = newLeaves(max(1, w.playouts.lanes/c.Playouts), m)
	w.fixed = w.playouts.bytes + int64(len(w.leaves)*(16*m.Words()+16*roles))
	w.zeros, w.brought, w.picks = make([]float64, roles), make([]float64, roles), make([]int32, roles)
	return w
}

// restart forgets the tree but for the position at its root: its bounds, and the moves
// that it left out, were meant for another kind of game.
func (w *worker) restart() {
	q := slices.Clone(w.tree.state(w.tree.root))
	w.restarts++
	w.tree.reroot(none)
	w.tree.plant(q)
	w.open(w.tree.root)
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
	w.nodes, w.games, w.maxNodes = 0, 0, maxNodes
}

// prepare makes q the root, with what the tree knows of it already.
func (w *worker) prepare(q machine.State) {
	t := w.tree
	if t.reroot(t.below(q)); t.root == none {
		t.plant(q)
	}
	if w.plan != nil {
		w.plan.start()
	}
	if root := t.at(t.root); !root.terminal && root.moves == none && !w.isOver(q) {
		w.open(t.root)
	}
}

// isOver settles the root where the game is over there.
func (w *worker) isOver(q machine.State) bool {
	b := w.single
	b.Load(q, 1)
	b.Evaluate(1)
	if b.Terminal()[0]&1 == 0 {
		return false
	}
	b.Goals(w.playouts.goals, 0)
	root, bounds := w.tree.at(w.tree.root), w.tree.boundsOf(w.tree.root)
	for r, g := range w.playouts.goals {
		bounds[r] = search.Exact(float64(search.Points(g)))
	}
	root.terminal, root.solved, root.bounded = true, true, true
	return true
}

// open finds the moves at node n, if there is room for them.
func (w *worker) open(n int32) bool {
	b := w.single
	b.Load(w.tree.state(n), 1)
	b.Evaluate(1)
	moves := make([][]machine.Move, w.tree.roles)
	for r := range moves {
		moves[r] = b.AppendLegal(nil, 0, machine.Role(r))
	}
	if !w.tree.open(n, moves) {
		return false
	}
	if w.priors != nil {
		w.tree.begin(n, w.priors.of(nil, w.tree.state(n), moves))
	}
	return true
}

// grow runs rounds until a limit is reached, ctx is done or the root is solved,
// and tells whether it is. What earlier searches have found of the root is reported at once.
func (w *worker) grow() bool {
	defer w.leave()
	report, solved := int64(0), false
	var leaves []leaf
	for w.turn(func() bool {
		w.add(leaves)
		if w.progress != nil && w.nodes >= report && w.tree.at(w.tree.root).visits > 0 {
			report = max(1, 2*w.nodes)
			w.progress()
		}
		solved = w.isSolved()
		if solved || w.tree.isBroken() || w.ctx.Err() != nil || w.maxNodes > 0 && w.nodes >= w.maxNodes {
			return false
		}
		leaves, w.seen = w.gather(), w.restarts
		return true
	}) {
		if len(leaves) > 0 {
			w.playouts.run(leaves)
			w.foretell(leaves)
		}
	}
	return solved
}

// foretell estimates the moves of leaves that are to be opened.
func (w *worker) foretell(leaves []leaf) {
	for i := range leaves {
		if l := &leaves[i]; w.priors != nil && l.opens {
			l.priors = w.priors.of(l.priors[:0], l.state, l.moves)
		}
	}
}

// add adds the leaves of the last round to the tree, unless that has been begun anew since or
// must be now.
func (w *worker) add(leaves []leaf) {
	if len(leaves) == 0 {
		return
	}
	switch {
	case w.isMistaken():
		w.restart()
	case w.seen == w.restarts:
		if w.plan != nil {
			w.plan.consider(w, leaves)
		}
		w.absorb(leaves)
	}
}

func (w *worker) isSolved() bool { return w.tree.isSolved(w.tree.root) }
