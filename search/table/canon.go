package table

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// Canon maps each position to a representative of its symmetry class, so that symmetric positions
// share an entry of a table: the image with the least hash. If the symmetries are not a group, or two
// different images collide (about one position in some thousand), symmetric positions may get different
// entries. A Canon belongs to one goroutine.
//
// The hash is a 16-bit Zobrist hash (1970). The hashes of four images share a word, and are updated
// incrementally from the previous position, mostly a sibling.
//
// Cost: for each changed fluent that some symmetry moves, one operation for four images; then one image
// is updated, from the previous image under the same symmetry.
type Canon struct {
	symmetries []permutation
	moved      []uint64 // fluents that some symmetry moves
	// keys: by fluent, the Zobrist keys of its images, itself first. hashes: of the images of before.
	keys, hashes []uint64
	before       machine.State
}

const (
	hashBits     = 16
	hashMask     = 1<<hashBits - 1
	hashesInWord = 64 / hashBits
)

// permutation is a symmetry applied to positions.
type permutation struct {
	moved     []uint64         // fluents that the symmetry moves
	to        []int32          // the image of each fluent
	moves     [][]machine.Move // the image of each move, by role
	exchanges bool
	before    machine.State // the position whose image is in image
	image     machine.State
}

// Representative is the representative of a position.
type Representative struct {
	State machine.State // valid until the next call
	// Exchanged reports whether State has the players of the position exchanged.
	Exchanged bool
	// Even reports whether a symmetry that exchanges the players maps the position to itself: both
	// players get the same value.
	Even bool

	by *permutation // nil if State is the position itself
}

// Move returns the move in State that corresponds to move m of a role in the position. If the players are exchanged, it is
// a move of the other player.
func (r *Representative) Move(role machine.Role, m machine.Move) machine.Move {
	if r.by == nil {
		return m
	}
	return r.by.moves[role][m]
}

// Preimage returns the move of a role in the position that corresponds to move m in State. If the players are exchanged, m is
// a move of the other player.
func (r *Representative) Preimage(role machine.Role, m machine.Move) machine.Move {
	if r.by == nil {
		return m
	}
	return machine.Move(slices.Index(r.by.moves[role], m))
}

// NewCanon returns a Canon of the symmetries of m that fix both players or, if exchange is true,
// exchange them. In a game of one player both are the same.
func NewCanon(m machine.Machine, players [2]machine.Role, exchange bool) *Canon {
	c := &Canon{before: make(machine.State, len(m.Initial())), moved: make([]uint64, len(m.Initial()))}
	for _, y := range facts.Symmetries(m) {
		first, second := y.Roles[players[0]], y.Roles[players[1]]
		stays := first == players[0] && second == players[1]
		if !stays && !(exchange && first == players[1] && second == players[0]) {
			continue
		}
		p := permutation{
			moved: make([]uint64, len(m.Initial())), to: y.Fluents, moves: y.Moves, exchanges: !stays,
			before: make(machine.State, len(m.Initial())), image: make(machine.State, len(m.Initial())),
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

// Exchanges reports whether a symmetry of c exchanges the players.
func (c *Canon) Exchanges() bool {
	return slices.ContainsFunc(c.symmetries, func(p permutation) bool { return p.exchanges })
}

// draw draws the Zobrist keys of the fluents.
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

// hash updates the hashes of all images to position q.
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
	least := own << 32 // the number of the symmetry, 0 for none, in the low bits
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

// imageOf returns the image of q, valid until the next call.
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
