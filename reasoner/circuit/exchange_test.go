package circuit

import (
	"testing"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// Fluents 0 and 1 change in every move, and the pass "fluents" has merged them: 1 is the complement of 0. Fluents 2 and 3
// become each other. If these are complementary, too, they can be exchanged with 0 and 1. If both are initially false,
// they cannot: an exchange would map positions in which 0 and 1 differ to positions in which 2 and 3 differ.
func TestAnExchangePreservesPairsOfComplements(t *testing.T) {
	for _, c := range []struct {
		third bool // fluent 3 is initially true
		want  bool
	}{{true, true}, {false, false}} {
		initial := make(machine.State, 1)
		initial.Set(1)
		names := &machine.Names{Roles: []string{"left", "right"}, Fluents: make([]string, 4), Moves: [][]string{{"stay"}, {"stay"}}}
		if c.third {
			initial.Set(3)
		}
		g := NewGame(names, initial)
		first, second, third := g.Fluents[0], g.Fluents[2], g.Fluents[3]
		g.Legal = [][]logic.Lit{{logic.True}, {logic.True}}
		g.Next = []logic.Lit{first.Not(), first, third, second}
		if c.third {
			g.Next = []logic.Lit{first.Not(), first, second.Not(), second}
		}
		g.Terminal = g.Net.And(first, second)
		g.Goals = []Goal{{0, 100, first}, {0, 0, first.Not()}, {1, 100, second}, {1, 0, second.Not()}}
		if !c.third { // else the complement of fluent 3 has no counterpart
			g.Goals[3].When = third
		}
		y := facts.Exchange(compiled(t, g, Options{Kernel: kernel.Portable64}))
		if (y != nil) != c.want {
			t.Errorf("fluent 3 initially %t: exchange %+v, want one: %t", c.third, y, c.want)
		}
	}
}
