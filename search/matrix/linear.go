package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Errors of Linear.Maximize.
var (
	ErrInfeasible = errors.New("linear program: no point satisfies all bounds")
	ErrUnbounded  = errors.New("linear program: the objective grows without bound")
)

// Bounds holds the bounds of a variable or a row: Lower ≤ it ≤ Upper, in units of the program; an infinite side is no
// bound.
type Bounds struct{ Lower, Upper float64 }

// Bounds that occur often.
var (
	NonNegative = Bounds{0, math.Inf(1)}
	Free        = Bounds{math.Inf(-1), math.Inf(1)}
)

// Equal returns bounds that allow v alone.
func Equal(v float64) Bounds { return Bounds{v, v} }

// Entry is a coefficient of a sparse matrix; each pair of row and variable occurs at most once.
type Entry struct {
	Row, Variable int
	Coefficient   float64
}

// Linear is a sparse linear program: max Objective·x subject to Rows on Ax and Variables on x. An example is the
// sequence form of a game (Koller, Megiddo and von Stengel, 1994). GLPK solves it, which requires the build tag glpk.
type Linear struct {
	Objective []float64 // one per variable
	Variables []Bounds
	Rows      []Bounds
	Entries   []Entry
}

// Variable adds a variable with its coefficient in the objective, and returns its index.
func (l *Linear) Variable(bounds Bounds, objective float64) int {
	l.Variables, l.Objective = append(l.Variables, bounds), append(l.Objective, objective)
	return len(l.Variables) - 1
}

// Row adds a row, and returns its index.
func (l *Linear) Row(bounds Bounds) int {
	l.Rows = append(l.Rows, bounds)
	return len(l.Rows) - 1
}

// Add adds a coefficient.
func (l *Linear) Add(row, variable int, coefficient float64) {
	l.Entries = append(l.Entries, Entry{row, variable, coefficient})
}

// Maximize returns the optimum and a point x (one element per variable) that attains it. The errors are ErrInfeasible,
// ErrUnbounded, a description of an ill-formed program, a failure of the solver, or a hint to install a solver.
func (l *Linear) Maximize() (value float64, x []float64, err error) {
	if err := l.check(); err != nil {
		return 0, nil, err
	}
	return maximizeLinear(l)
}

func (l *Linear) check() error {
	switch {
	case len(l.Variables) == 0 || len(l.Rows) == 0:
		return fmt.Errorf("linear program: expected at least one variable and one row, found %d and %d", len(l.Variables), len(l.Rows))
	case len(l.Objective) != len(l.Variables):
		return fmt.Errorf("linear program: expected an objective of %d coefficients, found %d", len(l.Variables), len(l.Objective))
	}
	for j, c := range l.Objective {
		if c-c != 0 {
			return fmt.Errorf("linear program: expected finite objective coefficients, found %v for variable %d", c, j)
		}
	}
	if err := checkBounds("variable", l.Variables); err != nil {
		return err
	}
	if err := checkBounds("row", l.Rows); err != nil {
		return err
	}
	for _, e := range l.Entries {
		if e.Row < 0 || e.Row >= len(l.Rows) || e.Variable < 0 || e.Variable >= len(l.Variables) {
			return fmt.Errorf("linear program: expected entries within %d×%d, found row %d, variable %d", len(l.Rows), len(l.Variables), e.Row, e.Variable)
		}
		if e.Coefficient-e.Coefficient != 0 {
			return fmt.Errorf("linear program: expected finite coefficients, found %v in row %d, variable %d", e.Coefficient, e.Row, e.Variable)
		}
	}
	return l.checkDuplicates()
}

// checkDuplicates returns an error for two entries of the same row and variable.
func (l *Linear) checkDuplicates() error {
	sorted := slices.SortedFunc(slices.Values(l.Entries), func(a, b Entry) int { return cmp.Or(a.Row-b.Row, a.Variable-b.Variable) })
	for k := range len(sorted) - 1 {
		if e, next := sorted[k], sorted[k+1]; e.Row == next.Row && e.Variable == next.Variable {
			return fmt.Errorf("linear program: expected one entry in row %d, variable %d, found two", e.Row, e.Variable)
		}
	}
	return nil
}

func checkBounds(what string, bounds []Bounds) error {
	for i, b := range bounds {
		if !(b.Lower <= b.Upper) || math.IsInf(b.Lower, 1) || math.IsInf(b.Upper, -1) {
			return fmt.Errorf("linear program: expected a lower bound and no lesser upper one, found %v and %v for %s %d", b.Lower, b.Upper, what, i)
		}
	}
	return nil
}
