package kernel

// The second half of a translation: gates of three inputs, or of two, as machine code.
//
// Algorithm: gates in program order. A value is stored if its row must hold it. Otherwise it is stored only
// when every register is taken and its next use is the furthest (Belady 1966); its own row is free for it
// until its last use. A value in memory is loaded if it is used again soon, and else is an operand of the
// instruction. Cost: linear in gates, times the number of registers if they are taken.
//
// AVX2 has, for each function of two inputs, an instruction for the function or for its complement. So a
// value may be kept inverted. It is corrected if its row must hold it; gates that use it adjust their truth
// tables.

const mostRegisters = 32

// writer translates covers into machine code.
type writer struct {
	cover
	out       assembler
	locations []location // by node

	value   [mostRegisters]int32 // the node in a register, -1 for none
	nextUse [mostRegisters]int32 // the gate that uses this node next
	free    []int8               // free registers, the longest free first
	fixed   uint32               // registers that hold operands of the gate being written
}

func newWriter(out assembler) *writer {
	w := &writer{cover: cover{leaves: 3}, out: out}
	if out.vex {
		w.leaves = 2
	}
	return w
}

// location is the place of a node's value.
type location struct {
	register int8 // -1 for none
	stored   bool // its row holds the value
	inverted bool // the stored value is the complement
}

// translate appends the code of the cover.
func (w *writer) translate() {
	w.locations = w.locations[:0]
	for i := range w.nodes {
		w.locations = append(w.locations, location{register: -1, stored: w.nodes[i].leaves == 0})
	}
	w.free = w.free[:0]
	for r := range w.out.registers() {
		w.free = append(w.free, r)
		w.value[r] = -1
	}
	w.out.prologue()
	for i := range w.nodes {
		if w.nodes[i].computed() {
			w.gate(int32(i))
		}
	}
	w.out.epilogue()
}

// gate writes a gate of one to three leaves as f(to, b, c). The last leaf in order is c, which may be in
// memory, the leaf before it is b, and the leaf before b is to.
func (w *writer) gate(i int32) {
	n := &w.nodes[i]
	leaves := int(n.leaves)
	w.fixed = 0
	for _, l := range n.leaf[:leaves] {
		if r := w.locations[l].register; r >= 0 {
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
		if to = w.locations[n.leaf[order[0]]].register; n.next[order[0]] != never {
			to = w.allocate()
			w.out.move(to, w.locations[n.leaf[order[0]]].register)
		}
	}
	var from [3]int8
	for k, l := range n.leaf[:leaves] {
		from[k] = w.locations[l].register
		if from[k] >= 0 {
			to = w.used(l, n.next[k], to)
		}
	}
	if to < 0 {
		to = w.allocate()
	}
	second := to
	if leaves > 1 {
		second = from[order[leaves-2]]
	}
	w.locations[i].inverted = w.out.gate(to, second, operand{from[last], w.nodes[n.leaf[last]].home}, table)
	w.record(i, to)
}

// table returns the truth table of a gate for an order of its leaves and their inversions. The leaves become
// the last of three operands.
func (w *writer) table(n *node, order [3]int) uint8 {
	var position [mostLeaves]int
	for j, k := range order[:n.leaves] {
		position[k] = mostLeaves - int(n.leaves) + j
	}
	table := n.table
	for k, l := range n.leaf[:n.leaves] {
		if w.locations[l].inverted {
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
		inMemory, again := w.locations[n.leaf[k]].register < 0, n.next[k] != never
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

// load loads value i into a register unless it is in one; next is its next use.
func (w *writer) load(i, next int32) {
	if w.locations[i].register >= 0 {
		return
	}
	r := w.allocate()
	w.out.load(r, w.nodes[i].home)
	w.locations[i].register, w.value[r], w.nextUse[r] = r, i, next
	w.fixed |= 1 << r
}

// used records one use of value i. After its last use it frees the register, and returns it as the target if to is
// -1.
func (w *writer) used(i, next int32, to int8) int8 {
	r := w.locations[i].register
	w.nextUse[r] = next
	if next != never {
		return to
	}
	w.locations[i].register, w.value[r] = -1, -1
	switch {
	case to < 0:
		return r
	case r != to:
		w.free = append(w.free, r)
	}
	return to
}

// allocate returns a free register, after storing the value with the furthest next use if none is free.
func (w *writer) allocate() int8 {
	if len(w.free) > 0 {
		r := w.free[0]
		w.free = append(w.free[:0], w.free[1:]...)
		w.fixed |= 1 << r
		return r
	}
	r, _ := w.furthest()
	v := w.value[r]
	if p := &w.locations[v]; !p.stored {
		w.out.store(w.nodes[v].home, r)
		p.stored = true
	}
	w.locations[v].register, w.value[r] = -1, -1
	w.fixed |= 1 << r
	return r
}

// furthest returns the register whose value has the furthest next use, except fixed registers.
func (w *writer) furthest() (register int8, next int32) {
	next = -1
	for r := range w.out.registers() {
		if w.fixed>>r&1 == 0 && w.value[r] >= 0 && w.nextUse[r] > next {
			register, next = r, w.nextUse[r]
		}
	}
	return register, next
}

// record notes that register r holds the new value of node i, and stores the value if its row must hold it.
func (w *writer) record(i int32, r int8) {
	n := &w.nodes[i]
	if n.kept {
		if w.locations[i].inverted {
			w.out.invert(r)
			w.locations[i].inverted = false
		}
		w.out.store(n.home, r)
		w.locations[i].stored = true
	}
	if n.first == never {
		w.free = append(w.free, r)
		return
	}
	w.locations[i].register, w.value[r], w.nextUse[r] = r, i, n.first
}
