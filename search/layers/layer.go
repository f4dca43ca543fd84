package layers

import (
	"math/bits"

	"stackmate/reasoner/machine"
	"stackmate/search/table"
)

// layer is the set of nonterminal positions after a number of joint moves, with their values.
type layer struct {
	*packing
	count  int       // number of positions
	keys   []uint64  // ascending; nil if they are only in the folder
	values []float64 // goal points of the first player; nil if unknown, or only in the folder
	solved bool      // the values are known, in memory or in the folder

	// Keys with leading bits v are keys[starts[v]:starts[v+1]].
	starts []uint32
	shift  int
}

// maxLayer is the maximum number of positions of a layer: starts has 32 bits.
const maxLayer = 1<<32 - 1

// bytes returns the memory of the layer.
func (l *layer) bytes() int64 { return int64(8*cap(l.values) + 8*cap(l.keys) + 4*cap(l.starts)) }

// drop unloads the layer.
func (l *layer) drop() { l.values, l.keys, l.starts = nil, nil, nil }

// digest returns a hash of the positions of the layer that does not depend on the packing.
func (l *layer) digest() uint64 {
	sum := uint64(0)
	q := make(machine.State, len(l.value))
	for _, key := range l.keys {
		l.unpack(q, key)
		sum += table.Hash(q)
	}
	return sum
}

// index builds the index for find.
func (l *layer) index() {
	if l.starts != nil || l.count == 0 {
		return
	}
	const perStart = 4 // keys, if evenly distributed
	width := min(l.width, bits.Len(uint(l.count/perStart)))
	l.shift = l.width - width
	l.starts = make([]uint32, 1<<width+1)
	for _, key := range l.keys {
		l.starts[key>>l.shift+1]++
	}
	for v := range l.starts[1:] {
		l.starts[v+1] += l.starts[v]
	}
}

// find returns the index of the representative of q, or -1. exchanged reports whether the representative
// exchanges the players. The layer must be indexed.
func (l *layer) find(q machine.State) (at int, exchanged bool) {
	key, ok := l.pack(q)
	if !ok || l.count == 0 {
		return -1, false
	}
	key, exchanged = l.represent(key)
	v := key >> l.shift
	low, high := int(l.starts[v]), int(l.starts[v+1])
	for low < high {
		middle := int(uint(low+high) >> 1)
		if l.keys[middle] < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(l.keys) && l.keys[low] == key {
		return low, exchanged
	}
	return -1, false
}
