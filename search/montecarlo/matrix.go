package montecarlo

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/search"
	"stackmate/search/matrix"
)

// Where two players with constant sum choose at once, a node is a matrix game, whose
// cells are its children, the moves of chance averaged. The game of the lower bounds of
// all cells is worth no more than the node, that of the upper bounds no less; and the
// equilibria of the two games are strategies that make sure of that. So nodes are solved
// whose equilibrium is mixed.
//
// Cost: 2 µs for a matrix of 8×8 without a saddle point, whenever a child turned out
// terminal or its bounds moved; the scan that finds a saddle point takes a tenth of that.
//
// Reference: A. Saffidine, H. Finnsson, M. Buro, "Alpha-beta pruning for games with
// simultaneous moves" (2012), for the two matrices of a position.

// matrices is the working memory for matrix games.
type matrices struct {
	lp        matrix.Native
	low, high []float64 // bounds of the cells for the row player, row by row
	x, y      []float64 // strategies
}

// isMatrix tells whether the opened node n is a matrix game: its two players have
// opposite interests, and both choose.
func (w *worker) isMatrix(n int32) bool {
	t := w.tree
	if !w.adversarial || !w.sumKnown || t.at(n).chooser >= 0 || w.players() != 2 {
		return false
	}
	_, _, rows, columns := t.size(n)
	return rows > 1 && columns > 1
}

// size is the matrix of node n: who is row player, who is column player, and how many
// moves they have.
func (t *tree) size(n int32) (row, column, rows, columns int) {
	row = t.opponent(-1) // the first player
	column = t.opponent(row)
	widths := t.widthsOf(n)
	return row, column, int(widths[row]), int(widths[column])
}

// load fills the two matrices of node n, whose outcomes have been collected.
func (w *worker) load(n int32) (rows, columns int) {
	t, m := w.tree, &w.matrices
	row, _, rows, columns := t.size(n)
	m.low, m.high = scratch.Resize(m.low, rows*columns), scratch.Resize(m.high, rows*columns)
	for c := range m.low {
		b := t.memory.outcomes[c*t.roles+row]
		m.low[c], m.high[c] = b.Lower, b.Upper
	}
	return rows, columns
}

// mixBounds proves of the matrix game at node n, whose outcomes have been collected, what
// the two matrices of its cells prove. It tells whether that is more than was known.
func (w *worker) mixBounds(n int32) bool {
	t, m := w.tree, &w.matrices
	if t.at(n).solved {
		return false
	}
	rows, columns := w.load(n)
	lower, err := m.lp.Nash(m.low, rows, columns, nil, nil)
	if err != nil {
		return false
	}
	upper, err := m.lp.Nash(m.high, rows, columns, nil, nil)
	if err != nil {
		return false
	}
	row, column, _, _ := t.size(n)
	bounds := t.boundsOf(n)
	b := search.Interval{Lower: max(snap(lower), bounds[row].Lower), Upper: min(snap(upper), bounds[row].Upper)}
	if b.Upper-b.Lower < closeEnough {
		b = search.Exact(snap((b.Lower + b.Upper) / 2))
	}
	if b == bounds[row] {
		return false
	}
	bounds[row] = b
	bounds[column] = search.Interval{Lower: float64(w.sum) - b.Upper, Upper: float64(w.sum) - b.Lower}
	t.at(n).solved = w.config.isWithin(b)
	return true
}

// Values of matrix games, and means over chance, are right up to rounding. Snapped to a grid they are the same
// where they should be; bounds nearer to each other than closeEnough meet.
const (
	grid        = 1. / (1 << 30)
	closeEnough = 1. / (1 << 20)
)

func snap(v float64) float64 { return math.RoundToEven(v/grid) * grid }

// equilibrium is, by role, the strategy that makes sure of the value of the solved matrix
// game at the root; nil where the root is none.
func (w *worker) equilibrium() [][]search.Weighted {
	t, m := w.tree, &w.matrices
	n := t.root
	if !t.isSolved(n) || t.at(n).moves == none || !w.isMatrix(n) || !t.collect(n) {
		return nil
	}
	rows, columns := w.load(n)
	x, y := make([]float64, rows), make([]float64, columns)
	if _, err := m.lp.Nash(m.low, rows, columns, x, nil); err != nil {
		return nil
	}
	if _, err := m.lp.Nash(m.high, rows, columns, nil, y); err != nil {
		return nil
	}
	row, column, _, _ := t.size(n)
	strategies, moves := make([][]search.Weighted, t.roles), t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		switch r {
		case row:
			strategies[r] = weighted(moves[:width], x)
		case column:
			strategies[r] = weighted(moves[:width], y)
		}
		moves = moves[width:]
	}
	return strategies
}

// weighted is the strategy that plays moves with probabilities p.
func weighted(moves []stat, p []float64) []search.Weighted {
	var out []search.Weighted
	for i, s := range moves {
		if p[i] > 0 {
			out = append(out, search.Weighted{Move: s.move, Probability: p[i]})
		}
	}
	return out
}
