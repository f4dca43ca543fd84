package goals_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/certify"
	"stackmate/search/goals"
	"stackmate/search/matrix"
	"stackmate/search/sequential"
	"stackmate/search/simultaneous"
	"stackmate/search/solve"
)

const missing = machine.NoGoal

// ends returns one move of left, after which the game is over with the goals of both.
func ends(goals ...[2]int32) *toys.Tree {
	t := &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{{Moves: []int{len(goals), 1}}}}
	for _, g := range goals {
		t.Nodes[0].Kids = append(t.Nodes[0].Kids, len(t.Nodes))
		t.Nodes = append(t.Nodes, toys.Node{Goals: []int32{g[0], g[1]}})
	}
	return t
}

func TestSmallGamesShowTheirGoals(t *testing.T) {
	for name, c := range map[string]struct {
		game  *toys.Tree
		want  goals.Facts
		fault string // the role with a fault
	}{
		"a constant sum":    {ends([2]int32{100, 0}, [2]int32{30, 70}), goals.Facts{Single: true, Constant: true, Sum: 100, Positions: 3}, ""},
		"another sum":       {ends([2]int32{10, 10}, [2]int32{0, 20}), goals.Facts{Single: true, Constant: true, Sum: 20, Positions: 3}, ""},
		"no constant sum":   {ends([2]int32{100, 100}, [2]int32{0, 20}), goals.Facts{Single: true, Varies: true, Sum: 20, Positions: 3}, ""},
		"no goal of right":  {ends([2]int32{100, 0}, [2]int32{50, missing}), goals.Facts{}, "right"},
		"no goals at all":   {ends([2]int32{missing, missing}), goals.Facts{}, "left"},
		"an end at once":    {&toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{{Goals: []int32{40, 60}}}}, goals.Facts{Single: true, Constant: true, Sum: 100, Positions: 1}, ""},
		"a fault at once":   {&toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{{Goals: []int32{40, missing}}}}, goals.Facts{}, "right"},
		"nothing ever ends": {&toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{{Moves: []int{1, 1}, Kids: []int{0}}}}, goals.Facts{Single: true, Positions: 1}, ""},
	} {
		f, err := goals.Learn(t.Context(), c.game.Machine())
		var fault *goals.Fault
		switch {
		case c.fault == "" && (err != nil || f != c.want):
			t.Errorf("%s: %+v, error %v; want %+v", name, f, err, c.want)
		case c.fault != "" && (!errors.As(err, &fault) || !errors.Is(err, search.ErrGoals) || fault.Role != c.fault):
			t.Errorf("%s: error %v, want a fault of %s", name, err, c.fault)
		}
	}
}

// A fault comes with the joint moves that lead to it.
func TestAFaultIsReachedByItsLine(t *testing.T) {
	game := ends([2]int32{100, 0}, [2]int32{50, missing})
	_, err := goals.Learn(t.Context(), game.Machine())
	var fault *goals.Fault
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	h, err := play.Follow(game.Machine(), fault.Moves)
	if err != nil || !h.IsOver() || h.Goals()[1] != missing {
		t.Errorf("the line %v leads to goals %v, error %v", fault.Moves, h.Goals(), err)
	}
}

// methods are makers of zero-sum searches.
var methods = map[string]func() search.Searcher{
	"bab":     func() search.Searcher { return sequential.New(sequential.Config{}) },
	"dfs":     func() search.Searcher { return sequential.New(sequential.Config{Without: sequential.Deepening}) },
	"literal": func() search.Searcher { return sequential.New(sequential.Config{Without: sequential.Literal}) },
	"bi":      atOnce(simultaneous.BackwardInduction),
	"smab":    atOnce(simultaneous.SMAB),
	"biab":    atOnce(simultaneous.BoundedInduction),
	"do":      atOnce(simultaneous.DoubleOracle),
}

func atOnce(m simultaneous.Method) func() search.Searcher {
	return func() search.Searcher {
		s, err := simultaneous.New(simultaneous.Config{Method: m, Table: true})
		if err != nil {
			panic(err)
		}
		return s
	}
}

// guarantee computes the maximin value of a role in a tree of two roles, in mixed strategies.
func guarantee(t *toys.Tree, id, role int) float64 {
	n := t.Nodes[id]
	if len(n.Kids) == 0 {
		return float64(n.Goals[role])
	}
	rows, columns := n.Moves[role], n.Moves[1-role]
	payoffs := make([]float64, rows*columns)
	for i := range rows {
		for j := range columns {
			left, right := i, j
			if role == 1 {
				left, right = j, i
			}
			payoffs[i*columns+j] = guarantee(t, n.Kids[left*n.Moves[1]+right], role)
		}
	}
	v, err := matrix.NewNative().Nash(payoffs, rows, columns, nil, nil)
	if err != nil {
		panic(err)
	}
	return v
}

// grow makes a random game of two roles, by turns or at once, whose goals have a sum of which one end in rare differs.
func grow(rng *rand.Rand, turns bool, sum int32, rare int) *toys.Tree {
	t := &toys.Tree{Roles: []string{"left", "right"}}
	var node func(depth int) int
	node = func(depth int) int {
		id := len(t.Nodes)
		t.Nodes = append(t.Nodes, toys.Node{})
		if depth == 0 || depth < 3 && rng.IntN(4) == 0 {
			own := rng.Int32N(3) * sum / 2
			goals := []int32{own, sum - own}
			if rng.IntN(rare) == 0 {
				goals = []int32{rng.Int32N(11) * 10, rng.Int32N(11) * 10}
			}
			t.Nodes[id].Goals = goals
			return id
		}
		moves := []int{1 + rng.IntN(3), 1 + rng.IntN(3)}
		if turns {
			moves[depth%2] = 1
		}
		var kids []int
		for range moves[0] * moves[1] {
			kids = append(kids, node(depth-1))
		}
		t.Nodes[id].Moves, t.Nodes[id].Kids = moves, kids
		return id
	}
	node(4)
	return t
}

// For any sum of the goals, learnable in advance or not, each zero-sum search finds the guarantees of both players, and calls them a value only
// where the sum is proved.
func TestZeroSumSearchesFindGuaranteesInGamesOfAnySum(t *testing.T) {
	concepts := map[search.Concept]int{}
	seeds := uint64(300)
	if !exhaustive.On() {
		seeds = 40
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 1))
		turns := rng.IntN(2) == 0
		game := grow(rng, turns, []int32{100, 20, 60, 100}[rng.IntN(4)], []int{1, 4, 1 << 20}[rng.IntN(3)])
		for name, make := range methods {
			sequential := name == "bab" || name == "dfs" || name == "literal"
			if sequential && !turns {
				continue
			}
			for _, learns := range []bool{true, false} {
				s := goals.NewSearcher(goals.Config{Kind: goals.ZeroSum, Threads: 1, Make: make})
				m := game.Machine()
				if !learns {
					goals.Forget(s, m)
				}
				r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{})
				if err != nil || !r.Proved {
					t.Fatalf("seed %d, %s, learns %t: %+v, error %v", seed, name, learns, r, err)
				}
				concepts[r.Concept]++
				if f := s.Facts(); (r.Concept == search.Value) != f.Constant {
					t.Fatalf("seed %d, %s: %s though %s", seed, name, r.Concept, f)
				}
				for role := range 2 {
					want, v := guarantee(game, 0, role), r.Values[role]
					if math.Abs(v.Lower-want) > 1e-6 || math.Abs(v.Upper-want) > 1e-6 {
						t.Fatalf("seed %d, %s, turns %t, learns %t: role %d guarantees %g, found %v as %s (%s)", seed, name, turns, learns, role, want, v, r.Concept, s.Facts())
					}
				}
			}
		}
	}
	if concepts[search.Value] == 0 || concepts[search.Guarantee] == 0 || len(concepts) != 2 {
		t.Errorf("concepts %v, want values and guarantees", concepts)
	}
}

// A search that meets a faulty end says so, though nothing was known before.
func TestASearchThatMeetsAFaultReturnsIt(t *testing.T) {
	game := ends([2]int32{0, 100}, [2]int32{50, missing}, [2]int32{20, 80})
	for name, make := range methods {
		s := goals.NewSearcher(goals.Config{Kind: goals.ZeroSum, Threads: 1, Make: make})
		m := game.Machine()
		goals.Forget(s, m)
		if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, search.ErrGoals) {
			t.Errorf("%s: error %v, want %v", name, err, search.ErrGoals)
		}
	}
}

// One search for both players holds only while the goals add up to 100 (shared).
func TestASearchForBothPlayersEndsAtAnotherSum(t *testing.T) {
	for name, c := range map[string]struct {
		game        *toys.Tree
		left, right float64
		hundred     bool
	}{
		"100 at every end": {ends([2]int32{30, 70}, [2]int32{60, 40}), 60, 40, true},
		"110 at one end":   {ends([2]int32{50, 50}, [2]int32{60, 50}), 60, 50, false},
		"90 at one end":    {ends([2]int32{50, 50}, [2]int32{50, 40}, [2]int32{20, 80}), 50, 40, false},
	} {
		for method, make := range methods {
			s := goals.NewSearcher(goals.Config{Kind: goals.ZeroSum, Threads: 1, Make: make})
			m := c.game.Machine()
			goals.Forget(s, m)
			r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{})
			if err != nil || r.Values[0] != search.Exact(c.left) || r.Values[1] != search.Exact(c.right) || s.Facts().Hundred != c.hundred {
				t.Errorf("%s, %s: %v, %+v, error %v", name, method, r.Values, s.Facts(), err)
			}
		}
	}
}

// deciding is a game with decisive moves in playouts.
type deciding struct{ machine.Machine }

func (d deciding) Decisive(context.Context, bool) machine.Machine { return d.Machine }

// given is a search that takes note of its machine.
type given struct {
	machine *machine.Machine
	bounds
}

func (g given) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	*g.machine = m
	return g.bounds.Search(ctx, m, q, lim)
}

// A decisive move takes the best goal of a role, so it needs a game of that role with one goal at every end.
func TestDecisiveMovesAreOfTheGameOfAPlayer(t *testing.T) {
	without, varies := ends([2]int32{100, 0}, [2]int32{50, missing}), ends([2]int32{100, 100}, [2]int32{0, 20})
	for name, c := range map[string]struct {
		machine machine.Machine
		lenient bool
		want    bool
	}{
		"decisive moves":                  {deciding{varies.Machine()}, true, true},
		"none in the game":                {varies.Machine(), true, false},
		"goals that may be missing":       {deciding{without.Machine()}, false, false},
		"missing goals, which count as 0": {deciding{without.Machine()}, true, true},
	} {
		var m machine.Machine
		s := goals.NewSearcher(goals.Config{Kind: goals.ZeroSum, Threads: 1, Lenient: c.lenient, Make: func() search.Searcher { return given{&m, bounds(search.Exact(50))} }})
		if !c.lenient {
			goals.Forget(s, c.machine)
		}
		if _, err := s.Search(t.Context(), c.machine, c.machine.Initial(), search.Limits{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := facts.Decisive(t.Context(), m, false) != nil; got != c.want {
			t.Errorf("%s: decisive moves %t, want %t", name, got, c.want)
		}
	}
}

// A match without end may have any goals. So a sum that narrows their range counts only where every match ends.
func TestASumOtherThan100IsOfMatchesThatEnd(t *testing.T) {
	loop := func(left, right int32) *toys.Tree { // left stays or quits
		return &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{0, 1}}, {Goals: []int32{left, right}}}}
	}
	detour := loop(100, 50) // a position is reached after one and after two joint moves
	detour.Nodes[0].Kids[0] = 2
	detour.Nodes = append(detour.Nodes, toys.Node{Moves: []int{1, 1}, Kids: []int{1}})
	rules := func(right int) machine.Machine { // the same, with a sum that the rules prove
		return gamestest.Compiled(t, fmt.Sprintf(`(role left) (role right) (init at) (legal right noop) (<= (legal left stay) (true at)) (<= (legal left quit) (true at))
			(<= (next at) (does left stay)) (<= (next end) (does left quit)) (<= terminal (true end)) (<= (goal left 100) (true end)) (<= (goal right %d) (true end))`, right))
	}
	for name, c := range map[string]struct {
		game  machine.Machine
		right search.Interval
		want  search.Concept
	}{
		"sum 150 and a loop":    {loop(100, 50).Machine(), search.Interval{Lower: 0, Upper: 50}, search.Guarantee},
		"sum 100 and a loop":    {loop(100, 0).Machine(), search.Exact(0), search.Value},
		"sum 150 without loops": {ends([2]int32{100, 50}, [2]int32{80, 70}).Machine(), search.Exact(50), search.Value},
		"sum 150 and a detour":  {detour.Machine(), search.Exact(50), search.Guarantee},
		"a proved sum of 150":   {rules(50), search.Interval{Lower: 0, Upper: 50}, search.Guarantee},
		"a proved sum of 100":   {rules(0), search.Exact(0), search.Value},
	} {
		for method, make := range methods {
			if method == "bi" || method == "biab" || method == "do" {
				continue // they end where positions repeat
			}
			m := c.game
			r, err := goals.NewSearcher(goals.Config{Kind: goals.ZeroSum, Threads: 1, Make: make}).Search(t.Context(), m, m.Initial(), search.Limits{})
			if err != nil || r.Concept != c.want || r.Values[0] != search.Exact(100) || r.Values[1] != c.right {
				t.Errorf("%s, %s: %v as %s, error %v; want 100 and %v as %s", name, method, r.Values, r.Concept, err, c.right, c.want)
			}
		}
	}
}

// A search by role that was saved goes on, though another process knows nothing of the goals yet.
func TestProofsOfAnotherSumAreKeptByASearchThatHasNotMetIt(t *testing.T) {
	m := ends([2]int32{50, 50}, [2]int32{60, 50}).Machine()
	c := goals.Config{Kind: goals.ZeroSum, Threads: 1, Make: methods["bab"]}
	k, again := goals.NewKeeper(c), goals.NewKeeper(c)
	lim := search.Limits{MaxBytes: 1 << 24}
	must.Get(k.Search(t.Context(), m, m.Initial(), lim))(t)
	goals.ForgetKeeper(again, m)
	must.OK(t, again.Keep(m, lim.MaxBytes, func(yield func([]uint64, error) bool) {
		for record := range k.Kept() {
			if !yield(record, nil) {
				return
			}
		}
	}))
	if r := must.Get(again.Search(t.Context(), m, m.Initial(), lim))(t); r.Values[0] != search.Exact(60) || r.Values[1] != search.Exact(50) {
		t.Errorf("%v", r.Values)
	}
}

// The searches for the players are made once, at the first end of another sum.
func TestLaterSearchesKeepTheirTables(t *testing.T) {
	m, made := ends([2]int32{50, 50}, [2]int32{60, 50}).Machine(), 0
	s := goals.NewSearcher(goals.Config{Kind: goals.ZeroSum, Threads: 1, Make: func() search.Searcher { made++; return methods["bab"]() }})
	goals.Forget(s, m)
	for range 3 {
		must.Get(s.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 1 << 24}))(t)
	}
	if made != 3 {
		t.Errorf("%d searches are made, want one for both players and one for each", made)
	}
}

// The tables of the searches for the players are held at the same time.
func TestMemoryOfSearchesByRoleAddsUp(t *testing.T) {
	names := ends([2]int32{0, 100}).Machine().Names()
	r, err := goals.ByRole(t.Context(), names, 1, search.Limits{}, func(_ context.Context, i int, _ search.Limits) (search.Result, error) {
		return search.Result{Counters: search.Counters{Nodes: 5, PeakBytes: int64(10 + i), Evictions: int64(3 + i)}}, nil
	})
	if err != nil || r.PeakBytes != 21 || r.Evictions != 7 || r.Nodes != 10 {
		t.Errorf("%d bytes, %d evictions, %d nodes, error %v; want 21, 7, 10", r.PeakBytes, r.Evictions, r.Nodes, err)
	}
}

// Each turn of a player has twice as many nodes, until its value is solved, a bound of its search ends it, or the nodes are used up.
func TestTurnsOfThePlayersGoOnUntilAValueIsSolved(t *testing.T) {
	names, ended := ends([2]int32{0, 100}).Machine().Names(), errors.New("too deep")
	turns := []int{0, 0}
	r, err := goals.ByRole(t.Context(), names, 1, search.Limits{}, func(_ context.Context, i int, lim search.Limits) (search.Result, error) {
		turns[i]++
		r := search.Result{Proved: true, Values: []search.Interval{search.GoalRange, search.GoalRange}, Counters: search.Counters{Nodes: lim.MaxNodes}}
		switch {
		case i == 0 && turns[i] == 4:
			r.Values[0] = search.Exact(30)
		case i == 1 && turns[i] == 2:
			r.Unfinished = ended
		}
		return r, nil
	})
	const nodes = 1 << 14 // of the first turn
	if err != nil || turns[0] != 4 || turns[1] != 2 || r.Nodes != (1+2+4+8+1+2)*nodes || r.Unfinished != ended || r.Values[0] != search.Exact(30) {
		t.Errorf("turns %v, %d nodes, %v, unfinished %v, error %v", turns, r.Nodes, r.Values, r.Unfinished, err)
	}
}

func TestALenientSearchTakesAMissingGoalForNothing(t *testing.T) {
	game := ends([2]int32{40, 60}, [2]int32{50, missing}, [2]int32{missing, 80})
	s := goals.NewSearcher(goals.Config{Kind: goals.ZeroSum, Threads: 1, Lenient: true, Make: methods["bab"]})
	m := game.Machine()
	r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{Wanted: []machine.Role{0}})
	if err != nil || r.Values[0] != search.Exact(50) || r.Values[1] != (search.Interval{Lower: 0, Upper: 100}) {
		t.Errorf("%v, error %v; want 50 for left, and nothing for right, which is not wanted", r.Values, err)
	}
}

// Proofs of a search by role are saved and read again.
func TestProofsByRoleAreKept(t *testing.T) {
	game := grow(rand.New(rand.NewPCG(3, 3)), true, 60, 3)
	m := game.Machine()
	c := goals.Config{Kind: goals.ZeroSum, Threads: 1, Make: methods["bab"]}
	k := goals.NewKeeper(c)
	lim := search.Limits{MaxBytes: 1 << 24}
	first, err := k.Search(t.Context(), m, m.Initial(), lim)
	if err != nil || first.Concept != search.Guarantee {
		t.Fatalf("%+v, error %v", first, err)
	}
	again := goals.NewKeeper(c)
	records := 0
	err = again.Keep(m, lim.MaxBytes, func(yield func([]uint64, error) bool) {
		for record := range k.Kept() {
			if records++; !yield(record, nil) {
				return
			}
		}
	})
	if err != nil || records == 0 {
		t.Fatalf("%d records, error %v", records, err)
	}
	second, err := again.Search(t.Context(), m, m.Initial(), lim)
	if err != nil || fmt.Sprint(second.Values) != fmt.Sprint(first.Values) || second.Nodes > first.Nodes || second.TableHits == 0 {
		t.Errorf("%v in %d nodes, %v in %d with what was kept of them; error %v", first.Values, first.Nodes, second.Values, second.Nodes, err)
	}
	other := goals.NewKeeper(c) // of a game whose sum is proved
	constant := grow(rand.New(rand.NewPCG(3, 3)), true, 100, 1<<20).Machine()
	if err := other.Keep(constant, lim.MaxBytes, func(yield func([]uint64, error) bool) { yield([]uint64{0, 1, 2, 3}, nil) }); err == nil {
		t.Error("records of a search by role were taken for a game whose sum is proved")
	}
}

// Guarantees are certified in the zero-sum game of each role.
func TestGuaranteesAreCertified(t *testing.T) {
	game := ends([2]int32{100, 100}, [2]int32{0, 20})
	o := solve.Default()
	o.Memory, o.Answers = 1, true
	solver := must.Get(solve.New(o))(t)
	m := game.Machine()
	s, err := solver.Solve(t.Context(), m, nil)
	if err != nil || s.Concept != search.Guarantee || s.Value["left"] != [2]float64{100, 100} || s.Value["right"] != [2]float64{20, 20} {
		t.Fatalf("%+v, error %v", s, err)
	}
	parts, err := solver.Answers(m, s)
	if err != nil || len(parts) != 2 {
		t.Fatalf("%d parts, error %v", len(parts), err)
	}
	if err := solver.Certify(context.Background(), parts, &s, certify.Limits{}); err != nil || !s.Certified {
		t.Errorf("certificate %+v, error %v", s.Certificate, err)
	}
}

// bounds is a search with fixed bounds.
type bounds search.Interval

func (b bounds) Search(_ context.Context, m machine.Machine, _ machine.State, lim search.Limits) (search.Result, error) {
	v := search.Interval(b)
	moves := []search.Known{{Bounds: v}}
	r := search.Result{Proved: true, Values: []search.Interval{v, v}, Moves: [][]search.Known{moves, nil}}
	if lim.Progress != nil {
		lim.Progress(r)
	}
	return r, nil
}

func TestReportsNameTheConcept(t *testing.T) {
	for want, game := range map[search.Concept]*toys.Tree{search.Value: ends([2]int32{40, 60}), search.Guarantee: ends([2]int32{40, 60}, [2]int32{40, 50})} {
		var reported []search.Concept
		s := goals.NewSearcher(goals.Config{Kind: goals.AnySum, Make: func() search.Searcher { return bounds(search.Exact(40)) }})
		m := game.Machine()
		r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{Progress: func(r search.Result) { reported = append(reported, r.Concept) }})
		if err != nil || r.Concept != want || !slices.Equal(reported, []search.Concept{want}) {
			t.Errorf("%s, reports %v, error %v; want %s", r.Concept, reported, err, want)
		}
	}
}

// Means over chance are rounded: an interval that is called proved leaves room for that.
func TestOpenIntervalsAreMovedOutwardsInGamesWithChance(t *testing.T) {
	for _, c := range []struct {
		second  string
		v, want search.Interval
	}{
		{machine.RandomRole, search.Interval{Lower: 20, Upper: 60}, search.Interval{Lower: 19.5, Upper: 60.5}},
		{machine.RandomRole, search.Interval{Lower: 0, Upper: 100}, search.Interval{Lower: 0, Upper: 100}},
		{machine.RandomRole, search.Exact(50), search.Exact(50)},
		{"right", search.Interval{Lower: 20, Upper: 60}, search.Interval{Lower: 20, Upper: 60}},
	} {
		game := ends([2]int32{100, 0})
		game.Roles = []string{"left", c.second}
		s := goals.NewSearcher(goals.Config{Make: func() search.Searcher { return bounds(c.v) }, Rounding: 0.5})
		m := game.Machine()
		var reported search.Result
		r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{Progress: func(r search.Result) { reported = r }})
		if err != nil || r.Values[0] != c.want || r.Moves[0][0].Bounds != c.want {
			t.Errorf("%v with %s: %v, %v, error %v; want %v", c.v, c.second, r.Values, r.Moves, err, c.want)
		}
		if reported.Values[0] != c.want || reported.Moves[0][0].Bounds != c.want {
			t.Errorf("%v with %s: a report of %v, %v; want %v", c.v, c.second, reported.Values, reported.Moves, c.want)
		}
	}
}

func TestGoalsOfGamesThatAreTooLargeToVisitAreNotKnown(t *testing.T) {
	const far = 6000
	g := &toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Goals: []int32{100, 0}}}}
	for i := 2; i < far; i++ {
		g.Nodes = append(g.Nodes, toys.Node{Moves: []int{1, 1}, Kids: []int{i + 1}})
	}
	g.Nodes = append(g.Nodes, toys.Node{Goals: []int32{100, 100}})
	if f, err := goals.Learn(t.Context(), g.Machine()); err != nil || f.Single || f.Constant {
		t.Errorf("%+v (%v)", f, err)
	}
}
