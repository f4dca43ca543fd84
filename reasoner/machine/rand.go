package machine

import "math/bits"

// columns is the number of generators that run side by side in a Rand.
const columns = 8

// Rand is a seeded pseudo-random generator: columns independent copies of xoshiro256++ (Blackman and Vigna,
// 2021). Vector code can draw from all of them at once, and each column's sequence is the same on every
// platform, so playouts and searches are reproducible. It belongs to one goroutine.
type Rand struct {
	// State holds the four words of every column's generator. Only vector code
	// that advances whole columns, just as FillRows does, may touch it.
	State [4][columns]uint64
}

// NewRand returns a generator whose state is spread from seed by splitmix64.
func NewRand(seed uint64) *Rand {
	r := new(Rand)
	for c := range columns {
		for i := range r.State {
			seed += 0x9e3779b97f4a7c15
			z := seed
			z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			r.State[i][c] = z ^ z>>31
		}
	}
	return r
}

// xoshiro returns the next number of a generator and its new state.
func xoshiro(s0, s1, s2, s3 uint64) (out, t0, t1, t2, t3 uint64) {
	out = bits.RotateLeft64(s0+s3, 23) + s0
	t := s1 << 17
	s2 ^= s0
	s3 ^= s1
	return out, s0 ^ s3, s1 ^ s2, s2 ^ t, bits.RotateLeft64(s3, 45)
}

// FillRows fills dst with rows of the given number of words (at most the number of columns): word w of every
// row comes from column w. It keeps the state of a column in registers.
func (r *Rand) FillRows(dst []uint64, words int) {
	s := &r.State
	for c := range words {
		s0, s1, s2, s3 := s[0][c], s[1][c], s[2][c], s[3][c]
		for at := c; at < len(dst); at += words {
			dst[at], s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
		}
		s[0][c], s[1][c], s[2][c], s[3][c] = s0, s1, s2, s3
	}
}

// Uint64 returns 64 random bits from the first column.
func (r *Rand) Uint64() (out uint64) {
	s := &r.State
	out, s[0][0], s[1][0], s[2][0], s[3][0] = xoshiro(s[0][0], s[1][0], s[2][0], s[3][0])
	return out
}

// Intn returns a uniform integer in [0, n), n > 0, by Lemire's multiplication
// with rejection, so without bias.
func (r *Rand) Intn(n int) int {
	bound := uint64(n)
	hi, lo := bits.Mul64(r.Uint64(), bound)
	if lo < bound {
		for threshold := -bound % bound; lo < threshold; {
			hi, lo = bits.Mul64(r.Uint64(), bound)
		}
	}
	return int(hi)
}

// Float64 returns a uniform number in [0, 1).
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }
