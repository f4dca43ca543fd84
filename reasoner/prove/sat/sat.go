// Package sat decides the satisfiability of propositional formulas in conjunctive
// normal form, incrementally: clauses may be added between calls, and each call has
// assumptions of its own. It knows nothing of games.
//
// There are two engines: Solver, in Go, and CaDiCaL, which takes its place in programs
// compiled with the build tag cadical (Debian: libcadical-dev), and is its judge in the tests.
// Of the solvers in Go, gini (go-air) is not served by the module proxy, and gophersat shares
// state between solvers, so that two cannot run at once.
package sat

import "context"

// Lit is a variable or its complement: 2*variable, plus 1 if complemented. Variable 0
// is the constant false.
type Lit int32

// litTrue is the complement of the constant false.
const litTrue Lit = 1

// Not is the complement of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Var is the variable that l speaks of.
func (l Lit) Var() int32 { return int32(l >> 1) }

// Status is what a call has found out.
type Status int8

// The answers. Unknown is that of a call that was stopped or has met a limit.
const (
	Unknown Status = iota
	Sat
	Unsat
)

// String is the answer in words.
func (s Status) String() string { return [...]string{"unknown", "satisfiable", "unsatisfiable"}[s] }

// Limits bound a call besides its context. Zero means no limit.
type Limits struct {
	MaxConflicts int64 // that the call may run into
	MaxBytes     int64 // that the engine may take, see Engine.Bytes
}

// Engine is a formula and what decides it. It belongs to one goroutine.
type Engine interface {
	// NewVar adds a variable, and returns it uncomplemented.
	NewVar() Lit
	// Add adds a clause: one of the literals is true. The slice is not kept.
	Add(clause ...Lit)
	// Solve tells whether there is an assignment that makes all clauses and the
	// assumptions true. It looks at its context every millisecond or so, but for what
	// it needs to digest a formula it sees for the first time.
	Solve(ctx context.Context, lim Limits, assumptions ...Lit) Status
	// Value is the value of a literal in the assignment that Solve has found, until the
	// next call of Add or Solve.
	Value(Lit) bool
	// Bytes is about the memory that the engine takes.
	Bytes() int64
	// Close frees what the garbage collector does not see. The engine is of no use after.
	Close()
}
