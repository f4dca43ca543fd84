package certify

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
)

// rat returns the number itself.
func (a fixed) rat() *big.Rat {
	return new(big.Rat).SetFrac(a.integer(), new(big.Int).Lsh(big.NewInt(1), fractionBits))
}

// drawFixed draws a number below limit.
func drawFixed(t *rapid.T, limit int32, name string) fixed {
	low := rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64()).Draw(t, name+" low")
	return fixed{rapid.Uint64Range(0, fixedGoal(limit).hi-1).Draw(t, name+" high"), low}
}

// isDirected reports whether got is want, or the next multiple of 2⁻⁹⁶ in the given direction.
func isDirected(got fixed, want *big.Rat, isUp bool) bool {
	off := new(big.Rat).Sub(got.rat(), want)
	if !isUp {
		off.Neg(off)
	}
	return off.Sign() >= 0 && off.Cmp(fixed{0, 1}.rat()) < 0
}

func TestProductsAndQuotientsAreBoundsOfTheRationalOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, p := drawFixed(t, machine.MaxGoal+1, "points"), drawFixed(t, 1, "probability")
		n := rapid.Uint64Range(1, 1<<20).Draw(t, "n")
		product := new(big.Rat).Mul(a.rat(), p.rat())
		quotient := new(big.Rat).Mul(a.rat(), new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).SetUint64(n)))
		for _, isUp := range []bool{false, true} {
			if got := a.times(p, isUp); !isDirected(got, product, isUp) {
				t.Errorf("%v × %v, up %v: %v", a, p, isUp, got)
			}
			if got := a.over(n, isUp); !isDirected(got, quotient, isUp) {
				t.Errorf("%v / %d, up %v: %v", a, n, isUp, got)
			}
		}
		if got := a.times(fixedOne, true); got != a {
			t.Errorf("%v × 1 = %v", a, got)
		}
	})
}

func TestSumsAndDifferencesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawFixed(t, 1<<30, "a"), drawFixed(t, 1<<30, "b")
		sum := a.plus(b)
		if sum.rat().Cmp(new(big.Rat).Add(a.rat(), b.rat())) != 0 || sum.minus(b) != a {
			t.Errorf("%v + %v = %v, less %v is %v", a, b, sum, b, sum.minus(b))
		}
		if a.isLess(b) != (a.rat().Cmp(b.rat()) < 0) {
			t.Errorf("%v < %v: %v", a, b, a.isLess(b))
		}
	})
}

func TestProbabilitiesAreCutToMultiplesOfTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.OneOf(
			rapid.Float64Range(0, 1+1e-9),
			rapid.Map(rapid.IntRange(0, 1100), func(e int) float64 { return math.Ldexp(0.75, -e) }),
			rapid.SampledFrom([]float64{0, 1, 0.5, math.SmallestNonzeroFloat64}),
		).Draw(t, "probability")
		if got := fixedProbability(p); !isDirected(got, new(big.Rat).SetFloat64(p), false) {
			t.Errorf("%v became %v", p, got.rat())
		}
	})
}

func TestFloatingPointBoundsAreTheTightestOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawFixed(t, machine.MaxGoal+1, "points")
		low, high := a.bound(false), a.bound(true)
		if new(big.Rat).SetFloat64(low).Cmp(a.rat()) > 0 || new(big.Rat).SetFloat64(high).Cmp(a.rat()) < 0 {
			t.Errorf("%v is not in [%v, %v]", a.rat(), low, high)
		}
		if high > math.Nextafter(low, math.Inf(1)) || math.Abs(a.nearest()-low) > 2*(math.Nextafter(low, math.Inf(1))-low) {
			t.Errorf("[%v, %v] and %v are too far apart", low, high, a.nearest())
		}
	})
}
