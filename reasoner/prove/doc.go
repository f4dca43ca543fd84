// Package prove reads the circuit of a game as a formula: what playouts sample, it
// decides. It finds plans in games for one role, and proves what holds in all positions.
//
//	unroll.go      the network at step after step, as one network
//	formula.go     that network as clauses
//	sat            what decides them
//	clock.go       what runs by itself: turns, counters of steps
//	sample.go      random games, which suggest invariants
//	hull.go        what linear equations hold in positions
//	equations.go   those, as clauses
//	invariants.go  induction, which proves them
//	casework.go    that by cases, joint move by joint move
//	cases.go       the joint moves
//	successor.go   the circuit after one of them
//	local.go       the fluents that it concerns
//	candidates.go  what is said of them
//	plan.go        plans: the ways to them, in turn
//	horizons.go    plans by formulas, at growing horizons
//	symmetry.go    one of symmetric plans
//	effects.go     what moves do, and which do the same
//	target.go      plans by their last position
//	counting.go    what counting says of it
//	reach.go       plans by breadth first, without the clock
//	dive.go        plans by depth first, by the number of moves
//	pattern.go     some fluents as a game of their own: how far it is at least
//	patterns.go    which fluents
//	ternary.go     signals where not all is known
//	beam.go        plans by breadth first, those that are nearest by the patterns
//	positions.go   sets of positions
//	rules.go       what should hold in all positions of a game
//	walks.go       random games, which refute most of what does not
//	rounds.go      as many as there is time for, which refute what is rare
//	induction.go   proofs of what does, and the shortest lines to where it fails
//
// It knows circuits and machines, no rules as text and no searches.
package prove
