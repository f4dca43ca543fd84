package ground

import "stackmate/reasoner/machine"

// Atom is the number of an atom of a ground program, or a constant:
//
//	[0, F)      true(fluent f)                      F = len(Names.Fluents)
//	[F, A)      does(role, move), role by role      A = F + number of moves
//	[A, Atoms)  derived atoms
type Atom int32

// The constants.
const (
	False Atom = -1 // an atom that holds in no position
	True  Atom = -2 // an atom that holds in every position
)

// Lit is an atom or its negation: 2*atom, plus 1 if negated.
type Lit int32

// Atom returns the atom of l.
func (l Lit) Atom() Atom { return Atom(l >> 1) }

// Negated reports whether l is negative.
func (l Lit) Negated() bool { return l&1 != 0 }

// Goal is one ground goal atom.
type Goal struct {
	Role  machine.Role
	Value int32 // goal points, or machine.NoGoal if the rules give no number
	Atom  Atom
}

// Program is a game grounded: every rule instance that can matter in a
// reachable position, over numbered atoms. Everything that holds in all
// positions or in none has been evaluated away: no body contains a literal that
// is constant as far as grounding knows, and no rule has a head that is a fact.
// Negation is stratified; positive cycles may remain.
type Program struct {
	Names    *machine.Names
	Init     []int32  // the fluents that are initially true, ascending
	Next     []Atom   // by fluent: next(f); may be False or True
	Legal    [][]Atom // by role, then move: legal(r, m); may be True
	Goals    []Goal   // several per role; Goal.Atom may be True
	Terminal Atom     // may be False or True
	Atoms    int32    // number of atoms
	// Rule i is Head[i] ← Body[Start[i]:Start[i+1]], a conjunction. Rules with
	// the same head are alternatives, and stand together. Heads are derived atoms.
	Head   []Atom
	Start  []int32
	Body   []Lit
	Stages machine.Stages // time and memory of the stages of grounding
}

// does returns the atom does(r, m).
func (p *Program) does(r machine.Role, m machine.Move) Atom {
	a := len(p.Names.Fluents)
	for _, table := range p.Names.Moves[:r] {
		a += len(table)
	}
	return Atom(a) + Atom(m)
}
