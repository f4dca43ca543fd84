package circuit

// appendCopies appends a run that copies rows, given as pairs (to, from); neg is
// 1 to complement them.
func (p *program) appendCopies(pairs []int32, neg int32) {
	if len(pairs) == 0 {
		return
	}
	code := append([]int32{int32(kernelAnd), 1 - neg, neg, int32(len(pairs) / 2)}, pairs...)
	p.segments = append(p.segments, segment{code: code})
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
