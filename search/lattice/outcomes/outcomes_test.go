package outcomes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/lattice"
)

// randomTree returns a random game with goals of any sum; at a third of its
// positions two may choose at once.
func randomTree(rng *rand.Rand, roles, depth int) *toys.Tree {
	t := &toys.Tree{}
	for r := range roles {
		t.Roles = append(t.Roles, fmt.Sprint("role", r))
	}
	var grow func(level int) int
	grow = func(level int) int {
		id := len(t.Nodes)
		t.Nodes = append(t.Nodes, toys.Node{})
		if level == depth || level > 0 && rng.IntN(6) == 0 {
			goals := make([]int32, roles)
			for r := range goals {
				goals[r] = int32(rng.IntN(5)) * 25
			}
			t.Nodes[id].Goals = goals
			return id
		}
		n := toys.Node{Moves: slices.Repeat([]int{1}, roles)}
		n.Moves[rng.IntN(roles)] = 1 + rng.IntN(3)
		if rng.IntN(3) == 0 {
			n.Moves[rng.IntN(roles)] = 1 + rng.IntN(2)
		}
		joint := 1
		for _, k := range n.Moves {
			joint *= k
		}
		n.Kids = make([]int, joint)
		for k := range n.Kids {
			n.Kids[k] = grow(level + 1)
		}
		t.Nodes[id] = n
		return id
	}
	grow(0)
	return t
}

// everything is the oracle: it visits all positions of a game once.
type everything struct {
	expander *play.Expander
	ends     map[string][]int32
	seen     map[string]bool
}

// enumerate collects the goals of all terminal positions that can be reached from s, or
// gives up after a limit of positions.
func enumerate(t testing.TB, m machine.Machine, most int) (*everything, bool) {
	e := &everything{play.NewExpander(m), make(map[string][]int32), make(map[string]bool)}
	stack := []machine.State{m.Initial()}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if key := fmt.Sprint(s); e.seen[key] {
			continue
		} else {
			e.seen[key] = true
		}
		if len(e.seen) > most {
			return e, false
		}
		if over, goals := e.expander.Look(s); over {
			g := points(goals)
			e.ends[fmt.Sprint(g)] = g
			continue
		}
		var x play.Expansion
		must.OK(t, e.expander.Expand(&x, s))
		for c := range x.Children {
			stack = append(stack, slices.Clone(x.Child(c)))
		}
	}
	return e, true
}

// undominated lists the goals of which no others are better for one and worse for none.
func (e *everything) undominated() [][]int32 {
	var all [][]int32
	for _, g := range e.ends {
		dominated := false
		for _, h := range e.ends {
			better := !slices.Equal(g, h)
			for r := range g {
				better = better && h[r] >= g[r]
			}
			dominated = dominated || better
		}
		if !dominated {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b []int32) int { return slices.Compare(b, a) })
	return all
}

// maximin returns the guaranteed value of a role in a tree, by definition.
func maximin(t *toys.Tree, id, role int) float64 {
	n := t.Nodes[id]
	if len(n.Kids) == 0 {
		return float64(n.Goals[role])
	}
	step := 1
	for _, k := range n.Moves[role+1:] {
		step *= k
	}
	worst := slices.Repeat([]float64{machine.MaxGoal}, n.Moves[role])
	for c, kid := range n.Kids {
		a := c / step % n.Moves[role]
		worst[a] = min(worst[a], maximin(t, kid, role))
	}
	return slices.Max(worst)
}

// checkOutcomes compares the result with the enumeration, and plays each line.
func checkOutcomes(t *testing.T, m machine.Machine, r search.Result, e *everything) {
	t.Helper()
	if !r.Solved() || !r.Outcomes.Complete {
		t.Fatalf("not solved: %v, outcomes complete %t", r.Values, r.Outcomes.Complete)
	}
	var found [][]int32
	for _, o := range r.Outcomes.List {
		found = append(found, o.Goals)
		if got := goalsOf(t, m, o.Line); !slices.Equal(got, o.Goals) {
			t.Fatalf("the line of %v ends with %v", o.Goals, got)
		}
	}
	if want := e.undominated(); fmt.Sprint(found) != fmt.Sprint(want) {
		t.Fatalf("outcomes %v, want %v", found, want)
	}
}

// goalsOf plays a line by the rules and tells the goals at its end.
func goalsOf(t *testing.T, m machine.Machine, line [][]machine.Move) []int32 {
	t.Helper()
	x, s := play.NewExpander(m), m.Initial()
	joint := make([]machine.Move, len(m.Names().Roles))
	for _, want := range line {
		var e play.Expansion
		must.OK(t, x.Expand(&e, s))
		found := false
		for c := range e.Children {
			if e.Joint(joint, c); slices.Equal(joint, want) {
				s, found = slices.Clone(e.Child(c)), true
			}
		}
		if !found {
			t.Fatalf("no legal joint move %v", want)
		}
	}
	over, goals := x.Look(s)
	if !over {
		t.Fatal("a line ends before the game is over")
	}
	return points(goals)
}

func solve(t *testing.T, m machine.Machine, lim search.Limits) search.Result {
	t.Helper()
	return must.Get(Searcher{}.Search(context.Background(), m, m.Initial(), lim))(t)
}

func TestOutcomesOfRandomGamesAreThoseOfFullEnumeration(t *testing.T) {
	for i := range 400 {
		rng := rand.New(rand.NewPCG(uint64(i), 14))
		tree := randomTree(rng, 1+rng.IntN(4), 1+rng.IntN(6))
		m := tree.Machine()
		r := solve(t, m, search.Limits{})
		e, _ := enumerate(t, m, 1<<20)
		checkOutcomes(t, m, r, e)
		for role, v := range r.Values {
			if want := maximin(tree, 0, role); v.Lower != want || v.Upper != want {
				t.Fatalf("game %d: role %d guarantees %v, want %g", i, role, v, want)
			}
		}
	}
}

func TestAnOutcomeThatNobodyWouldPlayAloneIsFound(t *testing.T) {
	// The player who takes gets 25 more than the other; if both pass twice, both get 75.
	game := &toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}},
		{Goals: []int32{25, 0}},
		{Moves: []int{1, 2}, Kids: []int{3, 4}},
		{Goals: []int32{0, 100}},
		{Goals: []int32{75, 75}},
	}}
	m := game.Machine()
	r := solve(t, m, search.Limits{})
	if r.Values[0] != search.Exact(25) || r.Values[1] != search.Exact(0) {
		t.Errorf("guaranteed: %v, want 25 and 0", r.Values)
	}
	if got := fmt.Sprint(len(r.Outcomes.List), r.Outcomes.List[0].Goals, r.Outcomes.List[1].Goals); got != "2 [75 75] [0 100]" {
		t.Errorf("outcomes %s", got)
	}
}

func TestWhoChoosesAtOnceGuaranteesWhatNoForeknowledgeTakesAway(t *testing.T) {
	m := toys.Matrix([][]int32{{100, 0}, {25, 50}}).Machine()
	r := solve(t, m, search.Limits{})
	if r.Values[0] != search.Exact(25) || r.Values[1] != search.Exact(50) {
		t.Errorf("guaranteed %v, want 25 and 50", r.Values)
	}
	if r.Strategies[0][0].Move != 1 || r.Strategies[1][0].Move != 1 {
		t.Errorf("strategies %v", r.Strategies)
	}
}

func TestChanceIsRefused(t *testing.T) {
	chance := &toys.Tree{Roles: []string{"a", machine.RandomRole}, Nodes: []toys.Node{
		{Moves: []int{1, 2}, Kids: []int{1, 1}}, {Goals: []int32{100, 0}},
	}}
	m := chance.Machine()
	if _, err := (Searcher{}).Search(t.Context(), m, m.Initial(), search.Limits{}); err == nil {
		t.Error("chance was accepted")
	}
}

func TestALineEntersNoPositionTwice(t *testing.T) {
	m := (&toys.Tree{Roles: []string{"robot"}, Nodes: []toys.Node{
		{Moves: []int{2}, Kids: []int{1, 2}},
		{Moves: []int{2}, Kids: []int{0, 3}}, // back to the first position, or to the end with 100
		{Goals: []int32{0}},
		{Goals: []int32{100}},
	}}).Machine()
	r := solve(t, m, search.Limits{})
	for _, o := range r.Outcomes.List {
		if want := 1 + int(o.Goals[0]/100); len(o.Line) != want {
			t.Errorf("the line to %v has %d moves, the shortest %d", o.Goals, len(o.Line), want)
		}
	}
	if len(r.Outcomes.List) == 0 {
		t.Error("no outcomes")
	}
}

func TestPositionsThatRepeatAreSearchedOnceAPass(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		g := toys.Cyclic(rng, 2+rng.IntN(30), false)
		r, want := solve(t, g.Machine(), search.Limits{}), g.Forced()[0]
		if v := r.Values[0]; v != (search.Interval{Lower: want[0], Upper: want[1]}) {
			t.Errorf("seed %d: %v, want %v", seed, v, want)
		}
		if most := int64(10_000); r.Nodes > most {
			t.Errorf("seed %d: %d nodes for %d positions, want at most %d", seed, r.Nodes, len(g.Nodes), most)
		}
		if r.Unfinished == nil && !(r.Values[0].Solved() && r.Values[1].Solved() && r.Outcomes.Complete) {
			t.Errorf("seed %d: %v without a reason", seed, r.Values)
		}
	}
}

func TestAChainBeyondTheGreatestDepthIsAReason(t *testing.T) {
	g := &toys.Tree{Roles: []string{"a", "b"}}
	for i := range lattice.MaxPly + 1 {
		g.Nodes = append(g.Nodes, toys.Node{Moves: []int{1, 1}, Kids: []int{i + 1}})
	}
	g.Nodes = append(g.Nodes, toys.Node{Goals: []int32{70, 30}})
	if r := solve(t, g.Machine(), search.Limits{}); !errors.Is(r.Unfinished, errTooDeep) || r.Values[0] != search.GoalRange {
		t.Errorf("%v, unfinished: %v", r.Values, r.Unfinished)
	}
}

func TestLimitsLeaveBoundsThatHold(t *testing.T) {
	for i := range 100 {
		rng := rand.New(rand.NewPCG(uint64(i), 15))
		tree := randomTree(rng, 3, 6)
		m := tree.Machine()
		full := solve(t, m, search.Limits{})
		r := solve(t, m, search.Limits{MaxNodes: 4})
		for role, v := range r.Values {
			if want := full.Values[role].Lower; v.Lower > want || v.Upper < want {
				t.Fatalf("game %d: role %d, %v does not contain %g", i, role, v, want)
			}
		}
		if r.Outcomes.Complete && len(r.Outcomes.List) != len(full.Outcomes.List) {
			t.Fatalf("game %d: %d outcomes are said to be all of %d", i, len(r.Outcomes.List), len(full.Outcomes.List))
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r, err := (Searcher{}).Search(ctx, m, m.Initial(), search.Limits{}); err != nil {
			t.Fatalf("the end of the context is an error: %v", err)
		} else if len(r.Values) != 3 {
			t.Fatal("no values at the end of the context")
		}
	}
}
