package games_test

import (
	"fmt"
	"slices"
	"testing"

	"stackmate/games/gamestest"
)

func TestReversi(t *testing.T) {
	m := gamestest.Machine(t, "reversi")
	t.Run("perft", func(t *testing.T) {
		// As published by A. Bik (perft for reversi); a pass is a move.
		checkPerft(t, m, m.Initial(), 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288)
	})
	t.Run("discs turn in all directions, up to the first of one's own", func(t *testing.T) {
		// Lines of one to three white discs around (4, 4) that end at a black one, and, to the
		// southeast, one that ends at a free cell.
		facts := []string{"(control black)", "(cell 5 3 white)", "(cell 6 2 white)"}
		var want []string
		for i, d := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {-1, 1}, {0, -1}, {-1, 0}, {-1, -1}} {
			n := i%3 + 1
			if d[0] < 0 || d[1] < 0 {
				n = 2
			}
			for k := 1; k <= n; k++ {
				facts = append(facts, fmt.Sprintf("(cell %d %d white)", 4+k*d[0], 4+k*d[1]))
				want = append(want, fmt.Sprintf("(cell %d %d black)", 4+k*d[0], 4+k*d[1]))
			}
			facts = append(facts, fmt.Sprintf("(cell %d %d black)", 4+(n+1)*d[0], 4+(n+1)*d[1]))
		}
		p := at(t, m, facts...)
		p.play("(place 4 4)", "noop")
		for _, fact := range append(want, "(cell 4 4 black)", "(cell 5 3 white)", "(cell 6 2 white)", "(control white)") {
			if !slices.Contains(p.facts("("), fact) {
				t.Errorf("%s is not true", fact)
			}
		}
	})
	t.Run("a disc must turn others", func(t *testing.T) {
		p := at(t, m, m.Names().AppendFluents(nil, m.Initial())...)
		if got := p.moves("black"); !slices.Equal(got, []string{"(place 3 4)", "(place 4 3)", "(place 5 6)", "(place 6 5)"}) {
			t.Errorf("first moves %v", got)
		}
	})
	t.Run("who cannot place a disc passes, and more discs win", func(t *testing.T) {
		p := at(t, m, "(control black)", "(cell 1 1 white)", "(cell 2 1 black)")
		if got := p.moves("black"); !slices.Equal(got, []string{"pass"}) {
			t.Fatalf("moves %v", got)
		}
		p.play("pass", "noop")
		p.wants()
		p.play("noop", "(place 3 1)")
		p.wants(0, 100)
	})
	t.Run("equal numbers are a draw", func(t *testing.T) {
		at(t, m, "(control black)", "(cell 1 1 white)", "(cell 3 1 black)").wants(50, 50)
		at(t, m, "(control black)", "(cell 1 1 white)", "(cell 3 1 black)", "(cell 8 8 black)").wants(100, 0)
		var full []string
		for x := 1; x <= 8; x++ {
			for y := 1; y <= 8; y++ {
				full = append(full, fmt.Sprintf("(cell %d %d %s)", x, y, []string{"black", "white"}[x%2]))
			}
		}
		at(t, m, append(full, "(control white)")...).wants(50, 50)
	})
}
