// Package datalog evaluates the rules of a game bottom-up over relations with
// indexes. It owns grounding (Ground: every rule instance that can matter, as a
// Program over numbered atoms) and the machine for games that are too large to
// be grounded (NewMachine: the rules evaluated anew in every position, only as
// far as asked). It knows nothing of text, of circuits or of searches.
//
// It does three jobs, each on top of the one before. In reading order:
//
//	The front: rules become relations and rules over columns of numbers.
//	  terms       ground terms by number
//	  rule        rules, literals and atoms over them
//	  theory      a game's rules translated, without those that no output needs
//	  shape       fluents and moves flattened: one column for each argument
//	  linear      relations composed with themselves become chains of steps
//	  split       rules with many variables decomposed into parts
//	  relation    the tuples of a relation, and indexes over its columns
//	  plan        the body of a rule as nested loops: the order of joins
//	  join        the executor of plans
//	  fixpoint    rules joined until nothing new is derived, semi-naively
//	  static      relations that depend on neither true nor does, evaluated for good
//	  domains     what may stand in each column, before anything is computed
//	  limits      what all this may take: time, tuples, memory
//
//	Grounding: from a theory to a Program.
//	  ground      the stages in order, and the possible atoms
//	  free        columns that make no difference left out
//	  merge       rules that differ in one condition put together
//	  unfold      large static relations replaced by what defines them
//	  tail        recursion that only hands its result on
//	  demand      large relations computed as far as they are asked for
//	  instances   what rules match over the possible atoms, recorded while these are found
//	  simplify    what is constant, evaluated away
//	  build       atoms numbered, the Program written
//	  program     the result
//
//	The machine: positions one at a time.
//	  machine     what all positions share: the rules, the vocabulary
//	  input       fluents and moves between numbers, texts and tuples
//	  evaluator   relations of one position, computed as they are asked for
//	  magicsets   recursive relations by key
//	  inline      rules replaced by the bodies that define them
//	  tune        which relation is computed in which way, by counted work
//	  stepper     the machine.Stepper on top
//
// Which file to open:
//
//	why is a rule slow?                in both: plan (order of its joins), split (its
//	                                   parts); in the machine: tune and evaluator
//	why was a game refused?            limits: each error names the limit and the rule
//	why is the ground program large?   linear, free, unfold, tail, demand, merge, split, instances, simplify
//	which fluents and moves are there? for Ground: ground (reach: what is possible);
//	                                   for NewMachine: those that were met (input)
//	where do they get their numbers?   build for Ground, input for NewMachine
//	why is a literal gone?             simplify (constant), theory (not needed)
package datalog
