// Package prove reads the circuit of a game as a formula: what playouts sample, it
// decides. It finds plans in games for one role, and invariants of the rules.
//
//	unroll.go      the network at step after step, as one network
//	formula.go     that network as clauses
//	sat            what decides them
//	sample.go      random games, which suggest invariants
//	invariants.go  induction, which proves them
//	target.go      plans by their last position
//	plan.go        plans at growing horizons
//
// It knows circuits and machines, no rules as text and no searches.
package prove
