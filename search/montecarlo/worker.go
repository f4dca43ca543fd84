package montecarlo

import (
	"context"
	"sync/atomic"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// playoutsPerLeaf is how many playouts a new node gets at least. More leaves at
// a time would be chosen with less knowledge of each other.
const playoutsPerLeaf = 8

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
	plan     *plan // for a single role without chance, else nil
	halted   atomic.Bool
	progress func()

	adversarial bool  // see bounds.go
	sum         int32 // of the goals of two players, once known
	sumKnown    bool

	nodes    int64
	maxNodes int64
	maxBytes int64
	peak     int64

	leaves  []leaf
	pending map[edge]bool // leaves of this round
	zeros   []float64
}

func newWorker(m machine.Machine, c Config, seed uint64) *worker {
	names := m.Names()
	w := &worker{config: c, rng: machine.NewRand(seed), adversarial: true, pending: map[edge]bool{}}
	lanes := c.Lanes
	if lanes == 0 {
		if lanes = slowLanes; m.Info().Engine == "circuit" {
			lanes = 1 << 30 // as many as the batch has
		}
	}
	w.playouts = newPlayouts(m, lanes, w.rng, &w.halted)
	w.playouts.check = w.checkSum
	random := machine.Role(-1)
	for r, name := range names.Roles {
		if name == machine.RandomRole {
			random = machine.Role(r)
		}
	}
	roles := len(names.Roles)
	w.tree = newTree(roles, m.Words(), random)
	if players := w.players(); players > 2 {
		w.adversarial = false
	} else if roles == 1 {
		w.plan = newPlan(m)
	}
	for range max(1, w.playouts.lanes/playoutsPerLeaf) {
		w.leaves = append(w.leaves, leaf{
			joint: make([]machine.Move, roles), state: make(machine.State, m.Words()), goals: make([]float64, roles),
		})
	}
	w.zeros = make([]float64, roles)
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
			sum += max(g, 0)
		}
	}
	if !w.sumKnown {
		w.sum, w.sumKnown = sum, true
	}
	if sum != w.sum {
		w.adversarial = false
		w.tree.forgetBounds()
	}
}

// prepare makes q the root, with what the tree knows of it already.
func (w *worker) prepare(q machine.State, lim search.Limits, workers int) {
	w.maxNodes = (lim.MaxNodes + int64(workers) - 1) / int64(workers)
	// Half for the tree: the other half is for copying, when slices grow and
	// when a subtree becomes the tree.
	w.maxBytes = lim.MaxBytes / int64(workers) / 2
	w.nodes, w.peak = 0, 0
	w.halted.Store(false)
	if n := w.tree.find(q); n != none {
		if n != 0 {
			w.tree = w.tree.subtree(n)
		}
	} else {
		w.tree = newTree(w.tree.roles, w.tree.words, w.tree.random)
		w.tree.add(none, 0, q)
	}
	if w.plan != nil {
		w.plan.start()
	}
	if w.tree.nodes[0].widths == none && !w.isTerminal(q) {
		w.open(0)
	}
}

// isTerminal settles the root where the game is over there.
func (w *worker) isTerminal(q machine.State) bool {
	b := w.playouts.batch
	b.Load(q, 1)
	b.Evaluate(1)
	if b.Terminal()[0]&1 == 0 {
		return false
	}
	b.Goals(w.playouts.goals, 0)
	for r, g := range w.playouts.goals {
		w.tree.boundsOf(0)[r] = search.Exact(float64(max(g, 0)))
	}
	w.tree.nodes[0].solved = true
	return true
}

// open finds the legal moves at node n. The batch must be free.
func (w *worker) open(n int32) {
	b := w.playouts.batch
	b.Load(w.tree.state(n), 1)
	b.Evaluate(1)
	w.tree.open(n, func(dst []machine.Move, r machine.Role) []machine.Move { return b.AppendLegal(dst, 0, r) })
}

// grow runs rounds until a limit is reached, ctx is done or the root is solved,
// and tells whether it is.
func (w *worker) grow(ctx context.Context) bool {
	halt := context.AfterFunc(ctx, func() { w.halted.Store(true) })
	defer halt()
	report := int64(1)
	if w.tree.isBroken() {
		return false
	}
	for !w.tree.nodes[0].solved && !w.halted.Load() && (w.maxNodes == 0 || w.nodes < w.maxNodes) {
		leaves := w.gather()
		if len(leaves) > 0 {
			w.playouts.run(leaves, w.origin)
			if w.plan != nil {
				w.plan.consider(w, leaves)
			}
			w.absorb(leaves)
		}
		if w.progress != nil && w.nodes >= report {
			report = 2 * w.nodes
			w.progress()
		}
	}
	w.peak = max(w.peak, w.tree.bytes())
	return w.tree.nodes[0].solved
}

func (w *worker) origin(l *leaf) machine.State { return w.tree.state(l.parent) }

// gather goes down the tree until it has a leaf for each place of the batch, or
// comes to the same leaf again.
func (w *worker) gather() []leaf {
	room := int64(len(w.leaves))
	if w.maxNodes > 0 {
		room = min(room, w.maxNodes-w.nodes)
	}
	clear(w.pending)
	n := 0
	for int64(n) < room {
		at, cell, fresh := w.descend()
		w.nodes++
		if !fresh {
			w.backUp(at, w.proved(at))
			if w.tree.nodes[0].solved {
				break
			}
			room--
			continue
		}
		e := edge{at, cell}
		if w.pending[e] {
			w.undo(at, cell)
			break
		}
		w.pending[e] = true
		w.leaves[n].parent, w.leaves[n].cell = at, cell
		w.tree.decode(at, cell, w.leaves[n].joint)
		n++
	}
	return w.leaves[:n]
}

// descend follows the roles' choices from the root to a joint move that has no
// node yet (fresh), or to a solved node.
func (w *worker) descend() (n int32, cell int64, fresh bool) {
	t := w.tree
	for {
		t.nodes[n].visits++
		if t.nodes[n].solved {
			return n, 0, false
		}
		if t.nodes[n].widths == none {
			w.open(n)
		}
		cell = w.joint(n)
		k := t.kid(n, cell)
		if k == none {
			return n, cell, true
		}
		n = k
	}
}

// absorb adds evaluated leaves to the tree, as far as there is memory, and
// passes up what came of them.
func (w *worker) absorb(leaves []leaf) {
	t := w.tree
	for i := range leaves {
		l := &leaves[i]
		if w.maxBytes > 0 && t.bytes() > w.maxBytes && !l.terminal {
			w.learn(l.parent, l.cell, l.goals)
			w.backUp(l.parent, l.goals)
			continue
		}
		n := t.add(l.parent, l.cell, l.state)
		t.nodes[n].visits = 1
		if l.terminal {
			t.nodes[n].solved = true
			for r, g := range l.goals {
				t.boundsOf(n)[r] = search.Exact(g)
			}
			t.settle(l.parent, w.adversarial)
		}
		w.backUp(n, l.goals)
	}
}

// backUp adds goals to node n and to its ancestors, and to the moves between.
func (w *worker) backUp(n int32, goals []float64) {
	t := w.tree
	for n != none {
		for r, g := range goals {
			t.totalsOf(n)[r] += g
		}
		at := &t.nodes[n]
		if at.parent != none {
			w.learn(at.parent, at.cell, goals)
		}
		n = at.parent
	}
}

// undo takes back the visits of a path that ended in joint move cell of node n.
func (w *worker) undo(n int32, cell int64) {
	t := w.tree
	w.nodes--
	for n != none {
		t.nodes[n].visits--
		first := t.nodes[n].stats
		widths := t.widthsOf(n)
		for r := range widths {
			t.stats[first+int32(t.digit(n, cell, r))].visits--
			first += widths[r]
		}
		cell, n = t.nodes[n].cell, t.nodes[n].parent
	}
}

// proved are the goals at a solved node.
func (w *worker) proved(n int32) []float64 {
	for r := range w.zeros {
		w.zeros[r] = w.tree.value(n, r)
	}
	return w.zeros
}
