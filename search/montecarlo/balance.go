package montecarlo

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/search/matrix"
)

// Where two opponents choose at once by regret matching, what paths bring is not what the
// position is worth: a fifth of the moves is drawn evenly, by both, and the first ones in
// ignorance. So a matrix game of which most cells have been visited is solved, with the means
// of its cells, now and again: the node is balanced. Its sums are those of its value then,
// its moves are drawn by its equilibrium, and what the nodes before it see is free of what
// exploration costs.
//
// At the root each player keeps to the equilibrium of the matrix that is the worst for it
// within confidence bounds: what was hardly tried is nothing to rely on. Without that, a
// strategy of estimates loses as much to the best reply as one of regret matching.
//
// Cost: a linear program and a scan of the cells for as many paths as half of the cells.
// Nodes with more than boundedCells joint moves are left to regret matching.

const (
	// balanceParts: the game is solved again when the paths have grown by one in so many.
	balanceParts = 8
	// cautionWidth is the width of the confidence bounds of a cell with one visit, in goal
	// points, times the root of the logarithm of all.
	cautionWidth = 20
	// unknownParts: one cell in so many may be unknown.
	unknownParts = 2
)

// matrices is the working memory for matrix games.
type matrices struct {
	lp        matrix.Native
	low, high []float64 // means of the cells for the row player, less and more their doubt, row by row
	x, y      []float64 // strategies
}

// size is that of the matrix of the opened node n, whose rows are the moves of the first player; ok tells whether it is
// one: two players have opposite interests, and both choose.
func (w *worker) size(n int32) (rows, columns int, ok bool) {
	if !w.adversarial || !w.sumKnown || w.second < 0 {
		return 0, 0, false
	}
	widths := w.tree.widthsOf(n)
	_, _, _, few := w.tree.cells(n)
	rows, columns = int(widths[w.first]), int(widths[w.second])
	return rows, columns, few && rows > 1 && columns > 1
}

// balances tells whether matrix games of estimates are solved.
func (w *worker) balances() bool {
	return w.config.Rule == RegretMatching && w.config.has(Equilibria) && w.sumKnown
}

// balance solves the matrix game of node n, if it is one and most of its cells are known.
func (w *worker) balance(n int32) {
	t, m := w.tree, &w.matrices
	a := t.at(n)
	rows, columns, ok := w.size(n)
	if !ok {
		a.due = math.MaxInt32
		return
	}
	cells, _, _, _ := t.cells(n)
	a.due = a.done + max(int32(cells)/2, a.done/balanceParts)
	if !w.estimate(n, 0) {
		return
	}
	m.x, m.y = scratch.Resize(m.x, rows), scratch.Resize(m.y, columns)
	value, err := m.lp.Nash(m.low, rows, columns, m.x, m.y)
	if err != nil {
		return
	}
	a.balanced = true
	totals, bounds := t.totalsOf(n), t.boundsOf(n)[w.first]
	totals[w.first] = min(max(value, bounds.Lower), bounds.Upper) * float64(a.done)
	totals[w.second] = float64(w.sum)*float64(a.done) - totals[w.first]
	moves := t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		switch r {
		case w.first:
			setRegrets(moves[:width], m.x)
		case w.second:
			setRegrets(moves[:width], m.y)
		}
		moves = moves[width:]
	}
}

func setRegrets(moves []stat, p []float64) {
	for i := range moves {
		*moves[i].regret() = float32(p[i])
	}
}

// estimate fills the two matrices of node n with the means of its cells for the row player, less
// and more confidence bounds of a width, within what is proved. A cell that is not known gets
// what its row and its column have had, if chance has no choice. It returns false where that are
// too many.
func (w *worker) estimate(n int32, width float64) bool {
	t, m := w.tree, &w.matrices
	cells, chance, step, _ := t.cells(n)
	m.low, m.high = scratch.Resize(m.low, int(cells/chance)), scratch.Resize(m.high, int(cells/chance))
	clear(m.low)
	clear(m.high)
	width *= math.Sqrt(math.Log(float64(t.at(n).done + 1)))
	known := int64(0)
	for l := t.at(n).out; l != none; known++ {
		a := t.links.at(l)
		kid := t.at(a.to)
		if kid.done == 0 && !kid.solved {
			return false
		}
		mean, bounds := t.value(a.to, w.first), t.boundsOf(a.to)[w.first]
		doubt := width / math.Sqrt(float64(max(1, kid.done)))
		cell := a.cell/(step*chance)*step + a.cell%step // see collect
		m.low[cell] += max(mean-doubt, bounds.Lower) / float64(chance)
		m.high[cell] += min(mean+doubt, bounds.Upper) / float64(chance)
		l = a.sibling
	}
	if known < cells && (chance > 1 || (cells-known)*unknownParts > cells) {
		return false
	}
	if known < cells {
		w.guess(n, width)
	}
	return true
}

// guess fills the cells of node n that are not known with the means of rows and columns.
func (w *worker) guess(n int32, width float64) {
	t, m := w.tree, &w.matrices
	rows, columns, _ := w.size(n)
	of := make([][]stat, t.roles)
	moves := t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		of[r], moves = moves[:width], moves[width:]
	}
	for c := range rows * columns {
		if t.way(n, int64(c)) != none {
			continue
		}
		a, b := &of[w.first][c/columns], &of[w.second][c%columns]
		mean := (a.sum/float64(max(1, a.visits)) + float64(w.sum) - b.sum/float64(max(1, b.visits))) / 2
		m.low[c], m.high[c] = max(mean-width, goalRange.Lower), min(mean+width, goalRange.Upper)
	}
}

// mixWithCaution makes the weights of the moves at the root, by role, those of its cautious
// equilibrium, if it is a matrix game of which most cells are known.
func (w *worker) mixWithCaution(moves [][]stat) {
	t, m := w.tree, &w.matrices
	n := t.root
	rows, columns, ok := w.size(n)
	width := float64(cautionWidth)
	if t.complete {
		width = 0
	}
	if !ok || !w.estimate(n, width) {
		return
	}
	m.x, m.y = scratch.Resize(m.x, rows), scratch.Resize(m.y, columns)
	if _, err := m.lp.Nash(m.low, rows, columns, m.x, nil); err != nil {
		return
	}
	if _, err := m.lp.Nash(m.high, rows, columns, nil, m.y); err != nil {
		return
	}
	visits := float64(t.at(n).visits)
	for i := range moves[w.first] {
		*moves[w.first][i].weight() = float32(m.x[i] * visits)
	}
	for i := range moves[w.second] {
		*moves[w.second][i].weight() = float32(m.y[i] * visits)
	}
}
