package datalog

import "stackmate/reasoner/machine"

// recall remembers the legal moves of recent positions. A batch asks for them
// once to evaluate its lanes and once more to choose moves, after it has visited
// the other lanes; computing them is most of the work of a position.
type recall struct {
	entries [recallEntries]recalled
}

// recallEntries is twice the number of lanes of a scalar batch, so that few lanes
// displace each other.
const recallEntries = 128

// recalled is a position with its legal moves, role by role.
type recalled struct {
	state machine.State
	moves []machine.Move
	start []int32 // by role: where its moves start; one more for the end
}

// entry is the place of a position, which may hold another one.
func (r *recall) entry(s machine.State) *recalled {
	h := uint64(len(s))
	for _, w := range s {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return &r.entries[h%recallEntries]
}

func (x *recalled) holds(s machine.State) bool { return len(x.start) > 0 && x.state.Equal(s) }

func (x *recalled) of(r machine.Role) []machine.Move { return x.moves[x.start[r]:x.start[r+1]] }
