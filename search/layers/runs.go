package layers

import (
	"slices"

	"stackmate/internal/scratch"
)

// buffer collects keys in any order, with duplicates, until it is full.
type buffer struct {
	room  int
	keys  []uint64
	other []uint64 // scratch for sorting, same length

	recent [1 << recentBits]uint64 // recently added keys, plus 1, by hash
}

// recentBits is the size of the filter of recent keys. In goofspiel half of the keys recur within some
// thousand keys, in games where many joint moves have one outcome even more.
const recentBits = 12

// add adds a key and reports whether the buffer is full.
func (r *buffer) add(key uint64) (full bool) {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴/φ
	recent := &r.recent[key*odd>>(64-recentBits)]
	if *recent == key+1 && key+1 != 0 { // 0 is an empty slot
		return false
	}
	*recent = key + 1
	r.keys = append(r.keys, key)
	return len(r.keys) >= r.room
}

// flush empties the buffer and returns its keys as a set.
func (r *buffer) flush() []uint64 {
	if len(r.keys) == 0 {
		return nil
	}
	r.other = scratch.Resize(r.other, len(r.keys))
	set := slices.Clone(sortKeys(r.keys, r.other))
	r.keys = r.keys[:0]
	return set
}

// reset discards all keys.
func (r *buffer) reset() {
	r.keys = r.keys[:0]
	clear(r.recent[:])
}

// bytes returns the memory in use.
func (r *buffer) bytes() int64 { return 8 * int64(cap(r.keys)+cap(r.other)) }

// union returns the union of several sets and reuses their slice.
func union(sets [][]uint64) []uint64 {
	sets = append(sets, nil)
	for n := len(sets); n > 1; n-- {
		slices.SortFunc(sets, func(a, b []uint64) int { return len(b) - len(a) })
		sets[n-2] = merge(sets[n-2], sets[n-1])
		sets = sets[:n-1]
	}
	return sets[0]
}

// sortKeys sorts keys by radix sort, least significant digit first, and removes duplicates. keys and other
// have equal length; the result is in one of them.
func sortKeys(keys, other []uint64) []uint64 {
	const digit = 11
	greatest := slices.Max(keys)
	for shift := 0; greatest>>shift != 0; shift += digit {
		var starts [1 << digit]int
		for _, k := range keys {
			starts[k>>shift&(1<<digit-1)]++
		}
		sum := 0
		for v, n := range starts {
			starts[v] = sum
			sum += n
		}
		for _, k := range keys {
			at := &starts[k>>shift&(1<<digit-1)]
			other[*at] = k
			*at++
		}
		keys, other = other, keys
	}
	return slices.Compact(keys)
}

// merge returns the union of two sets.
func merge(a, b []uint64) []uint64 {
	out := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		out = append(out, min(x, y))
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	out = append(append(out, a...), b...)
	if len(out) < cap(out)/4*3 {
		return slices.Clone(out)
	}
	return out
}
