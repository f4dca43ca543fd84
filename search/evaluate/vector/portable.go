package vector

import (
	"math"
	"math/bits"
)

// Portable forms of the exported functions: for processors without kernels, and as the oracle of the
// tests. A conversion to float32 keeps the compiler from fusing a multiplication with an addition.

func sumPortable(to *Floats, rows []Floats, inputs []uint32) {
	var units Floats
	for _, i := range inputs {
		for u, w := range rows[i] {
			units[u] += w
		}
	}
	*to = units
}

func addPortable(rows []Floats, inputs []uint32, delta *Floats) {
	for _, i := range inputs {
		row := &rows[i]
		for u, d := range delta {
			row[u] += d
		}
	}
}

func changePortable(sums *Shorts, rows []Shorts, from, to []uint64) {
	for i, w := range to {
		for d := w ^ from[i]; d != 0; d &= d - 1 {
			k := bits.TrailingZeros64(d)
			addSigned(sums, &rows[i<<6+k], int16(w>>k&1))
		}
	}
}

func applyPortable(sums *Shorts, rows []Shorts, changes []uint32) {
	for _, c := range changes {
		addSigned(sums, &rows[c>>1], int16(c&1))
	}
}

// addSigned adds a row to sums if sign is 1, and subtracts it if sign is 0.
func addSigned(sums, row *Shorts, sign int16) {
	for u, x := range row {
		sums[u] += (2*sign - 1) * x
	}
}

// lanes is the number of partial sums of a read-out.
const lanes = 8

func readPortable(weights, units *Floats) float32 {
	var s [lanes]float32
	for u, w := range weights {
		x := max(0, units[u])
		s[u%lanes] += float32(w * float32(x*x))
	}
	return total(&s)
}

func readShortsPortable(weights *Floats, units *Shorts) float32 {
	var s [lanes]float32
	for u, w := range weights {
		x := float32(max(0, units[u]))
		s[u%lanes] += float32(w * float32(x*x))
	}
	return total(&s)
}

// total sums pairwise: halves, then quarters, then eighths.
func total(s *[lanes]float32) float32 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func backPortable(delta, gradient, weights, units *Floats, e float32) {
	for u, x := range units {
		x = max(0, x)
		slope := float32(e * x)
		gradient[u] += float32(slope * x)
		delta[u] += 2 * float32(slope*weights[u])
	}
}

func (a *Adam) stepPortable(weights, gradient, first, second, mean []Floats) {
	firstGain, secondGain := 1-a.FirstDecay, 1-a.SecondDecay
	for i := range weights {
		w, g, f, s, m := &weights[i], &gradient[i], &first[i], &second[i], &mean[i]
		if !isQuiet(g, f) {
			for u, x := range g {
				x *= a.Scale
				f[u] = float32(a.FirstDecay*f[u]) + float32(firstGain*x)
				if f[u] > -tiny && f[u] < tiny {
					f[u] = 0
				}
				s[u] = float32(a.SecondDecay*s[u]) + float32(secondGain*float32(x*x))
				w[u] -= float32(a.Rate*f[u]) / (float32(math.Sqrt(float64(s[u]))) + a.Epsilon)
			}
			*g = Floats{}
		}
		for u, x := range w {
			m[u] += float32(a.Follow * (x - m[u]))
		}
	}
}

// isQuiet reports whether all bits are zero.
func isQuiet(gradient, first *Floats) bool {
	some := uint32(0)
	for u, g := range gradient {
		some |= math.Float32bits(g) | math.Float32bits(first[u])
	}
	return some == 0
}
