// Package matrix solves zero-sum matrix games and the small linear programs of simultaneous search. It knows numbers
// only: no positions, no moves, no games.
package matrix

import (
	"context"
	"fmt"
)

// Engine solves the linear programs of simultaneous search. There are two engines: the native engine of this package,
// and GLPK behind the build tag "glpk". An Engine belongs to one goroutine. Matrices are dense and row-major; the row
// player maximises. After warm-up the native engine does not allocate, unless rounding errors make it try again.
type Engine interface {
	// Nash solves the m×n matrix game a: it returns the value and writes optimal strategies into x (m) and y (n); a
	// nil slice is not written.
	Nash(a []float64, m, n int, x, y []float64) (value float64, err error)
	// Maximize solves the LP of Fig. 4 of Saffidine, Finnsson and Buro (2012):
	// max xᵗe subject to xᵗP ≥ f, x ≥ 0, Σx = 1, where P is k×n, e has k and f
	// has n elements. n = 0 is allowed: then the value is max e. k = 0 is infeasible.
	// Fig. 5 is the same program for the matrix transposed and negated; Fig. 1 and 3 ask for feasibility only, with
	// any e.
	Maximize(p []float64, k, n int, e, f []float64) (value float64, feasible bool, err error)
	// Within sets the context of all later calls. A long call returns ctx's error soon after ctx is done.
	Within(ctx context.Context)
	// Name returns "native" or "glpk".
	Name() string
}

// NewEngine returns the engine of the given name.
func NewEngine(name string) (Engine, error) {
	switch name {
	case "native":
		return NewNative(), nil
	case "glpk":
		return newGLPK()
	}
	return nil, fmt.Errorf("LP engine: expected native or glpk, found %q", name)
}
