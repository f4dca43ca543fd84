package circuit

import (
	"math/bits"

	"stackmate/reasoner/circuit/kernel"
)

// Transpose makes bit j of word i what bit i of word j was.
func Transpose(a *[64]uint64) { transpose(a, 64, transposeFirst) }

// transpose makes bit j of word i what bit i of word j was, as quickly as the processor
// can. Where it has no instructions for that, portable is called, which may make use of
// the number of words that matter.
func transpose(a *[64]uint64, n int, portable func(a *[64]uint64, n int)) {
	if kernel.Transpose != nil {
		kernel.Transpose(a)
		return
	}
	portable(a, n)
}

// transposeFirst transposes a 64×64 bit matrix in place, but computes only the first n words of
// the result; the others are left undefined. It swaps ever smaller blocks (Warren, Hacker's
// Delight, 2nd ed., section 7-3), 6·32 steps in all. As soon as blocks are as wide as n, only their
// upper halves matter, and half of the work falls away with every step.
func transposeFirst(a *[64]uint64, n int) {
	words := 64 // of a that still matter
	mask := uint64(0x00000000ffffffff)
	for width := 32; width > 0; width >>= 1 {
		if n <= width {
			for i := range width {
				a[i] = a[i]&mask | a[i+width]&mask<<uint(width)
			}
			words = width
		} else {
			for i := 0; i < words; i = (i + width + 1) &^ width {
				t := (a[i]>>uint(width) ^ a[i+width]) & mask
				a[i+width] ^= t
				a[i] ^= t << uint(width)
			}
		}
		mask ^= mask << uint(width>>1)
	}
}

// transposeOf transposes a matrix of which all but the first n words are zero. The
// steps do not depend on their order, so the narrow ones come first, on the words
// that matter, and the others only spread them.
func transposeOf(a *[64]uint64, n int) {
	width := 1
	for ; width < n; width <<= 1 {
		mask := lowHalves(width)
		words := 1 << bits.Len(uint(n-1))
		for i := 0; i < words; i = (i + width + 1) &^ width {
			t := (a[i]>>uint(width) ^ a[i+width]) & mask
			a[i+width] ^= t
			a[i] ^= t << uint(width)
		}
	}
	for ; width < 64; width <<= 1 {
		mask := lowHalves(width)
		for i := range width {
			a[i+width] = a[i] >> uint(width) & mask
			a[i] &= mask
		}
	}
}

// lowHalves has the lower half of each block of 2·width bits set; width is a power of
// two below 64.
func lowHalves(width int) uint64 { return ^uint64(0) / (1<<uint(width) + 1) }
