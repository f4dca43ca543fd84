package matrix

import (
	"context"
	"math"

	"stackmate/internal/scratch"
)

// tableau is a dense condensed simplex tableau (Tucker's schema): one row per
// basic variable, one column per nonbasic variable, so that a pivot exchanges
// two labels and touches every cell once. The last row holds the reduced costs,
// the last column the values of the basic variables.
//
// The cells are flat and row-major. The stride is a multiple of the unrolling
// of the inner loop; the padding cells of a row are zero and stay zero, because
// every update of a cell is linear in the pivot row.
//
// Cost of a pivot: (rows+1)·stride multiply-adds, no allocation.
//
// Reference: A. W. Tucker, "Combinatorial theory underlying linear programs"
// (1963); the exchange is the Jordan exchange of Stiefel (1960).
type tableau struct {
	rows, cols int // without the objective row and the value column
	stride     int
	cells      []float64       // (rows+1)·stride
	basic      []int32         // variable of each row
	nonbasic   []int32         // variable of each column
	ctx        context.Context // nil means no interruption
}

const (
	unroll = 4
	// largeCells is the size from which a pivot takes a microsecond or more, so that the check of the context before
	// it costs nothing.
	largeCells = 1 << 12
	// singular is the pivot below which the remaining basis counts as singular.
	singular = 1e-12
)

// context returns the context that interrupts the work.
func (t *tableau) context() context.Context {
	if t.ctx == nil {
		return context.Background()
	}
	return t.ctx
}

// isInterrupted reports whether the work on a large tableau must end.
func (t *tableau) isInterrupted() bool {
	return len(t.cells) >= largeCells && t.context().Err() != nil
}

// reset sets the size of the tableau. Columns are labelled 0…cols-1 and rows cols…cols+rows-1. The padding is zero,
// the other cells are left to the caller.
func (t *tableau) reset(rows, cols int) {
	t.rows, t.cols = rows, cols
	t.stride = (cols + unroll) / unroll * unroll
	t.cells = scratch.Resize(t.cells, (rows+1)*t.stride)
	t.basic = scratch.Resize(t.basic, rows)
	t.nonbasic = scratch.Resize(t.nonbasic, cols)
	for j := range t.nonbasic {
		t.nonbasic[j] = int32(j)
	}
	for i := range t.basic {
		t.basic[i] = int32(cols + i)
	}
	for k := t.stride; k <= len(t.cells); k += t.stride {
		for j := k - t.stride + cols + 1; j < k; j++ {
			t.cells[j] = 0
		}
	}
}

// row returns row i with its value and padding; row(rows) is the objective.
func (t *tableau) row(i int) []float64 { return t.cells[i*t.stride:][:t.stride] }

// value returns the value of the basic variable of row i.
func (t *tableau) value(i int) float64 { return t.cells[i*t.stride+t.cols] }

// pivot exchanges the basic variable of row r with the nonbasic variable of column c.
func (t *tableau) pivot(r, c int) {
	s := t.stride
	p := t.cells[r*s:][:s:s]
	inverse := 1 / p[c]
	p[c] = 1
	for j := range p {
		p[j] *= inverse
	}
	for base := 0; base+s <= len(t.cells); base += s {
		q := t.cells[base:][:s:s]
		f := q[c]
		if f == 0 || base == r*s {
			continue
		}
		// With the old cell cleared the common update also yields the new one.
		q[c] = 0
		subtract(q, p, f)
	}
	t.basic[r], t.nonbasic[c] = t.nonbasic[c], t.basic[r]
}

// reinvert recomputes the tableau of the present basis from the tableau of the first basis, which load writes. It
// pivots on the greatest remaining element, which removes the rounding errors of many, partly small, pivots. A
// singular basis is approximated. Cost: at most 2·min(rows, cols) pivots, each with a scan of all cells.
func (t *tableau) reinvert(load func()) {
	basic := make([]bool, t.rows+t.cols)
	for _, v := range t.basic {
		basic[v] = true
	}
	load()
	for {
		row, column, greatest := -1, -1, singular
		for i, v := range t.basic {
			if basic[v] {
				continue
			}
			for j, d := range t.row(i)[:t.cols] {
				if d = math.Abs(d); d > greatest && basic[t.nonbasic[j]] {
					row, column, greatest = i, j, d
				}
			}
		}
		if row < 0 || t.isInterrupted() {
			return
		}
		t.pivot(row, column)
	}
}

// subtract sets q to q - f·p. Both have the same length, a multiple of unroll.
func subtract(q, p []float64, f float64) {
	for len(q) >= unroll && len(p) >= unroll {
		q[0] -= f * p[0]
		q[1] -= f * p[1]
		q[2] -= f * p[2]
		q[3] -= f * p[3]
		q, p = q[unroll:], p[unroll:]
	}
}

// powerScale returns a power of two that brings r ≥ 0 to about 1, if one exists. Scaling by it changes no digits.
func powerScale(r float64) float64 {
	const bias, mantissa = 1023, 52
	exponent := int(math.Float64bits(r) >> mantissa)
	return math.Float64frombits(uint64(max(2*bias-1-exponent, 1)) << mantissa)
}
