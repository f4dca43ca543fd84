package simultaneous

import (
	"context"
	"errors"
	"strings"
	"testing"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// methods lists the searches of this package but the sequence form, which needs GLPK, each
// with a table: SMAB in two orders, and the methods that it is compared with.
var methods = []Config{
	{Method: SMAB, Table: true},
	{Method: SMAB, Order: OrderL, Table: true},
	{Method: BackwardInduction, Table: true},
	{Method: BoundedInduction, Table: true},
	{Method: DoubleOracle, Table: true},
}

// name returns the method and the order of a configuration.
func (config Config) name() string {
	return strings.TrimSpace(string(config.Method) + " " + string(config.Order))
}

// searchers returns a constructor of each of the methods, by name.
func searchers(t *testing.T) map[string]func() search.Searcher {
	t.Helper()
	all := map[string]func() search.Searcher{}
	for _, config := range methods {
		all[config.name()] = func() search.Searcher {
			return must.Get(New(config))(t)
		}
	}
	return all
}

var two = []string{"left", "right"}

func TestEverySearchEndsWithinAFewPassesOfItsContext(t *testing.T) {
	for name, g := range map[string]toys.Wide{
		"matrices":          {Roles: two, Moves: []int{4, 4}, Depth: 30},
		"turns":             {Roles: two, Moves: []int{5, 5}, InTurn: true, Depth: 30},
		"wide matrices":     {Roles: two, Moves: []int{20, 20}, Depth: 3},
		"no choice, no end": {Roles: two, Moves: []int{1, 1}},
		"chance":            {Roles: []string{"left", "right", machine.RandomRole}, Moves: []int{3, 3, 4}, Depth: 30},
	} {
		for method, made := range searchers(t) {
			for _, pass := range []int64{1, 3, 10, 1000} {
				passes := toys.PassesAfterEnd(g.Machine(), pass, func(ctx context.Context, m machine.Machine) {
					if _, err := made().Search(ctx, m, m.Initial(), search.Limits{}); err != nil {
						t.Errorf("%s, %s: %v", name, method, err)
					}
				})
				// The expansion under way, and the root for its moves.
				if passes > 8 {
					t.Errorf("%s, %s, ended in pass %d: %d passes more", name, method, pass, passes)
				}
			}
		}
	}
}

func TestTheHeapOfEverySearchStaysWithinTheLimit(t *testing.T) {
	const limit = 2 << 20
	for name, g := range map[string]toys.Wide{
		"many positions": {Roles: two, Moves: []int{2, 2}, Depth: 40},
		"long states":    {Roles: two, Moves: []int{2, 2}, Depth: 40, Words: 50},
		"wide matrices":  {Roles: two, Moves: []int{15, 15}, Depth: 100},
	} {
		m, nodes := g.Machine(), int64(12_000)
		if g.Moves[0] > 2 {
			nodes = 100
		}
		for method, made := range searchers(t) {
			bytes := toys.Heap(func() any {
				s := made()
				r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: nodes, MaxBytes: limit})
				if err != nil && !errors.Is(err, play.ErrTooWide) || r.PeakBytes > limit {
					t.Errorf("%s, %s: %d bytes by its own account, error %v", name, method, r.PeakBytes, err)
				}
				return s
			})
			// The constant: the stack.
			if bytes > limit+limit/2+1<<20 {
				t.Errorf("%s, %s: %d bytes on the heap, limit %d", name, method, bytes, limit)
			}
		}
	}
}

func TestASmallLimitOfMemoryIsNoFault(t *testing.T) {
	m := toys.Wide{Roles: two, Moves: []int{4, 4}, Depth: 3, Words: 100}.Machine()
	want := solve(t, Config{Method: BackwardInduction}, m)
	for method, made := range searchers(t) {
		for _, limit := range []int64{1, 1 << 10, 1 << 20} {
			r, err := made().Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: limit})
			if err != nil || !r.Solved() || r.Values[0] != want.Values[0] {
				t.Errorf("%s, %d bytes: %v, error %v; want %v", method, limit, r.Values, err, want.Values)
			}
		}
	}
}

func TestAPositionTooWideIsAnError(t *testing.T) {
	m := toys.Wide{Roles: two, Moves: []int{2000, 2000}, Depth: 2}.Machine()
	for method, made := range searchers(t) {
		if _, err := made().Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, play.ErrTooWide) {
			t.Errorf("%s: error %v", method, err)
		}
	}
}

func TestAMatrixGameThatIsBrokenOffProvesNothing(t *testing.T) {
	m := toys.Wide{Roles: two, Moves: []int{70, 70}, Depth: 1}.Machine()
	want := solve(t, Config{Method: BackwardInduction}, m).Values[0]
	for method, made := range searchers(t) {
		s := made()
		for _, pass := range []int64{1, 2, 50, 100, 150, 155, 156} {
			toys.PassesAfterEnd(m, pass, func(ctx context.Context, m machine.Machine) {
				r, err := s.Search(ctx, m, m.Initial(), search.Limits{})
				if v := r.Values[0]; err != nil || v.Lower > want.Lower || v.Upper < want.Upper {
					t.Errorf("%s, ended in pass %d: %v, error %v; the value is %v", method, pass, v, err, want)
				}
			})
		}
	}
}

func TestAGameWithoutEndIsUnfinishedForAReason(t *testing.T) {
	for name, g := range map[string]toys.Wide{
		"choices":   {Roles: two, Moves: []int{2, 2}, InTurn: true, Depth: 2 * search.MaxPlies},
		"no choice": {Roles: two, Moves: []int{1, 1}},
	} {
		m := g.Machine()
		for method, made := range searchers(t) {
			r, err := made().Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 4 * search.MaxPlies})
			if err != nil || r.Solved() {
				t.Errorf("%s, %s: solved: %t, error %v", name, method, r.Solved(), err)
			}
			if deep := r.Nodes < 4*search.MaxPlies; deep != errors.Is(r.Unfinished, errTooDeep) {
				t.Errorf("%s, %s: %d positions, unfinished because of %v", name, method, r.Nodes, r.Unfinished)
			}
		}
	}
}

func TestAGameThatIsOverAtItsStartHasNoLine(t *testing.T) {
	m := (&toys.Tree{Roles: two, Nodes: []toys.Node{{Goals: []int32{100, 0}}}}).Machine()
	for method, made := range searchers(t) {
		r, err := made().Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil || len(r.Line) > 0 || r.Values[0] != search.Exact(100) {
			t.Errorf("%s: value %v, line %v, error %v", method, r.Values[0], r.Line, err)
		}
	}
}

// A circle of forced moves costs a few expansions at each visit.
func TestForcedMovesInACircleAreLeftAtOnce(t *testing.T) {
	forced := func(to int) toys.Node { return toys.Node{Moves: []int{1, 1}, Kids: []int{to}} }
	m := (&toys.Tree{Roles: []string{"x", "o"}, Nodes: []toys.Node{
		{Moves: []int{2, 2}, Kids: []int{1, 2, 3, 4}}, forced(2), forced(3), forced(1), {Goals: []int32{50, 50}},
	}}).Machine()
	const enough = 1000
	passes := toys.PassesAfterEnd(m, enough, func(ctx context.Context, m machine.Machine) {
		r, err := must.Get(New(Config{Method: SMAB, Table: true}))(t).Search(ctx, m, m.Initial(), search.Limits{})
		if want := (search.Interval{Lower: 0, Upper: 100}); err != nil || r.Values[0] != want {
			t.Errorf("%v, error %v; want %v", r.Values, err, want)
		}
	})
	if passes >= 0 {
		t.Errorf("more than %d passes", enough)
	}
}
