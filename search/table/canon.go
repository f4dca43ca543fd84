package table

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// Canon chooses one position of all those that the symmetries of a game map onto
// each other, so that they can share an entry of a table: the one with the least hash. If the
// symmetries are not a group, or two images that differ have the same hash, as in one of some thousand
// positions, positions that could share an entry may not. A Canon belongs to one goroutine.
//
// The hash is that of Zobrist (1970), of 16 bits, those of four images side by side in a word, changed from that of the position
// before, which is mostly a sibling.
//
// Cost: for each fluent that has changed, and is not its own image by all symmetries, an operation for four of them; then one
// image is made, from the last one by the same symmetry.
type Canon struct {
	symmetries []permutation
	moved      []uint64 // the fluents that are not their own images by all symmetries
	// keys, by fluent, are the numbers of its images, of itself at first; hashes are those of the images of the position before.
	keys, hashes []uint64
	before       machine.State
}

const (
	hashBits     = 16
	hashMask     = 1<<hashBits - 1
	hashesInWord = 64 / hashBits
)

// permutation is a symmetry as it acts on positions.
type permutation struct {
	moved     []uint64         // the fluents that are not their own images
	to        []int32          // the image of each fluent
	moves     [][]machine.Move // the image of each move, by role
	exchanges bool
	before    machine.State // whose image was made last
	image     machine.State
}

// Representative is what a Canon says of a position.
type Representative struct {
	State machine.State // valid until the next call
	// Exchanged tells that the players of the position have changed places in
	// State.
	Exchanged bool
	// Even tells that a symmetry that exchanges the players leaves the position as it is:
	// it is worth as much to the one as to the other.
	Even bool

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
	c := &Canon{before: make(machine.State, m.Words()), moved: make([]uint64, m.Words())}
	for _, y := range m.Symmetries() {
		first, second := y.Roles[players[0]], y.Roles[players[1]]
		stays := first == players[0] && second == players[1]
		if !stays && !(exchange && first == players[1] && second == players[0]) {
			continue
		}
		p := permutation{
			moved: make([]uint64, m.Words()), to: y.Fluents, moves: y.Moves, exchanges: !stays,
			before: make(machine.State, m.Words()), image: make(machine.State, m.Words()),
		}
		for f, image := range y.Fluents {
			if int(image) != f {
				machine.State(p.moved).Set(f)
				machine.State(c.moved).Set(f)
			}
		}
		c.symmetries = append(c.symmetries, p)
	}
	c.draw()
	return c
}

// draw draws the numbers of all fluents.
func (c *Canon) draw() {
	numbers, rng := make([]uint64, 64*len(c.moved)), machine.NewRand(1)
	for f := range numbers {
		numbers[f] = rng.Uint64() & hashMask
	}
	words := 1 + len(c.symmetries)/hashesInWord
	c.hashes, c.keys = make([]uint64, words), make([]uint64, words*len(numbers))
	for f, own := range numbers {
		c.keys[f*words] = own
	}
	for k, p := range c.symmetries {
		for f, image := range p.to {
			c.keys[f*words+(k+1)/hashesInWord] |= numbers[image] << ((k + 1) % hashesInWord * hashBits)
		}
	}
}

// hash finds the hashes of all images of q from those of the position before.
func (c *Canon) hash(q machine.State) {
	hashes := c.hashes
	for i, w := range q {
		for changed := (w ^ c.before[i]) & c.moved[i]; changed != 0; changed &= changed - 1 {
			row := c.keys[(i<<6+bits.TrailingZeros64(changed))*len(hashes):][:len(hashes)]
			for k, x := range row {
				hashes[k] ^= x
			}
		}
	}
	copy(c.before, q)
}

// Find returns the representative of position q.
func (c *Canon) Find(q machine.State) Representative {
	r := Representative{State: q}
	if len(c.symmetries) == 0 {
		return r
	}
	c.hash(q)
	rest := c.hashes[0]
	own := rest & hashMask
	least := own << 32 // with the number of the symmetry, 0 for none, behind
	for k := range c.symmetries {
		if rest >>= hashBits; (k+1)%hashesInWord == 0 {
			rest = c.hashes[(k+1)/hashesInWord]
		}
		h := rest & hashMask
		least = min(least, h<<32|uint64(k+1))
		if h == own && c.symmetries[k].exchanges && !r.Even {
			r.Even = c.symmetries[k].imageOf(q).Equal(q)
		}
	}
	if k := uint32(least); k > 0 {
		p := &c.symmetries[k-1]
		r.State, r.Exchanged, r.by = p.imageOf(q), p.exchanges, p
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

// imageOf is the image of q, valid until the next call.
func (p *permutation) imageOf(q machine.State) machine.State {
	for i, w := range q {
		changed := w ^ p.before[i]
		p.before[i] = w
		p.image[i] ^= changed &^ p.moved[i]
		for changed &= p.moved[i]; changed != 0; changed &= changed - 1 {
			f := p.to[i<<6+bits.TrailingZeros64(changed)]
			p.image[f>>6] ^= 1 << (uint(f) & 63)
		}
	}
	return p.image
}
