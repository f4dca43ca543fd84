package plan

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// tree is a set of positions, numbered in the order of their insertion, each with its predecessor and the move from
// there. Positions with equal fluents in mask are equal.
//
// It is a hash table with open addressing, at most half full. A position costs its words and 16 to 24 bytes; a lookup
// costs a hash of its words and a comparison or two.
type tree struct {
	mask   machine.State
	states []uint64
	from   []int32 // by position: its predecessor, or none
	moves  []machine.Move
	slots  []int32 // 1 + number of a position; 0 if empty
}

// none is the number of no position.
const none int32 = -1

func newTree(mask machine.State) *tree { return &tree{mask: mask, slots: make([]int32, 1<<10)} }

func (t *tree) len() int { return len(t.from) }

// bytes returns the approximate memory of the tree.
func (t *tree) bytes() int64 {
	return 8*int64(cap(t.states)) + 8*int64(cap(t.from)) + 4*int64(len(t.slots))
}

// state returns a position by its number. It is valid until the next call of add.
func (t *tree) state(i int32) machine.State {
	w := len(t.mask)
	return t.states[int(i)*w:][:w]
}

// add adds a position, unless the tree contains an equal position, and returns its number.
func (t *tree) add(s machine.State, from int32, move machine.Move) (number int32, isNew bool) {
	if 2*t.len() >= len(t.slots) {
		t.slots = make([]int32, 2*len(t.slots))
		for i := range int32(t.len()) {
			*t.slot(t.state(i)) = i + 1
		}
	}
	slot := t.slot(s)
	if *slot > 0 {
		return *slot - 1, false
	}
	t.states, t.from, t.moves = append(t.states, s...), append(t.from, from), append(t.moves, move)
	*slot = int32(t.len())
	return *slot - 1, true
}

// find returns the number of a position, or none.
func (t *tree) find(s machine.State) int32 { return *t.slot(s) - 1 }

// slot returns the slot of a position, or the slot for its insertion.
func (t *tree) slot(s machine.State) *int32 {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴/φ
	hash := uint64(odd)
	for w, mask := range t.mask {
		high, low := bits.Mul64(hash^s[w]&mask, odd)
		hash = high ^ low + odd
	}
	for i := hash; ; i++ {
		slot := &t.slots[i&uint64(len(t.slots)-1)]
		if *slot == 0 || t.isSame(t.state(*slot-1), s) {
			return slot
		}
	}
}

func (t *tree) isSame(a, b machine.State) bool {
	for w, mask := range t.mask {
		if (a[w]^b[w])&mask != 0 {
			return false
		}
	}
	return true
}

// line returns the joint moves that lead to a position.
func (t *tree) line(i int32) [][]machine.Move {
	var line [][]machine.Move
	for ; t.from[i] != none; i = t.from[i] {
		line = append(line, []machine.Move{t.moves[i]})
	}
	slices.Reverse(line)
	return line
}
