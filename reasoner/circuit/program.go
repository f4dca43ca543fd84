package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
)

// copySegment returns a segment that copies rows, given as pairs (to, from). If neg is 1, it complements them.
func copySegment(pairs []int32, neg int32) kernel.Segment {
	header := []int32{int32(kernel.And), 1 - neg, neg, int32(len(pairs) / 2)}
	return kernel.Segment{Code: append(header, pairs...)}
}

// appendCopies appends the segment of copySegment to a program, unless there are no pairs.
func appendCopies(p *kernel.Program, pairs []int32, neg int32) {
	if len(pairs) > 0 {
		p.Segments = append(p.Segments, copySegment(pairs, neg))
	}
}

// transfer appends copies of signals to the rows of inputs, unless the program has written a signal to its row already.
// A signal may itself be an input that is overwritten, so such inputs are copied to spare rows first.
func (l *layout) transfer(p *kernel.Program, signals, inputs []logic.Lit, written map[int32]bool) {
	var spare []int32
	var pairs [2][]int32 // by complement
	for k, lit := range signals {
		o, to := l.output(lit), l.row[inputs[k].Node()]
		if written[lit.Node()] || o.row == to && o.complement == 0 {
			continue
		}
		if l.net.Op(lit.Node()) == logic.OpInput {
			copied := l.newRow()
			spare = append(spare, copied, o.row)
			o.row = copied
		}
		pairs[o.complement&1] = append(pairs[o.complement&1], to, o.row)
	}
	if len(spare) > 0 {
		p.Segments = slices.Insert(p.Segments, 0, copySegment(spare, 0))
	}
	for complement, list := range pairs {
		appendCopies(p, list, int32(complement))
	}
}
