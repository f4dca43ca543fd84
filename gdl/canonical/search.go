package canonical

import (
	"cmp"
	"slices"
)

// budget bounds the work of a search: parts of rules that are hashed, and symbols that are copied. It is a tenth of a second.
const (
	budget      = 1 << 22
	copiedAsOne = 8 // symbols whose copies cost as much as one part of a rule
)

// search finds the canonical order of the symbols of a game. Each node of its tree is a partition; a child splits one symbol from
// the target cell. A leaf, where no symbols are alike, is a numbering. The canonical numbering is the least leaf: by the
// traces of the partitions on its path, then by the hash of the rules. Leaves with the same rules are related by an
// automorphism. Subtrees that automorphisms map to searched ones are left out.
type search struct {
	*code
	hasher  hasher
	sums    []uint64 // by symbol: the sum of the hashes of its occurrences in the present round
	touched []int32  // the symbols with such a sum
	marked  []bool   // by rule: it belongs to the present round

	path          []int32 // the split symbols on the way to the present node
	best          leaf    // the least leaf so far
	automorphisms [][]int32
}

// leaf is a path with the numbering at its end.
type leaf struct {
	path   []int32
	traces []uint64 // by depth
	order  []int32  // nil if only the beginning of the path is known
	hash   uint64
}

// order returns the symbols in canonical order, or in order of their names and false if the search exceeds its budget.
func (c *code) order() (order []int32, found bool) {
	s := search{code: c, sums: make([]uint64, len(c.symbols)), marked: make([]bool, len(c.rules))}
	p := newPartition(c.symbols)
	s.refine(p, slices.Clone(p.order))
	s.explore(p)
	if s.hasher.work > budget {
		slices.SortFunc(p.order, func(a, b int32) int { return cmp.Compare(c.symbols[a], c.symbols[b]) })
		return p.order, false
	}
	return s.best.order, true
}

// explore searches the subtree of a partition. It returns the depth of the node at which the search goes on: the parent, or
// an ancestor if an automorphism shows that the rest of its child's subtree brings nothing new.
func (s *search) explore(p *partition) (back int) {
	depth, cell := len(s.path), p.target()
	if cell == nil {
		return s.compare(p)
	}
	var tried []int32
	images := make([]bool, len(p.order))
	for _, v := range cell {
		if images[v] {
			continue
		}
		if s.hasher.work += len(p.order) / copiedAsOne; s.hasher.work > budget {
			return -1
		}
		tried = append(tried, v)
		child := p.individualise(v)
		if !s.isLeast(s.refine(child, []int32{v})) {
			continue
		}
		s.path = append(s.path, v)
		back = s.explore(child)
		s.path = s.path[:depth]
		if back < depth {
			return back
		}
		s.markImages(tried, images)
	}
	return depth - 1
}

// isLeast reports whether a child with a trace may lead to the least leaf. A lesser trace replaces the best leaf.
func (s *search) isLeast(trace uint64) bool {
	b, depth := &s.best, len(s.path)
	if depth == len(b.traces) && b.order == nil || depth < len(b.traces) && trace < b.traces[depth] {
		*b = leaf{traces: append(b.traces[:depth], trace)}
	}
	return depth < len(b.traces) && trace == b.traces[depth]
}

// compare compares a leaf with the best one and returns the depth at which the search goes on.
func (s *search) compare(p *partition) (back int) {
	b, hash := &s.best, uint64(0)
	for i := range s.rules {
		hash += mix(s.hasher.canon(&s.rules[i], p.colours), 0)
	}
	switch {
	case b.order == nil || hash < b.hash:
		b.path, b.order, b.hash = slices.Clone(s.path), p.order, hash
	case hash == b.hash:
		image := make([]int32, len(p.order))
		for i, v := range b.order {
			image[v] = p.order[i]
		}
		s.automorphisms = append(s.automorphisms, image)
		for back = 0; s.path[back] == b.path[back]; back++ {
		}
		return back
	}
	return len(s.path) - 1
}

// markImages marks exactly the symbols to which known automorphisms that fix the path map searched ones.
func (s *search) markImages(searched []int32, images []bool) {
	clear(images)
	var fixing [][]int32
	for _, image := range s.automorphisms {
		if !slices.ContainsFunc(s.path, func(v int32) bool { return image[v] != v }) {
			fixing = append(fixing, image)
		}
	}
	for reached := slices.Clone(searched); len(reached) > 0; reached = reached[1:] {
		s.hasher.work += len(fixing)
		for _, image := range fixing {
			if v := image[reached[0]]; !images[v] {
				images[v], reached = true, append(reached, v)
			}
		}
	}
}
