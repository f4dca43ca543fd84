package prove

import (
	"math"

	"stackmate/reasoner/circuit/logic"
)

// cofactors maps the signals of a game before and after a joint move to signals over the fluents before it: Shannon's
// cofactors of the circuit for that move. The network is built once for no move; setMoves then updates the few gates
// that depend on the moves. The terminal signal is fixed to false.
type cofactors struct {
	*logic.Substitution
	unrolled *unrolling // complete
	net      *logic.Network
	small    int         // gates of net without moves
	nodes    []int32     // of the unrolling, except the terminal signal
	known    []logic.Lit // fixed literals over fluents
	always   []logic.Lit // moves that are part of every joint move
}

// maxGrowth bounds the gates that setMoves may add before the network is rebuilt.
const maxGrowth = 1 << 18

func newCofactors(u *unrolling) *cofactors {
	c := &cofactors{unrolled: u}
	ended := u.SignalAt(0, u.game.Terminal).Node()
	for i := range int32(u.net.Len()) {
		if i == 0 || i != ended {
			c.nodes = append(c.nodes, i)
		}
	}
	return c
}

// build builds the network for positions in which the literals known hold, with the moves always and no others. Its
// first inputs are the fluents; the variables of recursion are further inputs.
func (c *cofactors) build(known, always []logic.Lit) {
	u := c.unrolled
	c.known, c.always, c.net = known, always, logic.NewNetwork()
	if c.Substitution == nil {
		c.Substitution = logic.NewSubstitution(u.net, c.net)
	}
	c.Retarget(c.net)
	for _, l := range u.game.Fluents {
		c.Set(u.SignalAt(0, l), c.net.Input())
	}
	for _, row := range u.game.Does {
		for _, does := range row {
			if l := u.SignalAt(0, does); l != logic.False {
				c.Set(l, logic.False)
			}
		}
	}
	for _, l := range known {
		c.Set(u.SignalAt(0, l), logic.True)
	}
	for _, l := range always {
		c.Set(l, logic.True)
	}
	for _, loop := range u.loops {
		c.Set(loop.variable, c.net.Input())
	}
	if ended := u.SignalAt(0, u.game.Terminal); ended.Node() != 0 {
		c.Set(ended, logic.False)
	}
	c.Sweep(c.nodes)
	c.Commit()
	c.small = c.net.Len()
}

// setMoves replaces the current moves.
func (c *cofactors) setMoves(moves []logic.Lit) {
	c.Revert()
	if c.net.Len() > c.small+maxGrowth {
		c.build(c.known, c.always)
	}
	made := make([]logic.Lit, len(moves))
	for i := range made {
		made[i] = logic.True
	}
	c.Change(moves, made)
}

// caseNetwork is the small network of one case. It holds the current values of some fluents, as inputs or constants, and
// the next values of the altered fluents.
type caseNetwork struct {
	net           *logic.Network
	cofactors     *cofactors
	copier        *logic.Substitution // copies signals of cofactors into net
	maxGates      int                 // bound of copyUpTo for the gates of net
	index         *candidateIndex
	fluents       []int32 // fluents with a value
	hasValue      marks   // by fluent
	value         []logic.Lit
	altered       []int32
	isAltered     marks // by fluent
	next          []logic.Lit
	seenGroups    marks // by group number
	seenEquations marks
	queue         []logic.Lit
}

func newCaseNetwork(c *cofactors) caseNetwork {
	fluents := len(c.unrolled.game.Fluents)
	return caseNetwork{cofactors: c, value: make([]logic.Lit, fluents), next: make([]logic.Lit, fluents)}
}

func (w *caseNetwork) reset() {
	w.net = logic.NewNetwork()
	w.fluents, w.altered = w.fluents[:0], w.altered[:0]
	for _, m := range []*marks{&w.hasValue, &w.isAltered, &w.seenGroups, &w.seenEquations} {
		m.clear()
	}
	if w.copier != nil {
		w.copier.Retarget(w.net)
	}
}

// setMoves replaces the moves of the cofactors, from which signals are copied.
func (w *caseNetwork) setMoves(moves []logic.Lit) {
	before := w.cofactors.net
	w.cofactors.setMoves(moves)
	if w.copier != nil && before == w.cofactors.net {
		return
	}
	w.copier = logic.NewSubstitution(w.cofactors.net, w.net)
	w.copier.Leaf = func(node int32) logic.Lit {
		if int(node) <= len(w.value) {
			return w.before(logic.Lit(2 * node))
		}
		return w.net.Input()
	}
	w.copier.Gate = func(_ int32, operands []logic.Lit) (logic.Lit, bool) {
		return w.net.And(operands...), w.net.Len() <= w.maxGates
	}
}

// assumeLiterals fixes literals over fluents, and all literals that follow by unit propagation of the pairs. It
// returns false if they contradict each other.
func (w *caseNetwork) assumeLiterals(literals []logic.Lit) bool {
	w.queue = append(w.queue[:0], literals...)
	for at := 0; at < len(w.queue); at++ {
		l := w.queue[at]
		value := logic.True ^ l&1
		if w.hasValue.has(fluent(l)) {
			if w.value[fluent(l)] != value {
				return false
			}
			continue
		}
		w.addFluent(fluent(l), value)
		w.queue = append(w.queue, w.index.clauses[l.Not()]...)
	}
	return true
}

func (w *caseNetwork) addFluent(f int32, signal logic.Lit) {
	w.hasValue.add(f)
	w.fluents = append(w.fluents, f)
	w.value[f] = signal
}

// caseNetwork implements transition.
func (w *caseNetwork) network() *logic.Network { return w.net }
func (w *caseNetwork) alters(f int32) bool     { return w.isAltered.has(f) }

func (w *caseNetwork) before(l logic.Lit) logic.Lit {
	f := fluent(l)
	if !w.hasValue.has(f) {
		signal := w.index.single[f]
		if signal == unset {
			signal = w.net.Input()
		}
		w.addFluent(f, signal)
	}
	return w.value[f] ^ l&1
}

func (w *caseNetwork) after(l logic.Lit) logic.Lit {
	if w.alters(fluent(l)) {
		return w.next[fluent(l)] ^ l&1
	}
	return w.before(l)
}

// alter sets the next value of a fluent.
func (w *caseNetwork) alter(f int32, next logic.Lit) {
	w.next[f] = next
	w.isAltered.add(f)
	w.altered = append(w.altered, f)
}

// copy returns the copy of a signal of the cofactors.
func (w *caseNetwork) copy(l logic.Lit) logic.Lit {
	image, _ := w.copyUpTo(l, math.MaxInt32)
	return image
}

// copyUpTo copies a signal of the cofactors; it returns false if the copy needs more than the given number of gates.
func (w *caseNetwork) copyUpTo(l logic.Lit, gates int) (logic.Lit, bool) {
	w.maxGates = w.net.Len() + gates
	return w.copier.Image(l)
}

// hasSignal reports whether net already contains a signal of the cofactors.
func (w *caseNetwork) hasSignal(l logic.Lit) bool {
	i := l.Node()
	return i > 0 && (w.copier.Has(l) || int(i) <= len(w.value) && w.hasValue.has(i-1))
}

// nand returns the complement of the conjunction of signals of the cofactors.
func (w *caseNetwork) nand(signals []logic.Lit) logic.Lit {
	lits := make([]logic.Lit, len(signals))
	for i, l := range signals {
		lits[i] = w.copy(l)
	}
	return w.net.And(lits...).Not()
}
