package table

import (
	"math/bits"

	"stackmate/reasoner/machine"
)

// Canon chooses one position of all those that the symmetries of a game map onto
// each other, so that they can share an entry of a table: the least of the images
// of a position, words compared as numbers from the last to the first. If the
// symmetries are not a group, positions that could share an entry may not. A
// Canon belongs to one goroutine.
//
// Cost: for each symmetry, a step for each fluent that is true and not its own
// image.
type Canon struct {
	symmetries  []permutation
	image, best machine.State
}

// permutation is a symmetry as it acts on positions.
type permutation struct {
	moved     []uint64 // the fluents that are not their own images
	to        []int32  // the image of each fluent
	exchanges bool
}

// Representative is what a Canon says of a position.
type Representative struct {
	State machine.State // valid until the next call
	// Exchanged tells that the players of the position have changed places in
	// State.
	Exchanged bool
	// Even tells that a symmetry which exchanges the players leaves the position
	// as it is: it is worth as much to the one as to the other.
	Even bool
}

// NewCanon makes a Canon of those symmetries of m that leave the given players
// in their places or, if exchange is true, exchange them.
func NewCanon(m machine.Machine, players [2]machine.Role, exchange bool) *Canon {
	c := &Canon{image: make(machine.State, m.Words()), best: make(machine.State, m.Words())}
	for _, y := range m.Symmetries() {
		first, second := y.Roles[players[0]], y.Roles[players[1]]
		exchanges := first == players[1] && second == players[0]
		stays := first == players[0] && second == players[1]
		if !stays && !(exchange && exchanges) {
			continue
		}
		p := permutation{moved: make([]uint64, m.Words()), to: y.Fluents, exchanges: exchanges}
		for f, image := range y.Fluents {
			if int(image) != f {
				machine.State(p.moved).Set(f)
			}
		}
		c.symmetries = append(c.symmetries, p)
	}
	return c
}

// Find returns the representative of position q.
func (c *Canon) Find(q machine.State) Representative {
	r := Representative{State: q}
	for i := range c.symmetries {
		p := &c.symmetries[i]
		p.apply(c.image, q)
		if p.exchanges && c.image.Equal(q) {
			r.Even = true
		}
		if less(c.image, r.State) {
			c.image, c.best = c.best, c.image
			r.State, r.Exchanged = c.best, p.exchanges
		}
	}
	return r
}

// apply writes the image of q into dst.
func (p *permutation) apply(dst, q machine.State) {
	for i, w := range q {
		dst[i] = w &^ p.moved[i]
	}
	for i, w := range q {
		for w &= p.moved[i]; w != 0; w &= w - 1 {
			f := p.to[i<<6+bits.TrailingZeros64(w)]
			dst[f>>6] |= 1 << (uint(f) & 63)
		}
	}
}

func less(s, t machine.State) bool {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != t[i] {
			return s[i] < t[i]
		}
	}
	return false
}
