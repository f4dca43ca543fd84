package layers

import (
	"math/bits"

	"stackmate/reasoner/machine"
	"stackmate/search/table"
)

// layer are the positions that so many joint moves lead to, without the terminal ones, with
// what is known of them.
type layer struct {
	// Those that fit the packing that was guessed and, if there are any, the others, which have
	// a packing of their own.
	parts  []*part
	values []float64 // goal points of the first player; nil if they are not known yet, or in the folder only
	solved bool      // the values are known: here or in the folder
}

// part are the positions of a layer that have one packing.
type part struct {
	*packing
	count int      // of positions
	keys  []uint64 // ascending; nil if they are in the folder only

	// Keys with the same leading bits: from starts[v] to starts[v+1].
	starts []uint32
	shift  int
}

// maxPart bounds the positions of a part: starts are numbers of 32 bits.
const maxPart = 1<<32 - 1

// len is the number of positions.
func (l *layer) len() int {
	n := 0
	for _, p := range l.parts {
		n += p.count
	}
	return n
}

// bytes is the memory of the layer.
func (l *layer) bytes() int64 {
	n := 8 * cap(l.values)
	for _, p := range l.parts {
		n += 8*cap(p.keys) + 4*cap(p.starts)
	}
	return int64(n)
}

// drop leaves the layer to the folder.
func (l *layer) drop() {
	l.values = nil
	for _, p := range l.parts {
		p.keys, p.starts = nil, nil
	}
}

// digest is a sum over the positions of the layer, in whatever way they are packed.
func (l *layer) digest(stateWords int) uint64 {
	sum := uint64(0)
	q := make(machine.State, stateWords)
	for _, p := range l.parts {
		for _, key := range p.keys {
			p.unpack(q, key)
			sum += table.Hash(q)
		}
	}
	return sum
}

// index makes the keys ready for find.
func (l *layer) index() {
	for _, p := range l.parts {
		if p.starts != nil {
			continue
		}
		const perStart = 4 // keys, if they were spread evenly
		width := min(p.width, bits.Len(uint(p.count/perStart)))
		p.shift = p.width - width
		p.starts = make([]uint32, 1<<width+1)
		for _, key := range p.keys {
			p.starts[key>>p.shift+1]++
		}
		for v := range p.starts[1:] {
			p.starts[v+1] += p.starts[v]
		}
	}
}

// find is the number of a key, or -1.
func (p *part) find(key uint64) int {
	v := key >> p.shift
	low, high := int(p.starts[v]), int(p.starts[v+1])
	for low < high {
		middle := int(uint(low+high) >> 1)
		if p.keys[middle] < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(p.keys) && p.keys[low] == key {
		return low
	}
	return -1
}

// find is the number of the position that stands for q, or -1; exchanged tells that the players have changed places
// in it. The layer has an index.
func (l *layer) find(q machine.State) (at int, exchanged bool) {
	first := 0
	for _, p := range l.parts {
		if key, ok := p.pack(q); ok {
			key, exchanged = p.represent(key)
			if at = p.find(key); at >= 0 {
				at += first
			}
			return at, exchanged
		}
		first += p.count
	}
	return -1, false
}
