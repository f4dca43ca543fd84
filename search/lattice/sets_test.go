package lattice

import (
	"cmp"

	"stackmate/search"
)

// Intervals have ends between Low and High, and are ordered by both ends: bounds of a number, where the ends of positions at which play stops
// are bounds, too.
type Intervals struct{ Low, High float64 }

var _ Values[search.Interval] = Intervals{}

// Kind implements Values.
func (Intervals) Kind() Kind { return Distributive }

// Meet implements Values.
func (Intervals) Meet(a, b search.Interval) search.Interval {
	return search.Interval{Lower: min(a.Lower, b.Lower), Upper: min(a.Upper, b.Upper)}
}

// Join implements Values.
func (Intervals) Join(a, b search.Interval) search.Interval {
	return search.Interval{Lower: max(a.Lower, b.Lower), Upper: max(a.Upper, b.Upper)}
}

// LessEq implements Values.
func (Intervals) LessEq(a, b search.Interval) bool { return a.Lower <= b.Lower && a.Upper <= b.Upper }

// Bottom implements Values.
func (i Intervals) Bottom() search.Interval { return search.Exact(i.Low) }

// Top implements Values.
func (i Intervals) Top() search.Interval { return search.Exact(i.High) }

// Worlds are the sets of up to 64 worlds in which the maximiser wins, as bits. All is
// the set of all worlds.
type Worlds struct{ All uint64 }

var _ Values[uint64] = Worlds{}

// Kind implements Values.
func (Worlds) Kind() Kind { return Distributive }

// Meet implements Values.
func (Worlds) Meet(a, b uint64) uint64 { return a & b }

// Join implements Values.
func (Worlds) Join(a, b uint64) uint64 { return a | b }

// LessEq implements Values.
func (Worlds) LessEq(a, b uint64) bool { return a&^b == 0 }

// Bottom implements Values.
func (Worlds) Bottom() uint64 { return 0 }

// Top implements Values.
func (w Worlds) Top() uint64 { return w.All }

// Compare implements Order.
func (Worlds) Compare(a, b uint64) int { return cmp.Compare(a, b) }

// Choices are the lattice of Section 5.
type Choices = Fronts[uint64, Worlds]

var _ Values[Front[uint64]] = Choices{}

// Goals are vectors of goals of which the maximiser wants all.
type Goals struct{ Vectors }

var _ Values[[]int32] = Goals{}

// Kind implements Values.
func (Goals) Kind() Kind { return Distributive }

// Join implements Values.
func (Goals) Join(a, b []int32) []int32 {
	v := make([]int32, len(a))
	for i := range v {
		v[i] = max(a[i], b[i])
	}
	return v
}

// Bottom implements Values.
func (g Goals) Bottom() []int32 { return make([]int32, g.Roles) }
