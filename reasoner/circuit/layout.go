package circuit

import (
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
)

// layout says where the signals of a network live: node i in row slot[i] of the
// signal array, stored complemented if flip[i]. Row 0 is the constant false.
// Inputs are stored as they are; for a gate the stored polarity is the one that
// leaves the fewest complemented operands.
type layout struct {
	net     *logic.Network
	row     []int32
	flip    []bool
	form    []form // of the gates
	keep    []bool // the row must outlast the program that computes it
	loopRow []bool // the row is that of a variable, too
	rows    int32
	free    []int32 // rows of values that are no longer needed
}

// form is how a gate is computed: combine pos operands as they are, then neg
// operands complemented, by op.
type form struct {
	op       kernel.Op
	pos, neg int32
}

// newLayout gives rows to the inputs and chooses the polarity of the live gates. A gate of writes
// computes what an input, say a fluent, is in the next position, and may be computed straight into
// that input's row, so it is stored in the polarity that the input needs.
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

// complemented tells whether the row of a literal holds its complement.
func (l *layout) complemented(lit logic.Lit) bool { return l.flip[lit.Node()] != lit.Complemented() }

// choose decides the form of a gate. A conjunction of mostly complemented rows
// is computed as a disjunction and stored complemented (De Morgan).
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

// formOf is how a node of a schedule is computed.
func (l *layout) formOf(i int32) form {
	switch {
	case l.net.Op(i) != logic.OpLoop:
		return l.form[i]
	case l.complemented(l.net.Definition(i)):
		return form{kernel.And, 0, 1}
	}
	return form{kernel.And, 1, 0}
}

// output is where a literal is read once the programs are laid out.
func (l *layout) output(lit logic.Lit) output {
	o := output{row: l.row[lit.Node()]}
	if l.complemented(lit) {
		o.complement = ^uint64(0)
	}
	return o
}

// emit turns a schedule into a program, giving rows to the gates as it goes. A
// value that is not kept gives its row back after its last use, so a program
// works on few rows and they stay in the cache. A gate of writes (see newLayout) is
// computed straight into the row of its input if nothing reads the input afterwards;
// emit reports those.
func (l *layout) emit(name string, stages []stage, writes map[int32]logic.Lit) (p *kernel.Program, written map[int32]bool) {
	p, written = &kernel.Program{Name: name}, make(map[int32]bool)
	last := lastUses(l.net, stages)
	at := int32(0)
	var operands []int32
	for _, st := range stages {
		seg := kernel.Segment{}
		l.allocateVariables(st)
		for _, i := range st.vars {
			seg.Vars = append(seg.Vars, l.row[i])
		}
		header := 0 // of the run at the end of the code: gates of one form
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

// variables gives rows to the variables of a loop, and to the gates that are stored there.
// Nobody gives those back: others may look at the variable later.
func (l *layout) allocateVariables(st stage) {
	for _, v := range st.vars {
		d := l.net.Definition(v).Node()
		if home, ok := st.storedIn[d]; ok && home == v && l.keep[d] && l.row[d] != 0 {
			l.row[v] = l.row[d] // another program has computed it
		} else {
			l.row[v] = l.allocate(v, st)
		}
	}
	for d, v := range st.storedIn {
		l.row[d], l.loopRow[d] = l.row[v], true
	}
}

// row is a row for a gate: a used one if its value is not kept. A kept gate that
// two programs compute has one row for both.
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

// release frees the rows of the operands that gate i is the last to use.
func (l *layout) release(i, at int32, last []int32, st stage) {
	if st.isLoop() {
		return // swept several times
	}
	for _, o := range l.net.Dependencies(i) {
		j := o.Node()
		if last[j] == at && l.net.Op(j) == logic.OpAnd && !l.keep[j] && !l.loopRow[j] {
			l.free = append(l.free, l.row[j])
		}
	}
}

// lastUses numbers the gates of a schedule from 1 and finds the last one that
// uses each node.
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

// appendOperands appends the rows of a gate's operands, plain ones first. A
// variable is a copy of its definition.
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
