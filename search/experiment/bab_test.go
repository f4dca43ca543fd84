package experiment

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/sequential"
)

// The chase with chance takes seconds, so only a few of its instances are searched; pair checks the width of each interval.
func TestBoundedAlphaBetaKeepsItsPromise(t *testing.T) {
	lab := Lab{Limit: time.Hour}
	last := map[string]Row{}
	rows := 0
	for _, run := range babRuns() {
		if run.size != 3 {
			continue
		}
		if strings.HasPrefix(run.table, "Cops and robber with chance") {
			for seed := range uint64(4) {
				if _, _, err := run.special.(*bounded).pair(seed); err != nil {
					t.Errorf("%s, %s, instance %d: %v", run.table, run.method, seed, err)
				}
			}
			continue
		}
		r := newRow("bab", run)
		if err := lab.measure(t.Context(), run, &r); err != nil || !r.Finished {
			t.Fatalf("%s, %s: %v, %q", r.Table, r.Method, err, r.Note)
		}
		if rows++; r.Ratio == 0 {
			if r.Bound > slices.Max(treeEpsilons)+rounding {
				t.Errorf("%s, %s: AMB %g", r.Table, r.Method, r.Bound)
			}
			continue // a line of AMB by ER
		}
		if r.Bound > r.Epsilon+rounding || r.Epsilon == 0 && r.Ratio != 1 {
			t.Errorf("%s, %s: ER %g, AMB %g", r.Table, r.Method, r.Ratio, r.Bound)
		}
		if before := last[r.Table]; strings.Contains(r.Table, "trees") && r.Epsilon > 0 && (r.Ratio > before.Ratio || r.Bound < before.Bound) {
			t.Errorf("%s: ER %g and AMB %g at %s, %g and %g at %s", r.Table, r.Ratio, r.Bound, r.Method, before.Ratio, before.Bound, before.Method)
		}
		if p := r.Paper; p != nil && strings.Contains(r.Table, "4 moves") && math.Abs(r.Ratio-p.Ratio) > 0.07 {
			t.Errorf("%s, %s: ER %g, the paper has %g", r.Table, r.Method, r.Ratio, p.Ratio)
		}
		last[r.Table] = r
	}
	if want := 5*len(treeEpsilons) + len(copsEpsilons) + 2; rows != want {
		t.Errorf("%d rows, want %d", rows, want)
	}
}

// planted turns a tree without chance into one of positions.
func planted(t *toys.Tree, p *plant) int {
	id := len(t.Nodes)
	t.Nodes = append(t.Nodes, toys.Node{})
	n := toys.Node{Goals: []int32{int32(p.value), 100 - int32(p.value)}}
	if p.kind != leafNode {
		n = toys.Node{Moves: []int{1, 1}}
		n.Moves[p.kind-maxNode] = len(p.kids)
		for _, kid := range p.kids {
			n.Kids = append(n.Kids, planted(t, kid))
		}
	}
	t.Nodes[id] = n
	return id
}

// The search of games and the algorithm as printed are written independently of each
// other.
func TestTheSearchOfGamesExpandsWhatThePrintedAlgorithmDoes(t *testing.T) {
	for seed := range uint64(40) {
		root := grown(&randomTrees{branching: 2 + int(seed%3), depth: 2 + int(seed%4)}, branch{seed: seed})
		game := &toys.Tree{Roles: []string{"max", "min"}}
		planted(game, root)
		m := game.Machine()
		for _, epsilon := range []float64{0, 7, 32, 64, 90} {
			s := printed[*plant]{tree: plants{}, goals: treeGoals, epsilon: epsilon}
			want := s.root(root)
			c := sequential.Config{Epsilon: epsilon, Without: sequential.Literal}
			got, err := sequential.New(c).Search(t.Context(), m, m.Initial(), search.Limits{})
			if err != nil || got.Values[0] != want || got.Nodes != s.expansions {
				t.Fatalf("seed %d, ε = %g: %v after %d expansions (%v), as printed %v after %d", seed, epsilon, got.Values[0], got.Nodes, err, want, s.expansions)
			}
		}
	}
}

// Trees of the paper's figures: leaves and inner nodes, the first one MAX.
func leaf(v float64) *plant         { return &plant{value: v} }
func largest(kids ...*plant) *plant { return &plant{kind: maxNode, kids: kids} }
func least(kids ...*plant) *plant   { return &plant{kind: minNode, kids: kids} }

// naive returns the value of alpha-beta that prunes a node if β ≤ α + ε: Figure 1 of the paper with the naive rule.
func naive(n *plant, epsilon, alpha, beta float64) float64 {
	if n.kind == leafNode {
		return n.value
	}
	for _, kid := range n.kids {
		if v := naive(kid, epsilon, alpha, beta); n.kind == maxNode {
			alpha = max(alpha, v)
		} else {
			beta = min(beta, v)
		}
		if beta <= alpha+epsilon {
			break
		}
	}
	if n.kind == maxNode {
		return alpha
	}
	return beta
}

// Figure 2: children of the root, each MIN, whose first leaf is X + iε and whose second one
// is X. The naive rule returns X + mε.
func TestFigure2TheNaiveRuleIsNotBounded(t *testing.T) {
	const x, epsilon, most = 10.0, 5.0, 12
	root := largest(leaf(x))
	for i := 1; i <= most; i++ {
		root.kids = append(root.kids, least(leaf(x+float64(i)*epsilon), leaf(x)))
	}
	if v := naive(root, epsilon, 0, 100); v != x+most*epsilon {
		t.Errorf("the naive rule returns %g, want %g", v, x+most*epsilon)
	}
	s := printed[*plant]{tree: plants{}, goals: treeGoals, epsilon: epsilon}
	if v := s.root(root); v.Lower > x || v.Upper < x || v.Upper-v.Lower > epsilon {
		t.Errorf("Bounded Alpha-Beta returns %v, want %g within %g", v, x, epsilon)
	}
}

// Figure 3: ε = 2 prunes the second child of C (D in the figure), ε = 1 the second child of B (E), so the larger tolerance costs more or less,
// depending on their subtrees.
func TestFigure3MoreToleranceMayCostMore(t *testing.T) {
	one, many := leaf(8), largest(least(leaf(8), leaf(8)), least(leaf(8), leaf(8)))
	for _, c := range []struct {
		d, e       *plant
		two, exact int64 // expansions at ε = 2 and 1
	}{{one, one, 3, 3}, {many, one, 3, 6}, {one, many, 6, 3}} {
		root := largest(leaf(7), least(largest(leaf(8), c.d), c.e))
		for epsilon, want := range map[float64]int64{2: c.two, 1: c.exact} {
			s := printed[*plant]{tree: plants{}, goals: search.Interval{Upper: 10}, epsilon: epsilon}
			if v := s.root(root); v.Lower > 8 || v.Upper < 8 || v.Upper-v.Lower > epsilon || s.expansions != want {
				t.Errorf("ε = %g: %v after %d expansions, want 8 after %d", epsilon, v, s.expansions, want)
			}
		}
	}
}

// With ε = v_max − v_min the first child of every node is enough: a single branch. At chance nodes
// all children would be left out but the first, too.
func TestTheWidestToleranceSearchesASingleBranch(t *testing.T) {
	for seed := range uint64(20) {
		for _, chosen := range []float64{0, babChosen} {
			random := &randomTrees{branching: 4, depth: 5, chosen: chosen}
			s := printed[branch]{tree: random, goals: treeGoals, epsilon: treeGoals.Upper - treeGoals.Lower}
			v := s.root(branch{seed: seed})
			plies := int64(random.depth)
			if chosen > 0 {
				plies *= 2 // chance answers each move
			}
			if s.expansions != plies || v.Upper-v.Lower > s.epsilon {
				t.Errorf("seed %d, chance %v: %v after %d expansions, want a branch of %d", seed, chosen > 0, v, s.expansions, plies)
			}
		}
	}
}

// Windows at chance nodes never let the interval grow wider than ε, for any probabilities.
func TestIntervalsOfTreesWithChanceContainTheValue(t *testing.T) {
	for seed := range uint64(60) {
		random := &randomTrees{branching: 2 + int(seed%2), depth: 3, chosen: 0.8}
		want := expectation(random, branch{seed: seed})
		for _, epsilon := range []float64{0, 3, 10, 30} {
			s := printed[branch]{tree: random, goals: treeGoals, epsilon: epsilon}
			v := s.root(branch{seed: seed})
			if v.Lower > want+rounding || v.Upper < want-rounding || v.Upper-v.Lower > epsilon+rounding {
				t.Fatalf("seed %d, ε = %g: %v, want %g", seed, epsilon, v, want)
			}
		}
	}
}

// expectation returns Eq. (1) of the paper.
func expectation(t *randomTrees, n branch) float64 {
	kind, best := t.kindOf(n)
	children := t.children(nil, n)
	for i, child := range children {
		if kind == leafNode {
			break
		}
		v := expectation(t, child)
		switch {
		case kind == chanceNode:
			best += t.weight(n, i, len(children)) * v
		case i == 0 || kind == maxNode && v > best || kind == minNode && v < best:
			best = v
		}
	}
	return best
}

// evenTrees are random trees whose leaves are all equal.
type evenTrees struct{ *randomTrees }

// kindOf implements tree.
func (t evenTrees) kindOf(n branch) (kind, float64) {
	kind, _ := t.randomTrees.kindOf(n)
	return kind, 50
}

// Knuth and Moore (1975): of a uniform tree in the best order, alpha-beta visits
// b^⌈k/2⌉ + b^⌊k/2⌋ − 1 positions at depth k. If all leaves are equal, every order is the best.
func TestTheBestCaseIsKnuthAndMooresMinimum(t *testing.T) {
	for branching := 2; branching <= 5; branching++ {
		for depth := 1; depth <= 6; depth++ {
			s := printed[branch]{tree: evenTrees{&randomTrees{branching: branching, depth: depth}}, goals: treeGoals}
			s.root(branch{})
			want, odd, even := int64(0), int64(1), int64(1)
			for k := range depth {
				want += odd + even - 1
				if k%2 == 0 {
					odd *= int64(branching)
				} else {
					even *= int64(branching)
				}
			}
			if s.expansions != want {
				t.Errorf("branching %d, depth %d: %d expansions, want %d", branching, depth, s.expansions, want)
			}
		}
	}
}

func TestCurvesOverToleranceAreDrawn(t *testing.T) {
	var rows []Row
	for i, epsilon := range []float64{0, 8, 16} {
		rows = append(rows, Row{Table: "Trees", Size: 3, Epsilon: epsilon, Ratio: 1 - float64(i)/4, Bound: epsilon / 2, Finished: true, Paper: figure4.find(9, 32)})
	}
	for i := range 2 {
		rows = append(rows, Row{Table: "Fifths", Size: i + 1, Bound: float64(i), Finished: true})
	}
	path := filepath.Join(t.TempDir(), "curves.svg")
	must.OK(t, WritePlot(path, rows))
	svg, err := os.ReadFile(path)
	for _, want := range []string{">ER<", ">AMB<", ">ε<", "paper", ">fifth of ER<"} {
		if err != nil || !strings.Contains(string(svg), want) {
			t.Errorf("the plot has no %s (%v)", want, err)
		}
	}
}

func TestCopsCatchTheRobberWhereTheyCan(t *testing.T) {
	near := chase{robber: 0, cops: [cops]int8{1, 30, 35}, made: 1}
	d := duel{budget: 200}
	if after := d.move(near, 0); !after.isCaught() {
		t.Errorf("a robber beside a cop is not caught: %v", after)
	}
	if moves := d.game(t.Context(), chase{robber: 21, cops: [cops]int8{0, 5, 35}}, 0, 0); moves == playMoves {
		t.Error("three cops with 200 nodes a move do not catch the robber")
	}
}

func TestADuelIsPlayedFromEachPositionAndStopsWithItsContext(t *testing.T) {
	play := func(ctx context.Context) Row {
		var row Row
		must.OK(t, (&duel{epsilon: 8, budget: 30}).measure(ctx, &row))
		return row
	}
	first := play(t.Context())
	var won, lost, drawn int
	if n, _ := fmt.Sscanf(first.Note, "won %d, lost %d, drawn %d", &won, &lost, &drawn); n != 3 || won+lost+drawn != playPositions || !first.Finished {
		t.Errorf("%+v", first)
	}
	if again := play(t.Context()); again.Note != first.Note {
		t.Errorf("%q, then %q", first.Note, again.Note)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if row := play(ended); row.Finished || row.Note != "stopped after 0 of 100 games; " {
		t.Errorf("%+v", row)
	}
}

// The rulesheet and the domain of the paper are the same game.
func TestTheRulesOfCopsAndRobberAllowTheMovesOfTheDomain(t *testing.T) {
	m := gamestest.Machine(t, "copsAndRobber-6x6-3-4")
	corner := func(x, y int) int8 { return int8(y*gridSide + x) }
	start := chase{robber: corner(2, 2), cops: [cops]int8{corner(0, 0), corner(5, 5), corner(5, 0)}}
	counts := must.Get(play.Perft(t.Context(), m, m.Initial(), 5))(t)
	for i, got := range counts {
		plies := i + 1
		d := &copsAndRobber{depth: plies, steps: openSteps}
		want := int64(0)
		var visit func(n chase)
		visit = func(n chase) {
			if int(n.made) == plies {
				want++
			} else if kind, _ := d.kindOf(n); kind != leafNode {
				for _, child := range d.children(nil, n) {
					visit(child)
				}
			}
		}
		visit(start)
		if got.JointMoves != want {
			t.Errorf("%d sequences of %d moves by the rules, want %d", got.JointMoves, plies, want)
		}
	}
}

// plant is a node of a tree that is there as a whole, with its minimax value.
type plant struct {
	kind  kind
	value float64
	kids  []*plant
}

// grown returns the tree below n, without chance, the best children first.
func grown(t *randomTrees, n branch) *plant {
	kind, value := t.kindOf(n)
	p := &plant{kind: kind, value: value}
	if kind == leafNode {
		return p
	}
	for _, child := range t.children(nil, n) {
		p.kids = append(p.kids, grown(t, child))
	}
	slices.SortStableFunc(p.kids, func(a, b *plant) int {
		if kind == minNode {
			a, b = b, a
		}
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	p.value = p.kids[0].value
	return p
}

// plants is the tree of a plant.
type plants struct{}

// kindOf implements tree.
func (plants) kindOf(p *plant) (kind, float64) { return p.kind, p.value }

// children implements tree.
func (plants) children(dst []*plant, p *plant) []*plant { return append(dst, p.kids...) }

// weight implements tree.
func (plants) weight(_ *plant, _, of int) float64 { return 1 / float64(of) }
