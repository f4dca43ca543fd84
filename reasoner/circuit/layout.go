package circuit

import (
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
)

// layout assigns a row of the signal array to each node i: row[i], which stores the complement if flip[i]. Row 0 is the
// constant false. Inputs are stored uncomplemented, gates in the polarity with fewer complemented operands.
type layout struct {
	net     *logic.Network
	row     []int32
	flip    []bool
	form    []form // by gate
	keep    []bool // the row must stay valid for later programs
	loopRow []bool // the row is also the row of a loop variable
	rows    int32
	free    []int32 // reusable rows of dead values
}

// form is the computation of a gate: op over pos operands, then neg complemented operands.
type form struct {
	op       kernel.Op
	pos, neg int32
}

// newLayout assigns rows to the inputs and polarities to the live gates. writes maps a gate that computes the next
// value of an input (a fluent) to the input: the gate may be stored in the input's row, so it has the input's polarity.
func newLayout(net *logic.Network, live []bool, writes map[int32]logic.Lit) *layout {
	n := net.Len()
	l := &layout{
		net:     net,
		row:     make([]int32, n),
		flip:    make([]bool, n),
		form:    make([]form, n),
		keep:    make([]bool, n),
		loopRow: make([]bool, n),
		rows:    1,
	}
	for i := range int32(n) {
		switch {
		case net.Op(i) == logic.OpInput:
			l.row[i] = l.newRow()
		case net.Op(i) == logic.OpAnd && live[i]:
			l.chooseForm(i, writes)
		}
	}
	return l
}

func (l *layout) newRow() int32 {
	l.rows++
	return l.rows - 1
}

// complemented reports whether the row of a literal holds its complement.
func (l *layout) complemented(lit logic.Lit) bool { return l.flip[lit.Node()] != lit.Complemented() }

// chooseForm chooses the form and the polarity of a gate. A conjunction of mostly complemented rows becomes a
// complemented disjunction (De Morgan).
func (l *layout) chooseForm(i int32, writes map[int32]logic.Lit) {
	var f form
	for _, o := range l.net.Operands(i) {
		if l.complemented(o) {
			f.neg++
		} else {
			f.pos++
		}
	}
	flip := f.neg > f.pos
	if input, ok := writes[i]; ok {
		flip = input.Complemented()
	}
	if flip {
		f.op, f.pos, f.neg = kernel.Or, f.neg, f.pos
		l.flip[i] = true
	}
	l.form[i] = f
}

// formOf returns the form of a gate or a loop variable.
func (l *layout) formOf(i int32) form {
	switch {
	case l.net.Op(i) != logic.OpLoop:
		return l.form[i]
	case l.complemented(l.net.Definition(i)):
		return form{kernel.And, 0, 1}
	}
	return form{kernel.And, 1, 0}
}

// output returns the row and the polarity of a literal.
func (l *layout) output(lit logic.Lit) output {
	o := output{row: l.row[lit.Node()]}
	if l.complemented(lit) {
		o.complement = ^uint64(0)
	}
	return o
}

// emit translates a schedule to a program, and allocates rows for its gates. After its last use, a value that need not
// be kept frees its row, so the program uses few rows, which stay in the cache. A gate of writes (see newLayout) gets
// the row of its input if the input has no later use; written contains these gates.
func (l *layout) emit(name string, stages []stage, writes map[int32]logic.Lit) (p *kernel.Program, written map[int32]bool) {
	p, written = &kernel.Program{Name: name}, make(map[int32]bool)
	last := lastUses(l.net, stages)
	at := int32(0)
	var operands []int32
	for _, st := range stages {
		seg := kernel.Segment{Code: make([]int32, 0, 4*len(st.nodes))} // most gates have two or three operands
		l.allocateVariables(st)
		for _, i := range st.vars {
			seg.Vars = append(seg.Vars, l.row[i])
		}
		header := 0 // index of the last header: one per run of gates with equal forms
		for k, i := range st.nodes {
			at++
			operands = l.appendOperands(operands[:0], i)
			l.release(i, at, last, st)
			if input, ok := writes[i]; ok && last[input.Node()] <= at && !st.isLoop() {
				l.row[i] = l.row[input.Node()]
				written[i] = true
			} else if _, stored := st.storedIn[i]; !stored && !(st.isLoop() && l.net.Op(i) == logic.OpLoop) {
				l.row[i] = l.allocate(i, st)
			}
			if f := l.formOf(i); k == 0 || f != l.formOf(st.nodes[k-1]) {
				header = len(seg.Code)
				seg.Code = append(seg.Code, int32(f.op), f.pos, f.neg, 0)
			}
			seg.Code[header+kernel.Header-1]++
			seg.Code = append(append(seg.Code, l.row[i]), operands...)
		}
		p.Segments = append(p.Segments, seg)
	}
	return p, written
}

// allocateVariables allocates rows for the variables of a loop and the gates stored there. These rows are never freed,
// because later programs may read the variables.
func (l *layout) allocateVariables(st stage) {
	for _, v := range st.vars {
		d := l.net.Definition(v).Node()
		if home, ok := st.storedIn[d]; ok && home == v && l.keep[d] && l.row[d] != 0 {
			l.row[v] = l.row[d] // an earlier program has computed the gate
		} else {
			l.row[v] = l.allocate(v, st)
		}
	}
	for d, v := range st.storedIn {
		l.row[d], l.loopRow[d] = l.row[v], true
	}
}

// allocate returns a row for a gate: a free row if the value need not be kept. A kept gate has the same row in all
// programs.
func (l *layout) allocate(i int32, st stage) int32 {
	if l.keep[i] && l.row[i] != 0 {
		return l.row[i]
	}
	if n := len(l.free); n > 0 && !l.keep[i] && !st.isLoop() {
		r := l.free[n-1]
		l.free = l.free[:n-1]
		return r
	}
	return l.newRow()
}

// release frees the rows of operands whose last use is gate i.
func (l *layout) release(i, at int32, last []int32, st stage) {
	if st.isLoop() {
		return // sweeps read the operands again
	}
	for _, o := range l.net.Dependencies(i) {
		j := o.Node()
		if last[j] == at && l.net.Op(j) == logic.OpAnd && !l.keep[j] && !l.loopRow[j] {
			l.free = append(l.free, l.row[j])
		}
	}
}

// lastUses returns, by node, the last gate that uses it, as its index in the schedule, from 1.
func lastUses(n *logic.Network, stages []stage) []int32 {
	last := make([]int32, n.Len())
	at := int32(0)
	for _, st := range stages {
		for _, i := range st.nodes {
			at++
			for _, o := range n.Dependencies(i) {
				last[o.Node()] = at
			}
		}
	}
	return last
}

// appendOperands appends the rows of a gate's operands, uncomplemented rows first. A variable is a copy of its
// definition.
func (l *layout) appendOperands(dst []int32, i int32) []int32 {
	operands := l.net.Dependencies(i)
	if l.net.Op(i) == logic.OpLoop {
		return append(dst, l.row[operands[0].Node()])
	}
	flipped := l.form[i].op == kernel.Or
	for _, wanted := range []bool{false, true} {
		for _, o := range operands {
			if (l.complemented(o) != flipped) == wanted {
				dst = append(dst, l.row[o.Node()])
			}
		}
	}
	return dst
}
