package lattice

import "slices"

// Front is a down-set of a partial order, given by its maximal elements: a choice of x includes every
// element below x. The elements are pairwise incomparable and sorted by Order.Compare.
type Front[E any] []E

// Order is a partial order of elements E.
type Order[E any] interface {
	// Meet returns the greatest lower bound of a and b.
	Meet(a, b E) E
	// LessEq reports whether a ≤ b.
	LessEq(a, b E) bool
	// Top returns the maximum.
	Top() E
	// Compare is the sort order of the elements of a front.
	Compare(a, b E) int
}

// Fronts is the lattice of down-sets of an order. Over sets of worlds it is the lattice of Section 5: each
// set is one in which some plan of the maximiser wins throughout. The maximiser does not know the actual
// world, the minimiser does. The empty front is the minimum: it contains not even a plan that wins
// nowhere.
type Fronts[E any, O Order[E]] struct{ Elements O }

// appendMaximal adds x to a front and removes the elements below x.
func (f Fronts[E, O]) appendMaximal(front Front[E], x E) Front[E] {
	for _, y := range front {
		if f.Elements.LessEq(x, y) {
			return front
		}
	}
	front = slices.DeleteFunc(front, func(y E) bool { return f.Elements.LessEq(y, x) })
	return append(front, x)
}

// Kind implements Values.
func (Fronts[E, O]) Kind() Kind { return Distributive }

// Meet implements Values by the intersection of the down-sets.
func (f Fronts[E, O]) Meet(a, b Front[E]) Front[E] {
	var front Front[E]
	for _, x := range a {
		for _, y := range b {
			front = f.appendMaximal(front, f.Elements.Meet(x, y))
		}
	}
	slices.SortFunc(front, f.Elements.Compare)
	return front
}

// Join implements Values by the union of the down-sets.
func (f Fronts[E, O]) Join(a, b Front[E]) Front[E] {
	front := slices.Clone(a)
	for _, x := range b {
		front = f.appendMaximal(front, x)
	}
	slices.SortFunc(front, f.Elements.Compare)
	return front
}

// LessEq implements Values by inclusion of the down-sets.
func (f Fronts[E, O]) LessEq(a, b Front[E]) bool {
	return !slices.ContainsFunc(a, func(x E) bool {
		return !slices.ContainsFunc(b, func(y E) bool { return f.Elements.LessEq(x, y) })
	})
}

// Bottom implements Values.
func (Fronts[E, O]) Bottom() Front[E] { return nil }

// Top implements Values.
func (f Fronts[E, O]) Top() Front[E] { return Front[E]{f.Elements.Top()} }

// Vectors is the set of goal vectors, by role or by objective, with components from 0 to High. The order
// is componentwise.
type Vectors struct {
	Roles int
	High  int32
}

// Outcomes is the lattice of sets of pairwise undominated goal vectors. It holds the reachable vectors, or
// against a minimiser the guaranteed ones, without a weighting of incomparable goals.
type Outcomes = Fronts[[]int32, Vectors]

var _ Values[Front[[]int32]] = Outcomes{}

// Meet implements Order.
func (Vectors) Meet(a, b []int32) []int32 {
	v := make([]int32, len(a))
	for i := range v {
		v[i] = min(a[i], b[i])
	}
	return v
}

// LessEq implements Order.
func (Vectors) LessEq(a, b []int32) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// Top implements Order.
func (v Vectors) Top() []int32 { return slices.Repeat([]int32{v.High}, v.Roles) }

// Compare implements Order, largest first.
func (Vectors) Compare(a, b []int32) int { return slices.Compare(b, a) }
