//go:build !cadical || !cgo

package sat

// New returns a Solver with the empty formula.
func New() Engine { return NewSolver() }
