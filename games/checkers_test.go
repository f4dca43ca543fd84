package games_test

import (
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

func TestCheckers(t *testing.T) {
	m := gamestest.Machine(t, "checkers")
	t.Run("perft", func(t *testing.T) {
		// A. Bik: perft for 8x8 checkers (2009), http://www.talkchess.com/forum3/viewtopic.php?t=27814,
		// where a chain of jumps is one move.
		want := []int{7, 49, 302, 1469, 7361, 36_768, 179_740, 845_931}
		if !exhaustive.On() {
			want = want[:7]
		}
		for depth, n := range want {
			if got := turns(t, m, m.Initial(), depth+1); got != n {
				t.Errorf("%d sequences of %d turns, want %d", got, depth+1, n)
			}
		}
	})
	t.Run("a capture is mandatory", func(t *testing.T) {
		p := at(t, m, "(cell c 3 white man)", "(cell g 1 white man)", "(cell d 4 black man)", "(cell h 8 black man)", "(control white)", "(quiet 4 2)")
		if got := p.moves("white"); !slices.Equal(got, []string{"(jump c 3 e 5)"}) {
			t.Errorf("moves %v, want the jump alone", got)
		}
		p.play("noop", "(jump c 3 e 5)")
		if got := p.facts("(cell d"); len(got) > 0 {
			t.Errorf("the captured man stays: %v", got)
		}
		if got := p.facts("(quiet"); !slices.Equal(got, []string{"(quiet 0 0)"}) {
			t.Errorf("after a capture %v", got)
		}
		if got := p.facts("(control"); !slices.Equal(got, []string{"(control black)"}) {
			t.Errorf("after the last jump %v", got)
		}
	})
	t.Run("men do not go or jump backward, kings do", func(t *testing.T) {
		p := at(t, m, "(cell c 3 white man)", "(cell b 2 black man)", "(cell h 8 black man)", "(control white)", "(quiet 0 0)")
		if got := p.moves("white"); !slices.Equal(got, []string{"(move c 3 b 4)", "(move c 3 d 4)"}) {
			t.Errorf("moves of a man %v", got)
		}
		p = at(t, m, "(cell c 3 white king)", "(cell b 2 black man)", "(cell h 8 black man)", "(control white)", "(quiet 0 0)")
		if got := p.moves("white"); !slices.Equal(got, []string{"(jump c 3 a 1)"}) {
			t.Errorf("moves of a king %v", got)
		}
		p = at(t, m, "(cell c 3 white king)", "(cell h 8 black man)", "(control white)", "(quiet 0 0)")
		if got := p.moves("white"); len(got) != 4 {
			t.Errorf("moves of a king %v, want four", got)
		}
	})
	t.Run("the same piece jumps on, another does not", func(t *testing.T) {
		p := at(t, m, "(cell a 1 white man)", "(cell g 3 white man)", "(cell b 2 black man)", "(cell d 4 black man)", "(cell f 4 black man)",
			"(cell h 8 black man)", "(control white)", "(quiet 0 0)")
		if got := p.moves("white"); !slices.Equal(got, []string{"(jump a 1 c 3)", "(jump g 3 e 5)"}) {
			t.Fatalf("moves %v", got)
		}
		p.play("noop", "(jump a 1 c 3)")
		if got := p.moves("white"); !slices.Equal(got, []string{"(jump c 3 e 5)"}) {
			t.Fatalf("moves %v", got)
		}
		p.play("noop", "(jump c 3 e 5)")
		if got := p.moves("white"); !slices.Equal(got, []string{"noop"}) {
			t.Errorf("moves %v, want the turn of black", got)
		}
	})
	t.Run("a king comes back to where it began", func(t *testing.T) {
		p := at(t, m, "(cell d 2 white king)", "(cell c 3 black man)", "(cell c 5 black man)", "(cell e 5 black man)", "(cell e 3 black man)",
			"(control white)", "(quiet 0 0)")
		p.play("noop", "(jump d 2 b 4)")
		p.play("noop", "(jump b 4 d 6)")
		p.play("noop", "(jump d 6 f 4)")
		p.play("noop", "(jump f 4 d 2)")
		p.wants(0, 100)
	})
	t.Run("a man that becomes a king stops", func(t *testing.T) {
		p := at(t, m, "(cell b 6 white man)", "(cell c 7 black man)", "(cell e 7 black man)", "(control white)", "(quiet 0 0)")
		p.play("noop", "(jump b 6 d 8)")
		if got := p.facts("(cell d 8"); !slices.Equal(got, []string{"(cell d 8 white king)"}) {
			t.Errorf("the man became %v", got)
		}
		if got := p.moves("white"); !slices.Equal(got, []string{"noop"}) {
			t.Errorf("moves %v, want the turn of black", got)
		}
	})
	t.Run("who cannot move loses", func(t *testing.T) {
		at(t, m, "(cell a 1 white man)", "(cell b 2 black man)", "(cell c 3 black man)", "(control white)", "(quiet 0 0)").wants(100, 0)
		at(t, m, "(cell a 1 white man)", "(cell b 2 black man)", "(cell c 3 black man)", "(control black)", "(quiet 0 0)").wants()
	})
	t.Run("forty moves without progress are a draw", func(t *testing.T) {
		p := at(t, m, "(cell a 1 white king)", "(cell h 8 black king)", "(control white)", "(quiet 7 9)")
		p.wants()
		p.play("noop", "(move a 1 b 2)")
		p.wants(50, 50)
	})
}

// turns counts the sequences of depth turns from s, where a player's turn is all its moves
// until the other one is in control.
func turns(t *testing.T, m machine.Machine, s machine.State, depth int) int {
	t.Helper()
	black := must.Get(m.Names().State([]string{"(control black)"}))(t)
	isBlack := func(s machine.State) bool {
		for i := range s {
			if s[i]&black[i] != 0 {
				return true
			}
		}
		return false
	}
	x := play.NewExpander(m)
	var count func(s machine.State, depth int) int
	count = func(s machine.State, depth int) int {
		if depth == 0 {
			return 1
		}
		var e play.Expansion
		must.OK(t, x.Expand(&e, s))
		sum := 0
		for c := range e.Children {
			left := depth
			if isBlack(e.Child(c)) != isBlack(s) {
				left--
			}
			if left > 0 && e.Terminal[c] {
				continue
			}
			sum += count(e.Child(c), left)
		}
		return sum
	}
	return count(s, depth)
}
