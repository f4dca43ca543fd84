package simultaneous

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Serialized alpha-beta: the game in which one player moves first at every
// position and the other one answers, knowing the move. If the row player moves
// first, its value is at most that of the simultaneous game; if the column
// player does, at least. Both are games of perfect information, solved by
// alpha-beta with a table of their own. Where the two values meet, pure
// strategies decide the position and no matrix has to be solved.
//
// Cost: the alternating game tree, as far as alpha-beta visits it. Reference:
// Bošanský, Lisý, Lanctot, Čermák and Winands, "Algorithms for computing
// strategies in two-player simultaneous move games" (2016), section 4.2.

// first says who moves first.
type first int

const (
	rowFirst first = iota
	columnFirst
)

// serializedBounds contain the values of the two serialized games.
type serializedBounds struct {
	known bool // false in a fresh entry of the table
	game  [2]bounds
}

// serialize tightens what is known of the value of position q by the serialized
// games, as far as it matters for the window.
func (s *solver) serialize(depth int, q machine.State, known search.Interval, alpha, beta float64) search.Interval {
	low := s.serializedValue(depth, q, rowFirst, max(alpha, known.Lower), min(beta, known.Upper))
	known.Lower = max(known.Lower, min(low.Lower, known.Upper))
	if decided(known, alpha, beta) || s.stopped {
		return known
	}
	high := s.serializedValue(depth, q, columnFirst, max(alpha, known.Lower), min(beta, known.Upper))
	known.Upper = min(known.Upper, max(high.Upper, known.Lower))
	return known
}

// serializedValue searches one of the serialized games for its value inside
// (alpha, beta); the interval it returns contains the value.
func (s *solver) serializedValue(depth int, q machine.State, who first, alpha, beta float64) search.Interval {
	known := search.Interval{Lower: s.config.Low, Upper: s.config.High}
	if b := s.serialized.Lookup(q); b != nil {
		known = search.Interval{Lower: b.game[who].lower, Upper: b.game[who].upper}
		if decided(known, alpha, beta) {
			return known
		}
	}
	if s.stops(depth) {
		return known
	}
	before := s.serializedNodes
	f, v, open := s.open(depth, q)
	if open {
		s.serializedNodes++
		a, b := max(alpha, known.Lower), min(beta, known.Upper)
		if who == rowFirst {
			v = s.rowsThenColumns(f, depth, a, b)
		} else {
			v = s.columnsThenRows(f, depth, a, b)
		}
		v = meet(v, known)
	}
	e := s.serialized.Insert(q, s.serializedNodes-before)
	if !e.known {
		*e = serializedBounds{known: true}
		e.game[rowFirst] = bounds{s.config.Low, s.config.High}
		e.game[columnFirst] = e.game[rowFirst]
	}
	e.game[who] = bounds{v.Lower, v.Upper}
	return v
}

// rowsThenColumns is max over rows of min over columns.
func (s *solver) rowsThenColumns(f *frame, depth int, alpha, beta float64) search.Interval {
	best := search.Interval{Lower: s.config.Low, Upper: s.config.Low}
	reply := 0 // the column that refuted the row before
	for i := range f.m {
		front := reply
		row := search.Interval{Lower: s.config.High, Upper: s.config.High}
		for j := range f.n {
			row.Upper = min(row.Upper, f.o[i*f.n+j])
		}
		for t := 0; t < f.n && row.Upper > max(alpha, best.Lower); t++ {
			j := rotated(t, front)
			v := s.serializedCell(f, depth, i, j, rowFirst, max(alpha, best.Lower), min(beta, row.Upper))
			row.Lower = min(row.Lower, v.Lower)
			if v.Upper < row.Upper {
				row.Upper, reply = v.Upper, j
			}
		}
		if row.Upper <= max(alpha, best.Lower) {
			row.Lower = s.config.Low
		}
		best.Lower = max(best.Lower, row.Lower)
		best.Upper = max(best.Upper, row.Upper)
		if best.Lower >= beta {
			best.Upper = s.config.High
			return best
		}
	}
	return best
}

// columnsThenRows is min over columns of max over rows.
func (s *solver) columnsThenRows(f *frame, depth int, alpha, beta float64) search.Interval {
	best := search.Interval{Lower: s.config.High, Upper: s.config.High}
	reply := 0 // the row that refuted the column before
	for j := range f.n {
		front := reply
		column := search.Interval{Lower: s.config.Low, Upper: s.config.Low}
		for i := range f.m {
			column.Lower = max(column.Lower, f.p[i*f.n+j])
		}
		for t := 0; t < f.m && column.Lower < min(beta, best.Upper); t++ {
			i := rotated(t, front)
			v := s.serializedCell(f, depth, i, j, columnFirst, max(alpha, column.Lower), min(beta, best.Upper))
			column.Upper = max(column.Upper, v.Upper)
			if v.Lower > column.Lower {
				column.Lower, reply = v.Lower, i
			}
		}
		if column.Lower >= min(beta, best.Upper) {
			column.Upper = s.config.High
		}
		best.Lower = min(best.Lower, column.Lower)
		best.Upper = min(best.Upper, column.Upper)
		if best.Upper <= alpha {
			best.Lower = s.config.Low
			return best
		}
	}
	return best
}

// rotated is the t-th of the order front, 0, 1, …, front-1, front+1, …
func rotated(t, front int) int {
	switch {
	case t == 0:
		return front
	case t <= front:
		return t - 1
	}
	return t
}

// serializedCell searches a cell of a frame in one of the serialized games.
func (s *solver) serializedCell(f *frame, depth, i, j int, who first, alpha, beta float64) search.Interval {
	at := i*f.n + j
	v := search.Interval{Lower: f.p[at], Upper: f.o[at]}
	if decided(v, alpha, beta) {
		return v
	}
	return meet(s.children(f, i, j, alpha, beta, func(q machine.State, a, b float64) search.Interval {
		return s.serializedValue(depth+1, q, who, a, b)
	}), v)
}
