package montecarlo

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// defaultPlayouts is how many playouts a new leaf gets at least. More leaves at
// a time would be chosen with less knowledge of each other.
const defaultPlayouts = 8

// maxRepeated: paths of a round may lead to a leaf again that it has already, one in so
// many; then the tree is too small or too sure of its best line for a whole batch.
const maxRepeated = 2

// worker grows one tree. A round is:
//
//	gather  go down the tree once per leaf; visits are counted at once, so that
//	        the paths of one round part (virtual loss)
//	run     evaluate all leaves in one batch of playouts
//	absorb  add the leaves to the tree, pass goals and bounds up
//
// Paths that end in a solved node need no playouts.
type worker struct {
	config   Config
	rng      *machine.Rand
	tree     *tree
	playouts *playouts
	single   machine.Batch   // for one position at a time
	plan     *plan           // for a single role without chance, else nil
	ctx      context.Context // of the present search
	progress func()

	adversarial bool  // see bounds.go
	sum         int32 // of the goals of two players, once known
	sumKnown    bool
	mistaken    bool // it was taken for adversarial

	nodes    int64
	games    int64 // playouts
	maxNodes int64
	fixed    int64 // bytes of the batch and what belongs to it

	leaves  []leaf
	pending map[edge]bool // leaves of this round
	// repeated are the paths of this round to a leaf that is pending already.
	repeated []edge
	zeros    []float64
	delta    []float64 // see cleanse
	matrices matrices
	picks    []int32 // by role: which of its moves
}

// newWorker makes a worker on m, with playouts on the machine playing of the same
// game, that takes the given bytes of memory at most.
func newWorker(m, playing machine.Machine, c Config, seed uint64, bytes int64) *worker {
	names := m.Names()
	w := &worker{config: c, rng: machine.NewRand(seed), adversarial: true, pending: map[edge]bool{}}
	lanes := c.Lanes
	if lanes == 0 {
		if c.isAlone() {
			lanes = estimatedLeaves
		} else if lanes = slowLanes; m.Info().Parallel {
			lanes = 1 << 30 // as many as the batch has
		}
	}
	w.playouts = newPlayouts(playing, &w.config, lanes, w.rng, bytes/2)
	w.single = playing.NewNarrowBatch()
	w.playouts.check = w.checkSum
	roles := len(names.Roles)
	for range max(1, w.playouts.lanes/c.Playouts) {
		w.leaves = append(w.leaves, leaf{
			picks: make([]int32, roles), joint: make([]machine.Move, roles),
			state: make(machine.State, m.Words()), goals: make([]float64, roles),
		})
	}
	w.fixed = w.playouts.bytes + int64(len(w.leaves)*(8*m.Words()+16*roles))
	w.tree = newTree(roles, m.Words(), names.Chance(), max(bytes-w.fixed, bytes/4))
	if players := w.players(); players > 2 {
		w.adversarial = false
	} else if roles == 1 && players == 1 {
		w.plan = newPlan()
	}
	w.zeros, w.delta, w.picks = make([]float64, roles), make([]float64, roles), make([]int32, roles)
	return w
}

func (w *worker) players() int {
	n := w.tree.roles
	if w.tree.random >= 0 {
		n--
	}
	return n
}

// checkSum notices that a game of two is not adversarial. All bounds are
// forgotten then: they were meant otherwise.
func (w *worker) checkSum(goals []int32) {
	if !w.adversarial || w.players() < 2 {
		return
	}
	sum := int32(0)
	for r, g := range goals {
		if machine.Role(r) != w.tree.random {
			sum += search.Points(g)
		}
	}
	if !w.sumKnown {
		w.sum, w.sumKnown = sum, true
	}
	if sum != w.sum {
		w.adversarial, w.mistaken = false, true
	}
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
	w.mistaken = false
	w.tree.reroot(none)
	w.tree.add(none, 0, q)
	w.open(w.tree.root)
}

// prepare makes q the root, with what the tree knows of it already.
func (w *worker) prepare(ctx context.Context, q machine.State, maxNodes int64) {
	w.ctx, w.playouts.ctx = ctx, ctx
	w.nodes, w.games, w.maxNodes = 0, 0, maxNodes
	t := w.tree
	if t.reroot(t.find(q)); t.root == none {
		t.add(none, 0, q)
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
	root.terminal, root.solved = true, true
	return true
}

// open finds the moves at node n, if there is room for them.
func (w *worker) open(n int32) bool {
	b := w.single
	b.Load(w.tree.state(n), 1)
	b.Evaluate(1)
	return w.openFrom(n, b, 0)
}

// openFrom is open for a node whose position is in a lane of b, evaluated.
func (w *worker) openFrom(n int32, b machine.Batch, lane int) bool {
	foresight, ok := b.(machine.Foresight)
	sensible := ok && w.foresees()
	return w.tree.open(n, func(dst []machine.Move, r machine.Role) []machine.Move {
		if sensible {
			return foresight.AppendSensible(dst, lane, r)
		}
		return b.AppendLegal(dst, lane, r)
	})
}

// grow runs rounds until a limit is reached, ctx is done or the root is solved,
// and tells whether it is.
func (w *worker) grow() bool {
	report := int64(1)
	if w.tree.isBroken() {
		return false
	}
	for !w.isSolved() && w.ctx.Err() == nil && (w.maxNodes == 0 || w.nodes < w.maxNodes) {
		leaves := w.gather()
		if len(leaves) > 0 {
			w.playouts.run(leaves, w.origin, w.look)
			if w.plan != nil {
				w.plan.consider(w, leaves)
			}
			w.absorb(leaves)
		}
		if w.mistaken {
			w.restart()
		}
		if w.progress != nil && w.nodes >= report {
			report = 2 * w.nodes
			w.progress()
		}
	}
	return w.isSolved()
}

// look notes what the batch of the playouts, before their first move, knows of a leaf
// in a lane.
func (w *worker) look(l *leaf, b machine.Batch, lane int) {
	if l.terminal {
		return
	}
	if f, ok := b.(machine.Foresight); ok && w.foresees() {
		l.decided = f.Decided()[lane>>6]>>uint(lane&63)&1 != 0
	}
	if l.node != none && !l.decided {
		w.openFrom(l.node, b, lane)
	}
}

func (w *worker) isSolved() bool { return w.tree.isSolved(w.tree.root) }

func (w *worker) origin(l *leaf) machine.State { return w.tree.state(l.parent) }

// gather goes down the tree until it has a leaf for each place of the batch, or has come
// too often to the same ones again. Those paths count as visits meanwhile, so that the
// next ones part from them.
func (w *worker) gather() []leaf {
	room := int64(len(w.leaves))
	if w.maxNodes > 0 {
		room = min(room, w.maxNodes-w.nodes)
	}
	clear(w.pending)
	n := 0
	w.repeated = w.repeated[:0]
	defer w.undoRepeated()
	for int64(n) < room && w.ctx.Err() == nil {
		at, cell, fresh := w.descend()
		w.nodes++
		if !fresh {
			w.backUp(at, w.proved(at))
			if w.isSolved() {
				break
			}
			room--
			continue
		}
		e := edge{at, cell}
		if w.pending[e] && cell != unnumbered {
			w.repeated = append(w.repeated, edge{at, cell})
			w.nodes--
			if len(w.repeated) > len(w.leaves)/maxRepeated {
				break
			}
			continue
		}
		w.pending[e] = true
		l := &w.leaves[n]
		l.parent, l.cell, l.node = at, cell, none
		if cell != unnumbered {
			l.node = w.tree.kid(at, cell)
		}
		copy(l.picks, w.picks)
		w.tree.decode(at, l.picks, l.joint)
		n++
	}
	return w.leaves[:n]
}

// descend follows the roles' choices from the root to a joint move that has no node
// yet, or one that is not opened (fresh), or to a solved node. The last choices are
// left in picks.
func (w *worker) descend() (n int32, cell int64, fresh bool) {
	t := w.tree
	n = t.root
	t.at(n).visits++
	for !t.isSolved(n) {
		cell = w.joint(n)
		k := none
		if cell != unnumbered {
			k = t.kid(n, cell)
		}
		if k == none || !t.isSolved(k) && t.at(k).moves == none {
			return n, cell, true
		}
		t.at(k).visits++
		n = k
	}
	return n, 0, false
}

// absorb adds evaluated leaves to the tree, as far as there is room, and passes up
// what came of them.
func (w *worker) absorb(leaves []leaf) {
	t := w.tree
	for i := range leaves {
		l := &leaves[i]
		w.games += int64(l.count)
		n := none
		if l.cell != unnumbered {
			if n = t.kid(l.parent, l.cell); n == none {
				n = t.add(l.parent, l.cell, l.state)
			}
		}
		if n == none {
			w.learn(l.parent, l.cell, l.picks, l.goals)
			w.backUp(l.parent, l.goals)
			continue
		}
		t.at(n).visits++
		w.backUp(n, l.goals)
		if l.terminal || l.decided && l.count > 0 && w.adversarial {
			t.at(n).terminal, t.at(n).solved = l.terminal, true
			for r, g := range l.goals {
				t.boundsOf(n)[r] = search.Exact(g)
			}
			w.settle(n)
		}
	}
}

// backUp adds goals to node n and to its ancestors, and to the moves between.
func (w *worker) backUp(n int32, goals []float64) {
	t := w.tree
	for n != none {
		totals := t.totalsOf(n)
		for r, g := range goals {
			totals[r] += g
		}
		a := t.at(n)
		a.done++
		if a.parent != none {
			t.split(a.parent, a.cell, w.picks)
			w.learn(a.parent, a.cell, w.picks, goals)
		}
		n = a.parent
	}
}

// undoRepeated takes back the visits of repeated paths.
func (w *worker) undoRepeated() {
	t := w.tree
	for _, p := range w.repeated {
		for n, cell := p.node, p.cell; n != none; {
			a := t.at(n)
			a.visits--
			t.split(n, cell, w.picks)
			moves := t.movesOf(n)
			for r, width := range t.widthsOf(n) {
				moves[w.picks[r]].visits--
				moves = moves[width:]
			}
			n, cell = a.parent, a.cell
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
