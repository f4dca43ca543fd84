package lattice

import "slices"

// Front is a choice between elements of a partial order, given by the largest ones:
// whoever may choose x may have anything below x. No element is below another, and
// they stand in the order of the type that makes them.
type Front[E any] []E

// appendMaximal adds x to the elements of a front and takes away what is below it.
func appendMaximal[E any](front Front[E], x E, lessEq func(a, b E) bool) Front[E] {
	for _, y := range front {
		if lessEq(x, y) {
			return front
		}
	}
	front = slices.DeleteFunc(front, func(y E) bool { return lessEq(y, x) })
	return append(front, x)
}

// joined is the front of all that a or b offer.
func joined[E any](a, b Front[E], lessEq func(a, b E) bool) Front[E] {
	front := slices.Clone(a)
	for _, x := range b {
		front = appendMaximal(front, x, lessEq)
	}
	return front
}

// met is the front of all that a and b both offer.
func met[E any](a, b Front[E], meet func(a, b E) E, lessEq func(a, b E) bool) Front[E] {
	var front Front[E]
	for _, x := range a {
		for _, y := range b {
			front = appendMaximal(front, meet(x, y), lessEq)
		}
	}
	return front
}

// covered tells whether all that a offers is offered by b.
func covered[E any](a, b Front[E], lessEq func(a, b E) bool) bool {
	return !slices.ContainsFunc(a, func(x E) bool {
		return !slices.ContainsFunc(b, func(y E) bool { return lessEq(x, y) })
	})
}

// Choices are what a maximiser can do who does not know in which of up to 64 worlds he
// is, against a minimiser who knows: each set of worlds of a front is one in which
// some plan of his wins throughout. This is the lattice of Section 5, the down-sets of
// sets of worlds; All is the set of all worlds. The empty front is below all others:
// not even a plan that wins nowhere.
type Choices struct{ All uint64 }

var _ Values[Front[uint64]] = Choices{}

func subset(a, b uint64) bool         { return a&^b == 0 }
func intersection(a, b uint64) uint64 { return a & b }

func ordered(front Front[uint64]) Front[uint64] {
	slices.Sort(front)
	return front
}

// Kind implements Values.
func (Choices) Kind() Kind { return Distributive }

// Bottom implements Values.
func (Choices) Bottom() Front[uint64] { return nil }

// Top implements Values.
func (c Choices) Top() Front[uint64] { return Front[uint64]{c.All} }

// Meet implements Values.
func (Choices) Meet(a, b Front[uint64]) Front[uint64] {
	return ordered(met(a, b, intersection, subset))
}

// Join implements Values.
func (Choices) Join(a, b Front[uint64]) Front[uint64] { return ordered(joined(a, b, subset)) }

// LessEq implements Values.
func (Choices) LessEq(a, b Front[uint64]) bool { return covered(a, b, subset) }

// Vectors are goals of several roles, or several goals of one, from 0 to High each,
// compared component by component. The maximiser wants all of them.
type Vectors struct {
	Roles int
	High  int32
}

var _ Values[[]int32] = Vectors{}

// Kind implements Values.
func (Vectors) Kind() Kind { return Distributive }

// Meet implements Values.
func (Vectors) Meet(a, b []int32) []int32 {
	v := make([]int32, len(a))
	for i := range v {
		v[i] = min(a[i], b[i])
	}
	return v
}

// Join implements Values.
func (Vectors) Join(a, b []int32) []int32 {
	v := make([]int32, len(a))
	for i := range v {
		v[i] = max(a[i], b[i])
	}
	return v
}

// LessEq implements Values.
func (Vectors) LessEq(a, b []int32) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// Bottom implements Values.
func (v Vectors) Bottom() []int32 { return make([]int32, v.Roles) }

// Top implements Values.
func (v Vectors) Top() []int32 { return slices.Repeat([]int32{v.High}, v.Roles) }

// Outcomes are sets of vectors of goals of which none is below another: what can be
// reached, and with the minimiser what can be guaranteed, without adding up goals that
// cannot be compared.
type Outcomes struct{ Vectors }

var _ Values[Front[[]int32]] = Outcomes{}

func inOrder(front Front[[]int32]) Front[[]int32] {
	slices.SortFunc(front, func(a, b []int32) int { return slices.Compare(b, a) })
	return front
}

// Meet implements Values.
func (o Outcomes) Meet(a, b Front[[]int32]) Front[[]int32] {
	return inOrder(met(a, b, o.Vectors.Meet, o.Vectors.LessEq))
}

// Join implements Values.
func (o Outcomes) Join(a, b Front[[]int32]) Front[[]int32] {
	return inOrder(joined(a, b, o.Vectors.LessEq))
}

// LessEq implements Values.
func (o Outcomes) LessEq(a, b Front[[]int32]) bool { return covered(a, b, o.Vectors.LessEq) }

// Bottom implements Values.
func (Outcomes) Bottom() Front[[]int32] { return nil }

// Top implements Values.
func (o Outcomes) Top() Front[[]int32] { return Front[[]int32]{o.Vectors.Top()} }
