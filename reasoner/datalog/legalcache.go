package datalog

import "stackmate/reasoner/machine"

// legalCache remembers the legal moves of recent positions. A batch asks for them
// once to evaluate its lanes and once more to choose moves, after it has visited
// the other lanes; computing them is most of the work of a position.
type legalCache struct {
	entries [cacheEntries]cachedMoves
}

// cacheEntries is twice the number of lanes of a scalar batch, so that few lanes
// displace each other.
const cacheEntries = 128

// cachedMoves is a position with its legal moves, role by role.
type cachedMoves struct {
	state machine.State
	moves []machine.Move
	start []int32 // by role: where its moves start; one more for the end
}

// entry is the place of a position, which may hold another one.
func (c *legalCache) entry(s machine.State) *cachedMoves {
	h := uint64(len(s))
	for _, w := range s {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return &c.entries[h%cacheEntries]
}

func (x *cachedMoves) holds(s machine.State) bool { return len(x.start) > 0 && x.state.Equal(s) }

func (x *cachedMoves) of(r machine.Role) []machine.Move { return x.moves[x.start[r]:x.start[r+1]] }
