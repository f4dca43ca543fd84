package circuit

// transpose64 transposes a 64×64 bit matrix in place: afterwards bit j of word i
// is what bit i of word j was. It swaps ever smaller blocks (Warren, Hacker's
// Delight, 2nd ed., section 7-3), 6·32 steps in all.
func transpose64(a *[64]uint64) {
	mask := uint64(0x00000000ffffffff)
	for width := 32; width > 0; width >>= 1 {
		for i := 0; i < 64; i = (i + width + 1) &^ width {
			t := (a[i]>>uint(width) ^ a[i+width]) & mask
			a[i+width] ^= t
			a[i] ^= t << uint(width)
		}
		mask ^= mask << uint(width>>1)
	}
}
