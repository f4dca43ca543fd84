package prove

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
)

func TestTheLineToAnEndingLeadsToItsGoals(t *testing.T) {
	m := toys.Wide{Roles: []string{"x", "y"}, Moves: []int{2, 3}, Depth: 5}.Machine()
	r := newPlayouts(m)
	goals := make(map[ending]int32)
	r.run(t.Context(), func(moves int, _ []uint64) bool {
		for lane := 0; lane < r.batch.Lanes() && moves == 5; lane += 9 {
			both := make([]int32, 2)
			r.batch.Goals(both, lane)
			goals[ending{lane, moves}] = both[0]
		}
		return true
	})
	var all []int32
	for end, goal := range goals {
		line := r.lineTo(t.Context(), end)
		over, got := toys.Follow(m, m.Initial(), line)
		if len(line) != end.moves || !over || got[0] != goal {
			t.Errorf("%+v: %d joint moves, over: %v, goals %v, want %d", end, len(line), over, got, goal)
		}
		all = append(all, goal)
	}
	if slices.Sort(all); len(slices.Compact(all)) < 3 {
		t.Errorf("goals %v of %d endings", all, len(goals))
	}
}

// countedAdvances counts the joint moves of a batch.
type countedAdvances struct {
	machine.Batch
	advances int
}

func (c *countedAdvances) Advance(lanes int) {
	c.advances++
	c.Batch.Advance(lanes)
}

func TestWalksRememberTheirShortestCounterexampleAndCycle(t *testing.T) {
	tree := toys.Tree{Roles: []string{"x"}, Nodes: []toys.Node{
		{Moves: []int{2}, Kids: []int{1, 2}}, {Moves: []int{1}, Kids: []int{3}}, {Goals: []int32{40}}, {Goals: []int32{40}},
	}}
	w := newWalks(tree.Machine())
	w.play(t.Context(), 20)
	if len(w.games) != 20 || w.longest != 2 || w.sum != 40 || w.cycle != nil {
		t.Errorf("%d games, longest %d, sum %d, cycle %v", len(w.games), w.longest, w.sum, w.cycle)
	}
	ends := property{fails: func(now, _ *view) bool { return now.terminal }}
	never := property{fails: func(*view, *view) bool { return false }}
	counted := &countedAdvances{Batch: w.batch}
	w.batch = counted
	lines, broken := w.counterexamples(t.Context(), []property{never, ends, ends})
	if want := [][][]machine.Move{nil, {{1}}, {{1}}}; !reflect.DeepEqual(lines, want) || !slices.Equal(broken, []bool{false, true, true}) {
		t.Errorf("counterexamples %v, found: %v", lines, broken)
	}
	if steps := len(slices.Concat(w.games...)); counted.advances != steps {
		t.Errorf("%d joint moves were made, the games have %d", counted.advances, steps)
	}
	ctx, cancel := context.WithCancel(t.Context())
	looks := 0
	w.counterexamples(ctx, []property{{fails: func(*view, *view) bool { looks++; cancel(); return false }}})
	if looks != 1 {
		t.Errorf("%d positions were looked at, want the first one: the context has ended", looks)
	}
	for name, c := range map[string]struct {
		line [][]machine.Move
		want bool
	}{"before the end": {[][]machine.Move{{0}}, false}, "the end": {[][]machine.Move{{0}, {0}}, true}, "illegal": {[][]machine.Move{{2}}, false}} {
		if got := w.breaks(ends, c.line); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	tree.Nodes[1].Kids[0] = 0
	w = newWalks(tree.Machine())
	w.play(t.Context(), 20)
	if want := [][]machine.Move{{0}, {0}}; !reflect.DeepEqual(w.cycle, want) {
		t.Errorf("cycle %v, want %v", w.cycle, want)
	}
}
