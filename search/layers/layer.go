package layers

import (
	"math/bits"

	"stackmate/reasoner/machine"
	"stackmate/search/table"
)

// layer are the positions that so many joint moves lead to, without the terminal ones, with
// what is known of them.
type layer struct {
	*packing
	count  int       // of positions
	keys   []uint64  // ascending; nil if they are in the folder only
	values []float64 // goal points of the first player; nil if they are not known yet, or in the folder only
	solved bool      // the values are known: here or in the folder

	// Keys with the same leading bits: from starts[v] to starts[v+1].
	starts []uint32
	shift  int
}

// maxLayer bounds the positions of a layer: starts are numbers of 32 bits.
const maxLayer = 1<<32 - 1

// bytes is the memory of the layer.
func (l *layer) bytes() int64 { return int64(8*cap(l.values) + 8*cap(l.keys) + 4*cap(l.starts)) }

// drop leaves the layer to the folder.
func (l *layer) drop() { l.values, l.keys, l.starts = nil, nil, nil }

// digest is a sum over the positions of the layer, in whatever way they are packed.
func (l *layer) digest() uint64 {
	sum := uint64(0)
	q := make(machine.State, len(l.value))
	for _, key := range l.keys {
		l.unpack(q, key)
		sum += table.Hash(q)
	}
	return sum
}

// index makes the keys ready for find.
func (l *layer) index() {
	if l.starts != nil || l.count == 0 {
		return
	}
	const perStart = 4 // keys, if they were spread evenly
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

// find is the number of the position that stands for q, or -1; exchanged tells that the players have changed places
// in it. The layer has an index.
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
