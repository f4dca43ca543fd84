package kernel

// The second half of a translation: gates of three inputs, or of two, as machine code.
//
// Algorithm: gates in program order. A value is stored if its row must hold it, and
// else only when all registers are taken and its next use is the furthest of all
// (Belady 1966); its own row is free for it until its last use. A value in memory is
// loaded if it is used again soon, and else is an operand of the instruction. Cost:
// linear in gates, times the number of registers where they are all taken.
//
// Two inputs have no instruction for each of their functions, but one for each function or its
// complement. So a value may be there inverted, and is put right where its row must hold it; gates that
// use it take that into their truth tables.

const mostRegisters = 32

// writer turns covers into code.
type writer struct {
	cover
	out assembler
	at  []place // by node

	value [mostRegisters]int32 // the node in a register, -1 for none
	next  [mostRegisters]int32 // where it is used next
	free  []int8               // registers, the one that has been free longest first
	fixed uint32               // registers that hold operands of the gate being written
}

func newWriter(out assembler) *writer {
	w := &writer{cover: cover{leaves: 3}, out: out}
	if out.vex {
		w.leaves = 2
	}
	return w
}

// place is where a node is.
type place struct {
	register int8 // -1 for none
	stored   bool // its row holds it
	inverted bool // what is there is its complement
}

// translate appends the code of the cover.
func (w *writer) translate() {
	w.at = w.at[:0]
	for i := range w.nodes {
		w.at = append(w.at, place{register: -1, stored: w.nodes[i].leaves == 0})
	}
	w.free = w.free[:0]
	for r := range w.out.registers() {
		w.free = append(w.free, r)
		w.value[r] = -1
	}
	w.out.begin()
	for i := range w.nodes {
		if w.nodes[i].computed() {
			w.gate(int32(i))
		}
	}
	w.out.end()
}

// gate writes a gate of one to three leaves as f(to, b, c): the last leaf in order is
// c, which may be in memory, the one before it b, and the one before that to.
func (w *writer) gate(i int32) {
	n := &w.nodes[i]
	leaves := int(n.leaves)
	w.fixed = 0
	for _, l := range n.leaf[:leaves] {
		if r := w.at[l].register; r >= 0 {
			w.fixed |= 1 << r
		}
	}
	order := w.order(n)
	table := w.table(n, order)
	if w.out.vex && leaves == 2 && isSwapped(table) {
		order[0], order[1] = order[1], order[0]
		table = w.table(n, order)
	}
	for _, k := range order[:leaves-1] {
		w.load(n.leaf[k], n.next[k])
	}
	last := order[leaves-1]
	if w.worthLoading(n.next[last]) {
		w.load(n.leaf[last], n.next[last])
	}
	to := int8(-1)
	if leaves == 3 {
		if to = w.at[n.leaf[order[0]]].register; n.next[order[0]] != never {
			to = w.take()
			w.out.move(to, w.at[n.leaf[order[0]]].register)
		}
	}
	var from [3]int8
	for k, l := range n.leaf[:leaves] {
		from[k] = w.at[l].register
		if from[k] >= 0 {
			to = w.used(l, n.next[k], to)
		}
	}
	if to < 0 {
		to = w.take()
	}
	second := to
	if leaves > 1 {
		second = from[order[leaves-2]]
	}
	w.at[i].inverted = w.out.gate(to, second, operand{from[last], w.nodes[n.leaf[last]].home}, table)
	w.place(i, to)
}

// table is the truth table of a gate whose leaves, as they are there, are the last ones of three in an order.
func (w *writer) table(n *node, order [3]int) uint8 {
	var position [mostLeaves]int
	for j, k := range order[:n.leaves] {
		position[k] = mostLeaves - int(n.leaves) + j
	}
	table := n.table
	for k, l := range n.leaf[:n.leaves] {
		if w.at[l].inverted {
			m, distance := leafTables[k], mostLeaves*2>>k
			table = table&m>>distance | table&^m<<distance
		}
	}
	return uint8(substitute(table, position, n.leaves))
}

// order returns the order of the leaves as operands. The last operand may be in memory; the first of three is
// overwritten, so it should be in a register and have no later use.
func (w *writer) order(n *node) [3]int {
	order := [3]int{0, 1, 2}
	rank := func(k int) int {
		inMemory, again := w.at[n.leaf[k]].register < 0, n.next[k] != never
		switch {
		case inMemory && !again:
			return 3
		case inMemory:
			return 2
		case again:
			return 1
		}
		return 0
	}
	leaves := int(n.leaves)
	for j := 1; j < leaves; j++ {
		for k := j; k > 0 && rank(order[k-1]) > rank(order[k]); k-- {
			order[k-1], order[k] = order[k], order[k-1]
		}
	}
	if leaves == 3 && n.next[order[0]] != never && rank(order[1]) == 3 { // a load instead of a copy
		order[0], order[1] = order[1], order[0]
	}
	return order
}

// worthLoading reports whether a value should be kept in a register for its next use.
func (w *writer) worthLoading(next int32) bool {
	if next == never {
		return false
	}
	if len(w.free) > 0 {
		return true
	}
	_, furthest := w.furthest()
	return next < furthest
}

// load makes sure that a value, used next there, is in a register.
func (w *writer) load(i, next int32) {
	if w.at[i].register >= 0 {
		return
	}
	r := w.take()
	w.out.load(r, w.nodes[i].home)
	w.at[i].register, w.value[r], w.next[r] = r, i, next
	w.fixed |= 1 << r
}

// used records one use of value i. After its last use it frees the register, and returns it as the target if to is
// -1.
func (w *writer) used(i, next int32, to int8) int8 {
	r := w.at[i].register
	w.next[r] = next
	if next != never {
		return to
	}
	w.at[i].register, w.value[r] = -1, -1
	switch {
	case to < 0:
		return r
	case r != to:
		w.free = append(w.free, r)
	}
	return to
}

// take returns a free register, after spilling the value with the furthest next use if necessary.
func (w *writer) take() int8 {
	if len(w.free) > 0 {
		r := w.free[0]
		w.free = append(w.free[:0], w.free[1:]...)
		w.fixed |= 1 << r
		return r
	}
	r, _ := w.furthest()
	v := w.value[r]
	if p := &w.at[v]; !p.stored {
		w.out.store(w.nodes[v].home, r)
		p.stored = true
	}
	w.at[v].register, w.value[r] = -1, -1
	w.fixed |= 1 << r
	return r
}

// furthest returns the register that is not fixed whose value has the furthest next use.
func (w *writer) furthest() (register int8, next int32) {
	next = -1
	for r := range w.out.registers() {
		if w.fixed>>r&1 == 0 && w.value[r] >= 0 && w.next[r] > next {
			register, next = r, w.next[r]
		}
	}
	return register, next
}

// place puts the value of a node, just computed, into a register.
func (w *writer) place(i int32, r int8) {
	n := &w.nodes[i]
	if n.kept {
		if w.at[i].inverted {
			w.out.invert(r)
			w.at[i].inverted = false
		}
		w.out.store(n.home, r)
		w.at[i].stored = true
	}
	if n.first == never {
		w.free = append(w.free, r)
		return
	}
	w.at[i].register, w.value[r], w.next[r] = r, i, n.first
}
