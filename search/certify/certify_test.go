package certify

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/sequential"
	"stackmate/search/simultaneous"
)

// solutionFunc is a solution written as a function.
type solutionFunc func(q machine.State) (search.Claim, error)

func (f solutionFunc) At(_ context.Context, q machine.State) (search.Claim, error) { return f(q) }

// solved returns the solution of a toy by the search of its class.
func solved(t rapid.TB, m machine.Machine, isSequential bool) search.Solution {
	t.Helper()
	if isSequential { // every position from scratch
		return solutionFunc(func(q machine.State) (search.Claim, error) {
			fresh := Search{Machine: m, Searcher: sequential.New(sequential.Config{})}
			return fresh.At(context.Background(), q)
		})
	}
	s := must.Get(simultaneous.New(simultaneous.Config{Method: simultaneous.DoubleOracle, Table: true}))(t)
	return Search{Machine: m, Searcher: s}
}

// best returns the value of the defender's strategy from a position, in rationals and without table, ply memory or claims: the oracle of the
// tests.
func best(g *toys.Tree, s search.Solution, at int, defender machine.Role) *big.Rat {
	n := &g.Nodes[at]
	if n.Kids == nil {
		return big.NewRat(int64(n.Goals[0]), 1)
	}
	claim, _ := s.At(context.Background(), machine.State{uint64(at)})
	mixture := rationals(claim.Strategies[defender], n.Moves[defender])
	sums := make([]*big.Rat, n.Moves[1-defender])
	for i := range sums {
		sums[i] = new(big.Rat)
	}
	for c, kid := range n.Kids {
		weight, reply, rest := big.NewRat(1, 1), 0, c
		for r := len(g.Roles) - 1; r >= 0; r-- {
			digit := rest % n.Moves[r]
			rest /= n.Moves[r]
			switch {
			case r > 1: // chance
				weight.Mul(weight, big.NewRat(1, int64(n.Moves[r])))
			case machine.Role(r) != defender:
				reply = digit
			default:
				weight.Mul(weight, mixture[digit])
			}
		}
		if weight.Sign() > 0 {
			sums[reply].Add(sums[reply], weight.Mul(weight, best(g, s, kid, defender)))
		}
	}
	v := sums[0]
	for _, sum := range sums {
		if sum.Cmp(v) == 2*int(defender)-1 { // the first player's strategy faces the least, the other one's the most
			v = sum
		}
	}
	return v
}

// rationals returns the probabilities of a strategy over n moves, whose floating-point numbers are multiples of 2⁻⁹⁶. Their difference to 1 goes
// to the first of the most probable moves.
func rationals(strategy []search.Weighted, n int) []*big.Rat {
	mixture := make([]*big.Rat, n)
	for i := range mixture {
		mixture[i] = new(big.Rat)
	}
	rest, most := big.NewRat(1, 1), strategy[0]
	for _, w := range strategy {
		mixture[w.Move].SetFloat64(w.Probability)
		rest.Sub(rest, mixture[w.Move])
		if w.Probability > most.Probability {
			most = w
		}
	}
	mixture[most.Move].Add(mixture[most.Move], rest)
	return mixture
}

// drawRoles draws two players, with chance or without.
func drawRoles(t *rapid.T) []string {
	roles := []string{"left", "right"}
	if rapid.Bool().Draw(t, "chance") {
		roles = append(roles, machine.RandomRole)
	}
	return roles
}

func check(t rapid.TB, m machine.Machine, s search.Solution) Certificate {
	t.Helper()
	return must.Get(Check(context.Background(), m, m.Initial(), s, Limits{}))(t)
}

func TestSolutionsOfRandomGamesAreCertified(t *testing.T) {
	for name, isSequential := range map[string]bool{"simultaneous": false, "sequential": true} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			m := draw(t, drawRoles(t), isSequential).Machine()
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
		m := draw(t, roles, true).Machine()
		s := solved(t, m, true)
		if c := check(t, m, s); !c.Certified() {
			t.Fatalf("not certified: %+v, %+v", c, c.First)
		}
		low := solutionFunc(func(q machine.State) (search.Claim, error) {
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
func drawMixtures(t *rapid.T, g *toys.Tree) [][][]search.Weighted {
	all := make([][][]search.Weighted, len(g.Nodes))
	for at, n := range g.Nodes {
		for _, count := range n.Moves {
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
		s := solutionFunc(func(q machine.State) (search.Claim, error) {
			return search.Claim{Value: 50, Strategies: strategies[q[0]]}, nil
		})
		c := check(t, g.Machine(), s)
		guarantee, limit := best(g, s, 0, 0), best(g, s, 0, 1)
		if !isBound(c.Guarantee, guarantee, -1) {
			t.Errorf("the first player's strategy guarantees %v, want %v", c.Guarantee, guarantee.FloatString(20))
		}
		if !isBound(c.Limit, limit, 1) {
			t.Errorf("the other player's strategy limits to %v, want %v", c.Limit, limit.FloatString(20))
		}
		if gap := limit.Sub(limit, guarantee); !isBound(c.Gap, gap, 1) {
			t.Errorf("gap %v, want %v", c.Gap, gap.FloatString(20))
		}
	})
}

// isBound reports whether got is want, or differs from it only by rounding in the direction of the sign: once to 2⁻⁹⁶ at each of a few dozen
// positions, and once to a floating-point number.
func isBound(got float64, want *big.Rat, sign int) bool {
	off := new(big.Rat).Sub(new(big.Rat).SetFloat64(got), want)
	ulp := math.Nextafter(math.Abs(got), math.Inf(1)) - math.Abs(got)
	allowed := new(big.Rat).SetFloat64(ulp + 1e-25)
	return off.Sign() != -sign && off.Abs(off).Cmp(allowed) <= 0
}

func TestPureStrategiesAreWorthTheirGoalsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t, []string{"left", "right"}, false)
		s := solutionFunc(func(machine.State) (search.Claim, error) {
			first := []search.Weighted{{Move: 0, Probability: 1}}
			return search.Claim{Value: 50, Strategies: [][]search.Weighted{first, first}}, nil
		})
		c := check(t, g.Machine(), s)
		if math.Mod(c.Guarantee, 25) != 0 || math.Mod(c.Limit, 25) != 0 || c.Gap != c.Limit-c.Guarantee {
			t.Errorf("goals are multiples of 25, found %+v", c)
		}
	})
}

func TestAGameThatIsOverIsCertifiedByItsGoals(t *testing.T) {
	g := &toys.Tree{Roles: []string{"lone"}, Nodes: []toys.Node{{Goals: []int32{70}}}}
	m := g.Machine()
	c := check(t, m, solved(t, m, true))
	if !c.Certified() || c.Guarantee != 70 || c.Limit != 70 || c.Gap != 0 || c.Positions != 0 {
		t.Errorf("found %+v", c)
	}
	wrong := solutionFunc(func(machine.State) (search.Claim, error) { return search.Claim{Value: 100}, nil })
	if c := check(t, m, wrong); c.Certified() || c.First == nil {
		t.Errorf("a wrong value is certified: %+v", c)
	}
}

func TestAWrongValueAnywhereIsAFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t, drawRoles(t), false).Machine()
		s := solved(t, m, false)
		var asked []uint64
		check(t, m, solutionFunc(func(q machine.State) (search.Claim, error) {
			asked = append(asked, q[0])
			return s.At(context.Background(), q)
		}))
		wrong := rapid.SampledFrom(asked).Draw(t, "position")
		by := rapid.SampledFrom([]float64{-30, -1, -1e-4, 1e-4, 1, 30, math.NaN()}).Draw(t, "by")
		c := check(t, m, solutionFunc(func(q machine.State) (search.Claim, error) {
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
	// Matching pennies for 100 points: playing heads with probability 0.6 loses 10 of 50 to the best response.
	m := toys.Matrix([][]int32{{100, 0}, {0, 100}}).Machine()
	mix := func(p float64) []search.Weighted {
		return []search.Weighted{{Move: 0, Probability: p}, {Move: 1, Probability: 1 - p}}
	}
	for _, test := range []struct {
		left, right, want float64
		faulty            machine.Role
	}{{0.5, 0.5, 0, -1}, {0.6, 0.5, 10, 0}, {0.5, 0.4, 10, 1}, {0.5, 1, 50, 1}} {
		c := check(t, m, solutionFunc(func(machine.State) (search.Claim, error) {
			return search.Claim{Value: 50, Strategies: [][]search.Weighted{mix(test.left), mix(test.right)}}, nil
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
	m := toys.Matrix([][]int32{{6, 1, 0}, {3, 3, 3}, {0, 1, 6}}).Machine()
	c := check(t, m, solutionFunc(func(machine.State) (search.Claim, error) {
		return search.Claim{Value: 3, Strategies: [][]search.Weighted{third, third}}, nil
	}))
	if math.Abs(c.Guarantee-5./3) > 1e-9 || math.Abs(c.Limit-3) > 1e-9 || math.Abs(c.Exploitability()-4./3) > 1e-9 {
		t.Fatalf("found %+v", c)
	}
}

func TestStrategiesThatAreNoneAreErrors(t *testing.T) {
	m := toys.Matrix([][]int32{{6, 1}, {3, 3}}).Machine()
	pure := []search.Weighted{{Move: 0, Probability: 1}}
	for want, left := range map[string][]search.Weighted{
		"add up to 1, found 0":   nil,
		"add up to 1, found 0.5": {{Move: 0, Probability: 0.5}},
		"add up to 1, found 1.5": {{Move: 0, Probability: 0.75}, {Move: 1, Probability: 0.75}},
		"legal moves":            {{Move: 0, Probability: 0.5}, {Move: 3, Probability: 0.5}},
		"from 0 to 1, found 2":   {{Move: 0, Probability: 2}, {Move: 1, Probability: -1}},
		"from 0 to 1, found NaN": {{Move: 0, Probability: math.NaN()}},
	} {
		s := solutionFunc(func(machine.State) (search.Claim, error) {
			return search.Claim{Value: 3, Strategies: [][]search.Weighted{left, pure}}, nil
		})
		_, err := Check(context.Background(), m, m.Initial(), s, Limits{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "left") {
			t.Errorf("error %v, want one of left that says %q", err, want)
		}
	}
}

func TestGamesThatAreNotZeroSumAreErrors(t *testing.T) {
	g := toys.Matrix([][]int32{{60, 10}, {30, 30}})
	g.Nodes[3].Goals[1] = 30
	uniform := []search.Weighted{{Move: 0, Probability: 0.5}, {Move: 1, Probability: 0.5}}
	s := solutionFunc(func(machine.State) (search.Claim, error) {
		return search.Claim{Value: 30, Strategies: [][]search.Weighted{uniform, uniform}}, nil
	})
	m := g.Machine()
	if _, err := Check(context.Background(), m, m.Initial(), s, Limits{}); !errors.Is(err, search.ErrNotZeroSum) {
		t.Fatalf("error %v", err)
	}
}

// endless returns a game that repeats its only position.
func endless() machine.Machine {
	g := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{0, 0}}}}
	return g.Machine()
}

// first returns the solution that claims 0 and makes the first of all moves.
func first() search.Solution {
	move := []search.Weighted{{Move: 0, Probability: 1}}
	return solutionFunc(func(machine.State) (search.Claim, error) {
		return search.Claim{Strategies: [][]search.Weighted{move, move}}, nil
	})
}

func TestAGameThatRepeatsForEverCertifiesNothing(t *testing.T) {
	m := endless()
	c, err := Check(context.Background(), m, m.Initial(), first(), Limits{})
	if err != nil || c.Certified() || !c.Complete || c.Guarantee != 0 || c.Limit != 100 || c.First == nil || !c.First.Endless {
		t.Fatalf("%+v, %+v, error %v", c, c.First, err)
	}
}

func TestGamesThatGoOnForTooLongAreErrors(t *testing.T) {
	m := toys.Wide{Roles: []string{"left", "right"}, Moves: []int{1, 2}, InTurn: true}.Machine()
	if _, err := Check(context.Background(), m, m.Initial(), first(), Limits{}); err == nil || !strings.Contains(err.Error(), "joint moves") {
		t.Fatalf("error %v", err)
	}
}

func TestChecksStopAtTheirLimits(t *testing.T) {
	m := toys.Matrix([][]int32{{100, 0}, {0, 100}}).Machine()
	s := solved(t, m, false)
	if _, err := Check(context.Background(), m, m.Initial(), s, Limits{MaxBytes: 1}); !errors.Is(err, search.ErrMemory) {
		t.Errorf("memory: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, m, m.Initial(), s, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("context: error %v", err)
	}
}

func TestAnInterruptedCheckTellsWhatItHad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t, drawRoles(t), false)
		m := g.Machine()
		s := solved(t, m, false)
		full := check(t, m, s)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		left := rapid.IntRange(1, 10).Draw(t, "answers")
		c, err := Check(ctx, m, m.Initial(), solutionFunc(func(q machine.State) (search.Claim, error) {
			if left--; left == 0 {
				cancel()
			}
			return s.At(context.Background(), q)
		}), Limits{})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if c.Guarantee > full.Guarantee || c.Limit < full.Limit || c.Gap < full.Gap || c.Positions > full.Positions || c.Faults > 0 {
			t.Errorf("found %+v before %+v", c, full)
		}
		if err != nil && c.Certified() {
			t.Errorf("half a check certifies: %+v", c)
		}
	})
}

func TestALonePlayerWhoCouldDoBetterIsAFault(t *testing.T) {
	g := &toys.Tree{Roles: []string{"lone"}, Nodes: []toys.Node{{Moves: []int{2}, Kids: []int{1, 2}}, {Goals: []int32{20}}, {Goals: []int32{80}}}}
	c := check(t, g.Machine(), solutionFunc(func(machine.State) (search.Claim, error) {
		return search.Claim{Value: 20, Strategies: [][]search.Weighted{{{Move: 0, Probability: 1}}}}, nil
	}))
	if c.Exploitability() != 60 || c.Faults != 1 || c.First.Role != -1 || c.First.Obtained != 80 {
		t.Errorf("found %+v, %+v", c, c.First)
	}
}

// firstMoves returns a solution that claims nothing right and plays the first move.
func firstMoves(players int) solutionFunc {
	return func(machine.State) (search.Claim, error) {
		claim := search.Claim{}
		for range players {
			claim.Strategies = append(claim.Strategies, []search.Weighted{{Move: 0, Probability: 1}})
		}
		return claim, nil
	}
}

func TestACheckEndsWithinAFewPassesOfItsContext(t *testing.T) {
	g := toys.Wide{Roles: []string{"left", "right"}, Moves: []int{90, 90}, Depth: 30}
	for _, pass := range []int64{1, 2, 3, 10, 100, 1000} {
		passes := toys.PassesAfterEnd(g.Machine(), pass, func(ctx context.Context, m machine.Machine) {
			if _, err := Check(ctx, m, m.Initial(), firstMoves(2), Limits{}); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
		if passes > 4 {
			t.Errorf("ended in pass %d: %d passes more", pass, passes)
		}
	}
}

func TestTheMemoryOfACheckIsThatOfItsLimit(t *testing.T) {
	const limit = 2 << 20
	m := toys.Wide{Roles: []string{"left", "right"}, Moves: []int{4, 4}, Depth: 30, Words: 50}.Machine()
	var w *walk
	bytes := toys.Heap(func() any {
		w = newWalk(t.Context(), m, firstMoves(2), Limits{MaxBytes: limit})
		w.first, w.other, w.chance = 0, 1, -1
		w.play(m.Initial(), firstDefends)
		return w
	})
	if !errors.Is(w.err, search.ErrMemory) || bytes > limit+limit/2+1<<20 {
		t.Errorf("%d bytes on the heap, limit %d; error %v", bytes, limit, w.err)
	}
}

func TestAGainWithinTheSlackOfAClaimIsNone(t *testing.T) {
	for limit, want := range map[float64]float64{50: 0, 50 + Tolerance/2: 0, 51: 1} {
		c := Certificate{Value: 40, Slack: 10, Guarantee: 40, Limit: limit, Complete: true}
		if got := c.Exploitability(); got != want || c.Certified() != (want == 0) {
			t.Errorf("at most %v: exploitability %v, certified: %v, want %v", limit, got, c.Certified(), want)
		}
	}
}

func TestProgressIsTheShareOfEachSideAndMove(t *testing.T) {
	m := toys.Wide{Roles: []string{"left", "right"}, Moves: []int{1, 2}, Depth: 11}.Machine()
	var told [][2]float64 // positions, with the ones on the path, and percent
	limits := Limits{Progress: func(positions int64, share float64) {
		told = append(told, [2]float64{float64(positions), math.Round(100 * share)})
	}}
	c := must.Get(Check(t.Context(), m, m.Initial(), firstMoves(2), limits))(t)
	if want := [][2]float64{{1034, 25}, {2047, 50}}; !slices.Equal(told, want) || c.Positions != 2047 {
		t.Errorf("told %v, want %v; %d positions", told, want, c.Positions)
	}
}

// A claim at the root uses bounds that are proved later than the strategy at the position after it.
func TestAStrategyThatGotBetterIsLookedAtAgain(t *testing.T) {
	m := (&toys.Tree{Roles: []string{"lone"}, Nodes: []toys.Node{
		{Moves: []int{2}, Kids: []int{1, 1}}, {Moves: []int{2}, Kids: []int{2, 3}}, {Goals: []int32{0}}, {Goals: []int32{100}},
	}}).Machine()
	for name, c := range map[string]struct {
		slack float64
		moves []machine.Move // after the root, by request
		want  bool
	}{
		"better":            {10, []machine.Move{0, 1}, true},
		"as bad as before":  {10, []machine.Move{0, 0}, false},
		"worse":             {10, []machine.Move{1, 0}, true},
		"of an exact claim": {0, []machine.Move{0, 1}, false},
	} {
		s := solutionFunc(func(q machine.State) (search.Claim, error) {
			claim := search.Claim{Value: 100 - c.slack, Slack: c.slack, Strategies: [][]search.Weighted{{{Probability: 1}}}}
			if q[0] == 1 {
				claim.Value, claim.Slack = 0, 10*c.slack
				claim.Strategies[0][0].Move, c.moves = c.moves[0], c.moves[1:]
			}
			return claim, nil
		})
		if certificate := check(t, m, s); certificate.Certified() != c.want {
			t.Errorf("%s: %+v", name, certificate)
		}
	}
}
