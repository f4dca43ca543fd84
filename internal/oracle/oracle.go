// Package oracle answers questions about small games for the tests, in the plainest way known: bottom-up evaluation
// of the rules, enumeration of all positions, backward induction in rational numbers. It shares with the product
// nothing but the syntax tree of package gdl, so that an error is never on both sides of a comparison.
//
//	rules.go   the rules, evaluated stratum by stratum over ground facts
//	game.go    all positions that can be reached, their moves, goals and successors
//	values.go  guarantees, values of matrix games, best replies
package oracle
