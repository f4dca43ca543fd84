package prove

import (
	"math"

	"stackmate/reasoner/circuit/logic"
)

// successors are the signals of a game before and after one joint move, as signals over the
// fluents before it alone: Shannon's cofactors of the circuit for that move. They are built once
// for no move at all, and then follow the moves through the gates that depend on them, which are
// few. That the game is over is false.
type successors struct {
	*logic.Substitution
	from   *unrolling // to which nothing is added any more
	net    *logic.Network
	small  int         // length of net with no move at all
	nodes  []int32     // of the unrolling, but for the end of the game
	known  []logic.Lit // literals over fluents that are true
	always []logic.Lit // moves that are made whatever else is
}

// maxGrowth is the number of gates that the network may grow by until it is made anew.
const maxGrowth = 1 << 18

func newSuccessors(u *unrolling) *successors {
	c := &successors{from: u}
	ended := u.At(0, u.game.Terminal).Node()
	for i := range int32(u.net.Len()) {
		if i == 0 || i != ended {
			c.nodes = append(c.nodes, i)
		}
	}
	return c
}

// begin makes the signals where literals over fluents are known, and of the moves none is made
// but some. Of the new network the first inputs are the fluents; recursive variables are others.
func (c *successors) begin(known, always []logic.Lit) {
	u := c.from
	c.known, c.always, c.net = known, always, logic.NewNetwork()
	if c.Substitution == nil {
		c.Substitution = logic.NewSubstitution(u.net, c.net)
	}
	c.Retarget(c.net)
	for _, l := range u.game.Fluents {
		c.Set(u.At(0, l), c.net.Input())
	}
	for _, row := range u.game.Does {
		for _, does := range row {
			if l := u.At(0, does); l != logic.False {
				c.Set(l, logic.False)
			}
		}
	}
	for _, l := range known {
		c.Set(u.At(0, l), logic.True)
	}
	for _, l := range always {
		c.Set(l, logic.True)
	}
	for _, loop := range u.loops {
		c.Set(loop.variable, c.net.Input())
	}
	if ended := u.At(0, u.game.Terminal); ended.Node() != 0 {
		c.Set(ended, logic.False)
	}
	c.Sweep(c.nodes)
	c.Commit()
	c.small = c.net.Len()
}

// make makes moves, instead of those made before.
func (c *successors) make(moves []logic.Lit) {
	c.Revert()
	if c.net.Len() > c.small+maxGrowth {
		c.begin(c.known, c.always)
	}
	made := make([]logic.Lit, len(moves))
	for i := range made {
		made[i] = logic.True
	}
	c.Change(moves, made)
}

// local is what one case speaks of: the fluents that it has met, as inputs of a small network or
// as constants, and the next values of those that alter.
type local struct {
	net       *logic.Network
	successor *successors
	copies    *logic.Substitution // of the successors
	room      int                 // for gates in net
	of        *candidateIndex
	fluents   []int32 // met
	met       marks   // by fluent
	signal    []logic.Lit
	altered   []int32
	altering  marks // by fluent
	next      []logic.Lit
	groups    marks // by number, as the next
	sums      marks
	queue     []logic.Lit
}

func newLocal(c *successors) local {
	fluents := len(c.from.game.Fluents)
	return local{successor: c, signal: make([]logic.Lit, fluents), next: make([]logic.Lit, fluents)}
}

func (w *local) begin() {
	w.net = logic.NewNetwork()
	w.fluents, w.altered = w.fluents[:0], w.altered[:0]
	for _, m := range []*marks{&w.met, &w.altering, &w.groups, &w.sums} {
		m.clear()
	}
	if w.copies != nil {
		w.copies.Retarget(w.net)
	}
}

// follow makes moves, of which the signals are copied from now on.
func (w *local) follow(moves []logic.Lit) {
	before := w.successor.net
	w.successor.make(moves)
	if w.copies != nil && before == w.successor.net {
		return
	}
	w.copies = logic.NewSubstitution(w.successor.net, w.net)
	w.copies.Leaf = func(node int32) logic.Lit {
		if int(node) <= len(w.signal) {
			return w.before(logic.Lit(2 * node))
		}
		return w.net.Input()
	}
	w.copies.Gate = func(_ int32, operands []logic.Lit) (logic.Lit, bool) {
		return w.net.And(operands...), w.net.Len() <= w.room
	}
}

// know makes literals over fluents true, and all that follows from them by candidates of two
// literals. False if they contradict each other.
func (w *local) know(literals []logic.Lit) bool {
	w.queue = append(w.queue[:0], literals...)
	for at := 0; at < len(w.queue); at++ {
		l := w.queue[at]
		value := logic.True ^ l&1
		if w.met.has(fluent(l)) {
			if w.signal[fluent(l)] != value {
				return false
			}
			continue
		}
		w.meet(fluent(l), value)
		w.queue = append(w.queue, w.of.clauses[l.Not()]...)
	}
	return true
}

func (w *local) meet(f int32, signal logic.Lit) {
	w.met.add(f)
	w.fluents = append(w.fluents, f)
	w.signal[f] = signal
}

// The case is a transition.
func (w *local) network() *logic.Network { return w.net }
func (w *local) alters(f int32) bool     { return w.altering.has(f) }

func (w *local) before(l logic.Lit) logic.Lit {
	f := fluent(l)
	if !w.met.has(f) {
		signal := w.of.single[f]
		if signal == unset {
			signal = w.net.Input()
		}
		w.meet(f, signal)
	}
	return w.signal[f] ^ l&1
}

func (w *local) after(l logic.Lit) logic.Lit {
	if w.alters(fluent(l)) {
		return w.next[fluent(l)] ^ l&1
	}
	return w.before(l)
}

// alter gives a fluent a value after the joint move.
func (w *local) alter(f int32, next logic.Lit) {
	w.next[f] = next
	w.altering.add(f)
	w.altered = append(w.altered, f)
}

// copy copies a signal of the successors.
func (w *local) copy(l logic.Lit) logic.Lit {
	image, _ := w.copyUpTo(l, math.MaxInt32)
	return image
}

// copyUpTo copies a signal of the successors if it takes no more gates than that.
func (w *local) copyUpTo(l logic.Lit, gates int) (logic.Lit, bool) {
	w.room = w.net.Len() + gates
	return w.copies.Image(l)
}

// knows tells whether the case has met a signal of the successors.
func (w *local) knows(l logic.Lit) bool {
	i := l.Node()
	return i > 0 && (w.copies.Has(l) || int(i) <= len(w.signal) && w.met.has(i-1))
}

// nand is the complement of a conjunction of signals of the successors.
func (w *local) nand(signals []logic.Lit) logic.Lit {
	lits := make([]logic.Lit, len(signals))
	for i, l := range signals {
		lits[i] = w.copy(l)
	}
	return w.net.And(lits...).Not()
}
