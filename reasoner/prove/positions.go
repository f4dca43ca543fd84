package prove

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// positions are a set of positions, one after the other in the order in which they were
// added, with a table of their numbers by open addressing.
type positions struct {
	words  int
	states []uint64
	slots  []int32 // 1 + number of a position; 0 for none; at most half of them are taken
}

func newPositions(words int) *positions {
	return &positions{words: words, slots: make([]int32, 1<<10)}
}

func (p *positions) len() int { return len(p.states) / p.words }

// at is a position by its number. It is valid until the next call of add.
func (p *positions) at(i int) machine.State { return p.states[i*p.words : (i+1)*p.words] }

// add adds a position, and tells whether it is new.
func (p *positions) add(s machine.State) bool {
	if 2*p.len() >= len(p.slots) {
		p.slots = make([]int32, 2*len(p.slots))
		for i := range p.len() {
			*p.slot(p.at(i)) = int32(i + 1)
		}
	}
	slot := p.slot(s)
	if *slot > 0 {
		return false
	}
	p.states = append(p.states, s...)
	*slot = int32(p.len())
	return true
}

// slot is that of a position, or the one that it would take.
func (p *positions) slot(s machine.State) *int32 {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴/φ
	hash := uint64(odd)
	for _, w := range s {
		high, low := bits.Mul64(hash^w, odd)
		hash = high ^ low + odd
	}
	for i := hash; ; i++ {
		slot := &p.slots[i&uint64(len(p.slots)-1)]
		if *slot == 0 || slices.Equal(p.at(int(*slot-1)), s) {
			return slot
		}
	}
}
