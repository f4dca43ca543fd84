package lattice

// Numbers is the chain of numbers from Low to High: the values of ordinary alpha-beta.
type Numbers struct{ Low, High float64 }

var _ Values[float64] = Numbers{}

// Kind implements Values.
func (Numbers) Kind() Kind { return Distributive }

// Meet implements Values.
func (Numbers) Meet(a, b float64) float64 { return min(a, b) }

// Join implements Values.
func (Numbers) Join(a, b float64) float64 { return max(a, b) }

// LessEq implements Values.
func (Numbers) LessEq(a, b float64) bool { return a <= b }

// Bottom implements Values.
func (n Numbers) Bottom() float64 { return n.Low }

// Top implements Values.
func (n Numbers) Top() float64 { return n.High }
