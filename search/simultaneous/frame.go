package simultaneous

import (
	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// frame is the working memory of one ply: a position, its children and the bounds of their
// values. Frames are reused from node to node, so a search
// allocates nothing once it has reached its greatest depth.
//
// Cell (i, j) of the m×n matrices is the position after row move i and column
// move j. If chance moves too, the cell is the mean of k positions.
type frame struct {
	expansion play.Expansion
	m, n, k   int
	// Distances in the numbering of children between neighbouring moves.
	rowStep, columnStep, chanceStep int

	p, o []float64 // m×n pessimistic and optimistic bounds of the cells
	x, y []float64 // strategies found

	chanceLow, chanceHigh []float64 // bounds of the k positions of one cell

	position machine.State // position in the frame; empty if there is none
	through  machine.State // position reached by passing through others; empty if that was not needed
	circle   search.Circle // of the positions that were passed through
	listed   listed        // state of OrderL and OrderLex
	best     best          // state of OrderBest

	exhausted []bool // cells that cannot be narrowed before the horizon; empty if none
}

// bytes returns the memory of the frame's large parts.
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

// first returns the number of the first child of cell (i, j).
func (f *frame) first(i, j int) int { return i*f.rowStep + j*f.columnStep }

// exhaust notes that a search of the cell cannot narrow it any more.
func (f *frame) exhaust(at int) {
	if len(f.exhausted) == 0 {
		f.exhausted = scratch.Resize(f.exhausted, f.m*f.n)
		clear(f.exhausted)
	}
	f.exhausted[at] = true
}

// isExhausted reports whether the cell was noted so.
func (f *frame) isExhausted(at int) bool { return len(f.exhausted) > 0 && f.exhausted[at] }
