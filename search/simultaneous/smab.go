package simultaneous

import (
	"math"

	"stackmate/internal/scratch"
	"stackmate/search"
)

// Simultaneous move alpha-beta (SMAB), Algorithm 1 of Saffidine, Finnsson and
// Buro, "Alpha-beta pruning for games with simultaneous moves" (2012).
//
// The cells of the matrix are visited one by one. Before a cell (a, b) is
// searched, two linear programs say below which value of it row a is dominated
// by a mixture of other rows, and above which value column b is dominated by a
// mixture of other columns, whatever the unknown cells turn out to be. They are
// the window of the recursive search; a reply outside of it removes the action.
// The window of the position itself takes part as an artificial row that is
// worth alpha everywhere and an artificial column that is worth beta.
//
// Invariant: let G be the matrix game with the artificial actions. Actions are
// removed only if a mixture of remaining actions of G dominates them, so the
// value of G stays what it was: the value of the position, clamped to
// [alpha, beta]. What the matrix of the remaining actions guarantees holds
// against removed actions too, or alpha or beta holds (see smabResult).
//
// Cost: two LPs for each cell searched and one or two at the end. How the choices
// that the paper leaves open matter is measured in docs/lab/simultaneous.md.

// exit says when SMAB stops before all cells are visited or dominated.
type exit int

const (
	exitDecided exit = iota // when the known cells decide the value
	exitOutside             // when they put it outside of the window
	exitNever               // never: the algorithm as printed
)

// variant changes details of SMAB, for the ablation table.
type variant struct {
	exit exit
	// serialized gives every cell its bounds by serialized alpha-beta before it
	// is searched.
	serialized bool
	// blind knows no terminal child before it visits it, as the lines of the algorithm
	// have it.
	blind bool
}

// pruning is what SMAB keeps of a frame: the remaining actions, and buffers for
// the linear programs.
type pruning struct {
	rows, columns         []bool // remaining actions
	rowsLeft, columnsLeft int
	rowOrder, columnOrder []line // moves in the order of the visit
	mixture, bound, gain  []float64
}

func (b *pruning) reset(m, n int) {
	b.rows, b.columns = scratch.Resize(b.rows, m), scratch.Resize(b.columns, n)
	for i := range b.rows {
		b.rows[i] = true
	}
	for j := range b.columns {
		b.columns[j] = true
	}
	b.rowsLeft, b.columnsLeft = m, n
	b.rowOrder, b.columnOrder = appendLines(b.rowOrder[:0], m), appendLines(b.columnOrder[:0], n)
	b.mixture = scratch.Resize(b.mixture, (m+1)*(n+1))
	b.bound, b.gain = scratch.Resize(b.bound, m+n), scratch.Resize(b.gain, m+n)
}

func (b *pruning) removeRow(i int) {
	if b.rows[i] {
		b.rows[i] = false
		b.rowsLeft--
	}
}

func (b *pruning) removeColumn(j int) {
	if b.columns[j] {
		b.columns[j] = false
		b.columnsLeft--
	}
}

// smab is the method SMAB.
func (s *solver) smab(f *frame, depth int, alpha, beta float64) search.Interval {
	b := &f.pruning
	b.reset(f.m, f.n)
	if s.config.variant.blind {
		s.forget(f)
	}
	s.recall(f, depth)
	if s.serialized != nil {
		s.boundCells(f, depth)
	}
	v := s.smabCells(f, depth, alpha, beta)
	if !s.stopped && b.rowsLeft > 0 && b.columnsLeft > 0 {
		s.history.row.learn(f.expansion.Moves[s.row], f.x)
		s.history.column.learn(f.expansion.Moves[s.column], f.y)
	}
	return v
}

// forget makes all cells unknown.
func (s *solver) forget(f *frame) {
	for at := range f.p {
		f.p[at], f.o[at] = s.config.Low, s.config.High
	}
}

// smabCells searches cells until the rest does not matter.
func (s *solver) smabCells(f *frame, depth int, alpha, beta float64) search.Interval {
	b := &f.pruning
	for range f.m * f.n {
		if s.config.Moves == MovesDynamic {
			s.sortMoves(f)
		}
		i, j, ok := f.next(s.config.Order)
		if !ok {
			break
		}
		if v, exit := s.smabExit(f, alpha, beta); exit {
			return v
		}
		s.smabCell(f, depth, i, j, alpha, beta)
		if b.rowsLeft == 0 || b.columnsLeft == 0 || s.stopped {
			break
		}
	}
	return s.smabResult(f, alpha, beta)
}

// smabExit tells whether the matrix of the remaining actions decides the
// position already, unknown cells or not. The security levels in pure strategies
// say without an LP that it cannot: value(P) ≤ minimax(P), value(O) ≥ maximin(O).
func (s *solver) smabExit(f *frame, alpha, beta float64) (search.Interval, bool) {
	if s.config.variant.exit == exitNever {
		return search.Interval{}, false
	}
	if most, least := f.securityLevels(); most < min(beta, least) && least > alpha {
		return search.Interval{}, false
	}
	v := s.smabResult(f, alpha, beta)
	if s.config.variant.exit == exitOutside {
		return v, v.Lower >= beta || v.Upper <= alpha
	}
	return v, isClosed(v, alpha, beta)
}

// securityLevels are minimax of the pessimistic and maximin of the optimistic
// matrix of the remaining actions.
func (f *frame) securityLevels() (minimax, maximin float64) {
	b := &f.pruning
	minimax, maximin = math.Inf(1), math.Inf(-1)
	for c := range f.n {
		most := math.Inf(-1)
		for r := 0; b.columns[c] && r < f.m; r++ {
			if b.rows[r] {
				most = max(most, f.p[r*f.n+c])
			}
		}
		if b.columns[c] {
			minimax = min(minimax, most)
		}
	}
	for r := range f.m {
		least := math.Inf(1)
		for c := 0; b.rows[r] && c < f.n; c++ {
			if b.columns[c] {
				least = min(least, f.o[r*f.n+c])
			}
		}
		if b.rows[r] {
			maximin = max(maximin, least)
		}
	}
	return minimax, maximin
}

// smabCell searches cell (i, j) in the window where its value matters, and
// removes the row or column that the bounds or the reply show to be dominated.
func (s *solver) smabCell(f *frame, depth, i, j int, alpha, beta float64) {
	b := &f.pruning
	at := i*f.n + j
	low, high := s.config.Low-1, s.config.High+1
	if f.filled(s.config.Skip) {
		if low = s.rowBound(f, i, j, alpha); low >= f.o[at] {
			b.removeRow(i)
			return
		}
		if high = s.columnBound(f, i, j, beta); high <= f.p[at] {
			b.removeColumn(j)
			return
		}
	}
	if c := f.first(i, j); s.config.variant.blind && f.k == 1 && f.expansion.Terminal[c] {
		f.p[at] = s.payoff(f.expansion.ChildGoals(c))
		f.o[at] = f.p[at]
	}
	v := s.cell(f, depth, i, j, low, max(high, low+window))
	if v.Upper <= low {
		b.removeRow(i)
	} else if v.Lower >= high {
		b.removeColumn(j)
	}
}

// filled tells whether at least the given number of rows and of columns have no
// unknown cell left among the remaining actions.
func (f *frame) filled(count int) bool {
	if count == 0 {
		return true
	}
	rows, columns := 0, 0
	for i := range f.m {
		full := true
		for j := range f.n {
			full = full && f.settled(i, j)
		}
		if full {
			rows++
		}
	}
	for j := range f.n {
		full := true
		for i := range f.m {
			full = full && f.settled(i, j)
		}
		if full {
			columns++
		}
	}
	return rows >= count && columns >= count
}

// settled tells whether cell (i, j) is known or does not matter any more.
func (f *frame) settled(i, j int) bool {
	at := i*f.n + j
	return f.p[at] == f.o[at] || !f.pruning.rows[i] || !f.pruning.columns[j]
}

// smabResult solves the matrix of the remaining actions.
func (s *solver) smabResult(f *frame, alpha, beta float64) search.Interval {
	b := &f.pruning
	switch {
	case b.rowsLeft == 0:
		return search.Interval{Lower: s.config.Low, Upper: alpha}
	case b.columnsLeft == 0:
		return search.Interval{Lower: beta, Upper: s.config.High}
	}
	v := s.solveRemaining(f)
	if b.columnsLeft < f.n && beta < s.config.High {
		v.Lower = min(v.Lower, beta)
	}
	if b.rowsLeft < f.m && alpha > s.config.Low {
		v.Upper = max(v.Upper, alpha)
	}
	return v
}

// solveRemaining solves the matrix of the remaining actions from its
// pessimistic and, if cells are unknown, from its optimistic bounds, and writes
// the strategies to the frame.
func (s *solver) solveRemaining(f *frame) search.Interval {
	b := &f.pruning
	m, n := b.rowsLeft, b.columnsLeft
	a := b.mixture[:0]
	exact := true
	for r := range f.m {
		for c := range f.n {
			if b.rows[r] && b.columns[c] {
				at := r*f.n + c
				a = append(a, f.p[at])
				exact = exact && f.p[at] == f.o[at]
			}
		}
	}
	x, y := b.bound[:m], b.gain[:n]
	v := search.Exact(s.nash(a, m, n, x, y, s.config.Low))
	scatter(f.x, x, b.rows)
	if !exact {
		a = a[:0]
		for at, o := range f.o {
			if b.rows[at/f.n] && b.columns[at%f.n] {
				a = append(a, o)
			}
		}
		v.Upper = max(v.Lower, s.nash(a, m, n, nil, y, s.config.High))
	}
	scatter(f.y, y, b.columns)
	return v
}

// scatter writes the probabilities of the remaining actions into a strategy over
// all actions.
func scatter(dst, src []float64, remaining []bool) {
	k := 0
	for i, in := range remaining {
		dst[i] = 0
		if in {
			dst[i] = src[k]
			k++
		}
	}
}
