package certify

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/sequential"
	"stackmate/search/simultaneous"
)

// solutionFunc is a solution written as a function.
type solutionFunc func(q machine.State) (Claim, error)

func (f solutionFunc) At(_ context.Context, q machine.State) (Claim, error) { return f(q) }

// solved is the solution of a toy by the search of its class.
func solved(t rapid.TB, m machine.Machine, isSequential bool) Solution {
	t.Helper()
	if isSequential { // every position from scratch
		return solutionFunc(func(q machine.State) (Claim, error) {
			fresh := Search{Machine: m, Searcher: sequential.New(sequential.Config{})}
			return fresh.At(context.Background(), q)
		})
	}
	s, err := simultaneous.New(simultaneous.Config{Method: simultaneous.DoubleOracle, Table: true})
	if err != nil {
		t.Fatal(err)
	}
	return Search{Machine: m, Searcher: s}
}

// best is what the defender's strategy obtains from a position, computed without
// table, ply memory or claims: the oracle of the tests.
func (g *toy) best(s Solution, at int, defender machine.Role) float64 {
	n := &g.nodes[at]
	if n.kids == nil {
		return float64(n.goals[0])
	}
	claim, _ := s.At(context.Background(), machine.State{uint64(at)})
	sums := make([]float64, 4)
	for c, kid := range n.kids {
		weight, reply, rest := 1.0, 0, c
		for r := len(g.roles) - 1; r >= 0; r-- {
			digit := rest % n.moves[r]
			rest /= n.moves[r]
			switch {
			case r > 1: // chance
				weight /= float64(n.moves[r])
			case machine.Role(r) != defender:
				reply = digit
			case n.moves[r] > 1:
				weight *= probability(claim.Strategies[r], machine.Move(digit))
			}
		}
		if weight > 0 {
			sums[reply] += weight * g.best(s, kid, defender)
		}
	}
	v := sums[0]
	for _, sum := range sums[:n.moves[1-defender]] {
		if defender == 0 {
			v = min(v, sum)
		} else {
			v = max(v, sum)
		}
	}
	return v
}

func probability(strategy []search.Weighted, move machine.Move) float64 {
	for _, w := range strategy {
		if w.Move == move {
			return w.Probability
		}
	}
	return 0
}

// drawRoles draws two players, with chance or without.
func drawRoles(t *rapid.T) []string {
	roles := []string{"left", "right"}
	if rapid.Bool().Draw(t, "chance") {
		roles = append(roles, machine.RandomRole)
	}
	return roles
}

func check(t rapid.TB, m machine.Machine, s Solution) Certificate {
	t.Helper()
	c, err := Check(context.Background(), m, m.Initial(), s, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSolutionsOfRandomGamesAreCertified(t *testing.T) {
	for name, isSequential := range map[string]bool{"simultaneous": false, "sequential": true} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			m := draw(t, drawRoles(t), isSequential).machine()
			if c := check(t, m, solved(t, m, isSequential)); !c.Certified() {
				t.Fatalf("not certified: %+v, %+v", c, c.First)
			}
		}))
	}
}

func TestSolutionsOfOnePlayerGamesAreCertified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roles := []string{"lone"}
		if rapid.Bool().Draw(t, "chance") {
			roles = []string{"lone", machine.RandomRole}
		}
		m := draw(t, roles, true).machine()
		s := solved(t, m, true)
		if c := check(t, m, s); !c.Certified() {
			t.Fatalf("not certified: %+v, %+v", c, c.First)
		}
		low := solutionFunc(func(q machine.State) (Claim, error) {
			claim, err := s.At(context.Background(), q)
			claim.Value--
			return claim, err
		})
		if c := check(t, m, low); c.Certified() {
			t.Fatalf("a value too low by one point is certified: %+v", c)
		}
	})
}

// drawMixtures draws a strategy for every role and position of a toy.
func drawMixtures(t *rapid.T, g *toy) [][][]search.Weighted {
	all := make([][][]search.Weighted, len(g.nodes))
	for at, n := range g.nodes {
		for _, count := range n.moves {
			weights := rapid.SliceOfN(rapid.IntRange(0, 3), count, count).Draw(t, "weights")
			weights[0]++
			total := 0
			for _, w := range weights {
				total += w
			}
			var strategy []search.Weighted
			for m, w := range weights {
				if w > 0 {
					strategy = append(strategy, search.Weighted{Move: machine.Move(m), Probability: float64(w) / float64(total)})
				}
			}
			all[at] = append(all[at], strategy)
		}
	}
	return all
}

func TestGuaranteesOfArbitraryStrategiesAreThoseOfTheBestResponses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t, drawRoles(t), false)
		strategies := drawMixtures(t, g)
		s := solutionFunc(func(q machine.State) (Claim, error) {
			return Claim{Value: 50, Strategies: strategies[q[0]]}, nil
		})
		c := check(t, g.machine(), s)
		if want := g.best(s, 0, 0); math.Abs(c.Guarantee-want) > 1e-9 {
			t.Errorf("the first player's strategy guarantees %v, want %v", c.Guarantee, want)
		}
		if want := g.best(s, 0, 1); math.Abs(c.Limit-want) > 1e-9 {
			t.Errorf("the other player's strategy limits to %v, want %v", c.Limit, want)
		}
	})
}

func TestAWrongValueAnywhereIsAFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t, drawRoles(t), false).machine()
		s := solved(t, m, false)
		var asked []uint64
		check(t, m, solutionFunc(func(q machine.State) (Claim, error) {
			asked = append(asked, q[0])
			return s.At(context.Background(), q)
		}))
		wrong := rapid.SampledFrom(asked).Draw(t, "position")
		by := rapid.SampledFrom([]float64{-30, -1, -1e-4, 1e-4, 1, 30, math.NaN()}).Draw(t, "by")
		c := check(t, m, solutionFunc(func(q machine.State) (Claim, error) {
			claim, err := s.At(context.Background(), q)
			if q[0] == wrong {
				claim.Value += by
			}
			return claim, err
		}))
		if c.Certified() || c.First == nil || c.First.Position[0] != wrong {
			t.Fatalf("the wrong value of position %d is not found: %+v, %+v", wrong, c, c.First)
		}
	})
}

func TestAWrongStrategyIsAFault(t *testing.T) {
	// Matching pennies for 100 points: the one who plays heads with probability
	// 0.6 loses 10 of 50 to the best response.
	m := matrixGame([][]int32{{100, 0}, {0, 100}}).machine()
	mix := func(p float64) []search.Weighted {
		return []search.Weighted{{Move: 0, Probability: p}, {Move: 1, Probability: 1 - p}}
	}
	for _, test := range []struct {
		left, right, want float64
		faulty            machine.Role
	}{{0.5, 0.5, 0, -1}, {0.6, 0.5, 10, 0}, {0.5, 0.4, 10, 1}, {0.5, 1, 50, 1}} {
		c := check(t, m, solutionFunc(func(machine.State) (Claim, error) {
			return Claim{Value: 50, Strategies: [][]search.Weighted{mix(test.left), mix(test.right)}}, nil
		}))
		if math.Abs(c.Exploitability()-test.want) > 1e-9 || c.Certified() != (test.want == 0) {
			t.Errorf("heads with %v and %v: %+v, want exploitability %v", test.left, test.right, c, test.want)
		}
		if c.First != nil && c.First.Role != test.faulty {
			t.Errorf("heads with %v and %v: fault of role %d, want %d", test.left, test.right, c.First.Role, test.faulty)
		}
	}
}

func TestUniformPlayOfExample2IsExploitable(t *testing.T) {
	// Saffidine, Finnsson and Buro (2012), Example 2, of value 3. Against a
	// uniform row player the columns are worth 3, 5/3 and 3; against a uniform
	// column player the rows 7/3, 3 and 7/3.
	third := []search.Weighted{{Move: 0, Probability: 1. / 3}, {Move: 1, Probability: 1. / 3}, {Move: 2, Probability: 1. / 3}}
	m := matrixGame([][]int32{{6, 1, 0}, {3, 3, 3}, {0, 1, 6}}).machine()
	c := check(t, m, solutionFunc(func(machine.State) (Claim, error) {
		return Claim{Value: 3, Strategies: [][]search.Weighted{third, third}}, nil
	}))
	if math.Abs(c.Guarantee-5./3) > 1e-9 || math.Abs(c.Limit-3) > 1e-9 || math.Abs(c.Exploitability()-4./3) > 1e-9 {
		t.Fatalf("found %+v", c)
	}
}

func TestStrategiesThatAreNoneAreErrors(t *testing.T) {
	m := matrixGame([][]int32{{6, 1}, {3, 3}}).machine()
	pure := []search.Weighted{{Move: 0, Probability: 1}}
	for want, left := range map[string][]search.Weighted{
		"add up to 1, found 0":     nil,
		"add up to 1, found 0.5":   {{Move: 0, Probability: 0.5}},
		"legal moves":              {{Move: 0, Probability: 0.5}, {Move: 3, Probability: 0.5}},
		"from 0 to 1, found 2":     {{Move: 0, Probability: 2}, {Move: 1, Probability: -1}},
		"from 0 to 1, found NaN":   {{Move: 0, Probability: math.NaN()}},
	} {
		s := solutionFunc(func(machine.State) (Claim, error) {
			return Claim{Value: 3, Strategies: [][]search.Weighted{left, pure}}, nil
		})
		_, err := Check(context.Background(), m, m.Initial(), s, Limits{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "left") {
			t.Errorf("error %v, want one of left that says %q", err, want)
		}
	}
}

func TestGamesThatAreNotZeroSumAreErrors(t *testing.T) {
	g := matrixGame([][]int32{{60, 10}, {30, 30}})
	g.nodes[3].goals[1] = 30
	uniform := []search.Weighted{{Move: 0, Probability: 0.5}, {Move: 1, Probability: 0.5}}
	s := solutionFunc(func(machine.State) (Claim, error) {
		return Claim{Value: 30, Strategies: [][]search.Weighted{uniform, uniform}}, nil
	})
	m := g.machine()
	if _, err := Check(context.Background(), m, m.Initial(), s, Limits{}); !errors.Is(err, search.ErrNotZeroSum) {
		t.Fatalf("error %v", err)
	}
}

// endless is a game of one player that never ends.
func endless() machine.Machine {
	g := &toy{roles: []string{"left", "right"}, nodes: []toyNode{{moves: []int{2, 1}, kids: []int{0, 0}}}}
	return g.machine()
}

func TestEndlessGamesAreErrors(t *testing.T) {
	m := endless()
	s := solutionFunc(func(machine.State) (Claim, error) {
		return Claim{Strategies: [][]search.Weighted{{{Move: 0, Probability: 1}}}}, nil
	})
	if _, err := Check(context.Background(), m, m.Initial(), s, Limits{}); err == nil || !strings.Contains(err.Error(), "joint moves") {
		t.Fatalf("error %v", err)
	}
}

func TestChecksStopAtTheirLimits(t *testing.T) {
	m := matrixGame([][]int32{{100, 0}, {0, 100}}).machine()
	s := solved(t, m, false)
	if _, err := Check(context.Background(), m, m.Initial(), s, Limits{MaxBytes: 1}); !errors.Is(err, ErrMemory) {
		t.Errorf("memory: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, m, m.Initial(), s, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("context: error %v", err)
	}
}

func TestALonePlayerWhoCouldDoBetterIsAFault(t *testing.T) {
	g := &toy{roles: []string{"lone"}, nodes: []toyNode{{moves: []int{2}, kids: []int{1, 2}}, {goals: []int32{20}}, {goals: []int32{80}}}}
	c := check(t, g.machine(), solutionFunc(func(machine.State) (Claim, error) {
		return Claim{Value: 20, Strategies: [][]search.Weighted{{{Move: 0, Probability: 1}}}}, nil
	}))
	if c.Exploitability() != 60 || c.Faults != 1 || c.First.Role != -1 || c.First.Obtained != 80 {
		t.Errorf("found %+v, %+v", c, c.First)
	}
}

func TestProgressIsTold(t *testing.T) {
	// A chain of positions, one more than it takes to be told.
	g := &toy{roles: []string{"lone"}}
	for i := range reportEvery + 1 {
		g.nodes = append(g.nodes, toyNode{moves: []int{1}, kids: []int{i + 1}})
	}
	g.nodes = append(g.nodes, toyNode{goals: []int32{100}})
	m := g.machine()
	told := int64(0)
	s := solutionFunc(func(machine.State) (Claim, error) { return Claim{Value: 100}, nil })
	c, err := Check(context.Background(), m, m.Initial(), s, Limits{Progress: func(positions int64, _ float64) { told = positions }})
	if err != nil || !c.Certified() || told < reportEvery || c.Positions != reportEvery+1 {
		t.Errorf("told %d, error %v, certificate %+v", told, err, c)
	}
}
