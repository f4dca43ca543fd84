package games_test

import (
	"slices"
	"testing"

	"stackmate/games/gamestest"
)

func TestPentago(t *testing.T) {
	m := gamestest.Machine(t, "pentago")
	checkPerft(t, m, m.Initial(), 36, 36*8, 36*8*35, 36*8*35*8, 36*8*35*8*34)
	t.Run("a quarter turns, and nothing else", func(t *testing.T) {
		facts := []string{"(control white)", "turning", "(cell 4 1 white)", "(cell 5 1 black)", "(cell 6 2 white)", "(cell 5 2 black)", "(cell 3 1 white)", "(cell 6 4 black)"}
		for side, want := range map[string][]string{
			"left":  {"(cell 3 1 white)", "(cell 5 2 black)", "(cell 5 3 white)", "(cell 6 1 white)", "(cell 6 2 black)", "(cell 6 4 black)"},
			"right": {"(cell 3 1 white)", "(cell 4 2 black)", "(cell 4 3 white)", "(cell 5 1 white)", "(cell 5 2 black)", "(cell 6 4 black)"},
		} {
			p := at(t, m, facts...)
			p.play("(turn 4 1 "+side+")", "noop")
			if got := p.facts("(cell"); !slices.Equal(got, want) {
				t.Errorf("turned to the %s: %v, want %v", side, got, want)
			}
			if got := p.facts("(control"); !slices.Equal(got, []string{"(control black)"}) {
				t.Errorf("after the turn %v", got)
			}
		}
	})
	t.Run("five in a row win before anything turns", func(t *testing.T) {
		p := at(t, m, "(control white)", "(cell 1 1 white)", "(cell 2 2 white)", "(cell 3 3 white)", "(cell 4 4 white)")
		p.play("(place 5 5)", "noop")
		p.wants(100, 0)
	})
	t.Run("whoever has five in a row after the turn wins", func(t *testing.T) {
		blacks := []string{"(cell 1 1 black)", "(cell 2 1 black)", "(cell 3 1 black)", "(cell 6 1 black)", "(cell 6 2 black)", "(control white)", "turning"}
		p := at(t, m, blacks...)
		p.wants()
		p.play("(turn 4 1 left)", "noop")
		p.wants()
		p = at(t, m, blacks...)
		p.play("(turn 4 1 right)", "noop") // (6, 1) goes to (4, 1), (6, 2) to (5, 1)
		p.wants(0, 100)
		// White has a line of its own in the same quarters.
		p = at(t, m, append(blacks, "(cell 1 2 white)", "(cell 2 2 white)", "(cell 3 2 white)", "(cell 5 1 white)", "(cell 5 2 white)")...)
		p.play("(turn 4 1 right)", "noop")
		p.wants(50, 50)
	})
}
