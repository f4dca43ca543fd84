package certify

import (
	"math"
	"math/big"
	"math/bits"
)

// fixed is a number from 0 to 2³², a multiple of 2⁻⁹⁶: hi·2⁻³² + lo·2⁻⁹⁶. Goals and the probabilities in walks are
// such numbers. Sums and differences are exact. Products and quotients are rounded by less than 2⁻⁹⁶, or 10⁻²⁹, in the
// direction that keeps the result a bound. Proofs do not depend on the size of this error.
//
// Package math/big would prove the same; two words need no memory besides the table.
type fixed struct{ hi, lo uint64 }

// fractionBits is the number of bits after the point.
const fractionBits = 96

// fixedOne is the number 1.
var fixedOne = fixedGoal(1)

func fixedGoal(goal int32) fixed { return fixed{hi: uint64(goal) << (fractionBits - 64)} }

// fixedProbability returns the greatest multiple of 2⁻⁹⁶ that does not exceed p; p is from 0 to 2.
func fixedProbability(p float64) fixed {
	mantissa, exponent := math.Frexp(p) // p = mantissa·2^exponent, mantissa < 1
	const whole = 64
	digits := uint64(math.Ldexp(mantissa, whole)) // exact: 53 bits
	shift := exponent - whole + fractionBits      // p·2⁹⁶ = digits·2^shift, shift ≤ 34
	switch {
	case shift >= 0:
		return fixed{digits >> (64 - shift), digits << shift}
	case shift > -64:
		return fixed{0, digits >> -shift}
	}
	return fixed{}
}

// fixedPoints returns fixedProbability for goal points, from 0 to 128.
func fixedPoints(points float64) fixed {
	const shift = 6
	f := fixedProbability(points / (1 << shift))
	return fixed{f.hi<<shift | f.lo>>(64-shift), f.lo << shift}
}

// plus returns a + b modulo 2³².
func (a fixed) plus(b fixed) fixed {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return fixed{hi, lo}
}

// minus returns a - b modulo 2³².
func (a fixed) minus(b fixed) fixed {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return fixed{hi, lo}
}

func (a fixed) isLess(b fixed) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// step returns a, or the next number if an inexact result is rounded up.
func (a fixed) step(isUp, isInexact bool) fixed {
	if isUp && isInexact {
		return a.plus(fixed{0, 1})
	}
	return a
}

// times returns a·b rounded down or up; the product must be below 2³².
func (a fixed) times(b fixed, isUp bool) fixed {
	var product [4]uint64 // 256 bits, the lowest first
	product[1], product[0] = bits.Mul64(a.lo, b.lo)
	product[3], product[2] = bits.Mul64(a.hi, b.hi)
	for _, cross := range [2][2]uint64{{a.hi, b.lo}, {a.lo, b.hi}} {
		hi, lo := bits.Mul64(cross[0], cross[1])
		var carry uint64
		product[1], carry = bits.Add64(product[1], lo, 0)
		product[2], carry = bits.Add64(product[2], hi, carry)
		product[3] += carry
	}
	const cut = fractionBits - 64
	down := fixed{product[2]>>cut | product[3]<<(64-cut), product[1]>>cut | product[2]<<(64-cut)}
	return down.step(isUp, product[0] != 0 || product[1]<<(64-cut) != 0)
}

// over returns a/n rounded down or up.
func (a fixed) over(n uint64, isUp bool) fixed {
	lo, rest := bits.Div64(a.hi%n, a.lo, n)
	return fixed{a.hi / n, lo}.step(isUp, rest != 0)
}

// nearest returns a floating-point number near a, within its precision.
func (a fixed) nearest() float64 {
	return math.Ldexp(float64(a.hi), 64-fractionBits) + math.Ldexp(float64(a.lo), -fractionBits)
}

// bound returns the greatest floating-point number that is not above a, or the least that is not below a.
func (a fixed) bound(isUp bool) float64 {
	mode := big.ToNegativeInf
	if isUp {
		mode = big.ToPositiveInf
	}
	const precision = 53 // of a float64
	v := new(big.Float).SetMode(mode).SetPrec(precision).SetInt(a.integer())
	f, _ := v.SetMantExp(v, -fractionBits).Float64()
	return f
}

// integer returns a·2⁹⁶.
func (a fixed) integer() *big.Int {
	v := new(big.Int).SetUint64(a.hi)
	return v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(a.lo))
}
