package circuit

import (
	"math/bits"

	"stackmate/reasoner/circuit/kernel"
)

// Transpose transposes a 64×64 bit matrix in place: bit j of word i becomes bit i of word j.
func Transpose(a *[64]uint64) { transpose(a, 64, transposeFirst) }

// transpose transposes by vector instructions, if the processor has them, or else by portable, which gets the number n
// of words that matter.
func transpose(a *[64]uint64, n int, portable func(a *[64]uint64, n int)) {
	if kernel.Transpose != nil {
		kernel.Transpose(a)
		return
	}
	portable(a, n)
}

// transposeFirst transposes in place, but only the first n words of the result are defined. It swaps ever smaller
// blocks (Warren, Hacker's Delight, 2nd ed., section 7-3), in 6·32 steps. As soon as blocks are as wide as n, only
// their upper halves matter, and each level halves the work.
func transposeFirst(a *[64]uint64, n int) {
	words := 64 // number of words of a that matter
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

// transposePrefix transposes a matrix in which only the first n words may be nonzero. The levels commute, so the narrow
// levels come first, on the words that matter; the wide levels only spread them.
func transposePrefix(a *[64]uint64, n int) {
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

// lowHalves returns a word with the lower half of each block of 2·width bits set; width is a power of two below 64.
func lowHalves(width int) uint64 { return ^uint64(0) / (1<<uint(width) + 1) }
