package machine

import "math/bits"

// Rand is a seeded pseudo-random generator: xoshiro256** (Blackman and Vigna,
// 2018). The same seed gives the same sequence on every platform, which is what
// makes playouts and searches reproducible. It belongs to one goroutine.
type Rand struct{ s [4]uint64 }

// NewRand returns a generator whose state is spread from seed by splitmix64.
func NewRand(seed uint64) *Rand {
	r := new(Rand)
	for i := range r.s {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		r.s[i] = z ^ z>>31
	}
	return r
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	s := &r.s
	out := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
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
