package games_test

import (
	"fmt"
	"strings"
	"testing"

	"stackmate/games/gamestest"
)

func TestUltimateTicTacToe(t *testing.T) {
	m := gamestest.Machine(t, "ultimateTicTacToe")
	t.Run("perft", func(t *testing.T) {
		// As published in several places, where a move to a decided board allows any other.
		checkPerft(t, m, m.Initial(), 81, 720, 6336, 55_080, 473_256, 4_020_960)
	})
	t.Run("a move names the board of the next", func(t *testing.T) {
		p := at(t, m, "(control x)")
		p.play("(mark 2 2 1 3)", "noop")
		for _, move := range p.moves("o") {
			if !strings.HasPrefix(move, "(mark 1 3 ") {
				t.Errorf("%s is legal", move)
			}
		}
		if n := len(p.moves("o")); n != 9 {
			t.Errorf("%d legal moves, want 9", n)
		}
	})
	t.Run("a decided board is closed, and frees the other player", func(t *testing.T) {
		p := at(t, m, "(control x)", "(sent 1 1)", "(cell 1 1 1 1 x)", "(cell 1 1 2 2 x)", "(cell 2 2 1 1 o)")
		p.play("(mark 1 1 3 3)", "noop")
		if got := p.facts("(won"); len(got) != 1 || got[0] != "(won 1 1 x)" {
			t.Fatalf("won: %v", got)
		}
		p.play("noop", "(mark 3 3 1 1)")
		if n := len(p.moves("x")); n != 81-9-2 || p.allows("x", "(mark 1 1 2 1)") {
			t.Errorf("%d legal moves, want %d", n, 81-9-2)
		}
	})
	t.Run("a full board frees the other player, too", func(t *testing.T) {
		facts := []string{"(control o)", "(sent 2 2)"}
		for i, mark := range "xoxxoooxx" {
			if i != 8 {
				facts = append(facts, fmt.Sprintf("(cell 2 2 %d %d %c)", i/3+1, i%3+1, mark))
			}
		}
		p := at(t, m, facts...)
		p.play("noop", "(mark 2 2 3 3)")
		if n := len(p.moves("x")); n != 9 {
			t.Errorf("%d legal moves, want 9", n)
		}
		p.play("(mark 3 3 2 2)", "noop")
		if n := len(p.moves("o")); n != 81-9-1 {
			t.Errorf("%d legal moves, want %d", n, 81-9-1)
		}
	})
	t.Run("three boards in a line win", func(t *testing.T) {
		for _, line := range [][]string{{"1 1", "1 2", "1 3"}, {"1 3", "3 3", "2 3"}, {"1 1", "3 3", "2 2"}, {"1 3", "2 2", "3 1"}} {
			p := at(t, m, "(control o)", "(won "+line[0]+" o)", "(won "+line[1]+" o)", "(sent "+line[2]+")",
				"(cell "+line[2]+" 1 1 o)", "(cell "+line[2]+" 1 2 o)")
			p.wants()
			p.play("noop", "(mark "+line[2]+" 1 3)")
			p.wants(0, 100)
		}
	})
	t.Run("no board left is a draw", func(t *testing.T) {
		var facts []string
		for i, p := range "xoxxoooxx" {
			facts = append(facts, fmt.Sprintf("(won %d %d %c)", i/3+1, i%3+1, p))
		}
		at(t, m, append(facts, "(control x)")...).wants(50, 50)
		at(t, m, append(facts[1:], "(control x)")...).wants()
	})
}
