package montecarlo

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// DefaultPlayouts is how many playouts a new leaf gets at least. More leaves at
// a time would be chosen with less knowledge of each other.
const DefaultPlayouts = 8

// maxRepeated: paths of a round may lead to a leaf again that it has already, one in so
// many; then the tree is too small or too sure of its best line for a whole batch.
const maxRepeated = 2

// maxEnded bounds the paths of a round that end in solved nodes, for each lane of the batch:
// they cost no playouts, so they take no lane from those that do.
const maxEnded = 4

// keptMoves bounds the room for the moves of a leaf that is kept for the next one.
const keptMoves = 1 << 10

// worker grows a tree, alone or with others (common.go). A round is:
//
//	gather  go down the tree once per leaf; visits are counted at once, so that
//	        the paths of one round part (virtual loss)
//	run     evaluate all leaves in one batch of playouts
//	absorb  add the leaves to the tree, pass goals and bounds up
//
// Paths that end in a solved node need no playouts.
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
	// What held when its leaves were gathered: the restarts before, and whether what a batch
	// knows of the next two plies counted.
	seen       int
	foreseeing bool

	nodes    int64
	games    int64 // playouts
	maxNodes int64
	fixed    int64 // bytes of the batch and what belongs to it

	leaves  []leaf
	pending map[edge]bool // leaves of this round
	path    []edge        // from the root to where the search has gone down, the joint moves made
	// repeated are the paths of this round to leaves that are pending already, one after the
	// other.
	repeated []edge
	changed  []int32 // see settle
	zeros    []float64
	brought  []float64 // see bring
	matrices matrices
	picks    []int32  // by role: which of its moves
	known    [][]stat // by role: see reference
}

// newWorker makes a worker on m, with playouts on the machine playing of the same
// game, that takes the given bytes of memory at most.
func newWorker(m, playing machine.Machine, c Config, seed uint64, bytes int64) *worker {
	names := m.Names()
	w := &worker{config: c, rng: machine.NewRand(seed), pending: map[edge]bool{}}
	lanes := c.Lanes
	if lanes == 0 {
		if c.isAlone() {
			lanes = estimatedLeaves
		} else if lanes = slowLanes; m.Info().Parallel {
			lanes = 1 << 30 // as many as the batch has
		}
	}
	w.playouts = newPlayouts(playing, &w.config, lanes, w.rng, bytes/2)
	w.priors = newPriors(m, &w.config)
	w.single = playing.NewNarrowBatch()
	w.playouts.check = w.checkSum
	roles := len(names.Roles)
	for range max(1, w.playouts.lanes/c.Playouts) {
		w.leaves = append(w.leaves, leaf{
			picks: make([]int32, roles), moves: make([][]machine.Move, roles), joint: make([]machine.Move, roles),
			from: make(machine.State, m.Words()), state: make(machine.State, m.Words()), goals: make([]float64, roles),
		})
	}
	w.fixed = w.playouts.bytes + int64(len(w.leaves)*(16*m.Words()+16*roles))
	w.known = make([][]stat, roles)
	w.zeros, w.brought, w.picks = make([]float64, roles), make([]float64, roles), make([]int32, roles)
	return w
}

// foresees tells whether what a batch knows of the next two plies counts: it speaks of
// two opponents alone.
func (w *worker) foresees() bool {
	return w.adversarial && w.tree.roles == 2 && w.tree.random < 0 && w.config.has(Foresight) && w.config.has(Bounds)
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

// reset begins a search.
func (w *worker) reset(ctx context.Context, maxNodes int64) {
	w.ctx, w.playouts.ctx = ctx, ctx
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
	w.foreseeing = w.foresees()
	moves := make([][]machine.Move, w.tree.roles)
	for r := range moves {
		moves[r] = w.appendMoves(nil, b, 0, machine.Role(r))
	}
	if !w.tree.open(n, moves) {
		return false
	}
	if w.priors != nil {
		w.tree.begin(n, w.priors.of(nil, w.tree.state(n), moves))
	}
	return true
}

// appendMoves appends the moves of a role, in a lane of b that is evaluated, that belong into
// the tree.
func (w *worker) appendMoves(dst []machine.Move, b machine.Batch, lane int, r machine.Role) []machine.Move {
	if w.foreseeing {
		return b.AppendSensible(dst, lane, r)
	}
	return b.AppendLegal(dst, lane, r)
}

// grow runs rounds until a limit is reached, ctx is done or the root is solved,
// and tells whether it is.
func (w *worker) grow() bool {
	defer w.leave()
	report, solved := int64(1), false
	var leaves []leaf
	for w.turn(func() bool {
		w.add(leaves)
		if w.progress != nil && w.nodes >= report {
			report = 2 * w.nodes
			w.progress()
		}
		solved = w.isSolved()
		if solved || w.tree.isBroken() || w.ctx.Err() != nil || w.maxNodes > 0 && w.nodes >= w.maxNodes {
			return false
		}
		leaves, w.seen, w.foreseeing = w.gather(), w.restarts, w.foresees()
		return true
	}) {
		if len(leaves) > 0 {
			w.playouts.run(leaves, origin, w.look)
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

// look notes what the batch of the playouts, before their first move, knows of a leaf
// in a lane.
func (w *worker) look(l *leaf, b machine.Batch, lane int) {
	l.opens = false
	if l.terminal {
		return
	}
	if w.foreseeing {
		for r := range machine.Role(len(l.moves)) {
			_, wins := b.Wins(r)
			l.decided = l.decided || wins[lane>>6]>>uint(lane&63)&1 != 0
		}
	}
	if l.node != none && !l.decided {
		l.opens = true
		for r := range l.moves {
			l.moves[r] = w.appendMoves(l.moves[r][:0], b, lane, machine.Role(r))
		}
	}
}

func (w *worker) isSolved() bool { return w.tree.isSolved(w.tree.root) }

func origin(l *leaf) machine.State { return l.from }

// gather goes down the tree until it has a leaf for each lane of the batch, or has come
// too often to the same ones again or to what is solved. Those paths count as visits meanwhile, so that the
// next ones part from them.
func (w *worker) gather() []leaf {
	clear(w.pending)
	n, repeats, ended := 0, 0, 0
	w.repeated = w.repeated[:0]
	for n < len(w.leaves) && (w.maxNodes == 0 || w.nodes < w.maxNodes) && w.ctx.Err() == nil {
		at, fresh := w.descend()
		w.nodes++
		if !fresh {
			w.backUp(w.path, at, w.proved(at))
			if w.isSolved() {
				break
			}
			if ended++; ended > maxEnded*len(w.leaves) {
				break
			}
			continue
		}
		e := w.path[len(w.path)-1]
		if w.pending[e] && e.cell != unnumbered {
			w.repeated = append(w.repeated, w.path...)
			w.nodes--
			if repeats++; repeats > len(w.leaves)/maxRepeated {
				break
			}
			continue
		}
		w.pending[e] = true
		l := &w.leaves[n]
		l.path = append(l.path[:0], w.path...)
		copy(l.from, w.tree.state(at))
		l.node = none
		if e.cell != unnumbered {
			l.node = w.tree.kid(at, e.cell)
		}
		copy(l.picks, w.picks)
		w.tree.decode(at, l.picks, l.joint)
		n++
	}
	w.undoRepeated()
	return w.leaves[:n]
}

// descend follows the roles' choices from the root until a joint move leads to no node yet,
// or to one that is not opened (fresh; n is where it is made), or to a solved node n. The
// joint moves are left in path, the last choices in picks.
func (w *worker) descend() (n int32, fresh bool) {
	t := w.tree
	n = t.root
	t.at(n).visits++
	w.path = w.path[:0]
	clear(w.known)
	for !t.isSolved(n) {
		cell, way := w.joint(n)
		w.path = append(w.path, edge{n, cell})
		if way == none {
			return n, true
		}
		k := t.links.at(way).to
		a := t.at(k)
		if !a.solved && a.moves == none {
			return n, true
		}
		a.visits++
		if n = k; a.news > 0 && t.isDue(n, 1) && w.updateBounds(n) {
			w.settle(n)
		}
	}
	return n, false
}

// absorb adds evaluated leaves to the tree, as far as there is room, and passes up
// what came of them.
func (w *worker) absorb(leaves []leaf) {
	t := w.tree
	for i := range leaves {
		l := &leaves[i]
		w.games += int64(l.count)
		last := l.path[len(l.path)-1]
		k, isNew := none, false
		if last.cell != unnumbered {
			if k = t.kid(last.node, last.cell); k == none {
				k, isNew = t.grow(last.node, last.cell, l.state), true
			}
		}
		if k == none {
			w.learn(last.node, last.cell, l.picks, l.goals, l.goals)
			w.backUp(l.path[:len(l.path)-1], last.node, l.goals)
			continue
		}
		t.at(k).visits++
		if l.opens && t.at(k).moves == none && t.open(k, l.moves) {
			t.begin(k, l.priors)
		}
		for r, moves := range l.moves {
			if len(moves) > keptMoves {
				l.moves[r] = nil
			}
		}
		if w.playouts.rave != nil {
			w.raise(i, l, k)
		}
		w.backUp(l.path, k, l.goals)
		switch {
		case l.terminal || l.decided && l.count > 0 && w.adversarial:
			a := t.at(k)
			a.terminal, a.solved, a.bounded = l.terminal, true, true
			for r, g := range l.goals {
				t.boundsOf(k)[r] = search.Exact(g)
			}
			w.settle(k)
		case isNew && t.at(k).bounded: // from elsewhere
			w.settle(k)
		}
	}
}

// backUp adds goals to node k and passes them up the path to it: each node gets what its
// child brings (bring).
func (w *worker) backUp(path []edge, k int32, goals []float64) {
	t := w.tree
	t.count(k, goals)
	for i := len(path) - 1; i >= 0; i-- {
		n, cell := path[i].node, path[i].cell
		brought := goals
		if l := t.wayOf(n, cell); l != nil {
			l.done++
			brought = w.bring(l, goals)
		}
		t.count(n, brought)
		if s := t.only(n, cell); s != nil {
			s.sum += brought[t.at(n).chooser]
			continue
		}
		t.split(n, cell, w.picks)
		w.learn(n, cell, w.picks, brought, goals)
		if a := t.at(n); a.done >= a.due && w.balances() {
			w.balance(n)
		}
	}
}

// count adds goals to node n. The mean of a balanced one stays.
func (t *tree) count(n int32, goals []float64) {
	a, totals := t.at(n), t.totalsOf(n)
	a.done++
	for r, g := range goals {
		if a.balanced {
			g = totals[r] / float64(a.done-1)
		}
		totals[r] += g
	}
}

// bring is what a path that has come back along link l adds to the node before it: its goals;
// or, where the goals of one role say all, so much that what the link has brought in all is
// the mean of its child times the paths, whichever way others came.
func (w *worker) bring(l *link, goals []float64) []float64 {
	if !w.isOpposed() {
		l.sum += goals[w.first]
		return goals
	}
	copy(w.brought, goals)
	w.brought[w.first] = w.renew(l)
	if w.second >= 0 {
		w.brought[w.second] = float64(w.sum) - w.brought[w.first]
	}
	return w.brought
}

// renew makes the sum of link l the mean of its child times its paths, and returns by how much
// it grows.
func (w *worker) renew(l *link) float64 {
	t := w.tree
	mean := t.totalsOf(l.to)[w.first] / float64(t.at(l.to).done)
	was := l.sum
	l.sum = mean * float64(l.done)
	return l.sum - was
}

// isOpposed tells whether the goals of the first player say what the other one gets, if there
// is one.
func (w *worker) isOpposed() bool { return w.adversarial && (w.sumKnown || w.second < 0) }

// undoRepeated takes back the visits of repeated paths.
func (w *worker) undoRepeated() {
	t := w.tree
	for _, p := range w.repeated {
		t.at(p.node).visits--
		for _, s := range t.counted(p.node, p.cell, w.picks) {
			s.visits--
		}
	}
}

// proved are the goals at a solved node.
func (w *worker) proved(n int32) []float64 {
	for r := range w.zeros {
		w.zeros[r] = w.tree.value(n, r)
	}
	return w.zeros
}
