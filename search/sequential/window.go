package sequential

import (
	"math"

	"stackmate/search"
)

// value holds the bounds of a position in goal points of the maximiser; guess lies within
// proved.
type value struct {
	// proved contains the minimax value: L and U of conditions C1–C3.
	proved search.Interval
	// guess is like proved, with a guessed value at positions on the horizon. Without such
	// positions in the tree both are equal.
	guess search.Interval
}

// unknown is the value of a position of which nothing is known.
var unknown = value{search.GoalRange, search.GoalRange}

func exactly(v float64) value { return value{search.Exact(v), search.Exact(v)} }

// tightened returns the value with bounds intersected with p, which contains the value.
func (v value) tightened(p search.Interval) value {
	both := v.proved.Meet(p)
	both.Lower = min(both.Lower, both.Upper) // means over the replies of chance in another order differ by rounding
	return value{both, clamp(v.guess, both)}
}

// narrow intersects the guess with the guess of another search of the same depth. Contradictory guesses, from table
// entries of different depths, are ignored.
func (v *value) narrow(guess search.Interval) {
	if both := v.guess.Meet(guess); both.Lower <= both.Upper {
		v.guess = both
	}
}

// clamp returns a with its ends moved into p.
func clamp(a, p search.Interval) search.Interval {
	return search.Interval{Lower: p.Clamp(a.Lower), Upper: p.Clamp(a.Upper)}
}

// better returns the interval of a choice between a and b: the maximum of both ends for the maximiser (C1), the
// minimum for the minimiser (C2).
func better(a, b search.Interval, maximise bool) search.Interval {
	if maximise {
		return search.Interval{Lower: max(a.Lower, b.Lower), Upper: max(a.Upper, b.Upper)}
	}
	return search.Interval{Lower: min(a.Lower, b.Lower), Upper: min(a.Upper, b.Upper)}
}

// window is the search window (α, β): all values ≤ alpha are equivalent for the ancestors, and so are all values
// ≥ beta. Errors up to epsilon are allowed.
type window struct{ alpha, beta, epsilon float64 }

// isClosed reports whether the pruning rule holds (Algorithm 1, line 24): no value in b
// matters to the ancestors.
func (w window) isClosed(b search.Interval) bool {
	return min(w.beta, b.Upper) <= max(w.alpha, b.Lower)+w.epsilon
}

// isCut reports whether a move with bounds b closes the window alone: a cutoff for the side that
// moves.
func (w window) isCut(b search.Interval, maximise bool) bool {
	if maximise {
		return w.beta <= b.Lower+w.epsilon
	}
	return b.Upper <= w.alpha+w.epsilon
}

// narrowed returns the window of a child of a position with bounds b (C5; lines 22
// and 23).
func (w window) narrowed(b search.Interval) window {
	return window{max(w.alpha, b.Lower), min(w.beta, b.Upper), w.epsilon}
}

// isNull reports whether the window is a null window.
func (w window) isNull() bool {
	return w.beta <= math.Nextafter(w.alpha+w.epsilon, math.Inf(1)) || w.alpha >= math.Nextafter(w.beta-w.epsilon, math.Inf(-1))
}

// null returns the null window at the bound that the side to move must improve
// (Pearl's Scout, with ε).
func (w window) null(maximise bool) window {
	if maximise {
		w.beta = math.Nextafter(w.alpha+w.epsilon, math.Inf(1))
	} else {
		w.alpha = math.Nextafter(w.beta-w.epsilon, math.Inf(-1))
	}
	return w
}
