// Package prove reads the circuit of a game as a formula: what playouts sample, it decides. It
// proves what holds in all positions of a game, and offers the formulas and invariants that plans
// are found with (package plan).
//
// The design is that of a model checker. A game is unrolled, step after step, into one network;
// the network becomes clauses; an engine decides them. What no formula of a few steps can prove
// follows by induction from invariants, which random games suggest and induction proves first.
// What fails is shown by a line, which is played before it is believed.
//
// Read in this order:
//
//	unroll.go       the network at step after step, as one network
//	formula.go      that network as clauses
//	sat             what decides them
//	invariants.go   candidates, and the induction that proves them
//	sample.go       the random games that suggest them
//	clock.go        what needs no formula: turns, counters of steps
//	hull.go         the linear equations that hold in positions
//	equations.go    those, as signals
//	caseanalysis.go induction by cases, joint move by joint move
//	jointmoves.go   the joint moves
//	successor.go    the circuit after one of them, and the fluents that it concerns
//	candidates.go   what is said of those fluents
//	rules.go        the properties that games should have
//	induction.go    their proofs, and the shortest lines to where they fail
//	lemmas.go       goal-directed induction: the proof of a property with the invariants that it needs alone
//	lazyformula.go  the formulas of that
//	facts.go        the facts that searches rely on
//	walks.go        random games with their moves, which refute most of what does not hold
//	playouts.go     many more, without: these refute what is rare
//	counting.go     what counting adds to the formula of one position
//	cone.go         what signals depend on
//
// A literal is a logic.Lit: of the game, where it speaks of fluents in invariants, and of the
// network of an unrolling, where it speaks of a step. Literals of the engine, sat.Lit, are seen in
// formula.go alone. A position is a machine.State.
//
// All that takes long ends with its context; what is to take turns with other work is an iterator,
// or is told when to rest.
//
// It knows circuits and machines, no rules as text, and no searches.
package prove
