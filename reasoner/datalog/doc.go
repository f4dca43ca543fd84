// Package datalog evaluates the rules of a game bottom-up over relations with
// indexes. It owns grounding (Ground: every rule instance that can matter, as a
// Program over numbered atoms) and the machine for games that are too large to
// be grounded (NewMachine: the rules evaluated anew in every position, only as
// far as asked). It knows nothing of text, of circuits or of searches.
//
// The way of a game, one file per step:
//
//	theory, shape    rules over interned terms; fluents and moves flattened into columns
//	static           relations that depend on neither true nor does, evaluated for good
//	split            rules with many variables decomposed into parts
//	plan, join       bodies as nested loops over indexes, run by one executor
//	fixpoint         semi-naive evaluation to the possible atoms
//	instances        the rules instantiated over the possible atoms
//	simplify, build  constants evaluated away; the Program
//
//	machine          the tables of fluents and moves
//	evaluator        relations of one position on demand: whole or by key
//	demand           magic sets: recursive relations by key
//	calibrate        which relation is computed how, by counted work
//	stepper, recall  the machine.Stepper on top of it
package datalog
