package games_test

import (
	"fmt"
	"testing"

	"stackmate/games/gamestest"
)

func TestGomoku(t *testing.T) {
	m := gamestest.Machine(t, "gomoku-9x8")
	checkPerft(t, m, m.Initial(), 72, 72*71, 72*71*70)
	// Four stones that lack one of five, in each direction, and the one that is missing.
	for _, d := range [][4]int{{1, 1, 1, 0}, {5, 8, 1, 0}, {9, 4, 0, 1}, {1, 1, 1, 1}, {5, 4, 1, 1}, {1, 8, 1, -1}, {5, 5, 1, -1}} {
		for missing := range 5 {
			facts := []string{"(control white)"}
			for k := range 5 {
				if k != missing {
					facts = append(facts, fmt.Sprintf("(cell %d %d white)", d[0]+k*d[2], d[1]+k*d[3]))
				}
			}
			p := at(t, m, facts...)
			p.wants()
			p.play("noop", fmt.Sprintf("(place %d %d)", d[0]+missing*d[2], d[1]+missing*d[3]))
			p.wants(0, 100)
		}
	}
	t.Run("more than five win, five of two colours do not", func(t *testing.T) {
		p := at(t, m, "(cell 1 1 black)", "(cell 2 1 black)", "(cell 3 1 black)", "(cell 5 1 black)", "(cell 6 1 black)", "(cell 7 1 white)", "(control black)")
		p.play("(place 4 1)", "noop")
		p.wants(100, 0)
		p = at(t, m, "(cell 1 1 black)", "(cell 2 1 black)", "(cell 3 1 black)", "(cell 4 1 white)", "(cell 5 1 black)", "(cell 6 1 black)", "(control black)")
		p.play("(place 7 1)", "noop")
		p.wants()
	})
	t.Run("a full board without a line is a draw", func(t *testing.T) {
		facts := []string{"(control white)"}
		for x := 1; x <= 9; x++ {
			for y := 1; y <= 8; y++ {
				facts = append(facts, fmt.Sprintf("(cell %d %d %s)", x, y, []string{"black", "white"}[(x/2+y)%2]))
			}
		}
		at(t, m, facts...).wants(50, 50)
	})
}
