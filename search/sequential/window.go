package sequential

import (
	"math"

	"stackmate/search"
)

// value is what is known of a position. Both intervals are in goal points of
// the maximising role; guess lies within proved.
type value struct {
	// proved contains the minimax value: L and U of conditions C1–C3.
	proved search.Interval
	// guess is proved with the middle of the range in place of the positions beyond the
	// depth. Where none of these matters both are the same.
	guess search.Interval
}

func exactly(v float64) value { return value{search.Exact(v), search.Exact(v)} }

// tightened adds the knowledge that the value lies in p.
func (v value) tightened(p search.Interval) value {
	return value{meet(v.proved, p), clamp(v.guess, meet(v.proved, p))}
}

// narrow adds what another search of the same depth has found, unless they contradict
// each other, as they may where tables know of different depths.
func (v *value) narrow(guess search.Interval) {
	if both := meet(v.guess, guess); both.Lower <= both.Upper {
		v.guess = both
	}
}

// meet is the intersection of two intervals that share a value.
func meet(a, b search.Interval) search.Interval {
	return search.Interval{Lower: max(a.Lower, b.Lower), Upper: min(a.Upper, b.Upper)}
}

// clamp moves the ends of a into p.
func clamp(a, p search.Interval) search.Interval {
	return search.Interval{
		Lower: min(max(a.Lower, p.Lower), p.Upper),
		Upper: min(max(a.Upper, p.Lower), p.Upper),
	}
}

// better is the interval of a position whose best child is one of two: the
// larger ends for the maximising role (C1), the smaller ends for the other (C2).
func better(a, b search.Interval, maximise bool) search.Interval {
	if maximise {
		return search.Interval{Lower: max(a.Lower, b.Lower), Upper: max(a.Upper, b.Upper)}
	}
	return search.Interval{Lower: min(a.Lower, b.Lower), Upper: min(a.Upper, b.Upper)}
}

// window is what the ancestors of a position still want to know: values at or
// below alpha are all the same to them, values at or above beta too, and errors
// up to epsilon do not matter.
type window struct{ alpha, beta, epsilon float64 }

// isClosed is the pruning rule (Algorithm 1, line 24): whatever the value in b
// turns out to be, the window does not care.
func (w window) isClosed(b search.Interval) bool {
	return min(w.beta, b.Upper) <= max(w.alpha, b.Lower)+w.epsilon
}

// isCut tells whether a move of value b is good enough for the side that makes it to
// close the window, whatever its other moves are worth.
func (w window) isCut(b search.Interval, maximise bool) bool {
	if maximise {
		return w.beta <= b.Lower+w.epsilon
	}
	return b.Upper <= w.alpha+w.epsilon
}

// narrowed is the window of a child of a position with bounds b (C5; lines 22
// and 23).
func (w window) narrowed(b search.Interval) window {
	return window{max(w.alpha, b.Lower), min(w.beta, b.Upper), w.epsilon}
}

// isNull tells whether the window is the narrowest that is open.
func (w window) isNull() bool {
	return w.beta <= math.Nextafter(w.alpha+w.epsilon, math.Inf(1)) || w.alpha >= math.Nextafter(w.beta-w.epsilon, math.Inf(-1))
}

// null is the narrowest window that is open at the end where the side to choose
// has something to gain (Pearl's Scout, with ε).
func (w window) null(maximise bool) window {
	if maximise {
		w.beta = math.Nextafter(w.alpha+w.epsilon, math.Inf(1))
	} else {
		w.alpha = math.Nextafter(w.beta-w.epsilon, math.Inf(-1))
	}
	return w
}
