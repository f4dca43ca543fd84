// Package prove decides properties of a game for all positions: it translates the circuit of the game into formulas.
// It also offers formulas and invariants to the search for plans (package plan).
//
// The design is bounded model checking with induction. A game is unrolled into one network; the network becomes
// clauses; a SAT engine decides them. Properties beyond the reach of a few steps follow by induction from invariants,
// which random games suggest and induction proves first. A refutation is a line, which is replayed on the machine
// before it is reported.
//
// Read in this order:
//
//	unroll.go       the network of several steps
//	formula.go      the network as clauses
//	sat             the engines that decide clauses
//	invariants.go   candidates, and the induction that proves them
//	sample.go       the random games that suggest candidates
//	clock.go        fluents that do not depend on moves: turns, counters of steps
//	hull.go         the linear equations that hold in all positions
//	equations.go    linear equations as signals
//	digits.go       sums of goals as signals
//	caseanalysis.go induction by cases, one for each joint move
//	jointmoves.go   the joint moves
//	cofactors.go    the circuit after a joint move, and its fluents
//	candidates.go   an index of invariants and candidates by fluent
//	rules.go        the properties of rules
//	induction.go    their proofs, and shortest counterexamples
//	lemmas.go       goal-directed induction, with only the invariants that a proof needs
//	lazyformula.go  formulas of goal-directed induction
//	facts.go        the facts that searches rely on
//	walks.go        random games with their moves, which refute most false properties
//	playouts.go     many more games, without moves, which refute properties with rare violations
//	counting.go     counting arguments about one position
//	cone.go         cones of influence
//
// A literal is a logic.Lit: of the game in invariants, and of the network of an unrolling at a step. Only formula.go
// uses literals of the engine, sat.Lit. A position is a machine.State.
//
// Long work ends with its context. Work that is interleaved with other work is an iterator, or has a parameter pause.
//
// The package imports circuits and machines, but neither rules as text nor searches.
package prove
