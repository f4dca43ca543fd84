package games_test

import (
	"slices"
	"testing"

	"stackmate/games/gamestest"
)

func TestAmazons(t *testing.T) {
	t.Run("perft", func(t *testing.T) {
		// As published, for the 10x10 board: 2176 and 4 307 152, where a move and a shot are one.
		m := gamestest.Machine(t, "amazons")
		checkPerft(t, m, m.Initial(), 80, 2176, 168_420, 4_307_152)
	})
	m := gamestest.Machine(t, "amazons-6x6")
	t.Run("neither queens nor arrows pass over what stands in their way", func(t *testing.T) {
		p := at(t, m, "(control white)", "(queen 1 1 white)", "(queen 1 3 black)", "(arrow 3 3)", "(arrow 2 1)")
		want := []string{"(move 1 1 1 2)", "(move 1 1 2 2)"}
		if got := p.moves("white"); !slices.Equal(got, want) {
			t.Fatalf("moves %v, want %v", got, want)
		}
		p.play("(move 1 1 2 2)", "noop")
		want = []string{ // the cell that the queen has left, too
			"(shoot 1 1)", "(shoot 1 2)", "(shoot 2 3)", "(shoot 2 4)", "(shoot 2 5)", "(shoot 2 6)",
			"(shoot 3 1)", "(shoot 3 2)", "(shoot 4 2)", "(shoot 5 2)", "(shoot 6 2)",
		}
		if got := p.moves("white"); !slices.Equal(got, want) {
			t.Errorf("shots %v, want %v", got, want)
		}
		p.play("(shoot 1 2)", "noop")
		want = []string{"(arrow 1 2)", "(arrow 2 1)", "(arrow 3 3)"}
		if got := p.facts("(arrow"); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		p.wants()
		if !p.allows("black", "(move 1 3 1 6)") || p.allows("black", "(move 1 3 1 2)") {
			t.Errorf("moves of black %v", p.moves("black"))
		}
	})
	t.Run("who cannot move loses", func(t *testing.T) {
		p := at(t, m, "(control white)", "(queen 3 1 white)", "(queen 1 1 black)", "(arrow 1 2)", "(arrow 2 2)")
		p.play("(move 3 1 4 1)", "noop")
		p.wants()
		p.play("(shoot 2 1)", "noop")
		p.wants(100, 0)
	})
}
