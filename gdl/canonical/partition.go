package canonical

import (
	"cmp"
	"slices"
)

// partition is an ordered partition of the symbols into cells. The colour of a symbol is the index at which its cell begins.
type partition struct {
	order   []int32 // the symbols, cell by cell
	colours []int32 // by symbol
	ends    []int32 // by the first index of a cell: the index after the cell
}

// newPartition returns a partition with a cell for each fixed symbol, in order of names, and one for all others.
func newPartition(symbols []string) *partition {
	n := len(symbols)
	p := &partition{make([]int32, n), make([]int32, n), make([]int32, n)}
	fixed := 0
	for i, name := range symbols {
		p.order[i] = int32(i)
		if isFixed(name) {
			p.order[i], p.order[fixed] = p.order[fixed], int32(i)
			fixed++
		}
	}
	slices.SortFunc(p.order[:fixed], func(a, b int32) int { return cmp.Compare(symbols[a], symbols[b]) })
	for i := range fixed {
		p.setCell(i, i+1)
	}
	p.setCell(fixed, n)
	return p
}

// setCell makes a part of the order, unless it is empty, a cell.
func (p *partition) setCell(from, to int) {
	for _, s := range p.order[from:to] {
		p.colours[s], p.ends[from] = int32(from), int32(to)
	}
}

// target returns the first cell with several symbols; nil if there is none.
func (p *partition) target() (cell []int32) {
	for from := 0; from < len(p.order); from = int(p.ends[from]) {
		if c := p.order[from:p.ends[from]]; len(c) > 1 {
			return c
		}
	}
	return nil
}

// individualise returns a partition in which a symbol is a cell before the rest of its cell.
func (p *partition) individualise(v int32) *partition {
	p = &partition{slices.Clone(p.order), slices.Clone(p.colours), slices.Clone(p.ends)}
	from := int(p.colours[v])
	to := int(p.ends[from])
	i := from + slices.Index(p.order[from:to], v)
	p.order[from], p.order[i] = v, p.order[from]
	p.setCell(from, from+1)
	p.setCell(from+1, to)
	return p
}

// refine splits cells until the symbols of a cell have equal occurrences in rules. Changed are the symbols with new colours. It
// returns the trace: a hash of all splits, which does not depend on names.
func (s *search) refine(p *partition, changed []int32) (trace uint64) {
	for len(changed) > 0 && s.hasher.work <= budget {
		trace = mix(trace, s.look(p, changed))
		var cells []int32
		for _, v := range s.touched {
			cells = append(cells, p.colours[v])
		}
		slices.Sort(cells)
		changed = nil
		for _, from := range slices.Compact(cells) {
			changed = append(changed, s.splitCell(p, int(from), &trace)...)
		}
		for _, v := range s.touched {
			s.sums[v] = 0
		}
		s.touched = s.touched[:0]
	}
	return trace
}

// look adds up the occurrences of symbols that share cells, in the rules with changed symbols. It returns a hash of these rules.
func (s *search) look(p *partition, changed []int32) (sum uint64) {
	var rules []int32
	for _, v := range changed {
		for _, r := range s.uses[v] {
			if !s.marked[r] {
				s.marked[r], rules = true, append(rules, r)
			}
		}
	}
	for _, r := range rules {
		s.marked[r] = false
		hash := mix(s.hasher.hash(&s.rules[r], p.colours), 0)
		sum += hash
		for i, literal := range s.rules[r].literals {
			for j, v := range literal {
				if v < 0 || p.ends[p.colours[v]] == p.colours[v]+1 {
					continue
				}
				if s.sums[v] == 0 {
					s.touched = append(s.touched, v)
				}
				s.sums[v] += mix(mix(hash, s.hasher.literals[i]), uint64(j))
			}
		}
	}
	return sum
}

// splitCell splits a cell by the sums of its symbols. It returns the symbols that count as changed: all but the largest part, as
// the other parts determine its occurrences (Hopcroft).
func (s *search) splitCell(p *partition, from int, trace *uint64) (changed []int32) {
	to := int(p.ends[from])
	s.hasher.work += to - from
	slices.SortFunc(p.order[from:to], func(a, b int32) int { return cmp.Compare(s.sums[a], s.sums[b]) })
	largest, size := from, 0
	for i, end := from, from; i < to; i = end {
		for sum := s.sums[p.order[i]]; end < to && s.sums[p.order[end]] == sum; {
			end++
		}
		p.setCell(i, end)
		*trace = mix(mix(*trace, uint64(i)), s.sums[p.order[i]])
		if end-i > size {
			largest, size = i, end-i
		}
	}
	return slices.Concat(p.order[from:largest], p.order[largest+size:to])
}
