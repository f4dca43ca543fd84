package lattice

import "slices"

// Front is a choice between elements of a partial order, given by the largest ones:
// whoever may choose x may have anything below x. No element is below another, and
// they stand in the order of the type that makes them.
type Front[E any] []E

// Order is a partial order of elements E.
type Order[E any] interface {
	// Meet is the largest element below a and b.
	Meet(a, b E) E
	// LessEq tells whether a is below b, or equal.
	LessEq(a, b E) bool
	// Top is above all others.
	Top() E
	// Compare is the order in which the elements of a front stand.
	Compare(a, b E) int
}

// Fronts are the choices between elements of an order: its down-sets. Of sets of worlds they are the lattice
// of Section 5: what a maximiser can do who does not know in which of the worlds he is, against a minimiser who
// knows, each set being one in which some plan of his wins throughout. The empty front is below all others: not
// even a plan that wins nowhere.
type Fronts[E any, O Order[E]] struct{ Elements O }

// appendMaximal adds x to the elements of a front and takes away what is below it.
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

// Meet implements Values: all that a and b both offer.
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

// Join implements Values: all that a or b offer.
func (f Fronts[E, O]) Join(a, b Front[E]) Front[E] {
	front := slices.Clone(a)
	for _, x := range b {
		front = f.appendMaximal(front, x)
	}
	slices.SortFunc(front, f.Elements.Compare)
	return front
}

// LessEq implements Values: all that a offers is offered by b.
func (f Fronts[E, O]) LessEq(a, b Front[E]) bool {
	return !slices.ContainsFunc(a, func(x E) bool {
		return !slices.ContainsFunc(b, func(y E) bool { return f.Elements.LessEq(x, y) })
	})
}

// Bottom implements Values.
func (Fronts[E, O]) Bottom() Front[E] { return nil }

// Top implements Values.
func (f Fronts[E, O]) Top() Front[E] { return Front[E]{f.Elements.Top()} }

// Vectors are goals of several roles, or several goals of one, from 0 to High each,
// compared component by component.
type Vectors struct {
	Roles int
	High  int32
}

// Outcomes are sets of vectors of goals of which none is below another: what can be
// reached, and with the minimiser what can be guaranteed, without adding up goals that
// cannot be compared.
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

// Compare implements Order: the largest come first.
func (Vectors) Compare(a, b []int32) int { return slices.Compare(b, a) }
