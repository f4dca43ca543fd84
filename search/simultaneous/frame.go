package simultaneous

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
)

// frame is the working memory of one ply: a position with its children and what
// is known of their values. Frames are reused from node to node, so a search
// allocates nothing once it has been everywhere deep enough.
//
// Cell (i, j) of the m×n matrices is the position after row move i and column
// move j. If chance moves too, the cell is the mean of k positions.
type frame struct {
	expansion machine.Expansion
	m, n, k   int
	// Distances in the numbering of children between neighbouring moves.
	rowStep, columnStep, chanceStep int

	p, o []float64 // m×n pessimistic and optimistic bounds of the cells
	x, y []float64 // strategies found

	chanceLow, chanceHigh []float64 // bounds of the k positions of one cell

	position machine.State // what the frame holds; empty if nothing of use
	through  machine.State // position reached by passing through others; empty if that was not needed
	pruning  pruning
	choice   cellChoice
}

// bytes is the memory of the frame, but for small change.
func (f *frame) bytes() int64 {
	e := &f.expansion
	return int64(8*cap(e.States) + cap(e.Terminal) + 4*cap(e.Goals) + 8*cap(f.p) + 8*cap(f.o))
}

// layOut sizes the matrices to the legal moves of the expansion.
func (f *frame) layOut(row, column, chance machine.Role) {
	e := &f.expansion
	f.m, f.n, f.k = e.Choices(row), e.Choices(column), e.Choices(chance)
	f.rowStep, f.columnStep, f.chanceStep = e.Step(row), e.Step(column), e.Step(chance)
	f.p = scratch.Resize(f.p, f.m*f.n)
	f.o = scratch.Resize(f.o, f.m*f.n)
	f.x = scratch.Resize(f.x, f.m)
	f.y = scratch.Resize(f.y, f.n)
}

// first is the number of the first child of cell (i, j).
func (f *frame) first(i, j int) int { return i*f.rowStep + j*f.columnStep }

// Values lie on a grid of 2⁻³⁰ goal points, so that values that are equal by
// the rules of the game are equal as numbers although they were computed in
// different ways, and integers lie on it. A step is 1e-9. Matrix games are solved to
// 1e-14 goal points as a rule, far below it. All that is certified is 1e-10 of the
// range of payoffs, 1e-8 goal points at worst: ten steps, by which values may then be
// wrong, and equal ones differ. That costs nodes, and certify.Tolerance allows for it.
const grid = 1.0 / (1 << 30)

// window is the width ε of the search that only decides on which side of a
// bound a value lies.
const window = 1.0 / (1 << 20)

func snap(v float64) float64 { return math.RoundToEven(v/grid) * grid }
