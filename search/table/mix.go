package table

import "math/bits"

// Mixing makes the first word of a packed position depend on all its words: it serves as a hash. The
// mapping is invertible: the mixed first word and the other words give the original first word.

// mixer mixes words; the first word has as many bits as mask.
type mixer struct {
	mask  uint64
	shift uint // at least half of the bits, so that x ^ x>>shift is its own inverse
}

// The multipliers are odd, so that they have inverses modulo 2⁶⁴: 2⁶⁴/φ and 2⁶⁴/ρ², ρ the plastic number.
const (
	multiplier = 0x9e3779b97f4a7c15
	spreader   = 0xd1b54a32d192ed03
)

var inverse = func() uint64 { // of multiplier, by Newton's iteration
	x := uint64(multiplier)
	for range 5 {
		x *= 2 - multiplier*x
	}
	return x
}()

func newMixer(width uint) mixer { return mixer{1<<width - 1, (width + 1) / 2} }

func (m mixer) mix(words []uint64) {
	h := words[0]
	for _, w := range words[1:] {
		h = m.scramble(h + spread(w))
	}
	words[0] = m.scramble(h)
}

func (m mixer) unmix(words []uint64) {
	h := m.unscramble(words[0])
	for i := len(words) - 1; i > 0; i-- {
		h = (m.unscramble(h) - spread(words[i])) & m.mask
	}
	words[0] = h
}

// spread returns a hash of a word that depends on every bit.
func spread(w uint64) uint64 {
	high, low := bits.Mul64(w^spreader, multiplier)
	return high ^ low
}

// scramble permutes the numbers up to mask.
func (m mixer) scramble(x uint64) uint64 {
	x &= m.mask
	x = (x ^ x>>m.shift) * multiplier & m.mask
	x = (x ^ x>>m.shift) * multiplier & m.mask
	return x ^ x>>m.shift
}

func (m mixer) unscramble(x uint64) uint64 {
	x ^= x >> m.shift
	x = x * inverse & m.mask
	x ^= x >> m.shift
	x = x * inverse & m.mask
	return x ^ x>>m.shift
}
