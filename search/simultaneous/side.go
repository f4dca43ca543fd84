package simultaneous

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// side is one of the two players. To either side a matrix has the same form: rows are
// own actions, and payoffs are own payoffs. For the column player that is the transposed
// and negated matrix. So all code for one side serves both.
type side int

const (
	rowSide side = iota
	columnSide
)

var bothSides = [2]side{rowSide, columnSide}

// role returns the role that plays a side.
func (s *solver) role(who side) machine.Role {
	if who == rowSide {
		return s.row
	}
	return s.column
}

// fromRow converts an interval between the row player's payoffs and the side's. It is its
// own inverse.
func (who side) fromRow(v search.Interval) search.Interval {
	if who == rowSide {
		return v
	}
	return search.Interval{Lower: 0 - v.Upper, Upper: 0 - v.Lower} // 0 - 0 is not -0
}

// exchanged returns the side itself, or the other side if the position is the image with exchanged players.
func (who side) exchanged(exchanged bool) side {
	if exchanged {
		return 1 - who
	}
	return who
}

// size returns the number of own actions and of replies.
func (f *frame) size(who side) (own, replies int) {
	if who == rowSide {
		return f.m, f.n
	}
	return f.n, f.m
}

// at returns the number of the cell after own action a and reply b.
func (f *frame) at(who side, a, b int) int {
	if who == rowSide {
		return a*f.n + b
	}
	return b*f.n + a
}

// cell is the number of a cell, and the number of its first child.
type cell struct{ at, first int }

// cellAt returns the cell after own action a and reply b.
func (f *frame) cellAt(who side, a, b int) cell {
	if who == columnSide {
		a, b = b, a
	}
	return cell{a*f.n + b, f.first(a, b)}
}

// cell returns the bounds of the same cell, as the side sees it.
func (f *frame) cell(who side, a, b int) search.Interval {
	at := f.at(who, a, b)
	return who.fromRow(search.Interval{Lower: f.p[at], Upper: f.o[at]})
}

// strategy returns the strategy of a side.
func (f *frame) strategy(who side) []float64 {
	if who == rowSide {
		return f.x
	}
	return f.y
}
