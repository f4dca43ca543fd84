//go:build !cadical || !cgo

package sat

// New makes an engine of the empty formula: a Solver.
func New() Engine { return NewSolver() }
