package montecarlo

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/search"
	"stackmate/search/matrix"
)

// Under regret matching at nodes where two opponents choose at once, the mean of the samples is biased:
// both players explore (20 % uniform moves) and early samples are uninformed. So the matrix game of the
// cells' means is solved at intervals once most cells are visited. The node is then balanced: its mean is
// the value of the matrix game, its moves are drawn from the equilibrium, and exploration does not bias
// its predecessors.
//
// At the root each player plays the equilibrium of its worst matrix within confidence bounds, so it does
// not rely on rarely visited cells. Without these bounds, the strategy would be as exploitable as the
// average strategy of regret matching.
//
// Cost: a linear program and a scan of the cells for every cells/2 paths. Nodes with more than
// boundedCells joint moves keep plain regret matching.

const (
	// balanceParts: the game is solved again after the paths have grown by the factor 1 + 1/balanceParts.
	balanceParts = 8
	// cautionWidth is the exploration constant of the confidence bounds of a cell, in goal points.
	cautionWidth = 20
	// unknownParts: at most one cell in unknownParts may be unvisited.
	unknownParts = 2
)

// matrices is scratch memory for matrix games.
type matrices struct {
	lp        matrix.Native
	low, high []float64 // confidence bounds of the cells for the row player, row by row
	x, y      []float64 // strategies
}

// size returns the dimensions of the matrix of the opened node n, whose rows are the moves of the first
// player. It returns ok = false unless two players with opposite interests both choose.
func (w *worker) size(n int32) (rows, columns int, ok bool) {
	if !w.adversarial || !w.sumKnown || w.second < 0 {
		return 0, 0, false
	}
	widths := w.tree.widthsOf(n)
	_, _, _, few := w.tree.cells(n)
	rows, columns = int(widths[w.first]), int(widths[w.second])
	return rows, columns, few && rows > 1 && columns > 1
}

// balances reports whether matrix games of means are solved.
func (w *worker) balances() bool {
	return w.config.Rule == RegretMatching && w.config.has(Equilibria) && w.sumKnown
}

// balance solves the matrix game of node n, if it has one and most of its cells are visited.
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
	totals[w.first] = bounds.Clamp(value) * float64(a.done)
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

// estimate fills the matrices low and high of node n with the confidence bounds of its cells for the row
// player, within the proved bounds. Without chance, an unvisited cell gets a guess from its row and
// column. It returns false if too many cells are unvisited.
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

// guess fills the unvisited cells of node n from the means of their rows and columns.
func (w *worker) guess(n int32, width float64) {
	t, m := w.tree, &w.matrices
	rows, columns, _ := w.size(n)
	byRole := make([][]stat, t.roles)
	moves := t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		byRole[r], moves = moves[:width], moves[width:]
	}
	for c := range rows * columns {
		if t.findLink(n, int64(c)) != none {
			continue
		}
		a, b := &byRole[w.first][c/columns], &byRole[w.second][c%columns]
		mean := (a.sum/float64(max(1, a.visits)) + float64(w.sum) - b.sum/float64(max(1, b.visits))) / 2
		m.low[c], m.high[c] = max(mean-width, search.GoalRange.Lower), min(mean+width, search.GoalRange.Upper)
	}
}

// mixWithCaution sets the weights of the moves at the root, by role, to the equilibrium of the confidence
// bounds. It does nothing unless the root is a matrix game with few unvisited cells.
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
