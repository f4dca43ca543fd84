package cli

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"stackmate/internal/exhaustive"
	"stackmate/search/solve"
)

// one returns a game of one move of x for the goals given.
func one(a, b string) string {
	return `(role x) (role o) (init s) (legal x a) (legal x b) (legal o noop) (<= (next (d ?m)) (does x ?m)) (<= terminal (true (d ?m)))
		(<= (goal x ` + a + `) (true (d a))) (<= (goal o ` + b + `) (true (d a)))
		(<= (goal x ` + b + `) (true (d b))) (<= (goal o ` + a + `) (true (d b)))`
}

// The search is given the machine of other rules: the contradiction ends with its own status, and the evidence in a file.
func TestASolutionThatTheRulesRefuteIsAnErrorWithEvidence(t *testing.T) {
	s := &console{ctx: t.Context(), out: newPrinter(io.Discard, nil), err: newPrinter(io.Discard, nil), log: zerolog.Nop(), memory: leastMemory}
	c := &solveCommand{}
	c.Engine, c.Method, c.Threads, c.LP, c.Order, c.MoveOrder, c.Table, c.Symmetries = "auto", solve.Auto, 1, "native", "l", "dynamic", solve.On, solve.On
	problemOf := func(rules string) problem {
		c.Game = file(t, "game.kif", rules)
		p, end, err := c.problem(s)
		t.Cleanup(end)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	right, planted := problemOf(one("100", "0")), problemOf(one("0", "100"))
	for _, test := range []struct {
		p      problem
		status int
	}{{right, statusFine}, {problem{planted.solver, right.rules, planted.machine}, statusContradiction}} {
		solution, err := test.p.solver.Solve(t.Context(), test.p.machine, nil)
		if err != nil || !solution.Solved {
			t.Fatalf("%+v, error %v", solution, err)
		}
		err = c.selfCheck(s, test.p, solution)
		var wrong contradictionError
		if errors.As(err, &wrong) != (test.status == statusContradiction) {
			t.Fatalf("error %v", err)
		}
		if wrong.error != nil {
			evidence, err := os.ReadFile(wrong.file)
			if err != nil || !strings.Contains(string(evidence), `"what": "the search has the goals`) {
				t.Errorf("evidence %s, error %v", evidence, err)
			}
			_ = os.Remove(wrong.file)
		}
		if status := s.conclude(err); status != test.status {
			t.Errorf("status %d, want %d", status, test.status)
		}
	}
}

func TestSolveNamesTheGoalsOfAFaultyEnd(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	const end = `(init s) (legal a x) (legal a y) (<= (next (d ?m)) (does a ?m)) (<= terminal (true (d ?m))) (<= (goal a 10) (true (d y)))`
	for want, goal := range map[string]string{
		"the goals of a there: 200":        `(worth 200) (<= (goal a ?v) (worth ?v) (true (d x)))`,
		"the goals of a there: +50":        `(worth +50) (<= (goal a ?v) (worth ?v) (true (d x)))`,
		"the goals of a there: -5":         `(worth -5) (<= (goal a ?v) (worth ?v) (true (d x)))`,
		"the goals of a there: 33.5":       `(worth 33.5) (<= (goal a ?v) (worth ?v) (true (d x)))`,
		"the goals of a there: 100 and 90": `(<= (goal a 100) (true (d x))) (<= (goal a 90) (true (d x)))`,
		"the goals of a there: none":       ``,
	} {
		path := file(t, "faulty.kif", `(role a)`+end+goal)
		for _, method := range []string{solve.Auto, solve.BoundedAlphaBeta, solve.DepthFirst, solve.Plans, solve.Layers, solve.MaxN, solve.Paranoid, solve.MonteCarlo, solve.Lattice} {
			execute(t, "solve", path, "--method", method, "--certify").expect(t, statusBad, want, "after the joint moves [[x]]")
		}
	}
}

func TestSolveEndsAfterItsTime(t *testing.T) {
	execute(t, "solve", "goofspiel-12", "--time", "300ms").expect(t, statusBad, "concept", "of red", "is not solved: the time of 300ms is over")
	execute(t, "solve", "goofspiel-4", "--time=-1s").expect(t, statusUsage, "--time: expected a duration above 0")
}

// o ends the game at once for 20 points, or both get 100.
func TestSolveSaysWhatItsValuesAre(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	hidden := file(t, "hidden.kif", `(role x) (role o) (init s) (legal x noop)
		(<= (legal o a) (true s)) (<= (legal o b) (true s)) (<= (legal o c) (true t)) (<= (legal o d) (true t))
		(<= (next poor) (does o a)) (<= (next t) (does o b)) (<= (next rich) (true t)) (<= terminal (true poor)) (<= terminal (true rich))
		(<= (goal x 0) (true poor)) (<= (goal o 20) (true poor)) (<= (goal x 100) (true rich)) (<= (goal o 100) (true rich))`)
	for _, method := range []string{"bab", "dfs", "bi", "smab", "paranoid", "lattice"} {
		execute(t, "solve", hidden, "--method", method).expect(t, statusFine, "guarantee of x  0\n", "guarantee of o  100\n")
	}
	for _, method := range []string{"auto", "maxn", "equilibrium"} {
		execute(t, "solve", hidden, "--method", method).expect(t, statusFine, "payoff of x    100\n", "payoff of o    100\n", "one equilibrium")
	}
	execute(t, "solve", hidden, "--certify").expect(t, statusFine, "guarantee of x  0\n", "certified: exploitability 0")
	execute(t, "solve", hidden, "--json").expect(t, statusFine, `"concept":"equilibrium"`)
	execute(t, "solve", "matchingPennies", "--method", "lattice").expect(t, statusFine, "guarantees in pure strategies")
	execute(t, "solve", "ticTacToe").expect(t, statusFine, "value of a zero-sum game: the goals are proved to add up to 100")
}

// The only role hops by two on a ring of even length, and wants to be on an odd cell: no search of positions ends.
func TestAPuzzleWithoutASolutionIsDecidedByDefault(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	puzzle := file(t, "parity.kif", `(role x) (init (at 0)) (legal x up) (legal x down) (two 0 2) (two 2 4) (two 4 0) (two 1 3) (two 3 5) (two 5 1)
		(<= (next (at ?n)) (does x up) (true (at ?m)) (two ?m ?n)) (<= (next (at ?m)) (does x down) (true (at ?n)) (two ?m ?n))
		(<= terminal (true (at 3))) (<= (goal x 100) (true (at 3))) (<= (goal x 0) (not (true (at 3))))`)
	execute(t, "solve", puzzle).expect(t, statusFine, "value of x  0\n", "solved")
	execute(t, "solve", puzzle, "--method", "bab").expect(t, statusBad, "[0, 100]", "deeper than 2000 plies")
}
