package simultaneous

import "math"

// Values lie on a grid of 2⁻³⁰ goal points, so that values that are equal by
// the rules of the game are equal as numbers although they were computed in
// different ways, and integers lie on it. A step is 1e-9. Matrix games are solved to
// 1e-14 goal points as a rule, far below it. The engine certifies 1e-10 of the
// range of payoffs, 1e-8 goal points at worst: ten steps, by which values may then be
// wrong, and equal ones differ. That costs nodes, and certify.Tolerance allows for it.
const grid = 1.0 / (1 << 30)

// nullWindow is ε of Algorithm 1, line 20: the width of a search that only decides on which
// side of a bound a value lies.
const nullWindow = 1.0 / (1 << 20)

// margin is the gain of a row or column, in goal points, that counts as better: eight
// steps of the grid, above the usual error of the matrix engine and about
// its error at worst.
const margin = 1.0 / (1 << 27)

// snap returns the value of the grid that is nearest to v.
func snap(v float64) float64 { return math.RoundToEven(v/grid) * grid }
