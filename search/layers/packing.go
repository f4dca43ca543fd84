package layers

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// A packing turns positions into numbers, their keys, and back:
//
//	constant  bits that are the same in all positions: none of the key
//	group     bits of which exactly one is set: a digit, its number in the group
//	flag      any other bit: a digit of 0 or 1
//
// A key is the number with these digits, large groups last, so that positions that differ in
// a large group alone are neighbours. Consecutive digits make chunks, each with bits of its own.
// Packings are guessed (guess.go); so each position is checked when it is packed.
//
// Symmetries act on keys: each of those used maps digits onto digits.
//
// Cost: a step for each bit set that is not constant, and for each group; an image takes
// a table access for each chunk of a key.

// packing is immutable.
type packing struct {
	constant machine.State // mask of the bits that are the same in all positions
	value    machine.State // what these are
	width    int           // of keys, in bits; more than 64 are too many

	code   []uint64 // by bit of a position: what it adds to the key
	groups []group
	chunks []chunk
	images []image
}

// field is a digit: the number of the one bit that is set, or whether a single bit is.
type field struct {
	bits  []int
	place uint64 // what 1 adds to the key
}

// size is the number of values of the digit.
func (f *field) size() uint64 { return uint64(max(2, len(f.bits))) }

// group are the bits of a field of several, as masks of the words that have some.
type group struct {
	word []int
	mask []uint64
}

// chunk are consecutive digits, which are looked up together.
type chunk struct {
	fields []field
	shift  int
	size   uint64   // number of values: at most chunkSize, unless one digit has more
	mask   uint64   // of a value
	states []uint64 // by value: the bits of the position
}

// width is the number of its bits.
func (c *chunk) width() int { return bits.Len64(c.size - 1) }

// of is its value in a key.
func (c *chunk) of(key uint64) uint64 { return key >> c.shift & c.mask }

// image is how a symmetry acts on keys.
type image struct {
	exchanges bool
	tables    [][]uint64 // by chunk, by value: what it adds to the image
}

const chunkSize = 1 << 10

// symmetry is one of the game, as far as positions are concerned.
type symmetry struct {
	to        []int // by bit
	exchanges bool  // the players
}

// of is the image of position q.
func (y *symmetry) of(q machine.State) machine.State {
	image := make(machine.State, len(q))
	for i, w := range q {
		for ; w != 0; w &= w - 1 {
			image.Set(y.to[i<<6+bits.TrailingZeros64(w)])
		}
	}
	return image
}

// newPacking gives the digits, of which the bits are known, their places.
func newPacking(constant, value machine.State, digits [][]int, symmetries []symmetry) *packing {
	p := &packing{constant: constant, value: value, code: make([]uint64, 64*len(constant))}
	digits = slices.Clone(digits)
	slices.SortStableFunc(digits, func(a, b []int) int { return len(b) - len(a) })
	c := chunk{size: 1}
	for _, d := range digits {
		f := field{bits: d}
		if c.size > 1 && c.size*f.size() > chunkSize {
			p.chunks = append(p.chunks, c)
			c = chunk{shift: c.shift + c.width(), size: 1}
		}
		f.place = c.size << c.shift
		c.size *= f.size()
		c.fields = append(c.fields, f)
		for i, b := range d {
			p.code[b] = uint64(i) * f.place
		}
		if len(d) == 1 {
			p.code[d[0]] = f.place
		} else {
			p.groups = append(p.groups, newGroup(d))
		}
	}
	p.chunks, p.width = append(p.chunks, c), c.shift+c.width()
	if p.width > 64 {
		return p
	}
	for i := range p.chunks {
		c := &p.chunks[i]
		c.mask = 1<<c.width() - 1
		c.states = c.tabulate(len(p.value), func(dst []uint64, b int) { machine.State(dst).Set(b) })
	}
	for i := range symmetries {
		if p.keeps(&symmetries[i]) {
			p.images = append(p.images, p.image(&symmetries[i]))
		}
	}
	return p
}

func newGroup(members []int) group {
	var g group
	for _, b := range members {
		i := slices.Index(g.word, b>>6)
		if i < 0 {
			i = len(g.word)
			g.word, g.mask = append(g.word, b>>6), append(g.mask, 0)
		}
		g.mask[i] |= 1 << (b & 63)
	}
	return g
}

// tabulate makes a table by the value of the chunk, of so many words each: those that add
// writes for the bits that are set.
func (c *chunk) tabulate(words int, add func(dst []uint64, b int)) []uint64 {
	table := make([]uint64, words*int(c.size))
	for v := range c.size {
		for _, f := range c.fields {
			digit := v / (f.place >> c.shift) % f.size()
			if len(f.bits) == 1 {
				digit--
			}
			if digit < uint64(len(f.bits)) {
				add(table[v*uint64(words):][:words], f.bits[digit])
			}
		}
	}
	return table
}

// fields are all digits.
func (p *packing) fields() (all []field) {
	for i := range p.chunks {
		all = append(all, p.chunks[i].fields...)
	}
	return all
}

// keeps tells whether a symmetry maps digits onto digits, and constants onto equal ones.
func (p *packing) keeps(y *symmetry) bool {
	of := make([]int, 64*len(p.value)) // by bit: its field, and 1
	fields := p.fields()
	for i, f := range fields {
		for _, b := range f.bits {
			of[b] = i + 1
		}
	}
	for b, image := range y.to {
		if p.constant.Has(b) != p.constant.Has(image) || p.value.Has(b) != p.value.Has(image) {
			return false
		}
	}
	for _, f := range fields {
		to := of[y.to[f.bits[0]]]
		if to == 0 || len(fields[to-1].bits) != len(f.bits) ||
			slices.ContainsFunc(f.bits, func(b int) bool { return of[y.to[b]] != to }) {
			return false
		}
	}
	return true
}

// image tabulates a symmetry.
func (p *packing) image(y *symmetry) image {
	im := image{exchanges: y.exchanges}
	for i := range p.chunks {
		im.tables = append(im.tables, p.chunks[i].tabulate(1, func(dst []uint64, b int) { dst[0] += p.code[y.to[b]] }))
	}
	return im
}

// pack is the key of position q; ok tells whether q fits.
func (p *packing) pack(q machine.State) (key uint64, ok bool) {
	wrong := uint64(0)
	for i, w := range q {
		constant := p.constant[i]
		wrong |= w&constant ^ p.value[i]
		codes := p.code[i<<6:][:64]
		for w &^= constant; w != 0; w &= w - 1 {
			key += codes[bits.TrailingZeros64(w)&63]
		}
	}
	if wrong != 0 {
		return 0, false
	}
	for i := range p.groups {
		g, count := &p.groups[i], 0
		for k, w := range g.word {
			count += bits.OnesCount64(q[w] & g.mask[k])
		}
		if count != 1 {
			return 0, false
		}
	}
	return key, true
}

// unpack writes the position that a key stands for.
func (p *packing) unpack(q machine.State, key uint64) {
	copy(q, p.value)
	for i := range p.chunks {
		c := &p.chunks[i]
		v := int(c.of(key))
		for k, w := range c.states[v*len(q) : (v+1)*len(q)] {
			q[k] |= w
		}
	}
}

// represent is the least of the images of a key under the symmetries; exchanged tells whether
// the players have changed places in it.
func (p *packing) represent(key uint64) (least uint64, exchanged bool) {
	least = key
	for i := range p.images {
		im, x := &p.images[i], uint64(0)
		for k := range p.chunks {
			c := &p.chunks[k]
			x += im.tables[k][c.of(key)]
		}
		if x < least {
			least, exchanged = x, im.exchanges
		}
	}
	return least, exchanged
}
