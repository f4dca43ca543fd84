package montecarlo

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// courtship is a game in which left begins or ends with 40; then both choose at once, with a general sum: its tree is never complete.
func courtship() machine.Machine {
	return (&toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}},
		{Goals: []int32{40, 0}},
		{Moves: []int{2, 2}, Kids: []int{3, 4, 4, 4}},
		{Goals: []int32{90, 90}},
		{Goals: []int32{10, 10}},
	}}).Machine()
}

// age multiplies the counts of all nodes and moves.
func (t *tree) age(factor int32) {
	for n := range t.fresh {
		a := t.at(n)
		t.visit(a, (factor-1)*a.visits)
		a.done *= factor
		for r := range t.roles {
			t.totalsOf(n)[r] *= float64(factor)
		}
		if a.moves == none {
			continue
		}
		moves := t.movesOf(n)
		for _, width := range t.widthsOf(n) {
			for i := range moves[:width] {
				moves[i].visits *= factor
				moves[i].sum *= float64(factor)
			}
			moves = moves[width:]
		}
	}
}

func TestASearchEndsBeforeItsCountersOverflow(t *testing.T) {
	m := courtship()
	for _, c := range []Config{{}, {Rule: RegretMatching, Workers: 2}} {
		s, ctx := New(c), t.Context()
		run := func(q machine.State, nodes int64) search.Result {
			t.Helper()
			limited, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			r, err := s.Search(limited, m, q, search.Limits{MaxBytes: 16 << 20, MaxNodes: nodes, Seed: 1})
			if err != nil || limited.Err() != nil {
				t.Fatal(err, limited.Err())
			}
			return r
		}
		young := run(m.Initial(), 10_000)
		tree := s.workers[0].tree
		tree.age((maxVisits - 1000) / tree.at(tree.root).visits)
		for range 2 {
			r := run(m.Initial(), 0)
			if v := tree.at(tree.root).visits; v < maxVisits || v > maxVisits+maxVisits/2 || !errors.Is(r.Unfinished, errVisits) {
				t.Errorf("%d visits, unfinished: %v", v, r.Unfinished)
			}
			if math.Abs(r.Values[0].Lower-young.Values[0].Lower) > 10 || r.Values[0].Lower < 60 || r.Strategies[0][0].Move != 1 {
				t.Errorf("value %v, %v before; strategy %v", r.Values[0], young.Values[0], r.Strategies[0])
			}
		}
		child := machine.State{2}
		if n := tree.below(child); n == none {
			t.Fatal("no child")
		} else {
			tree.at(n).visits = maxVisits / 2
		}
		if run(child, 1000); tree.at(tree.root).visits > 2000 || tree.most != tree.at(tree.root).visits {
			t.Errorf("%d visits of a child of a full tree, at most %d of a node", tree.at(tree.root).visits, tree.most)
		}
	}
}
