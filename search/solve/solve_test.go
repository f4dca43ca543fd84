package solve_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/certify"
	"stackmate/search/solve"
)

// newOneShot returns a game of one joint move of the roles row and column, for the goals
// of row.
func newOneShot(goals [][]int32) machine.Machine { return named(toys.Matrix(goals)) }

func named(t *toys.Tree) machine.Machine {
	t.Roles = []string{"row", "column"}
	return t.Machine()
}

func solver(t *testing.T, o solve.Options) *solve.Solver {
	t.Helper()
	o.LP, o.Memory, o.Order = "native", 1, "best"
	return must.Get(solve.New(o))(t)
}

func TestAutoFindsTheSearchOfTheClass(t *testing.T) {
	turns := newOneShot([][]int32{{30}, {70}})
	simultaneous := newOneShot([][]int32{{100, 0}, {0, 100}})
	for name, test := range map[string]struct {
		machine  machine.Machine
		value    float64
		byTurns  bool
		strategy map[string]float64
	}{
		"turns":        {turns, 70, true, map[string]float64{"m1": 1}},
		"simultaneous": {simultaneous, 50, false, map[string]float64{"m0": 0.5, "m1": 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			s := must.Get(solver(t, solve.Options{Method: solve.Auto, Table: solve.On}).Solve(t.Context(), test.machine, nil))(t)
			if got := s.Value["row"]; got != [2]float64{test.value, test.value} {
				t.Errorf("value %v, want %v", got, test.value)
			}
			if (s.Method == solve.BoundedAlphaBeta) != test.byTurns {
				t.Errorf("solved by %s", s.Method)
			}
			for move, p := range test.strategy {
				if got := s.Strategy["row"][move]; got != p {
					t.Errorf("probability of %s is %v, want %v", move, got, p)
				}
			}
			if !s.Solved || !s.IsWithin(0) {
				t.Errorf("not solved: %+v", s)
			}
		})
	}
}

func TestAMethodThatWasAskedForIsNotReplaced(t *testing.T) {
	m := newOneShot([][]int32{{100, 0}, {0, 100}})
	_, err := solver(t, solve.Options{Method: solve.BoundedAlphaBeta}).Solve(t.Context(), m, nil)
	if !errors.Is(err, search.ErrNotSequential) {
		t.Errorf("error %v", err)
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	good := solve.Options{Method: solve.Auto, LP: "native", Memory: 1, Order: "l"}
	must.Get(solve.New(good))(t)
	for want, change := range map[string]func(*solve.Options){
		"--order best": func(o *solve.Options) { o.Method = "best" },
		"use smab":     func(o *solve.Options) { o.Method = "anytime" },
		"magic":        func(o *solve.Options) { o.Method = "magic" },
		"abacus":       func(o *solve.Options) { o.LP = "abacus" },
		"spiral":       func(o *solve.Options) { o.Order = "spiral" },
		"shuffled":     func(o *solve.Options) { o.Moves = "shuffled" },
		"-3":           func(o *solve.Options) { o.Skip = -3 },
		"cell order l": func(o *solve.Options) { o.Skip, o.Order = 2, "best" },
		"tolerance":    func(o *solve.Options) { o.Epsilon = -1 },
		"memory":       func(o *solve.Options) { o.Memory = 0 },
	} {
		o := good
		change(&o)
		if _, err := solve.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

// rounds returns the joint move {{100, 40}, {50, 50}}, where every cell that pays 50 is
// another round, and in the third round really pays 50.
func rounds() machine.Machine {
	t := toys.Matrix([][]int32{{100, 40}, {50, 50}})
	first := &t.Nodes[0]
	second, third := *first, *first
	first.Kids, second.Kids = []int{1, 2, 5, 5}, []int{1, 2, 6, 6}
	t.Nodes = append(t.Nodes, second, third)
	return named(t)
}

func TestAToleranceLeavesAnIntervalAndAnEstimate(t *testing.T) {
	m := rounds()
	for _, method := range []string{solve.Auto, "smab"} {
		for _, epsilon := range []float64{0, 30, 100} {
			o := solve.Options{Method: method, Table: solve.On, Epsilon: epsilon}
			s := must.Get(solver(t, o).Solve(t.Context(), m, nil))(t)
			if !s.IsWithin(epsilon) || s.Value["row"][0] > 50 || s.Value["row"][1] < 50 {
				t.Errorf("%s, tolerance %v: %+v", method, epsilon, s.Value)
			}
		}
	}
}

func TestSolutionsNameRolesAndMoves(t *testing.T) {
	s := must.Get(solver(t, solve.Options{Method: "bi"}).Solve(t.Context(), newOneShot([][]int32{{100, 0}, {0, 100}}), nil))(t)
	if s.Method != "bi" || !s.Solved || s.Value["row"] != [2]float64{50, 50} ||
		math.Abs(s.Strategy["row"]["m0"]-0.5) > 1e-9 || math.Abs(s.Strategy["column"]["m1"]-0.5) > 1e-9 {
		t.Errorf("%+v", s)
	}
}

func TestSolutionsAreCertified(t *testing.T) {
	for _, goals := range [][][]int32{{{30}, {70}}, {{100, 0}, {0, 100}}, {{20, 60}, {90, 10}}} {
		solver, m := solver(t, solve.Options{Method: solve.Auto, Table: solve.On}), newOneShot(goals)
		s := must.Get(solver.Solve(t.Context(), m, nil))(t)
		must.OK(t, solver.Certify(t.Context(), answersOf(t, solver, m, s), &s, certify.Limits{}))
		if !s.Certified || s.Exploitability != 0 || s.PositionsChecked != 1 || !s.IsWithin(0) {
			t.Errorf("certificate %+v", s.Certificate)
		}
	}
}

func TestACertificateThatIsBrokenOffTellsWhatItHad(t *testing.T) {
	solver, m := solver(t, solve.Options{Method: solve.Auto, Table: solve.On}), newOneShot([][]int32{{100, 0}, {0, 100}})
	s := must.Get(solver.Solve(t.Context(), m, nil))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := solver.Certify(ctx, []solve.Part{{Machine: m, Solution: heads{}}}, &s, certify.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if s.Certified || s.Complete || s.First != nil || s.ProvedBounds != [2]float64{0, 100} {
		t.Errorf("certificate %+v", s.Certificate)
	}
}

func TestTheStrategiesThatAreCertifiedAreThoseShown(t *testing.T) {
	solver, m := solver(t, solve.Options{Method: solve.Auto, Table: solve.On}), newOneShot([][]int32{{20, 60}, {90, 10}})
	s := must.Get(solver.Solve(t.Context(), m, nil))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // no search can answer
	claim, err := answersOf(t, solver, m, s)[0].Solution.At(ctx, m.Initial())
	if err != nil || claim.Value != s.Value["row"][0] {
		t.Errorf("value %v, want %v; error %v", claim.Value, s.Value["row"], err)
	}
	for r, role := range m.Names().Roles {
		for _, w := range claim.Strategies[r] {
			if want := s.Strategy[role][m.Names().Moves[r][w.Move]]; w.Probability != want {
				t.Errorf("%s plays move %d with %v, want %v", role, w.Move, w.Probability, want)
			}
		}
	}
}

// heads always claims 50 and plays the first move.
type heads struct{}

func (heads) At(context.Context, machine.State) (search.Claim, error) {
	first := []search.Weighted{{Move: 0, Probability: 1}}
	return search.Claim{Value: 50, Strategies: [][]search.Weighted{first, first}}, nil
}

func TestAnswersThatCanBeExploitedAreNotASolution(t *testing.T) {
	solver, m := solver(t, solve.Options{Method: solve.Auto, Table: solve.On}), newOneShot([][]int32{{100, 0}, {0, 100}})
	s := must.Get(solver.Solve(t.Context(), m, nil))(t)
	must.OK(t, solver.Certify(t.Context(), []solve.Part{{Machine: m, Solution: heads{}}}, &s, certify.Limits{}))
	if s.Certified || s.Exploitability != 50 || s.IsWithin(0) {
		t.Errorf("certificate %+v", s.Certificate)
	}
	if s.First == nil || s.First.Role != 0 || s.First.Obtained != 0 {
		t.Errorf("first fault %+v", s.First)
	}
}

func TestNoMethodSolvesAGameInWhichAGoalIsMissing(t *testing.T) {
	const missing = machine.NoGoal
	pennies := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 2}, Kids: []int{1, 2, 2, 1}}, {Goals: []int32{100, missing}}, {Goals: []int32{missing, 100}},
	}}
	turns := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{1, 2}, Kids: []int{1, 2}}, {Goals: []int32{100, missing}}, {Goals: []int32{missing, 100}},
	}}
	alone := &toys.Tree{Roles: []string{"lone"}, Nodes: []toys.Node{{Moves: []int{2}, Kids: []int{1, 2}}, {}, {Goals: []int32{30}}}}
	for _, test := range []struct {
		game    *toys.Tree
		methods []string
	}{
		{pennies, []string{solve.Auto, "bi", "smab", "biab", "do", solve.Layers, solve.Lattice, solve.MonteCarlo}},
		{turns, []string{
			solve.Auto, solve.BoundedAlphaBeta, solve.DepthFirst, solve.ThreatSpace, "bi", "smab", "biab", "do",
			solve.Layers, solve.Lattice, solve.MonteCarlo, solve.MaxN, solve.Paranoid,
		}},
		{alone, []string{
			solve.Auto, solve.BoundedAlphaBeta, solve.DepthFirst, solve.Layers, solve.MaxN, solve.Paranoid, solve.Lattice, solve.MonteCarlo,
		}},
	} {
		m := test.game.Machine()
		for _, method := range test.methods {
			solver := solver(t, solve.Options{Method: method, Table: solve.On, Symmetries: solve.On, Moves: "dynamic"})
			if s, err := solver.Solve(t.Context(), m, nil); !errors.Is(err, search.ErrGoals) {
				t.Errorf("%v by %s: value %v, error %v, want %v", test.game.Roles, method, s.Value, err, search.ErrGoals)
			}
		}
	}
	claims := []solve.Part{{Machine: turns.Machine(), Solution: certain{}}}
	if err := new(solve.Solver).Certify(t.Context(), claims, new(solve.Solution), certify.Limits{}); !errors.Is(err, search.ErrGoals) {
		t.Errorf("certificate: error %v, want %v", err, search.ErrGoals)
	}
}

// certain is a solution of a game of two moves of right, which plays the first one.
type certain struct{}

func (certain) At(context.Context, machine.State) (search.Claim, error) {
	return search.Claim{Strategies: [][]search.Weighted{{{Move: 0, Probability: 1}}, {{Move: 0, Probability: 1}}}}, nil
}

func answersOf(t testing.TB, solver *solve.Solver, m machine.Machine, s solve.Solution) []solve.Part {
	t.Helper()
	return must.Get(solver.Answers(m, s))(t)
}

// TestTheToleranceFallsForPlayersAlone: a player gets an interval from a search that is not finished, a solver waits for the
// value.
func TestTheToleranceFallsForPlayersAlone(t *testing.T) {
	m := gamestest.Machine(t, "copsAndRobber-4x4-1-6")
	o := solve.Default()
	o.Memory = 16
	player := must.Get(solve.NewSearcher(solve.BoundedAlphaBeta, o))(t)
	solver := must.Get(solve.New(o))(t)
	for s, want := range map[search.Searcher]float64{player: 50, solver: 0} {
		r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 10})
		if err != nil || r.Epsilon != want {
			t.Errorf("%T: ε %g, want %g; %v", s, r.Epsilon, want, err)
		}
	}
}
