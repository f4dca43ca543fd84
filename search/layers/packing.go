package layers

import (
	"errors"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// A packing maps positions to numbers, their keys, and back:
//
//	constant  bits that are equal in all positions: not part of the key
//	group     bits of which exactly one is set: one digit, the index of that bit
//	flag      any other bit: a digit of 0 or 1
//
// A key is the number with these digits. Large groups are the high digits, so positions that differ only
// in a large group are neighbours. Consecutive digits form chunks with separate bits. Packings are
// heuristic (guess.go), so each position is checked when it is packed.
//
// Symmetries act on keys: only symmetries that map digits to digits are used.
//
// Cost: one step for each set bit that is not constant, and for each group. An image takes one table
// access for each chunk of a key.

// packing is immutable.
type packing struct {
	constant machine.State // mask of the bits that are equal in all positions
	value    machine.State // values of the constant bits
	width    int           // of keys, in bits: at most 64

	code   []uint64 // by bit of a position: its contribution to the key
	groups []group
	chunks []chunk
	images []image
}

// field is a digit: the index of the only set bit of a group, or the value of a single bit.
type field struct {
	bits  []int
	place uint64 // weight of the digit in the key
}

// size returns the number of values of the digit.
func (f *field) size() uint64 { return uint64(max(2, len(f.bits))) }

// group holds the bits of a field with several bits, as masks of the words that contain them.
type group struct {
	word []int
	mask []uint64
}

// chunk is a sequence of consecutive digits with a joint table.
type chunk struct {
	fields []field
	shift  int
	size   uint64   // number of values: at most chunkSize, unless one digit has more
	mask   uint64   // of a value
	states []uint64 // by value: the bits of the position
}

// width returns the number of bits of the chunk.
func (c *chunk) width() int { return bits.Len64(c.size - 1) }

// value returns the value of the chunk in a key.
func (c *chunk) value(key uint64) uint64 { return key >> c.shift & c.mask }

// image is a symmetry acting on keys.
type image struct {
	exchanges bool
	tables    [][]uint64 // by chunk, by value: contribution to the image
}

const chunkSize = 1 << 10

// symmetry is a symmetry of the game, restricted to positions.
type symmetry struct {
	to        []int // by bit
	exchanges bool  // the players
}

// apply returns the image of position q.
func (y *symmetry) apply(q machine.State) machine.State {
	image := make(machine.State, len(q))
	for i, w := range q {
		for ; w != 0; w &= w - 1 {
			image.Set(y.to[i<<6+bits.TrailingZeros64(w)])
		}
	}
	return image
}

// errWide is the error if keys are too wide.
var errWide = errors.New("the positions of a layer do not fit into 64 bits each")

// newPacking returns the packing with the given constant bits and digits, each a list of bits. It returns errWide if keys
// have more than 64 bits.
func newPacking(constant, value machine.State, digits [][]int, symmetries []symmetry) (*packing, error) {
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
		return nil, errWide
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
	return p, nil
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

// tabulate returns a table by value of the chunk, with the given number of words an entry. add writes the
// contribution of a set bit.
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

// fields returns all digits.
func (p *packing) fields() (all []field) {
	for i := range p.chunks {
		all = append(all, p.chunks[i].fields...)
	}
	return all
}

// keeps reports whether a symmetry maps digits to digits, and constant bits to equal constant bits.
func (p *packing) keeps(y *symmetry) bool {
	fieldOf := make([]int, 64*len(p.value)) // by bit: the index of its field, plus 1
	fields := p.fields()
	for i, f := range fields {
		for _, b := range f.bits {
			fieldOf[b] = i + 1
		}
	}
	for b, image := range y.to {
		if p.constant.Has(b) != p.constant.Has(image) || p.value.Has(b) != p.value.Has(image) {
			return false
		}
	}
	for _, f := range fields {
		to := fieldOf[y.to[f.bits[0]]]
		if to == 0 || len(fields[to-1].bits) != len(f.bits) ||
			slices.ContainsFunc(f.bits, func(b int) bool { return fieldOf[y.to[b]] != to }) {
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

// pack returns the key of position q. It returns ok = false if q does not fit the packing.
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

// unpack writes the position with the given key to q.
func (p *packing) unpack(q machine.State, key uint64) {
	copy(q, p.value)
	for i := range p.chunks {
		c := &p.chunks[i]
		v := int(c.value(key))
		for k, w := range c.states[v*len(q) : (v+1)*len(q)] {
			q[k] |= w
		}
	}
}

// represent returns the least image of a key under the symmetries. exchanged reports whether that image
// exchanges the players.
func (p *packing) represent(key uint64) (least uint64, exchanged bool) {
	least = key
	for i := range p.images {
		im, x := &p.images[i], uint64(0)
		for k := range p.chunks {
			c := &p.chunks[k]
			x += im.tables[k][c.value(key)]
		}
		if x < least {
			least, exchanged = x, im.exchanges
		}
	}
	return least, exchanged
}
