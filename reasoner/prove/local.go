package prove

import (
	"math"

	"stackmate/reasoner/circuit"
)

// local is what one case speaks of: the fluents that it has met, as inputs of a small network or
// as constants, and the next values of those that alter.
type local struct {
	net     *circuit.Network
	cof     *successors
	of      *candidateIndex
	fluents []int32 // met
	met     marks   // by fluent
	signal  []circuit.Lit
	altered []int32
	alters  marks // by fluent
	next    []circuit.Lit
	copied  marks // by node of the successors
	image   []circuit.Lit
	groups  marks // by number, as the next
	sums    marks
	queue   []int32
}

// marks are a set of small numbers that is soon empty again.
type marks struct {
	time int32
	at   []int32 // when the number was added
}

func (m *marks) clear() { m.time++ }

func (m *marks) has(i int32) bool { return int(i) < len(m.at) && m.at[i] == m.time }

// add adds a number, and tells whether it is new.
func (m *marks) add(i int32) bool {
	for len(m.at) <= int(i) {
		m.at = append(m.at, 0)
	}
	was := m.at[i] == m.time
	m.at[i] = m.time
	return !was
}

func newLocal(cof *successors) local {
	fluents := len(cof.from.game.Fluents)
	return local{cof: cof, signal: make([]circuit.Lit, fluents), next: make([]circuit.Lit, fluents)}
}

func (w *local) begin() {
	w.net = circuit.NewNetwork()
	w.fluents, w.altered = w.fluents[:0], w.altered[:0]
	w.met.clear()
	w.alters.clear()
	w.copied.clear()
	w.groups.clear()
	w.sums.clear()
}

// know makes literals over fluents true, and all that follows from them by candidates of two
// literals. False if they contradict each other.
func (w *local) know(literals []int32) bool {
	w.queue = append(w.queue[:0], literals...)
	for at := 0; at < len(w.queue); at++ {
		l := w.queue[at]
		value := circuit.True ^ circuit.Lit(l&1)
		if w.met.has(l >> 1) {
			if w.signal[l>>1] != value {
				return false
			}
			continue
		}
		w.meet(l>>1, value)
		w.queue = append(w.queue, w.of.clauses[l^1]...)
	}
	return true
}

func (w *local) meet(fluent int32, signal circuit.Lit) {
	w.met.add(fluent)
	w.fluents = append(w.fluents, fluent)
	w.signal[fluent] = signal
}

// before is a fluent before the joint move.
func (w *local) before(fluent int32) circuit.Lit {
	if !w.met.has(fluent) {
		signal := w.of.single[fluent]
		if signal == unset {
			signal = w.net.Input()
		}
		w.meet(fluent, signal)
	}
	return w.signal[fluent]
}

// after is a fluent after it.
func (w *local) after(fluent int32) circuit.Lit {
	if w.alters.has(fluent) {
		return w.next[fluent]
	}
	return w.before(fluent)
}

// now and then are a literal over fluents, before and after.
func (w *local) now(l int32) circuit.Lit  { return w.before(l>>1) ^ circuit.Lit(l&1) }
func (w *local) then(l int32) circuit.Lit { return w.after(l>>1) ^ circuit.Lit(l&1) }

// alter gives a fluent a value after the joint move.
func (w *local) alter(fluent int32, next circuit.Lit) {
	w.next[fluent] = next
	w.alters.add(fluent)
	w.altered = append(w.altered, fluent)
}

// copy copies a signal of the successors.
func (w *local) copy(l circuit.Lit) circuit.Lit {
	image, _ := w.copyUpTo(l, math.MaxInt32)
	return image
}

// copyUpTo copies a signal of the successors if it takes no more gates than that.
func (w *local) copyUpTo(l circuit.Lit, gates int) (circuit.Lit, bool) {
	i := l.Node()
	if i == 0 {
		return l, true
	}
	if w.copied.has(i) {
		return w.image[i] ^ l&1, true
	}
	var image circuit.Lit
	switch {
	case int(i) <= len(w.signal):
		image = w.before(i - 1)
	case w.cof.net.Op(i) != circuit.OpAnd:
		image = w.net.Input()
	default:
		end := w.net.Len() + gates
		operands := w.cof.net.Operands(i)
		lits := make([]circuit.Lit, len(operands))
		for at, o := range operands {
			copied, ok := w.copyUpTo(o, end-w.net.Len())
			if !ok || w.net.Len() > end {
				return circuit.False, false
			}
			if copied == circuit.False {
				lits = []circuit.Lit{circuit.False}
				break
			}
			lits[at] = copied
		}
		image = w.net.And(lits...)
	}
	w.hold(i, image)
	return image ^ l&1, true
}

// hold makes a node of the successors what a signal is.
func (w *local) hold(node int32, signal circuit.Lit) {
	w.copied.add(node)
	for len(w.image) <= int(node) {
		w.image = append(w.image, circuit.False)
	}
	w.image[node] = signal
}

// knows tells whether the case has met a signal of the successors.
func (w *local) knows(l circuit.Lit) bool {
	i := l.Node()
	return w.copied.has(i) || i > 0 && int(i) <= len(w.signal) && w.met.has(i-1)
}

// nand is the complement of a conjunction of signals of the successors.
func (w *local) nand(signals []circuit.Lit) circuit.Lit {
	lits := make([]circuit.Lit, len(signals))
	for i, l := range signals {
		lits[i] = w.copy(l)
	}
	return w.net.And(lits...).Not()
}
