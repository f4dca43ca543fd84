package bridge

import "math/bits"

// worlds is a set of layouts, by number.
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

// len is the number of elements.
func (s worlds) len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// common is the number of elements that two sets share.
func (s worlds) common(t worlds) int {
	n := 0
	for i, w := range s {
		n += bits.OnesCount64(w & t[i])
	}
	return n
}

// isSingle tells whether the set has exactly one element.
func (s worlds) isSingle() bool {
	n := 0
	for _, w := range s {
		if n += bits.OnesCount64(w); n > 1 {
			return false
		}
	}
	return n == 1
}

func (s worlds) within(t worlds) bool {
	for i, w := range s {
		if w&^t[i] != 0 {
			return false
		}
	}
	return true
}

func (s worlds) meets(t worlds) bool {
	for i, w := range s {
		if w&t[i] != 0 {
			return true
		}
	}
	return false
}

// intersectionWithin tells whether what s and t share lies within u.
func (s worlds) intersectionWithin(t, u worlds) bool {
	for i, w := range s {
		if w&t[i]&^u[i] != 0 {
			return false
		}
	}
	return true
}

// first is the smallest element of a set that is not empty.
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

// union, intersection and without put their result into u.
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

// loss is a set of worlds that a plan loses, and what it weighs.
type loss struct {
	set    worlds
	weight int
}

// losses is a choice between sets of worlds that are lost: the lattice of Section 5,
// with what a plan loses in place of what it wins. None at all (nil) is a choice that
// offers no plan within the limit.
type losses []loss

// hasNothing tells whether a plan loses no world at all.
func (f losses) hasNothing() bool { return len(f) == 1 && f[0].weight == 0 }
