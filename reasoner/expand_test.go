package reasoner_test

import (
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

func TestExpandingChildrenTogetherIsExpandingEach(t *testing.T) {
	for _, game := range []string{"ticTacToe", "connectFour-5x4", "breakthrough-4x5", "nim-3.4.5", "pig-20-10", "goofspiel-4", "amazons-6x6"} {
		m := gamestest.Machine(t, game)
		rng := machine.NewRand(1)
		x, alone := play.NewExpander(m), play.NewExpander(m)
		parent, one := new(play.Expansion), new(play.Expansion)
		s := slices.Clone(m.Initial())
		expanded := 0
		for step := range 300 {
			if x.Expand(parent, s) != nil {
				t.Fatalf("%s: %v", game, parent.Err)
			}
			var wanted []int
			for c := range parent.Children {
				if !parent.Terminal[c] && rng.Intn(4) > 0 {
					wanted = append(wanted, c)
				}
			}
			group := make([]play.Expansion, parent.Children)
			if step%2 == 0 {
				x.Look(s) // the children are not in the batch any more
			}
			looked := make([]play.Expansion, parent.Children)
			x.ListChildMoves(looked, parent)
			done := x.ExpandChildren(group, parent, wanted)
			if len(wanted) > 0 && parent.Children < 20 && done == 0 {
				t.Fatalf("%s: none of %d children was expanded", game, len(wanted))
			}
			for _, c := range wanted[:done] {
				expanded++
				_ = alone.Expand(one, parent.Child(c))
				if l := &looked[c]; l.Children != one.Children || !slices.EqualFunc(l.Moves, one.Moves, slices.Equal) {
					t.Fatalf("%s, step %d, child %d: moves %v and %v", game, step, c, one.Moves, l.Moves)
				}
				if !isSame(one, &group[c]) {
					t.Fatalf("%s, step %d, child %d: %v and %v", game, step, c, *one, group[c])
				}
			}
			if next := rng.Intn(parent.Children); !parent.Terminal[next] {
				copy(s, parent.Child(next))
			} else {
				copy(s, m.Initial())
			}
		}
		if expanded < 300 {
			t.Errorf("%s: %d children were expanded", game, expanded)
		}
	}
}

func TestExpandingAChildIsExpandingItsPosition(t *testing.T) {
	for _, game := range []string{"ticTacToe", "breakthrough-4x5", "pig-20-10", "goofspiel-4"} {
		m := gamestest.Machine(t, game)
		rng := machine.NewRand(1)
		x, alone := play.NewExpander(m), play.NewExpander(m)
		e, one := new(play.Expansion), new(play.Expansion)
		s := slices.Clone(m.Initial())
		_ = x.Expand(e, s)
		for step := range 300 {
			if c := rng.Intn(e.Children); e.Terminal[c] {
				copy(s, m.Initial())
				_ = x.Expand(e, s)
			} else {
				if copy(s, e.Child(c)); step%4 == 0 {
					x.Look(m.Initial()) // the child is not in the batch any more
				}
				_ = x.ExpandChild(e, s, e, c)
			}
			if _ = alone.Expand(one, s); !isSame(one, e) {
				t.Fatalf("%s, step %d: %v and %v", game, step, *one, *e)
			}
		}
	}
}

// isSame reports whether two expansions are equal.
func isSame(a, b *play.Expansion) bool {
	same := a.Err == nil && b.Err == nil && slices.Equal(a.States, b.States) && slices.Equal(a.Terminal, b.Terminal) &&
		slices.EqualFunc(a.Moves, b.Moves, slices.Equal)
	for c, over := range a.Terminal {
		same = same && (!over || slices.Equal(a.ChildGoals(c), b.ChildGoals(c)))
	}
	return same
}
