package ground

import "stackmate/reasoner/machine"

// Signal numbers an atom of a ground program:
//
//	[0, F)        true(fluent f)                      F = len(Names.Fluents)
//	[F, A)        does(role, move), role by role       A = F + number of moves
//	[A, Signals)  derived atoms
type Signal int32

// NoSignal stands for an atom that can never be true.
const NoSignal Signal = -1

// Lit is a signal or its negation: 2*signal, plus 1 if negated.
type Lit int32

// Signal returns the signal of l.
func (l Lit) Signal() Signal { return Signal(l >> 1) }

// Negated reports whether l is negative.
func (l Lit) Negated() bool { return l&1 != 0 }

// Goal is one ground goal atom.
type Goal struct {
	Role   machine.Role
	Value  int32 // goal points, or machine.NoGoal if the rules give no number
	Signal Signal
}

// Program is a game grounded: every rule instance that can matter in a
// reachable position, over numbered atoms. Everything that holds in all
// positions or in none has been evaluated away: no body contains a literal that
// is constant as far as grounding knows, and no rule has a head that is a fact.
// Negation is stratified; positive cycles may remain.
type Program struct {
	Names   *machine.Names
	Init    []int32    // the fluents that are initially true, ascending
	Next    []Signal   // by fluent: the signal of next(f); NoSignal if never, True if always
	Legal   [][]Signal // by role, then move: legal(r, m); True if always
	Goals   []Goal     // several per role; Signal may be True
	Ends    Signal     // terminal; NoSignal or True if constant
	Signals int32      // number of signals
	// Rule i is Head[i] ← Body[Start[i]:Start[i+1]], a conjunction. Rules with
	// the same head are alternatives, and stand together. Heads are derived atoms.
	Head   []Signal
	Start  []int32
	Body   []Lit
	Stages machine.Stages // time and memory of the stages of grounding
}

// True stands for an atom that holds in every position.
const True Signal = -2

// does returns the signal of does(r, m).
func (p *Program) does(r machine.Role, m machine.Move) Signal {
	s := len(p.Names.Fluents)
	for _, table := range p.Names.Moves[:r] {
		s += len(table)
	}
	return Signal(s) + Signal(m)
}
