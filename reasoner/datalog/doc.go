// Package datalog evaluates the rules of a game bottom-up over indexed relations. It owns grounding (Ground: the
// relevant rule instances, as a Program over numbered atoms) and the machine for games whose grounding is too
// large (NewMachine: demand-driven evaluation of the rules in each position). It is independent of the text of
// rules, of circuits and of searches.
//
// Read passes.go first: it lists the transformations of the rules in order. Then:
//
//	The rules: relations, and rules over columns of numbers.
//	  terms, rule   ground terms by number; rules, literals and atoms over them
//	  substitute    variables replaced: renaming, unification, resolution
//	  theory        a game's rules translated, without rules that no output needs
//	  shape         fluents and moves flattened: one column for each argument
//
//	The join: derivation by rules.
//	  relation      the tuples of a relation, and indexes over its columns
//	  plan, join    the body of a rule as nested loops, and their executor
//	  fixpoint      least fixpoints of rules, by semi-naive evaluation
//	  domains       possible terms of each column, before relations are computed
//	  limits        bounds on time, tuples and memory
//
//	The passes, in the order of their table.
//	  constants, linear, static, existential, merge, unfold, rightlinear, split, demand, magicsets
//
//	Grounding: from rules to a Program.
//	  ground        the stages in order, and the possible atoms
//	  instances     matches of rules over the possible atoms, recorded during the search for atoms
//	  simplify      constant atoms evaluated away
//	  build         atoms numbered, the Program written
//	  program       the result
//
//	The machine: positions one at a time.
//	  machine       state shared by all positions: the rules, the vocabulary
//	  input         fluents and moves between numbers, texts and tuples
//	  evaluator     relations of one position, computed on demand
//	  stepper       the machine.Stepper on top
//
// Which file to open:
//
//	why is a rule slow?                in both: plan (order of its joins), split (its
//	                                   parts); in the machine: evaluator
//	why was a game refused?            limits: each error names the limit and the rule
//	why is the ground program large?   passes
//	which fluents and moves are there? ground (reach) and build; input for the machine
//	why is a literal gone?             simplify (constant), theory (not needed)
package datalog
