package sequential

import (
	"math/rand/v2"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/search"
)

// stayOrGo returns a game in which left stays for ever if it likes; the only end is one with these goals.
func stayOrGo(left, right int32) *toys.Tree {
	return &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{1, 1}, Kids: []int{1}}, {Moves: []int{2, 1}, Kids: []int{0, 2}}, {Goals: []int32{left, right}},
	}}
}

// The best goal at an end is no upper bound where the game need not end.
func TestForesightTakesNoBestGoalOfAnEndForAllThatThereIs(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for _, c := range []struct {
		left, right int32
		want        search.Interval
	}{
		{0, 100, search.Interval{Lower: 0, Upper: 100}}, {60, 40, search.Interval{Lower: 60, Upper: 100}}, {100, 0, search.Exact(100)},
	} {
		g := stayOrGo(c.left, c.right)
		v := New(Config{})
		v.tick = 1
		for name, s := range map[string]search.Searcher{"bab": v, "threats": NewThreats()} {
			m := seeing{parallel{g.Machine()}, g}
			r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{})
			if err != nil || r.Values[0].Lower > c.want.Lower || r.Values[0].Upper < c.want.Upper || r.Solved() && !c.want.Solved() {
				t.Errorf("%s, an end with %d: %v, solved %v, error %v; want %v", name, c.left, r.Values, r.Solved(), err, c.want)
			}
			if len(r.Line) > 3 {
				t.Errorf("%s shows a line of %d joint moves of 3 positions", name, len(r.Line))
			}
		}
	}
}

// Decisive moves leave proofs about games with repeating positions unchanged.
func TestForesightIsSoundWherePositionsRepeat(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for seed := range exhaustive.Choose[uint64](15, 30) {
		g := toys.Cyclic(rand.New(rand.NewPCG(seed, 21)), 3+int(seed%9), false)
		for i := range g.Nodes { // some roles have no best goal that is all that there is
			if n := &g.Nodes[i]; seed%3 == 0 && len(n.Kids) == 0 && n.Goals[0] == 100 {
				n.Goals = []int32{60, 40}
			}
		}
		want := g.Forced()[0]
		v := New(Config{})
		v.tick = 1
		for name, s := range map[string]search.Searcher{"bab": v, "threats": NewThreats()} {
			m := seeing{parallel{g.Machine()}, g}
			r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 3000})
			if err != nil || r.Values[0].Lower > want[0] || r.Values[0].Upper < want[1] {
				t.Fatalf("seed %d, %s: %v, error %v; want %v", seed, name, r.Values[0], err, want)
			}
		}
	}
}
