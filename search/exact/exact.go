// Package exact holds the parts that the exact searches share: the payoff of a terminal position with the sum of the goals,
// the windows of chance, the grid of rounded values and the bound of the depth. It must not know any search. The
// goroutines of a search and the positions under search are package threads, its tables package table.
package exact

import (
	"fmt"
	"math"

	"stackmate/search"
)

// MaxPly bounds the number of choices on a path of a recursive search. It is ten times the length of the longest common
// games, and takes some tens of megabytes of frames.
const MaxPly = 2000

// ErrTooDeep is the reason of an unfinished search whose depth alone prevents a value.
var ErrTooDeep = fmt.Errorf("the tree is deeper than %d plies", MaxPly)

// Grid is the spacing of rounded values in goal points, 2⁻³⁰: values that the rules make equal are equal as numbers,
// although different means or matrix games have computed them. Goals lie on it.
const Grid = 1. / (1 << 30)

// Snap returns the value of the grid that is nearest to v.
func Snap(v float64) float64 { return math.RoundToEven(v/Grid) * Grid }

// Window returns the window of one of n equally probable children of chance (Star1; Ballard, 1983; condition C6 of Bounded
// Alpha-Beta). The bounds of the mean include the child's bounds.
//
// Theorem: a child worth at most the returned alpha, beside siblings worth their upper bounds, makes the mean at most
// alpha; and so for beta.
func Window(alpha, beta float64, mean, child search.Interval, n int) (a, b float64) {
	k := float64(n)
	return (alpha-mean.Upper)*k + child.Upper, (beta-mean.Lower)*k + child.Lower
}

// Fronted returns the k-th number of the order first, 0, 1, …, first-1, first+1, …: the best move of an earlier search, then
// all others.
func Fronted(k, first int) int {
	switch {
	case k == 0:
		return first
	case k <= first:
		return k - 1
	}
	return k
}
