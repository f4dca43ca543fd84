package table

import (
	"math/bits"
	"slices"

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
	moved     []uint64         // the fluents that are not their own images
	to        []int32          // the image of each fluent
	moves     [][]machine.Move // the image of each move, by role
	exchanges bool
}

// Representative is what a Canon says of a position.
type Representative struct {
	State machine.State // valid until the next call
	// Exchanged tells that the players of the position have changed places in
	// State.
	Exchanged bool
	// Own tells that a symmetry leaves the position as it is; Even, that one does
	// which exchanges the players: it is worth as much to the one as to the other.
	Own, Even bool

	by *permutation // nil if the position stands for itself
}

// Move is the move in State that is move m of role r in the position; the players
// must not be exchanged.
func (r *Representative) Move(role machine.Role, m machine.Move) machine.Move {
	if r.by == nil {
		return m
	}
	return r.by.moves[role][m]
}

// Preimage is the move in the position that is move m of role r in State; the
// players must not be exchanged.
func (r *Representative) Preimage(role machine.Role, m machine.Move) machine.Move {
	if r.by == nil {
		return m
	}
	return machine.Move(slices.Index(r.by.moves[role], m))
}

// NewCanon makes a Canon of those symmetries of m that leave the given players
// in their places or, if exchange is true, exchange them. In a game of one player
// both are the same.
func NewCanon(m machine.Machine, players [2]machine.Role, exchange bool) *Canon {
	c := &Canon{image: make(machine.State, m.Words()), best: make(machine.State, m.Words())}
	for _, y := range m.Symmetries() {
		first, second := y.Roles[players[0]], y.Roles[players[1]]
		stays := first == players[0] && second == players[1]
		if !stays && !(exchange && first == players[1] && second == players[0]) {
			continue
		}
		p := permutation{moved: make([]uint64, m.Words()), to: y.Fluents, moves: y.Moves, exchanges: !stays}
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
		if c.image.Equal(q) {
			r.Own, r.Even = true, r.Even || p.exchanges
		}
		if less(c.image, r.State) {
			c.image, c.best = c.best, c.image
			r.State, r.Exchanged, r.by = c.best, p.exchanges, p
		}
	}
	return r
}

// Keep is Find, with a representative that lasts as long as q and dst, which it
// is written into where it is not q itself.
func (c *Canon) Keep(dst, q machine.State) Representative {
	r := c.Find(q)
	if r.by != nil {
		copy(dst, r.State)
		r.State = dst
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
