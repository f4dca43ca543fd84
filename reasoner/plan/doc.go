// Package plan finds plans in games for one role: joint moves to a terminal position with the best goal, and a bound
// that proves it best.
//
// Five searches are interleaved, because it is unknown which of them succeeds in a game. They share the best plan,
// its bound, invariants and patterns (plan.go). Two searches use formulas of package prove, three expand positions.
//
//	horizons.go  formulas of all joint moves, with growing numbers of joint moves
//	targets.go   a formula of the last position, then a search for a line to it
//	explore.go   the searches that expand positions: depth first, breadth first, with beams
//	tree.go      the expanded positions, with the lines to them
//	pattern.go   pattern databases: bounds of the distance and the goal
//	patterns.go  the choice of the fluents of patterns
//	effects.go   the effects of moves as functions of the position
//	ternary.go   three-valued simulation, with unknown inputs
//
// Read plan.go first, then the searches in the order of this list.
//
// The package imports circuits, machines and formulas, but no rules as text.
package plan
