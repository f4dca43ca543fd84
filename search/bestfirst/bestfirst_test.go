package bestfirst

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/matrix"
	"stackmate/search/simultaneous"
)

// hash evaluates positions by a hash of their words: any evaluation must do.
type hash struct{}

func (hash) Values(dst []float64, states []uint64) {
	words := 2 * len(states) / len(dst)
	for i := range len(dst) / 2 {
		h := uint64(1)
		for _, w := range states[i*words : (i+1)*words] {
			h = (h ^ w) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
		dst[2*i] = float64(h % 101)
		dst[2*i+1] = 100 - dst[2*i]
	}
}

// lower evaluates positions of a game whose goals add up to 80.
type lower struct{ hash }

func (e lower) Values(dst []float64, states []uint64) {
	e.hash.Values(dst, states)
	for i := range dst {
		dst[i] *= 0.8
	}
}

// found searches a position with a fresh searcher.
func found(t *testing.T, s *Searcher, m machine.Machine, q machine.State, lim search.Limits) search.Result {
	t.Helper()
	r, err := s.Search(t.Context(), m, q, lim)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// positions returns positions of random matches that are not terminal.
func positions(t *testing.T, m machine.Machine, n int) []machine.State {
	t.Helper()
	var list []machine.State
	for rng := machine.NewRand(3); len(list) < n; {
		play.RandomGame(t.Context(), m.NewNarrowBatch(), rng, m.Initial(), func(s machine.State, over bool) bool {
			if !over && rng.Intn(3) == 0 {
				list = append(list, append(machine.State(nil), s...))
				return false
			}
			return true
		})
	}
	return list
}

// When the tree holds the whole game, the evaluation has no influence: values are exact, and strategies guarantee them.
func TestAWholeTreeHasTheValueOfTheGame(t *testing.T) {
	for _, name := range []string{"goofspiel-4", "oshiZumo-5-1", "tron-3x3", "example2"} {
		m, x, whole := gamestest.Machine(t, name), new(play.Expansion), 0
		for _, q := range positions(t, m, 20) {
			s := New(hash{})
			r := found(t, s, m, q, search.Limits{MaxNodes: 1000})
			if s.root.open > 0 {
				continue
			}
			whole++
			solver := must.Get(simultaneous.New(simultaneous.Config{Method: simultaneous.SMAB}))(t)
			exact, err := solver.Search(t.Context(), m, q, search.Limits{})
			if err != nil || !exact.Solved() {
				t.Fatal(err)
			}
			for role := range 2 {
				want := exact.Values[role].Lower
				if got := r.Values[role].Lower; math.Abs(got-want) > 1e-6 || r.Proved {
					t.Errorf("%s: role %d gets %v, proved %v; want an estimate of %v", name, role, got, r.Proved, want)
				}
			}
			if err := play.NewExpander(m).Expand(x, q); err != nil {
				t.Fatal(err)
			}
			checkGuarantees(t, m, x, &r)
		}
		if whole < 5 {
			t.Errorf("%s: %d trees hold the whole game: the test shows little", name, whole)
		}
	}
}

// checkGuarantees checks that each strategy of a result gets the value against every move of the other role.
func checkGuarantees(t *testing.T, m machine.Machine, x *play.Expansion, r *search.Result) {
	t.Helper()
	worth := make([]float64, x.Children)
	for c := range worth {
		if worth[c] = float64(x.ChildGoals(c)[0]); !x.Terminal[c] {
			kid := found(t, New(hash{}), m, x.Child(c), search.Limits{MaxNodes: 1000})
			worth[c] = kid.Values[0].Lower
		}
	}
	columns := len(x.Moves[1])
	for role := range 2 {
		chance := map[machine.Move]float64{}
		for _, w := range r.Strategies[role] {
			chance[w.Move] = w.Probability
		}
		for j := range x.Moves[1-role] {
			sum := 0.0
			for i, move := range x.Moves[role] {
				if role == 0 {
					sum += chance[move] * worth[i*columns+j]
				} else {
					sum += chance[move] * (100 - worth[j*columns+i])
				}
			}
			if sum < r.Values[role].Lower-1e-6 {
				t.Errorf("the strategy of role %d gets %v against move %d, want at least %v", role, sum, j, r.Values[role].Lower)
			}
		}
	}
}

// checkNodes checks all nodes of a searcher against their definition.
func checkNodes(t *testing.T, s *Searcher) {
	t.Helper()
	parents, bytes := map[*node]int{}, int64(0)
	for at, n := range s.nodes {
		if bytes += n.own() + edgeBytes*int64(len(n.kids)); at != (place{n.state.Key(), n.depth}) {
			t.Errorf("the node of %v is entered as %v", n.state, at)
		}
		for _, kid := range n.kids {
			parents[kid.to]++
		}
	}
	if delete(parents, nil); len(parents) != len(s.nodes)-1 || s.bytes != bytes {
		t.Errorf("%d of %d nodes have parents, and %d bytes are counted as %d", len(parents), len(s.nodes), bytes, s.bytes)
	}
	for _, n := range s.nodes {
		checkNode(t, s.machine, n, parents)
	}
}

// checkNode checks a node. The value of a node with several parents may have changed since the last visit of this one.
func checkNode(t *testing.T, m machine.Machine, n *node, parents map[*node]int) {
	t.Helper()
	x := new(play.Expansion)
	if err := play.NewExpander(m).Expand(x, n.state); err != nil {
		t.Fatal(err)
	}
	values, open := make([]float64, 2*x.Children), 0
	hash{}.Values(values, x.States)
	for c, v := range n.elements {
		want, closed, stale := values[2*c], x.Terminal[c], false
		if closed {
			want = float64(x.ChildGoals(c)[0])
		} else if n.kids != nil && n.kids[c].to != nil {
			kid := n.kids[c].to
			want, closed, stale = kid.value, kid.open == 0, parents[kid] > 1
			if !kid.state.Equal(x.Child(c)) || kid.depth != n.depth+1 {
				t.Errorf("joint move %d leads to the node of another position", c)
			}
		}
		if !n.closed[c] {
			open++
		}
		if !stale && (v != want || n.closed[c] != closed) {
			t.Errorf("joint move %d is worth %v, closed %v; want %v, %v", c, v, n.closed[c], want, closed)
		}
	}
	value, err := matrix.NewNative().Nash(n.elements, len(n.mixes[0]), len(n.mixes[1]), nil, nil)
	if err != nil || n.value != value || n.open != open {
		t.Errorf("value %v of %d open joint moves, want %v of %d; %v", n.value, n.open, value, open, err)
	}
}

func TestNodesAreWorthTheMatricesOfWhatIsBelow(t *testing.T) {
	for name, shares := range map[string]bool{"goofspiel-6": true, "biddingTicTacToe-3": true, "tron-4x4": false} {
		m, s := gamestest.Machine(t, name), New(hash{})
		r := found(t, s, m, m.Initial(), search.Limits{MaxNodes: 300})
		checkNodes(t, s)
		if len(s.nodes) != 300 || r.Nodes != 300 || r.PeakBytes != s.bytes || r.Playouts <= 300 {
			t.Errorf("%s: %+v of a tree of %d nodes and %d bytes", name, r.Counters, len(s.nodes), s.bytes)
		}
		edges := 0
		for _, n := range s.nodes {
			for _, kid := range n.kids {
				if kid.to != nil {
					edges++
				}
			}
		}
		if edges > 299 != shares {
			t.Errorf("%s: %d joint moves lead to %d nodes, shared: want %v", name, edges, len(s.nodes)-1, shares)
		}
	}
}

// A joint move is drawn in proportion to the equilibrium, apart from the share of uniform draws.
func TestDescentsFollowTheEquilibrium(t *testing.T) {
	s := &Searcher{rng: machine.NewRand(1)}
	n := &node{closed: make([]bool, 6), open: 6, mixes: [2][]float64{{0.25, 0.75}, {0, 0.4, 0.6}}}
	const draws = 100_000
	var counts [6]float64
	for range draws {
		counts[s.draw(n)]++
	}
	for c, k := range counts {
		row := (1-exploration)*n.mixes[0][c/3] + exploration/2
		column := (1-exploration)*n.mixes[1][c%3] + exploration/3
		if want := row * column; math.Abs(k/draws-want) > 0.01 {
			t.Errorf("joint move %d has a share of %v, want %v", c, k/draws, want)
		}
	}
	for _, c := range []int{0, 1, 2, 3, 5} {
		n.close(c)
	}
	if c := s.draw(n); c != 4 || n.open != 1 {
		t.Errorf("joint move %d is drawn of %d, want the open one, 4", c, n.open)
	}
}

// favourite returns the edge with the most visits.
func favourite(n *node) (best *edge) {
	best = &n.kids[0]
	for i := range n.kids {
		if n.kids[i].visits > best.visits {
			best = &n.kids[i]
		}
	}
	return best
}

func TestTheTreeBelowAPositionIsKept(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-9")
	for plies := range 4 {
		s := New(hash{})
		found(t, s, m, m.Initial(), search.Limits{MaxNodes: 2000})
		below := s.root
		for range plies {
			below = favourite(below).to
		}
		r := found(t, s, m, below.state, search.Limits{MaxNodes: 10})
		if kept := plies < 3; (s.root == below) != kept || (len(s.nodes) > 20) != kept || r.Nodes != 10 {
			t.Errorf("%d joint moves later: %d nodes after %d new ones", plies, len(s.nodes), r.Nodes)
		}
		checkNodes(t, s)
	}
}

func TestSearchesAreReproducible(t *testing.T) {
	m := gamestest.Machine(t, "biddingTicTacToe-3")
	first := found(t, New(hash{}), m, m.Initial(), search.Limits{MaxNodes: 500, Seed: 4})
	second := found(t, New(hash{}), m, m.Initial(), search.Limits{MaxNodes: 500, Seed: 4})
	first.Elapsed, second.Elapsed = 0, 0
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%+v, then %+v", first, second)
	}
}

func TestLimitsEndASearch(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-8")
	interim := 0
	r := found(t, New(hash{}), m, m.Initial(), search.Limits{MaxNodes: 1000, Progress: func(search.Result) { interim++ }})
	if r.Nodes != 1000 || interim != 2 {
		t.Errorf("%d nodes and %d interim results, want 1000 and 2", r.Nodes, interim)
	}
	const most = 1 << 16
	if r = found(t, New(hash{}), m, m.Initial(), search.Limits{MaxBytes: most}); r.PeakBytes < most || r.PeakBytes > most+most/16 {
		t.Errorf("%d bytes, want little more than %d", r.PeakBytes, most)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	r, err := New(hash{}).Search(ended, m, m.Initial(), search.Limits{})
	if err != nil || r.Nodes != 1 || len(r.Strategies[0]) == 0 || len(r.Strategies[1]) == 0 {
		t.Errorf("without time: %+v, %v; want strategies of one node", r, err)
	}
}

func TestResultsAreByRole(t *testing.T) {
	m, s := gamestest.Machine(t, "goofspiel-5"), New(hash{})
	r := found(t, s, m, m.Initial(), search.Limits{MaxNodes: 400})
	if sum := r.Values[0].Lower + r.Values[1].Lower; math.Abs(sum-100) > 1e-9 {
		t.Errorf("values %v add up to %v", r.Values, sum)
	}
	for role, moves := range r.Moves {
		visits, best := int64(0), math.Inf(-1)
		for _, k := range moves {
			visits, best = visits+k.Visits, max(best, k.Estimate)
		}
		if visits < 399 || math.Abs(best-r.Values[role].Lower) > 1e-6 {
			t.Errorf("role %d: %d visits, best estimate %v of a value of %v", role, visits, best, r.Values[role].Lower)
		}
		for _, w := range r.Strategies[role] {
			for _, k := range moves {
				if k.Move == w.Move && math.Abs(k.Estimate-best) > 1e-6 {
					t.Errorf("role %d plays move %d, which gets %v instead of %v", role, k.Move, k.Estimate, best)
				}
			}
		}
	}
	if r := found(t, New(lower{}), m, m.Initial(), search.Limits{MaxNodes: 1}); math.Abs(r.Values[0].Lower+r.Values[1].Lower-80) > 1e-9 {
		t.Errorf("values %v, where goals add up to 80", r.Values)
	}
	b := m.NewNarrowBatch()
	b.Load(m.Initial(), 1)
	for _, joint := range r.Line {
		b.Evaluate(1)
		for role, move := range joint {
			b.Choose(0, machine.Role(role), move)
		}
		b.Advance(1)
	}
	if len(r.Line) < 2 {
		t.Errorf("a line of %d joint moves", len(r.Line))
	}
}

func TestOtherPositionsAndGames(t *testing.T) {
	m := gamestest.Machine(t, "example2")
	x := new(play.Expansion)
	if err := play.NewExpander(m).Expand(x, m.Initial()); err != nil {
		t.Fatal(err)
	}
	r := found(t, New(hash{}), m, x.Child(0), search.Limits{})
	if want := float64(x.ChildGoals(0)[0]); !r.Proved || r.Values[0] != search.Exact(want) || r.Strategies[0] != nil {
		t.Errorf("a terminal position: %+v, want the goal %v and no strategy", r, want)
	}
	for _, name := range []string{"pig", "trio-3x3", "slidingPuzzle"} {
		m := gamestest.Machine(t, name)
		if _, err := New(hash{}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, ErrUnfit) {
			t.Errorf("%s: error %v, want that it is unfit", name, err)
		}
	}
}

// After the move x of a, no role has a legal move: the joint move keeps its evaluation, and the search ends.
func TestPositionsWithoutMovesKeepTheirEvaluation(t *testing.T) {
	m := gamestest.Compiled(t, `
(role a) (role b)
(init start)
(move x) (move y)
(<= (legal ?r ?m) (true start) (role ?r) (move ?m))
(<= (next stuck) (does a x))
(<= (next done) (does a y))
(<= terminal (true done))
(<= (goal a 50) (true done))
(<= (goal b 50) (true done))`)
	s := New(hash{})
	found(t, s, m, m.Initial(), search.Limits{})
	values := make([]float64, 2)
	for c, move := range []int{0, 0, 1, 1} {
		want := 50.0
		if m.Names().Moves[0][s.root.moves[0][move]] == "x" {
			hash{}.Values(values, s.after(s.root, c))
			want = values[0]
		}
		if s.root.elements[c] != want || s.root.open != 0 {
			t.Errorf("joint move %d is worth %v, want %v; %d are open", c, s.root.elements[c], want, s.root.open)
		}
	}
}
