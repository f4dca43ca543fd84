package sat_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/reasoner/prove/sat"
)

// clause is a list of DIMACS literals: variable numbers from 1 on, negative if complemented.
type clause []int

func randomClauses(rng *rand.Rand, variables, n, width int) []clause {
	list := make([]clause, n)
	for i := range list {
		for range 1 + rng.IntN(width) {
			l := 1 + rng.IntN(variables)
			if rng.IntN(2) == 0 {
				l = -l
			}
			list[i] = append(list[i], l)
		}
	}
	return list
}

func holds(c clause, assignment int) bool {
	for _, l := range c {
		if l > 0 && assignment>>(l-1)&1 != 0 || l < 0 && assignment>>(-l-1)&1 == 0 {
			return true
		}
	}
	return false
}

// isSatisfiable tries all assignments.
func isSatisfiable(variables int, clauses []clause) bool {
next:
	for assignment := range 1 << variables {
		for _, c := range clauses {
			if !holds(c, assignment) {
				continue next
			}
		}
		return true
	}
	return false
}

// engines are Solver and the engine of this build.
var engines = map[string]func() sat.Engine{
	"go":    func() sat.Engine { return sat.NewSolver() },
	"build": sat.New,
}

// formula is an engine whose variables have DIMACS numbers.
type formula struct {
	sat.Engine
	vars []sat.Lit
}

func (f *formula) lits(c clause) []sat.Lit {
	var lits []sat.Lit
	for _, l := range c {
		for len(f.vars) <= max(l, -l) {
			f.vars = append(f.vars, f.NewVar())
		}
		lit := f.vars[max(l, -l)]
		if l < 0 {
			lit = lit.Not()
		}
		lits = append(lits, lit)
	}
	return lits
}

func TestIncrementalAnswersAgreeWithAllAssignments(t *testing.T) {
	for name, make := range engines {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			rounds := 3000
			if !exhaustive.On() {
				rounds = 500
			}
			for range rounds {
				n := 2 + rng.IntN(11)
				f := &formula{Engine: make()}
				var all []clause
				for range 6 {
					for _, c := range randomClauses(rng, n, 1+rng.IntN(n), 4) {
						all = append(all, c)
						f.Add(f.lits(c)...)
					}
					var assumed []clause
					for _, c := range randomClauses(rng, n, rng.IntN(4), 1) {
						assumed = append(assumed, c[:1])
					}
					var lits []sat.Lit
					for _, c := range assumed {
						lits = append(lits, f.lits(c)...)
					}
					want := isSatisfiable(n, append(assumed, all...))
					status := f.Solve(context.Background(), sat.Limits{}, lits...)
					if status == sat.Unknown || (status == sat.Sat) != want {
						t.Fatalf("clauses %v assuming %v: expected satisfiable %v, found %v", all, assumed, want, status)
					}
					for _, c := range append(assumed, all...) {
						if status == sat.Sat && !f.satisfies(c) {
							t.Fatalf("clauses %v assuming %v: the assignment makes %v false", all, assumed, c)
						}
					}
				}
				f.Close()
			}
		})
	}
}

func (f *formula) satisfies(c clause) bool {
	for _, l := range f.lits(c) {
		if f.Value(l) {
			return true
		}
	}
	return false
}

// pigeons requires that holes+1 pigeons are in different holes.
func pigeons(f *formula, holes int) {
	at := func(p, h int) int { return p*holes + h + 1 }
	for p := range holes + 1 {
		var c clause
		for h := range holes {
			c = append(c, at(p, h))
			for q := range p {
				f.Add(f.lits(clause{-at(p, h), -at(q, h)})...)
			}
		}
		f.Add(f.lits(c)...)
	}
}

func TestHardFormulasAreRefutedWithForgettingAndRestarts(t *testing.T) {
	for name, make := range engines {
		f := &formula{Engine: make()}
		pigeons(f, 8)
		if status := f.Solve(context.Background(), sat.Limits{}); status != sat.Unsat {
			t.Errorf("%s: expected that nine pigeons do not fit into eight holes, found %v", name, status)
		}
		f.Close()
	}
}

func TestLargeSatisfiableFormulasHaveAnAssignment(t *testing.T) {
	for name, make := range engines {
		rng := rand.New(rand.NewPCG(3, 4))
		const n = 300
		hidden := randomAssignment(rng, n)
		f := &formula{Engine: make()}
		f.lits(clause{n})
		var all []clause
		for len(all) < 4*n {
			c := randomClauses(rng, n, 1, 1)[0]
			for len(c) < 3 {
				c = append(c, randomClauses(rng, n, 1, 1)[0]...)
			}
			ok := false
			for _, l := range c {
				ok = ok || hidden[max(l, -l)] == (l > 0)
			}
			if ok {
				all = append(all, c)
				f.Add(f.lits(c)...)
			}
		}
		if status := f.Solve(context.Background(), sat.Limits{}); status != sat.Sat {
			t.Fatalf("%s: expected an assignment, found %v", name, status)
		}
		for _, c := range all {
			if !f.satisfies(c) {
				t.Fatalf("%s: the assignment makes %v false", name, c)
			}
		}
		f.Close()
	}
}

func randomAssignment(rng *rand.Rand, n int) []bool {
	a := make([]bool, n+1)
	for i := range a {
		a[i] = rng.IntN(2) == 0
	}
	return a
}

func TestACallEndsAtItsLimits(t *testing.T) {
	for name, make := range engines {
		f := &formula{Engine: make()}
		pigeons(f, 12)
		if status := f.Solve(context.Background(), sat.Limits{MaxConflicts: 100}); status != sat.Unknown {
			t.Errorf("%s: expected no answer within 100 conflicts, found %v", name, status)
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if status := f.Solve(ended, sat.Limits{}); status != sat.Unknown {
			t.Errorf("%s: expected no answer without time, found %v", name, status)
		}
		if status := f.Solve(context.Background(), sat.Limits{MaxBytes: 1}); status != sat.Unknown {
			t.Errorf("%s: expected no answer within a byte, found %v", name, status)
		}
		f.Close()
	}
}

func BenchmarkRandomFormulas(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	for name, make := range engines {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				const n = 200
				f := &formula{Engine: make()}
				f.lits(clause{n})
				for range int(4.26 * n) {
					c := clause{}
					for len(c) < 3 {
						c = append(c, randomClauses(rng, n, 1, 1)[0]...)
					}
					f.Add(f.lits(c)...)
				}
				f.Solve(context.Background(), sat.Limits{})
				f.Close()
			}
		})
	}
}

// countedChecks is a context that counts the calls of Err.
type countedChecks struct {
	context.Context
	checks int
}

func (c *countedChecks) Err() error {
	c.checks++
	return c.Context.Err()
}

func TestTheContextIsCheckedAfterEveryConflict(t *testing.T) {
	const conflicts = 500
	f := &formula{Engine: sat.NewSolver()}
	pigeons(f, 12)
	ctx := &countedChecks{Context: t.Context()}
	if f.Solve(ctx, sat.Limits{MaxConflicts: conflicts}); ctx.checks < conflicts {
		t.Errorf("%d checks in %d conflicts", ctx.checks, conflicts)
	}
}
