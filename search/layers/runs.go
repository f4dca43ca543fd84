package layers

import (
	"slices"

	"stackmate/internal/scratch"
)

// runs collects keys, which come in any order and again and again, as sets: a buffer is sorted
// when it is full, and sets of similar length are merged, so that each key is merged a
// logarithmic number of times.
type runs struct {
	room   int // of the buffer
	buffer []uint64
	other  []uint64
	sets   [][]uint64 // ascending, each at least twice as long as the next one

	recent [1 << recentBits]uint64 // keys that were added a short time ago, plus 1, by hash
}

// recentBits: half of the keys of goofspiel, and more where many joint moves have one outcome, come again
// within some thousands.
const recentBits = 12

// add adds a key; full tells that there was a flush.
func (r *runs) add(key uint64) (full bool) {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴/φ
	recent := &r.recent[key*odd>>(64-recentBits)]
	if *recent == key+1 {
		return false
	}
	*recent = key + 1
	if len(r.buffer) == r.room {
		r.flush()
		full = true
	}
	r.buffer = append(r.buffer, key)
	return full
}

// flush turns the buffer into a set.
func (r *runs) flush() {
	if len(r.buffer) == 0 {
		return
	}
	r.other = scratch.Resize(r.other, len(r.buffer))
	r.sets = append(r.sets, slices.Clone(sortKeys(r.buffer, r.other)))
	r.buffer = r.buffer[:0]
	for n := len(r.sets); n > 1 && len(r.sets[n-2]) < 2*len(r.sets[n-1]); n-- {
		r.sets[n-2] = merge(r.sets[n-2], r.sets[n-1])
		r.sets = r.sets[:n-1]
	}
}

// bytes is the memory in use, in which sets that are merged are there twice.
func (r *runs) bytes() int64 {
	n := cap(r.buffer) + cap(r.other)
	for _, s := range r.sets {
		n += 2 * cap(s)
	}
	return 8 * int64(n)
}

// union is the set of all keys of several collections, which it empties.
func union(all []*runs) []uint64 {
	sets := [][]uint64{nil}
	for _, r := range all {
		r.flush()
		sets = append(sets, r.sets...)
		*r = runs{}
	}
	for n := len(sets); n > 1; n-- {
		slices.SortFunc(sets, func(a, b []uint64) int { return len(b) - len(a) })
		sets[n-2] = merge(sets[n-2], sets[n-1])
		sets = sets[:n-1]
	}
	return sets[0]
}

// sortKeys sorts keys by their digits, the last ones first (radix sort), and removes repetitions. The
// result is in the memory of one of both, which are as long as each other.
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

// merge is the union of two sets.
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
	return append(append(out, a...), b...)
}
