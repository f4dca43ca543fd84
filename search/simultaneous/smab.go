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

// variant changes details of SMAB, for the ablation table.
type variant struct {
	// noExit visits all cells that are not dominated, as the algorithm is printed, even
	// when the known ones decide the value.
	noExit bool
	// blind knows no terminal child before it visits it, as the lines of the algorithm
	// have it.
	blind bool
}

// pruning is what SMAB keeps of a frame: the actions of both sides, and buffers for
// the linear programs.
type pruning struct {
	sides                [2]actions
	mixture, bound, gain []float64
}

// actions are those of a side: which remain, how many these are, and the order of the
// visit.
type actions struct {
	remain []bool
	left   int
	order  []line
}

func (b *pruning) reset(m, n int) {
	b.sides[rowSide].reset(m)
	b.sides[columnSide].reset(n)
	b.mixture = scratch.Resize(b.mixture, (m+1)*(n+1))
	b.bound, b.gain = scratch.Resize(b.bound, m+n), scratch.Resize(b.gain, m+n)
}

func (a *actions) reset(n int) {
	a.remain, a.left, a.order = scratch.Resize(a.remain, n), n, a.order[:0]
	for i := range a.remain {
		a.remain[i] = true
		a.order = append(a.order, line{index: int32(i)})
	}
}

func (a *actions) remove(i int) {
	if a.remain[i] {
		a.remain[i] = false
		a.left--
	}
}

// isDecided tells whether no action of some side is left.
func (b *pruning) isDecided() bool {
	return b.sides[rowSide].left == 0 || b.sides[columnSide].left == 0
}

// smab is the method SMAB.
func (s *solver) smab(f *frame, depth int, alpha, beta float64) search.Interval {
	f.pruning.reset(f.m, f.n)
	if s.config.variant.blind {
		s.forget(f)
	}
	s.recallAll(f, depth)
	v := s.smabCells(f, depth, alpha, beta)
	if !s.stopped && !f.pruning.isDecided() {
		for _, who := range bothSides {
			s.learned[who].learn(f.expansion.Moves[s.role(who)], f.strategy(who))
		}
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
		if f.pruning.isDecided() || s.stopped {
			break
		}
	}
	return s.smabResult(f, alpha, beta)
}

// smabExit tells whether the matrix of the remaining actions decides the
// position already, unknown cells or not. The security levels in pure strategies
// say without an LP that it cannot: value(P) ≤ minimax(P), value(O) ≥ maximin(O).
func (s *solver) smabExit(f *frame, alpha, beta float64) (search.Interval, bool) {
	if s.config.variant.noExit {
		return search.Interval{}, false
	}
	most, least := -f.security(columnSide), f.security(rowSide)
	if most < min(beta, least) && least > alpha {
		return search.Interval{}, false
	}
	v := s.smabResult(f, alpha, beta)
	return v, isClosed(v, alpha, beta)
}

// security is the security level in pure strategies, as the side sees it, of what is
// possible in the matrix of the remaining actions.
func (f *frame) security(who side) float64 {
	own, replies := &f.pruning.sides[who], &f.pruning.sides[1-who]
	most := math.Inf(-1)
	for a, remains := range own.remain {
		if !remains {
			continue
		}
		least := math.Inf(1)
		for b, meets := range replies.remain {
			if meets {
				least = min(least, f.cell(who, a, b).Upper)
			}
		}
		most = max(most, least)
	}
	return most
}

// smabCell searches cell (i, j) in the window where its value matters, and
// removes the row or column that the bounds or the reply show to be dominated.
func (s *solver) smabCell(f *frame, depth, i, j int, alpha, beta float64) {
	rows, columns := &f.pruning.sides[rowSide], &f.pruning.sides[columnSide]
	at := i*f.n + j
	low, high := s.config.Low-1, s.config.High+1
	if f.filled(s.config.Skip) {
		bounds := search.Interval{Lower: alpha, Upper: beta}
		if low = s.dominanceBound(f, rowSide, i, j, bounds); low >= f.o[at] {
			rows.remove(i)
			return
		}
		if high = -s.dominanceBound(f, columnSide, j, i, bounds); high <= f.p[at] {
			columns.remove(j)
			return
		}
	}
	if c := f.first(i, j); s.config.variant.blind && f.k == 1 && f.expansion.Terminal[c] {
		f.p[at] = s.payoff(f.expansion.ChildGoals(c))
		f.o[at] = f.p[at]
	}
	v := s.cell(f, depth, i, j, low, max(high, low+window))
	if v.Upper <= low {
		rows.remove(i)
	} else if v.Lower >= high {
		columns.remove(j)
	}
}

// filled tells whether at least the given number of rows and of columns have no
// unknown cell left among the remaining actions.
func (f *frame) filled(count int) bool {
	for _, who := range bothSides {
		full := 0
		own, replies := f.size(who)
		for a := range own {
			settled := 0
			for settled < replies && f.settled(f.at(who, a, settled)) {
				settled++
			}
			if settled == replies {
				full++
			}
		}
		if full < count {
			return false
		}
	}
	return true
}

// settled tells whether a cell is known or does not matter any more.
func (f *frame) settled(at int) bool { return f.p[at] == f.o[at] || !f.remains(at) }

// remains tells whether the actions of a cell remain.
func (f *frame) remains(at int) bool {
	return f.pruning.sides[rowSide].remain[at/f.n] && f.pruning.sides[columnSide].remain[at%f.n]
}

// smabResult solves the matrix of the remaining actions.
func (s *solver) smabResult(f *frame, alpha, beta float64) search.Interval {
	rows, columns := f.pruning.sides[rowSide].left, f.pruning.sides[columnSide].left
	switch {
	case rows == 0:
		return search.Interval{Lower: s.config.Low, Upper: alpha}
	case columns == 0:
		return search.Interval{Lower: beta, Upper: s.config.High}
	}
	v := s.solveRemaining(f, rows, columns)
	if columns < f.n && beta < s.config.High {
		v.Lower = min(v.Lower, beta)
	}
	if rows < f.m && alpha > s.config.Low {
		v.Upper = max(v.Upper, alpha)
	}
	return v
}

// solveRemaining solves the m×n matrix of the remaining actions from its pessimistic
// and, if cells are unknown, from its optimistic bounds, and writes the strategies to
// the frame.
func (s *solver) solveRemaining(f *frame, m, n int) search.Interval {
	b := &f.pruning
	remaining := func(bounds []float64) []float64 {
		a := b.mixture[:0]
		for at, v := range bounds {
			if f.remains(at) {
				a = append(a, v)
			}
		}
		return a
	}
	x, y := b.bound[:m], b.gain[:n]
	v := search.Exact(s.nash(remaining(f.p), m, n, x, y, s.config.Low))
	scatter(f.x, x, b.sides[rowSide].remain)
	for at := range f.p {
		if !f.settled(at) {
			v.Upper = max(v.Lower, s.nash(remaining(f.o), m, n, nil, y, s.config.High))
			break
		}
	}
	scatter(f.y, y, b.sides[columnSide].remain)
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
