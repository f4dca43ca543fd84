package circuit

import "slices"

// copies is a segment that copies rows, given as pairs (to, from); neg is 1 to
// complement them.
func copies(pairs []int32, neg int32) segment {
	header := []int32{int32(kernelAnd), 1 - neg, neg, int32(len(pairs) / 2)}
	return segment{code: append(header, pairs...)}
}

func (p *program) appendComplements(pairs []int32) {
	if len(pairs) > 0 {
		p.segments = append(p.segments, copies(pairs, 1))
	}
}

func (p *program) prependCopies(pairs []int32) {
	if len(pairs) > 0 {
		p.segments = append([]segment{copies(pairs, 0)}, p.segments...)
	}
}

// scaled is the program with row numbers turned into word offsets, for rows of
// the given words.
func (p *program) scaled(words int32) *program {
	out := &program{segments: slices.Clone(p.segments)}
	for i := range out.segments {
		seg := &out.segments[i]
		seg.vars = slices.Clone(seg.vars)
		for k := range seg.vars {
			seg.vars[k] *= words
		}
		seg.code = slices.Clone(seg.code)
		for k := 0; k < len(seg.code); {
			n := int(seg.code[k+3] * (1 + seg.code[k+1] + seg.code[k+2]))
			k += runHeader
			for end := k + n; k < end; k++ {
				seg.code[k] *= words
			}
		}
	}
	return out
}

func (p *program) bytes() int64 {
	n := 0
	for _, seg := range p.segments {
		n += len(seg.code) + len(seg.vars)
	}
	return int64(n) * 4
}

func (p *program) loopVars() int {
	most := 0
	for _, seg := range p.segments {
		most = max(most, len(seg.vars))
	}
	return most
}

// engine is the programs of a machine made ready for one kernel.
type engine struct {
	kernel  kernel
	words   int // of one lane mask: lanes / 64
	choices []choice

	evaluate, goal, advance *program
}

func (m *Machine) engine(k kernel) *engine {
	words := int32(k.lanes / 64)
	e := &engine{
		kernel:   k,
		words:    int(words),
		evaluate: m.evaluate.scaled(words),
		goal:     m.goal.scaled(words),
		advance:  m.advance.scaled(words),
	}
	for r, rows := range m.legal {
		offsets := make([]int32, len(rows))
		for i, row := range rows {
			offsets[i] = row * words
		}
		e.choices = append(e.choices, newChoice(offsets, m.does[r]*words))
	}
	return e
}

func (e *engine) bytes() int64 { return e.evaluate.bytes() + e.goal.bytes() + e.advance.bytes() }
