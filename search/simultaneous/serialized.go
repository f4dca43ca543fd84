package simultaneous

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/table"
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

// serializedBounds contain the values of the two serialized games, by the player who moves first.
type serializedBounds [2]search.Interval

var serializedCodec = table.Codec[serializedBounds]{
	Bits: 4 * endBits,
	Encode: func(dst []uint64, v serializedBounds) {
		encode(dst, 0, v[0])
		encode(dst, 1, v[1])
	},
	Decode: func(src []uint64) serializedBounds { return serializedBounds{decode(src, 0), decode(src, 1)} },
}

// serialize tightens the bounds of the value of position q by the serialized games, as far as the window requires.
func (s *solver) serialize(depth int, q machine.State, known search.Interval, alpha, beta float64) search.Interval {
	low := s.serializedValue(depth, q, rowSide, max(alpha, known.Lower), min(beta, known.Upper))
	known.Lower = max(known.Lower, min(low.Lower, known.Upper))
	if isClosed(known, alpha, beta) || s.stopped {
		return known
	}
	high := s.serializedValue(depth, q, columnSide, max(alpha, known.Lower), min(beta, known.Upper))
	known.Upper = min(known.Upper, max(high.Upper, known.Lower))
	return known
}

// serializedValue searches one of the serialized games for its value inside
// (alpha, beta); the interval it returns contains the value.
func (s *solver) serializedValue(depth int, q machine.State, who side, alpha, beta float64) search.Interval {
	known := search.GoalRange
	if v, ok := s.recallSerialized(q, who); ok {
		if known = v; isClosed(known, alpha, beta) {
			return known
		}
	}
	if s.stops(depth) || s.repeats(depth, q) {
		return known
	}
	before := s.serializedNodes
	f, v, open := s.open(depth, q)
	if open {
		s.serializedNodes++
		a, b := max(alpha, known.Lower), min(beta, known.Upper)
		v = meet(s.lead(f, depth, who, a, b), known)
	}
	s.rememberSerialized(q, who, v, s.serializedNodes-before)
	return v
}

// recallSerialized returns the stored bounds of a serialized game of position q. In the image under an exchange of the players the other player
// moves first.
func (s *solver) recallSerialized(q machine.State, who side) (search.Interval, bool) {
	r := s.symmetry.canon.Find(q)
	e, ok := s.serialized.Lookup(r.State)
	if !ok {
		return search.Interval{}, false
	}
	return s.symmetry.exchange(e[who.exchanged(r.Exchanged)], r.Exchanged), true
}

// rememberSerialized stores the bounds of a serialized game of position q.
func (s *solver) rememberSerialized(q machine.State, who side, v search.Interval, work int64) {
	r := s.symmetry.canon.Find(q)
	e, ok := s.serialized.Lookup(r.State)
	if !ok {
		all := s.symmetry.exchange(search.GoalRange, r.Exchanged)
		e = serializedBounds{all, all}
	}
	e[who.exchanged(r.Exchanged)] = s.symmetry.exchange(v, r.Exchanged)
	s.serialized.Store(r.State, e, work)
}

// lead returns the value of a serialized position: the first mover's best value against best replies. It is computed from the first mover's side,
// whose payoffs grow: for the column player the matrix is transposed and negated.
func (s *solver) lead(f *frame, depth int, who side, alpha, beta float64) search.Interval {
	window := who.fromRow(search.Interval{Lower: alpha, Upper: beta})
	limits := who.fromRow(search.GoalRange)
	moves, replies := f.size(who)
	best := search.Exact(limits.Lower)
	refutation := 0 // the reply that did most harm to the move before
	for a := range moves {
		front, threshold := refutation, max(window.Lower, best.Lower)
		worst := search.Exact(limits.Upper)
		for b := range replies {
			worst.Upper = min(worst.Upper, f.cell(who, a, b).Upper)
		}
		for t := 0; t < replies && worst.Upper > threshold; t++ {
			b := exact.Fronted(t, front)
			asked := who.fromRow(search.Interval{Lower: threshold, Upper: min(window.Upper, worst.Upper)})
			v := who.fromRow(s.serializedCell(f, depth, who, a, b, asked.Lower, asked.Upper))
			worst.Lower = min(worst.Lower, v.Lower)
			if v.Upper < worst.Upper {
				worst.Upper, refutation = v.Upper, b
			}
		}
		if worst.Upper <= threshold {
			worst.Lower = limits.Lower
		}
		best.Lower = max(best.Lower, worst.Lower)
		best.Upper = max(best.Upper, worst.Upper)
		if best.Lower >= window.Upper {
			best.Upper = limits.Upper
			break
		}
	}
	return who.fromRow(best)
}

// serializedCell searches the cell of move a and reply b in a serialized game.
func (s *solver) serializedCell(f *frame, depth int, who side, a, b int, alpha, beta float64) search.Interval {
	at := f.at(who, a, b)
	v := search.Interval{Lower: f.p[at], Upper: f.o[at]}
	if isClosed(v, alpha, beta) {
		return v
	}
	return meet(s.children(f, at/f.n, at%f.n, alpha, beta, func(q machine.State, a, b float64) search.Interval {
		return s.serializedValue(depth+1, q, who, a, b)
	}), v)
}

// boundCell tightens the bounds of a cell by serialized alpha-beta.
func (s *solver) boundCell(f *frame, depth, at int) {
	v := search.Interval{Lower: f.p[at], Upper: f.o[at]}
	if v.Solved() {
		return
	}
	v = meet(s.children(f, at/f.n, at%f.n, anyValue().Lower, anyValue().Upper, func(q machine.State, a, b float64) search.Interval {
		return s.serialize(depth+1, q, search.GoalRange, a, b)
	}), v)
	f.p[at], f.o[at] = v.Lower, v.Upper
}

// induceBounded implements the method BoundedInduction.
func (s *solver) induceBounded(f *frame, depth int, alpha, beta float64) search.Interval {
	for at := range f.p {
		s.boundCell(f, depth, at)
	}
	if v := s.solveMatrix(f); isClosed(v, alpha, beta) {
		return v
	}
	return s.induce(f, depth, alpha, beta)
}
