package simultaneous

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// side is one of the two players. A matrix is the same to both as each of them sees
// it: the rows are the own actions, and payoffs grow. For the column player that is
// the transposed and negated matrix. So what holds for one side is written once.
type side int

const (
	rowSide side = iota
	columnSide
)

var bothSides = [2]side{rowSide, columnSide}

// role is who plays a side.
func (s *solver) role(who side) machine.Role {
	if who == rowSide {
		return s.row
	}
	return s.column
}

// sees is an interval of payoffs of the row player as the side sees it, and back.
func (who side) sees(v search.Interval) search.Interval {
	if who == rowSide {
		return v
	}
	return search.Interval{Lower: 0 - v.Upper, Upper: 0 - v.Lower} // 0 - 0 is not -0
}

// size is the number of own actions and of replies.
func (f *frame) size(who side) (own, replies int) {
	if who == rowSide {
		return f.m, f.n
	}
	return f.n, f.m
}

// at is the number of the cell after own action a and reply b.
func (f *frame) at(who side, a, b int) int {
	if who == rowSide {
		return a*f.n + b
	}
	return b*f.n + a
}

// cell says where a cell is: its number, and that of its first child.
type cell struct{ at, first int }

// cellAt is the cell after own action a and reply b.
func (f *frame) cellAt(who side, a, b int) cell {
	if who == columnSide {
		a, b = b, a
	}
	return cell{a*f.n + b, f.first(a, b)}
}

// cell is what the frame knows of the same cell, as the side sees it.
func (f *frame) cell(who side, a, b int) search.Interval {
	at := f.at(who, a, b)
	return who.sees(search.Interval{Lower: f.p[at], Upper: f.o[at]})
}

// strategy is that of the side.
func (f *frame) strategy(who side) []float64 {
	if who == rowSide {
		return f.x
	}
	return f.y
}
