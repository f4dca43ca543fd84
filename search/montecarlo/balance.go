package montecarlo

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/search/matrix"
)

// Under regret matching at nodes where two opponents choose at once, the mean of the samples is biased:
// both players explore (20 % uniform moves) and early samples are uninformed. So the matrix game of the
// cells' means is solved at intervals once most cells are visited. The node is then balanced: its mean is
// the value of the matrix game, its moves are drawn from the equilibrium, and exploration does not bias
// its predecessors.
// At the root the players mix by the equilibrium at the end of the search.
//
// Cost: a linear program and a scan of the cells for every cells/2 paths. Nodes with more than
// boundedCells joint moves keep plain regret matching.

const (
	// balanceParts: the game is solved again after the paths have grown by the factor 1 + 1/balanceParts.
	balanceParts = 8
	// unknownParts: at most one cell in unknownParts may be unvisited.
	unknownParts = 2
)

// matrices is scratch memory for matrix games.
type matrices struct {
	lp    matrix.Native
	cells []float64 // estimates of the cells for the row player, row by row
	x, y  []float64 // strategies
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
	t := w.tree
	a := t.at(n)
	if _, _, ok := w.size(n); !ok {
		a.due = math.MaxInt32
		return
	}
	cells, _, _, _ := t.cells(n)
	a.due = a.done + max(int32(cells)/2, a.done/balanceParts)
	value, ok := w.equilibrium(n)
	if !ok {
		return
	}
	a.balanced = true
	totals, bounds := t.totalsOf(n), t.boundsOf(n)[w.first]
	totals[w.first] = bounds.Clamp(value) * float64(a.done)
	totals[w.second] = float64(w.sum)*float64(a.done) - totals[w.first]
	moves := t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		for i, p := range w.mix(r) {
			*moves[i].regret() = float32(p)
		}
		moves = moves[width:]
	}
}

// equilibrium solves the matrix game of node n. It returns false if n has none, or too many cells are unvisited.
func (w *worker) equilibrium(n int32) (value float64, ok bool) {
	m := &w.matrices
	rows, columns, ok := w.size(n)
	if !ok || !w.estimate(n) {
		return 0, false
	}
	m.x, m.y = scratch.Resize(m.x, rows), scratch.Resize(m.y, columns)
	value, err := m.lp.Nash(m.cells, rows, columns, m.x, m.y)
	return value, err == nil
}

// mix returns the strategy of role r in the last equilibrium, or nil for chance.
func (w *worker) mix(r int) []float64 {
	switch r {
	case w.first:
		return w.matrices.x
	case w.second:
		return w.matrices.y
	}
	return nil
}

// estimate fills the matrix of node n with the values of its cells for the row player; an unvisited cell has the value of
// the node. It returns false if too many cells are unvisited.
func (w *worker) estimate(n int32) bool {
	t, m := w.tree, &w.matrices
	cells, chance, step, _ := t.cells(n)
	m.cells = scratch.Resize(m.cells, int(cells/chance))
	unvisited := t.value(n, w.first)
	for i := range m.cells {
		m.cells[i] = unvisited
	}
	known := int64(0)
	for l := t.at(n).out; l != none; known++ {
		a := t.links.at(l)
		kid := t.at(a.to)
		if kid.done == 0 && !kid.solved {
			return false
		}
		cell := a.cell/(step*chance)*step + a.cell%step // see collect
		m.cells[cell] += (t.value(a.to, w.first) - unvisited) / float64(chance)
		l = a.sibling
	}
	return (cells-known)*unknownParts <= cells
}

// mixRoot sets the weights of the moves at the root, by role, to its equilibrium. It does nothing unless the root is a
// matrix game with few unvisited cells.
func (w *worker) mixRoot(moves [][]stat) {
	if _, ok := w.equilibrium(w.tree.root); !ok {
		return
	}
	for r, own := range moves {
		for i, p := range w.mix(r) {
			*own[i].weight() = float32(p)
		}
	}
}
