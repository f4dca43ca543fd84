package simultaneous

import (
	"math"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
)

// The meaning of "proved" and "solved" in this package. The search computes in floating point:
//
//   - A proved open interval contains the exact value. Its ends are the bounds of the search, moved outwards by their greatest possible error.
//   - A solved value, an interval with equal ends, is within the same error of the exact value: maxError, 7.5e-5 goal points, by theory; errors
//     above 1e-9 have not been observed. Package certify proves a narrow interval around it.
//   - Both are exact, and nothing is moved, as long as no mixed strategy and no mean over chance was computed: then all values are payoffs.
//
// Theorem: the error of a position's bound towards the wrong side exceeds the error of its children's bounds by at most plyError, since the value
// of a matrix game changes by at most as much as its entries. So after at most search.MaxPlies plies the error is at most maxError. OrderL and
// OrderLex may add the error of the engine once for each action that they remove. Where positions repeat, bounds depend on bounds of earlier
// iterations, so the plies of all iterations count. errorOf includes both.

// Values lie on exact.Grid. A step is 1e-9. Matrix games are solved to
// 1e-14 goal points as a rule, far below it. The engine certifies 1e-10 of the
// range of payoffs, 1e-8 goal points at worst: ten steps, by which values may then be
// wrong, and equal ones differ. That costs nodes, and certify.Tolerance allows for it.

// margin is the gain of a row or column, in goal points, that counts as better: eight
// steps of the grid, above the usual error of the matrix engine and about
// its error at worst. A search whose bounds meet up to margin is done.
const margin = 1.0 / (1 << 27)

// nullWindow is ε of Algorithm 1, line 20: the width of a search that only decides on which
// side of a bound a value lies.
const nullWindow = 1.0 / (1 << 20)

// Errors in goal points. The engines' are 1e-10 and 1e-6 of the range of goals.
const (
	nativeError = 1e-8
	glpkError   = 1e-4
	plyError    = nativeError + margin + exact.Grid
	maxError    = search.MaxPlies * plyError
)

// simplest returns the integer in a narrow interval, or else the value of the grid in its middle. Goals are integers, and
// a value that is only approached from one side is often a goal.
func simplest(v search.Interval) float64 {
	if n := math.Ceil(v.Lower); n <= v.Upper {
		return n
	}
	return exact.Snap(v.Lower + (v.Upper-v.Lower)/2)
}

// errorOf returns the greatest error of the bounds of the search.
func (s *solver) errorOf() float64 {
	e := maxError
	if s.config.Method == SequenceForm || s.lp.Name() == "glpk" {
		e = search.MaxPlies * (glpkError + margin + exact.Grid)
	}
	if s.config.Method == SMAB && s.config.Order != OrderBest {
		e *= float64(s.actions)
	}
	if s.horizon != nil {
		e *= 1 + float64(s.horizon.allPlies)/search.MaxPlies
	}
	return e
}

// outwards returns an interval of the search with its ends moved outwards by the
// error that they may have if a value was rounded.
func (s *solver) outwards(v search.Interval, rounded bool) search.Interval {
	if v.Solved() || !rounded {
		return v
	}
	e := s.errorOf()
	return search.Interval{Lower: max(v.Lower-e, 0), Upper: min(v.Upper+e, machine.MaxGoal)}
}

// isMixed reports whether a strategy has probabilities other than 0 and 1.
func isMixed(strategy []float64) bool {
	for _, p := range strategy {
		if p > 0 && p < 1 {
			return true
		}
	}
	return false
}
