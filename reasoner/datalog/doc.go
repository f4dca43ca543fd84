// Package datalog evaluates the rules of a game bottom-up over indexed relations. This folder owns grounding (ground: the
// relevant rule instances, as a Program over numbered atoms) and the machine for games whose grounding is too large
// (interpret: demand-driven evaluation of the rules in each position). It is independent of the text of rules, of circuits
// and of searches. The package itself holds the limits of both.
//
// Imports point downwards only:
//
//	interpret   the machine: positions one at a time
//	ground      the passes, and grounding: from rules to a Program
//	join        derivation by rules: plans, their executor, fixpoints, magic sets
//	rules       ground terms by number, relations, rules over columns of numbers
//	tuples      sets of rows of numbers, with indexes
//
// Read ground/passes.go first: it lists the transformations of the rules in order. Then, from below:
//
//	internal/tuples
//	  table, index  rows in the order of their insertion, and indexes over their columns
//	  selection     some rows of a table: the tuples of a position
//
//	internal/rules
//	  terms         ground terms by number
//	  rule          rules, literals and atoms
//	  relation      relations, and their class: static, pending or dynamic
//	  substitute    variables replaced: renaming, unification, resolution
//	  theory        a game's rules translated, without rules that no output needs
//	  shape         fluents and moves flattened: one column for each argument
//	  graph         which relations depend on which
//
//	internal/join
//	  plan, join    the body of a rule as nested loops, and their executor
//	  fixpoint      least fixpoints of rules, by semi-naive evaluation
//	  domains       possible terms of each column, before relations are computed
//	  magicsets     rules that derive demanded tuples only
//	  meter         bounds on time, tuples and memory
//
//	ground
//	  passes        the passes in order; each has a file of its name
//	  ground        the stages in order
//	  instances     matches of rules over the possible atoms, recorded during the search for atoms
//	  simplify      constant atoms evaluated away
//	  build         atoms numbered, the Program written
//	  program       the result
//
//	interpret
//	  machine       state shared by all positions: the rules, the vocabulary
//	  input         fluents and moves between numbers and tuples
//	  evaluator     relations of one position, computed on demand
//	  magic         recursive relations by key
//	  vocabulary    fluents and moves numbered at their first appearance
//	  stepper       the scalar.Stepper on top
//
// Which file to open:
//
//	why is a rule slow?                in both: plan (order of its joins), split (its
//	                                   parts); in the machine: evaluator
//	why was a game refused?            meter: each error names the limit and the rule
//	why is the ground program large?   passes
//	which fluents and moves are there? reach and build; vocabulary for the machine
//	why is a literal gone?             simplify (constant), theory (not needed)
package datalog
