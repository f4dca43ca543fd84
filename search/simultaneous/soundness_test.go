package simultaneous

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
	"stackmate/search"
	"stackmate/search/certify"
	"stackmate/search/matrix"
)

// The error of a game's value is bounded by the engine's error at each ply; the random games have up to four plies.
const (
	tolerance     = 1e-7
	glpkTolerance = 4 * 1e-6 * 100 // GLPK: 1e-6 of the range
)

// tolerance returns the allowed error of a value, in goal points.
func (config Config) tolerance() float64 {
	if config.Engine == nil {
		return tolerance
	}
	return glpkTolerance
}

// everyEngine repeats the configurations for GLPK, if it is compiled in.
func everyEngine(configs []Config) []Config {
	glpk := func() (matrix.Engine, error) { return matrix.NewEngine("glpk") }
	if _, err := glpk(); err != nil {
		return configs
	}
	for _, config := range configs {
		config.Engine = glpk
		configs = append(configs, config)
	}
	return configs
}

func configurations() []Config {
	var all []Config
	for _, table := range []bool{false, true} {
		for _, method := range []Method{BackwardInduction, BoundedInduction, DoubleOracle, SMAB} {
			all = append(all, Config{Method: method, Table: table})
		}
		for _, order := range []Order{OrderL, OrderLex} {
			for _, moves := range []MoveOrder{MovesDynamic, MovesLegal} {
				for skip := range 3 {
					all = append(all, Config{Method: SMAB, Table: table, Order: order, Moves: moves, Skip: skip})
				}
			}
		}
		for _, v := range []variant{{noExit: true}, {blind: true}} {
			all = append(all, Config{Method: SMAB, Order: OrderL, Table: table, variant: v})
		}
	}
	return append(all, Config{Table: true, Threads: 3})
}

func (config Config) String() string {
	lp := "native"
	if config.Engine != nil {
		lp = "glpk"
	}
	return fmt.Sprintf("%s table=%t order=%s moves=%s skip=%d lp=%s threads=%d %+v",
		config.Method, config.Table, config.Order, config.Moves, config.Skip, lp, config.Threads, config.variant)
}

// draw draws a game and returns it with its value for the row player, and a search
// of the configuration.
func (config Config) draw(t *rapid.T) (g *stacked, value float64, searcher *Searcher) {
	g = drawStacked(t)
	value, _ = g.exact().Float64()
	searcher = must.Get(New(config))(t)
	searcher.config.alone = 0
	return g, value, searcher
}

func TestEveryMethodFindsTheExactValueOfRandomStackedGames(t *testing.T) {
	exhaustive.FewerDraws(t)
	for _, config := range everyEngine(configurations()) {
		t.Run(config.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g, want, searcher := config.draw(t)
				m := g.machine()
				got := must.Get(searcher.Search(context.Background(), m, m.Initial(), search.Limits{}))(t)
				if !got.Solved() || math.Abs(got.Values[g.row].Lower-want) > config.tolerance() {
					t.Fatalf("value %v (solved: %v), want %v", got.Values[g.row], got.Solved(), want)
				}
				g.checkMoves(t, got)
			})
		})
	}
}

func TestEveryMethodAnswersEveryWindow(t *testing.T) {
	exhaustive.FewerDraws(t)
	for _, config := range everyEngine(configurations()) {
		t.Run(config.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g, want, searcher := config.draw(t)
				m := g.machine()
				s := must.Get(newSolver(context.Background(), searcher.config, m, 1<<20))(t)
				s.ctx = context.Background()
				alpha := float64(rapid.IntRange(-1, 100).Draw(t, "alpha"))
				beta := alpha + rapid.Float64Range(0.001, 101).Draw(t, "width")
				if terminal, _ := s.expander.Look(m.Initial()); terminal {
					return
				}
				got := s.value(0, m.Initial(), alpha, beta)
				if !isClosed(got, alpha, beta) {
					t.Fatalf("window (%v, %v): %v answers nothing", alpha, beta, got)
				}
				if want < got.Lower-config.tolerance() || want > got.Upper+config.tolerance() {
					t.Fatalf("window (%v, %v): %v does not contain %v", alpha, beta, got, want)
				}
			})
		})
	}
}

func TestStoppedSearchGivesBoundsThatHold(t *testing.T) {
	exhaustive.FewerDraws(t)
	for _, config := range everyEngine(configurations()) {
		t.Run(config.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g, want, searcher := config.draw(t)
				m := g.machine()
				limits := search.Limits{MaxNodes: rapid.Int64Range(1, 30).Draw(t, "nodes")}
				got := must.Get(searcher.Search(context.Background(), m, m.Initial(), limits))(t)
				v := got.Values[g.row]
				if exact := g.exact(); !v.Solved() && (exact.Cmp(new(big.Rat).SetFloat64(v.Lower)) < 0 || exact.Cmp(new(big.Rat).SetFloat64(v.Upper)) > 0) {
					t.Fatalf("the open interval %v does not contain %v", v, exact)
				}
				if !got.Proved || want < v.Lower-config.tolerance() || want > v.Upper+config.tolerance() {
					t.Fatalf("%v (proved: %v) does not contain %v", v, got.Proved, want)
				}
				g.checkMoves(t, got)
			})
		})
	}
}

// checkMoves checks the results for single moves at the root: the values against the worst and the best reply are within the bounds of each
// move, and either all moves are listed or none.
func (g *stacked) checkMoves(t rapid.TB, r search.Result) {
	t.Helper()
	root := g.nodes[0]
	for role, known := range r.Moves {
		if len(known) != 0 && len(known) != root.count[role] {
			t.Fatalf("role %d: %d moves are known, want %d", role, len(known), root.count[role])
		}
		for i, k := range known {
			if k.Move != machine.Move(i) || k.Estimate < k.Bounds.Lower || k.Estimate > k.Bounds.Upper {
				t.Fatalf("role %d: move %d is %+v", role, i, k)
			}
			low, high := g.security(role, i)
			if low < k.Bounds.Lower-glpkTolerance || high > k.Bounds.Upper+glpkTolerance {
				t.Fatalf("role %d: move %d brings %v to %v, not %v", role, i, low, high, k.Bounds)
			}
		}
	}
}

// security returns the values of a move at the root against the worst and the best reply, averaged over chance.
func (g *stacked) security(role, move int) (low, high float64) {
	root, sums, counts := g.nodes[0], map[int]float64{}, map[int]float64{}
	for c, child := range root.children {
		joint := root.joint(c)
		if joint[role] != move {
			continue
		}
		reply := 0
		for r, name := range g.roles {
			if r != role && name != machine.RandomRole {
				reply = joint[r]
			}
		}
		v, _ := g.exactFrom(child).Float64()
		if role != g.row {
			v = 100 - v
		}
		sums[reply], counts[reply] = sums[reply]+v, counts[reply]+1
	}
	low, high = math.Inf(1), math.Inf(-1)
	for reply, sum := range sums {
		low, high = min(low, sum/counts[reply]), max(high, sum/counts[reply])
	}
	return low, high
}

// A 3×3 matrix of two positions in turn, each a matrix game of its own.
func TestCellsOfTheSamePositionAreSearchedOnce(t *testing.T) {
	root := stackedNode{count: [3]int{3, 3}, children: []int{1, 2, 1, 2, 1, 2, 1, 2, 1}}
	g := &stacked{roles: []string{"left", "right"}, nodes: []stackedNode{
		root,
		{count: [3]int{2, 2}, children: []int{3, 4, 4, 3}},
		{count: [3]int{2, 2}, children: []int{4, 3, 3, 5}},
		{goal: 100},
		{goal: 0},
		{goal: 50},
	}}
	for _, method := range []Method{DoubleOracle, SMAB} {
		searcher := must.Get(New(Config{Method: method, Table: true}))(t)
		r := must.Get(searcher.Search(t.Context(), g.machine(), g.machine().Initial(), search.Limits{}))(t)
		exact, _ := g.exact().Float64()
		if v := r.Values[0]; r.Nodes > 3 || math.Abs(v.Lower-exact) > tolerance || math.Abs(v.Upper-exact) > tolerance {
			t.Errorf("%v: value %v after %d nodes, expected %v after at most 3", method, v, r.Nodes, exact)
		}
	}
}

func TestSearchAllocatesNothingOnceWarm(t *testing.T) {
	for _, config := range configurations() {
		searcher := must.Get(New(config))(t)
		m := newGoofspiel(descending(4), true)
		s := must.Get(newSolver(context.Background(), searcher.config, m, 1<<20))(t)
		s.ctx = context.Background()
		allocs := testing.AllocsPerRun(3, func() {
			s.value(0, m.Initial(), anyValue().Lower, anyValue().Upper)
		})
		if allocs != 0 {
			t.Errorf("%v: %v allocations per search", config, allocs)
		}
	}
}

func TestProgressReportsNestedIntervals(t *testing.T) {
	m := newGoofspiel(descending(5), false)
	searcher := must.Get(New(Config{}))(t)
	defer func(every time.Duration) { reportEvery = every }(reportEvery)
	reportEvery = 0
	last, calls := search.Interval{Lower: 0, Upper: 100}, 0
	limits := search.Limits{Progress: func(r search.Result) {
		calls++
		if v := r.Values[0]; v.Lower < last.Lower || v.Upper > last.Upper || !r.Proved {
			t.Errorf("%v after %v", v, last)
		}
		last = r.Values[0]
	}}
	must.Get(searcher.Search(context.Background(), m, m.Initial(), limits))(t)
	if calls < 2 || last.Lower > 50 || last.Upper < 50 {
		t.Errorf("%d reports, the last is %v", calls, last)
	}
}

func TestCancelledSearchReturnsWhatItKnows(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, config := range configurations() {
		searcher := must.Get(New(config))(t)
		m := newGoofspiel(descending(4), false)
		got, err := searcher.Search(ctx, m, m.Initial(), search.Limits{})
		if err != nil || !got.Proved || got.Solved() {
			t.Errorf("%v: %+v, error %v", config, got, err)
		}
	}
}

func TestGoalsOfVaryingSumAreAnError(t *testing.T) {
	roles := []string{"left", "right"}
	names := &machine.Names{Roles: roles, Moves: [][]string{{"a", "b"}, {"c"}}}
	m := newToy(names, machine.State{0}, func() scalar.Stepper { return &generalSum{} })
	for _, config := range configurations() {
		searcher, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		_, err = searcher.Search(context.Background(), m, m.Initial(), search.Limits{})
		if !errors.Is(err, search.ErrNotZeroSum) {
			t.Errorf("%v: error %v", config, err)
		}
	}
}

// generalSum is a game of one move of the left role, which pays both as much.
type generalSum struct{ at uint64 }

func (g *generalSum) SetState(s machine.State) { g.at = s[0] }
func (g *generalSum) Terminal() bool           { return g.at > 0 }
func (g *generalSum) Goal(machine.Role) int32  { return int32(10 * g.at) }

func (g *generalSum) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if dst = append(dst, 0); r == 0 {
		dst = append(dst, 1)
	}
	return dst
}

func (g *generalSum) Next(dst machine.State, joint []machine.Move) { dst[0] = uint64(joint[0]) + 1 }

func TestGamesThatNeverEndStopWithTheirRange(t *testing.T) {
	names := &machine.Names{Roles: []string{"left", "right"}, Moves: [][]string{{"a", "b"}, {"c", "d"}}}
	for _, choices := range []int{1, 2} {
		m := newToy(names, machine.State{0}, func() scalar.Stepper { return &endless{choices: choices} })
		for _, config := range configurations() {
			searcher := must.Get(New(config))(t)
			got, err := searcher.Search(context.Background(), m, m.Initial(), search.Limits{MaxNodes: 2_000})
			if err != nil || got.Solved() || got.Values[0] != (search.Interval{Lower: 0, Upper: 100}) {
				t.Errorf("%v: %+v, error %v", config, got, err)
			}
		}
	}
}

// endless counts its moves for ever.
type endless struct {
	at      uint64
	choices int
}

func (g *endless) SetState(s machine.State) { g.at = s[0] }
func (g *endless) Terminal() bool           { return false }
func (g *endless) Goal(machine.Role) int32  { return machine.NoGoal }

func (g *endless) AppendLegal(dst []machine.Move, _ machine.Role) []machine.Move {
	for c := range g.choices {
		dst = append(dst, machine.Move(c))
	}
	return dst
}

func (g *endless) Next(dst machine.State, _ []machine.Move) { dst[0] = g.at + 1 }

func TestSMABIsExactUpToEpsilonInEveryWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		epsilon := rapid.SampledFrom([]float64{0, 0.5, 5, 40}).Draw(t, "epsilon")
		config := must.Get(Config{Table: rapid.Bool().Draw(t, "table"), Epsilon: epsilon}.complete())(t)
		m := g.machine()
		s := must.Get(newSolver(context.Background(), config, m, 1<<20))(t)
		s.ctx = context.Background()
		alpha := float64(rapid.IntRange(-1, 100).Draw(t, "alpha"))
		beta := alpha + rapid.Float64Range(0.001, 101).Draw(t, "width")
		got := s.value(0, m.Initial(), alpha, beta)
		if min(got.Upper, beta) > max(got.Lower, alpha)+epsilon+tolerance {
			t.Fatalf("window (%v, %v): %v answers nothing up to %v", alpha, beta, got, epsilon)
		}
		if want, _ := g.exact().Float64(); want < got.Lower-tolerance || want > got.Upper+tolerance {
			t.Fatalf("window (%v, %v): %v does not contain %v", alpha, beta, got, want)
		}
	})
}

func TestTheResultIsNoWiderThanEpsilonAndTheStrategiesGuaranteeIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		epsilon := rapid.SampledFrom([]float64{0, 0.5, 5, 40, 100}).Draw(t, "epsilon")
		s := must.Get(New(Config{Table: true, Epsilon: epsilon}))(t)
		m := g.machine()
		if v := solveWith(t, s, m).Values[g.row]; v.Upper-v.Lower > epsilon {
			t.Fatalf("%v is wider than %v", v, epsilon)
		}
		strategies := played(func(q machine.State) (search.Result, error) {
			return s.Search(context.Background(), m, q, search.Limits{})
		})
		c := must.Get(certify.Check(context.Background(), m, m.Initial(), strategies, certify.Limits{}))(t)
		// Each of up to five plies may lose the tolerance once, for either player.
		if c.Gap > 2*5*epsilon+tolerance {
			t.Fatalf("exploitability %v with a tolerance of %v", c.Gap, epsilon)
		}
	})
}

func TestAStoppedSearchGoesOnLater(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		s := must.Get(New(Config{Table: true}))(t)
		m := g.machine()
		want, _ := g.exact().Float64()
		limits := search.Limits{MaxNodes: rapid.Int64Range(1, 30).Draw(t, "nodes")}
		for _, lim := range []search.Limits{limits, limits, {}} {
			r := must.Get(s.Search(context.Background(), m, m.Initial(), lim))(t)
			v := r.Values[g.row]
			if want < v.Lower-tolerance || want > v.Upper+tolerance || lim.MaxNodes == 0 && !v.Solved() {
				t.Fatalf("%v, want %v", v, want)
			}
		}
	})
}

func TestWrongConfigurationsAreRefused(t *testing.T) {
	for _, config := range []Config{{Epsilon: -1}, {Epsilon: math.NaN()}, {Method: "best"}, {Order: "spiral"}, {Skip: 1}} {
		if _, err := New(config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
}
