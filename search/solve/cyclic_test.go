package solve_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/certify"
	"stackmate/search/solve"
)

// cyclic is the number of random games in which positions may repeat: some in every run, and as many as
// wanted by hand (STACKMATE_EXHAUSTIVE=1 go test ./search/solve -run Cyclic -cyclic 5000).
var cyclic = flag.Int("cyclic", 40, "random games in which positions may repeat")

// methodsByTurns are methods for games by turns, all of which must take endless matches for unknown. Complete
// methods find every value that finite play proves. Lattice is left out: it takes exponential time here.
var methodsByTurns = map[string]struct{ complete bool }{
	solve.BoundedAlphaBeta: {true}, solve.DepthFirst: {true}, solve.Paranoid: {true},
	solve.MonteCarlo: {}, solve.Layers: {}, "bi": {}, "smab": {}, "do": {}, "biab": {},
}

// Cyclic games: no method says more than finite play proves; and where it solves the game, its strategies reach
// the end against every opponent, by a line of the fewest joint moves.
func TestMethodsAgreeOnRandomCyclicGames(t *testing.T) {
	games := exhaustive.Choose(min(*cyclic, 12), *cyclic)
	for method, is := range methodsByTurns {
		t.Run(method, func(t *testing.T) {
			solved := 0
			for seed := range uint64(games) {
				g := toys.Cyclic(rand.New(rand.NewPCG(seed, 17)), 2+int(seed)%11, false)
				m, forced := g.Machine(), g.Forced()[0]
				want := search.Interval{Lower: forced[0], Upper: forced[1]}
				o := solve.Default()
				o.Method, o.Memory = method, 256
				solver, err := solve.New(o)
				if err != nil {
					t.Fatal(err)
				}
				var found solve.Solution
				if method == solve.MonteCarlo {
					found.Result, err = solver.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 256 << 20, MaxNodes: 500})
				} else {
					found, err = solver.Solve(t.Context(), m, nil)
				}
				r := found.Result
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				v := r.Values[0]
				if r.Proved && (v.Lower > want.Lower || v.Upper < want.Upper) || is.complete && want.Solved() && !r.Solved() {
					t.Fatalf("seed %d: %v, proved %v, solved %v; want %v", seed, v, r.Proved, r.Solved(), want)
				}
				if r.Solved() {
					solved++
					follow(t, method, seed, solver, m, found)
				}
			}
			t.Logf("%d of %d solved", solved, games)
		})
	}
}

// changed returns a game with other goals at its ends.
func changed(g *toys.Tree, goals func(left int32) []int32) *toys.Tree {
	t := &toys.Tree{Roles: g.Roles, Nodes: slices.Clone(g.Nodes)}
	for i, n := range t.Nodes {
		if len(n.Kids) == 0 {
			t.Nodes[i].Goals = goals(n.Goals[0])
		}
	}
	return t
}

// Where the goals add up to another sum than 100, a match without end may have any goals of the two roles.
func TestBoundsOfCyclicGamesOfAnySum(t *testing.T) {
	games := exhaustive.Choose(min(*cyclic, 4), min(*cyclic, 12))
	for method, is := range methodsByTurns {
		lim := search.Limits{MaxBytes: 256 << 20, MaxNodes: 8_000}
		if method == solve.MonteCarlo {
			lim.MaxNodes = 500
		}
		t.Run(method, func(t *testing.T) {
			for seed := range uint64(games) {
				sum := []int32{0, 40, 150, 200}[seed%4]
				left := func(g int32) int32 { return max(0, sum-100) + g*min(sum, 200-sum)/100 }
				base := toys.Cyclic(rand.New(rand.NewPCG(seed, 19)), 2+int(seed)%11, false)
				g := changed(base, func(v int32) []int32 { return []int32{left(v), sum - left(v)} })
				ofLeft := g.Forced()[0]
				ofRight := changed(base, func(v int32) []int32 { return []int32{100 - (sum - left(v)), sum - left(v)} }).Forced()[0]
				want := []search.Interval{{Lower: ofLeft[0], Upper: ofLeft[1]}, {Lower: 100 - ofRight[1], Upper: 100 - ofRight[0]}}
				o := solve.Default()
				o.Method, o.Memory = method, 256
				m := g.Machine()
				r, err := must.Get(solve.New(o))(t).Search(t.Context(), m, m.Initial(), lim)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for role, w := range want {
					if v := r.Values[role]; r.Proved && (v.Lower > w.Lower || v.Upper < w.Upper) || is.complete && w.Solved() && v != w {
						t.Errorf("seed %d, sum %d: role %d has %v, want %v", seed, sum, role, v, w)
					}
				}
			}
		})
	}
}

// follow plays the strategies of a solved game against every opponent, and its line.
func follow(t *testing.T, method string, seed uint64, solver *solve.Solver, m machine.Machine, s solve.Solution) {
	t.Helper()
	r := s.Result
	if over, goals := toys.Follow(m, m.Initial(), r.Line); r.Line != nil && (!over || float64(goals[0]) != r.Values[0].Lower) {
		t.Fatalf("seed %d: a line of %d joint moves, over %v with %v; want %v", seed, len(r.Line), over, goals, r.Values[0])
	}
	if method == solve.MonteCarlo || method == solve.Paranoid {
		return // one never ends where a position has no value, the other claims no solution of the game
	}
	parts := must.Get(solver.Answers(m, s))(t)
	for _, p := range parts {
		c, err := certify.Check(t.Context(), p.Machine, p.Machine.Initial(), p.Solution, certify.Limits{})
		if err != nil || !c.Certified() {
			t.Fatalf("seed %d: %+v, %+v, error %v", seed, c, c.First, err)
		}
	}
}
