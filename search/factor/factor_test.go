package factor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
	"stackmate/search/sequential"
)

var twoRows = gamestest.TwoRows(5, 2)

// changed returns twoRows with one text in place of another.
func changed(t *testing.T, from, to string) string {
	t.Helper()
	if !strings.Contains(twoRows, from) {
		t.Fatalf("no %s", from)
	}
	return strings.Replace(twoRows, from, to, 1)
}

const (
	turns = "(true (control ?r ?b)) (column ?c)"
	// eitherRow lets players choose the row, too.
	eitherRow = "(role ?r) (row ?b) (column ?c)"
	line      = "(<= (line ?r) (true (cell ?b ?c ?r)) (succ ?c ?d) (true (cell ?b ?d ?r)))"
	// lineOnOne ends the game where one row alone has a line.
	lineOnOne = `(<= (done ?b) (true (cell ?b ?c ?r)) (succ ?c ?d) (true (cell ?b ?d ?r)))
		(<= terminal (done 1) (not (done 2))) (<= terminal (done 2) (not (done 1)))`
	// anyRow lets the two marks be on any rows.
	anyRow = "(<= (line ?r) (true (cell ?b ?c ?r)) (succ ?c ?d) (true (cell ?e ?d ?r)))"
)

func TestSubgamesAreThoseOfSeparateBoards(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want bool
	}{
		"two boards":                       {twoRows, true},
		"players choose the board":         {changed(t, turns, eitherRow), false},
		"what ends the game is everywhere": {changed(t, line, anyRow), false},
		"one board":                        {changed(t, "(init (control o 2))", "(init (control o 1))"), false},
		"lines on both boards are no end":  {changed(t, "(<= terminal (line ?r))", lineOnOne), false},
	} {
		if got := factor.Subgames(t.Context(), gamestest.Compiled(t, c.src), 1) != nil; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// none returns no exact search.
func none(machine.Machine) search.Searcher { return nil }

// searches returns a searcher of two subgames.
func searches() *factor.Searcher {
	return factor.New(montecarlo.New(montecarlo.Config{}), func(machine.Machine) search.Searcher { return montecarlo.New(montecarlo.Config{}) }, none)
}

// TestWinsAndBlocksAreFoundOnEitherBoard has a position in which x wins at once on the one
// board, and o has to stop x on the other.
func TestWinsAndBlocksAreFoundOnEitherBoard(t *testing.T) {
	m := gamestest.Compiled(t, twoRows)
	q, err := m.Names().State([]string{
		"(control x 1)", "(control o 2)", "(cell 1 1 x)", "(cell 1 5 o)", "(cell 2 1 x)", "(cell 2 5 o)", "(cell 2 3 o)", "(cell 2 4 x)",
	})
	if err != nil {
		t.Fatal(err)
	}
	r := must.Get(searches().Search(t.Context(), m, q, search.Limits{MaxNodes: 2000}))(t)
	if got := m.Names().JointString([]machine.Move{r.Strategies[0][0].Move, r.Strategies[1][0].Move}); got != "((mark 1 2) (mark 2 2))" {
		t.Errorf("moves %s", got)
	}
	// Both boards are solved after a few nodes: the result names the winner.
	if !r.Solved() || r.Nodes == 0 || r.Nodes > 2000 {
		t.Errorf("values %v, proved %v, %d nodes", r.Values, r.Proved, r.Nodes)
	}
}

// A player with one legal move plays it; it counts in no subgame.
func TestAPlayerWithoutAChoiceHasAStrategy(t *testing.T) {
	m := gamestest.Compiled(t, twoRows)
	q := must.Get(m.Names().State([]string{
		"(control x 1)", "(control o 2)", "(cell 1 1 x)", "(cell 1 2 o)", "(cell 1 3 x)", "(cell 1 4 o)", "(cell 2 1 x)", "(cell 2 3 o)",
	}))(t)
	s := factor.New(&silent{}, func(machine.Machine) search.Searcher { return &silent{} }, none)
	r := must.Get(s.Search(t.Context(), m, q, search.Limits{MaxNodes: 200}))(t)
	if only := r.Strategies[0]; len(only) != 1 || m.Names().MoveText(0, only[0].Move) != "(mark 1 5)" || only[0].Probability != 1 {
		t.Errorf("strategies %v", r.Strategies)
	}
}

func TestOneNodeIsALimit(t *testing.T) {
	m := gamestest.Compiled(t, twoRows)
	for _, nodes := range []int64{1, 2} {
		if r := must.Get(searches().Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: nodes}))(t); r.Nodes > 2 {
			t.Errorf("%d nodes, the limit is %d", r.Nodes, nodes)
		}
	}
}

// TestAMatchOfFactoredSearches has legal moves in all its positions, the same every time, and
// no more nodes than allowed.
func TestAMatchOfFactoredSearches(t *testing.T) {
	m := gamestest.Compiled(t, twoRows)
	play := func() (moves []string) {
		s, b, state := searches(), m.NewNarrowBatch(), slices.Clone(m.Initial())
		for {
			b.Load(state, 1)
			if b.Evaluate(1); b.Terminal()[0]&1 != 0 {
				return moves
			}
			r, err := s.Search(t.Context(), m, state, search.Limits{MaxNodes: 300, Seed: 3})
			if err != nil || r.Nodes > 300 {
				t.Fatal(err, r.Nodes)
			}
			joint := make([]machine.Move, 2)
			for role := range joint {
				joint[role] = r.Strategies[role][0].Move
				if !slices.Contains(b.AppendLegal(nil, 0, machine.Role(role)), joint[role]) {
					t.Fatalf("%s is not legal after %v", m.Names().MoveText(machine.Role(role), joint[role]), moves)
				}
				b.Choose(0, machine.Role(role), joint[role])
			}
			moves = append(moves, m.Names().JointString(joint))
			b.Advance(1)
			b.Store(state, 1)
		}
	}
	if first, again := play(), play(); !slices.Equal(first, again) || len(first) < 2 {
		t.Errorf("%v, then %v", first, again)
	}
}

// silent is a search that tells that it was asked, and finds nothing out. It takes one node less
// than it may.
type silent struct{ asked int }

// TestTheSubgameThatEndsFirstDecides has three marks in a row on two boards of eight cells. The sampling search finds nothing:
// exact searches prove who wins on each board, and the lines show on which board sooner.
func TestTheSubgameThatEndsFirstDecides(t *testing.T) {
	m := gamestest.Compiled(t, gamestest.TwoRows(8, 3))
	for name, c := range map[string]struct {
		cells string
		value float64    // of x
		moves [][]string // winning moves by role, where a board is won
	}{
		"x in one, o in three": {"1 3 x, 1 4 x, 2 4 o", 100, [][]string{{"1 2", "1 5"}, {"2 3", "2 5"}}},
		"x in three, o in one": {"1 4 x, 2 3 o, 2 4 o", 0, [][]string{{"1 3", "1 5"}, {"2 2", "2 5"}}},
		"o loses late":         {"1 3 x, 1 4 x, 2 4 x, 2 7 x, 2 8 x", 100, [][]string{{"1 2", "1 5"}, {"2 6"}}},
		"both in one":          {"1 3 x, 1 4 x, 2 3 o, 2 4 o", 50, [][]string{{"1 2", "1 5"}, {"2 2", "2 5"}}},
	} {
		position := []string{"(control x 1)", "(control o 2)"}
		for cell := range strings.SplitSeq(c.cells, ", ") {
			position = append(position, "(cell "+cell+")")
		}
		q := must.Get(m.Names().State(position))(t)
		s := factor.New(&silent{}, func(machine.Machine) search.Searcher { return &silent{} }, func(machine.Machine) search.Searcher {
			return sequential.New(sequential.Config{})
		})
		r := must.Get(s.Search(t.Context(), m, q, search.Limits{MaxNodes: 200000}))(t)
		if solved, of := s.Solved(); solved != 2 || of != 2 || r.Values[0] != search.Exact(c.value) || r.Proved {
			t.Errorf("%s: %d of %d solved, values %v, proved %v; want %g", name, solved, of, r.Values, r.Proved, c.value)
		}
		for role, moves := range c.moves {
			got := m.Names().MoveText(machine.Role(role), r.Strategies[role][0].Move)
			if !slices.ContainsFunc(moves, func(cell string) bool { return got == "(mark "+cell+")" }) {
				t.Errorf("%s: role %d plays %s, want one of %v", name, role, got, moves)
			}
		}
	}
}

func (s *silent) Search(_ context.Context, m machine.Machine, _ machine.State, lim search.Limits) (search.Result, error) {
	s.asked++
	roles := len(m.Names().Roles)
	return search.Result{
		Values: make([]search.Interval, roles), Strategies: make([][]search.Weighted, roles),
		Counters: search.Counters{Nodes: lim.MaxNodes - 1},
	}, nil
}

// TestTheWholeIsNotSearchedBeforeItsParts: a few nodes left over by the searches of the subgames do not justify the move of a search of the
// whole with these few nodes.
func TestTheWholeIsNotSearchedBeforeItsParts(t *testing.T) {
	m, whole := gamestest.Compiled(t, twoRows), &silent{}
	s := factor.New(whole, func(machine.Machine) search.Searcher { return &silent{} }, none)
	if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 100}); err != nil || whole.asked != 0 {
		t.Errorf("the whole was asked %d times: %v", whole.asked, err)
	}
}

func TestPositionsThatDoNotFactorAreSearchedAsAWhole(t *testing.T) {
	m, whole := gamestest.Compiled(t, changed(t, turns, eitherRow)), &silent{}
	s := factor.New(whole, func(machine.Machine) search.Searcher { return &silent{} }, none)
	if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 100}); err != nil || whole.asked != 1 {
		t.Errorf("asked %d times: %v", whole.asked, err)
	}
}

// BenchmarkProofs searches positions of random matches with a limit of nodes, with sampling searches of the subgames alone and
// with exact searches beside them: the share of subgames whose value is proved.
func BenchmarkProofs(b *testing.B) {
	const matches, nodes = 6, 400000
	m := gamestest.Compiled(b, string(corpus.Source(b, "connectFourSimultaneous")))
	sampling := func(machine.Machine) search.Searcher { return montecarlo.New(montecarlo.Config{}) }
	exact := func(machine.Machine) search.Searcher { return sequential.New(sequential.Config{Falling: true}) }
	for _, plies := range []int{10, 16, 22} {
		for name, exact := range map[string]func(machine.Machine) search.Searcher{"sampling": none, "exact": exact} {
			b.Run(fmt.Sprintf("%d/%s", plies, name), func(b *testing.B) {
				solved, all := 0, 0
				for b.Loop() {
					for seed := range uint64(matches) {
						s := factor.New(montecarlo.New(montecarlo.Config{}), sampling, exact)
						q := quiet(b, m, seed, plies)
						must.Get(s.Search(b.Context(), m, q, search.Limits{MaxNodes: nodes, MaxBytes: 512 << 20, NoLine: true}))(b)
						n, of := s.Solved()
						solved, all = solved+n, all+of
					}
				}
				b.ReportMetric(100*float64(solved)/float64(all), "%solved")
			})
		}
	}
}

// quiet returns a position after a number of joint moves of a random match that sampling does not solve at once.
func quiet(b *testing.B, m machine.Machine, seed uint64, plies int) machine.State {
	x, e, rng := play.NewExpander(m), new(play.Expansion), machine.NewRand(seed)
	for {
		q, left := slices.Clone(m.Initial()), plies
		for ; left > 0; left-- {
			must.OK(b, x.Expand(e, q))
			c := int(rng.Uint64() % uint64(e.Children))
			if e.Terminal[c] {
				break
			}
			copy(q, e.Child(c))
		}
		if left > 0 {
			continue
		}
		s := searches()
		must.Get(s.Search(b.Context(), m, q, search.Limits{MaxNodes: 4000}))(b)
		if solved, _ := s.Solved(); solved == 0 {
			return q
		}
	}
}
