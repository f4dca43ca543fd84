// Package plan finds plans in games for one role: joint moves to a terminal position with the
// best goal, and a bound that proves it best.
//
// Five searches take turns, as none tells before whether it will find a plan soon, and share what
// they find out: the best plan, its bound, invariants, patterns (plan.go). Two ask formulas of
// package prove, three try moves.
//
//	horizons.go  formulas of all joint moves, for more and more of them
//	targets.go   a formula of the last position, then moves towards it
//	explore.go   the searches that try moves: by depth first, by breadth first, and with beams
//	tree.go      the positions that these have met, with the lines to them
//	pattern.go   some fluents as a game of their own: a bound for the distance and the goal
//	patterns.go  which fluents
//	effects.go   what moves do, as functions of the position
//	ternary.go   signals where not all is known
//
// Read plan.go first, then the searches in the order of this list.
//
// It knows circuits, machines and formulas, no rules as text.
package plan
