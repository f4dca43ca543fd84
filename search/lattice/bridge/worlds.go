package bridge

import "math/bits"

// worlds is a set of layouts, as a bit set by number.
type worlds []uint64

func newWorlds(n int) worlds { return make(worlds, (n+63)/64) }

func (s worlds) add(i int) { s[i>>6] |= 1 << (i & 63) }

func (s worlds) isEmpty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// len returns the number of elements.
func (s worlds) len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// overlap returns the number of common elements.
func (s worlds) overlap(t worlds) int {
	n := 0
	for i, w := range s {
		n += bits.OnesCount64(w & t[i])
	}
	return n
}

// isSingle reports whether the set has exactly one element.
func (s worlds) isSingle() bool {
	n := 0
	for _, w := range s {
		if n += bits.OnesCount64(w); n > 1 {
			return false
		}
	}
	return n == 1
}

func (s worlds) isSubset(t worlds) bool {
	for i, w := range s {
		if w&^t[i] != 0 {
			return false
		}
	}
	return true
}

func (s worlds) intersects(t worlds) bool {
	for i, w := range s {
		if w&t[i] != 0 {
			return true
		}
	}
	return false
}

// intersectionIsSubset reports whether s ∩ t ⊆ u.
func (s worlds) intersectionIsSubset(t, u worlds) bool {
	for i, w := range s {
		if w&t[i]&^u[i] != 0 {
			return false
		}
	}
	return true
}

// first returns the smallest element, or -1 for an empty set.
func (s worlds) first() int {
	for k, w := range s {
		if w != 0 {
			return k<<6 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// include adds the elements of t.
func (s worlds) include(t worlds) {
	for i, w := range t {
		s[i] |= w
	}
}

func (s worlds) clone() worlds { return append(worlds(nil), s...) }

// union, intersection and without store their result in u and return it.
func (s worlds) union(t, u worlds) worlds {
	for i, w := range s {
		u[i] = w | t[i]
	}
	return u
}

func (s worlds) intersection(t, u worlds) worlds {
	for i, w := range s {
		u[i] = w & t[i]
	}
	return u
}

func (s worlds) without(t, u worlds) worlds {
	for i, w := range s {
		u[i] = w &^ t[i]
	}
	return u
}

// loss is a set of worlds that a plan loses, with its weight.
type loss struct {
	set    worlds
	weight int
}

// losses is a choice between lost sets: the lattice of Section 5, with lost worlds instead of won worlds.
// A nil slice contains no plan within the limit.
type losses []loss

// hasNothing reports whether a plan loses no world at all.
func (f losses) hasNothing() bool { return len(f) == 1 && f[0].weight == 0 }
