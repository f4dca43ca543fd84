package circuit

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

// scale turns row numbers into word offsets, for rows of the given words.
func (p *program) scale(words int32) {
	for i := range p.segments {
		seg := &p.segments[i]
		for k := range seg.vars {
			seg.vars[k] *= words
		}
		for k := 0; k < len(seg.code); {
			n := int(seg.code[k+3] * (1 + seg.code[k+1] + seg.code[k+2]))
			k += runHeader
			for end := k + n; k < end; k++ {
				seg.code[k] *= words
			}
		}
	}
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
