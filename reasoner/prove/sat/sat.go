// Package sat decides the satisfiability of propositional formulas in conjunctive normal form, incrementally: clauses
// may be added between calls, and each call has its own assumptions. It is independent of games.
//
// There are two engines. Solver is written in Go. CaDiCaL replaces it in programs compiled with the build tag cadical
// (Debian: libcadical-dev); with that tag the tests check both. Gophersat was rejected, since its solvers share
// global state and cannot run concurrently.
package sat

import "context"

// Lit is a variable or its complement: 2*variable, plus 1 if complemented. Variable 0
// is the constant false.
type Lit int32

// litTrue is the complement of the constant false.
const litTrue Lit = 1

// Not returns the complement of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Var returns the variable of l.
func (l Lit) Var() int32 { return int32(l >> 1) }

// Status is the result of a call.
type Status int8

// The results. Unknown means that the call was stopped or reached a limit.
const (
	Unknown Status = iota
	Sat
	Unsat
)

// String returns the status as a word.
func (s Status) String() string { return [...]string{"unknown", "satisfiable", "unsatisfiable"}[s] }

// Limits bounds a call, together with its context. Zero means no limit.
type Limits struct {
	MaxConflicts int64 // conflicts of the call
	MaxBytes     int64 // memory of the engine, as Engine.Bytes
}

// Engine decides a formula that grows. It belongs to one goroutine.
type Engine interface {
	// NewVar adds a variable and returns its positive literal.
	NewVar() Lit
	// Add adds a clause: at least one literal is true. The slice is not kept.
	Add(clause ...Lit)
	// Solve decides whether an assignment satisfies all clauses and assumptions. It checks its context every
	// millisecond or so, except while it preprocesses new clauses.
	Solve(ctx context.Context, lim Limits, assumptions ...Lit) Status
	// Value returns the value of a literal in the assignment of the last Solve, until the next call of Add or Solve.
	Value(Lit) bool
	// Bytes returns the approximate memory of the engine.
	Bytes() int64
	// Close frees memory outside the garbage collector's control. The engine must not be used afterwards.
	Close()
}
