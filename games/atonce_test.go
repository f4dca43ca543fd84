package games_test

import (
	"fmt"
	"testing"

	"stackmate/games/gamestest"
)

func TestLiarsBid(t *testing.T) {
	m := gamestest.Machine(t, "liarsBid")
	checkPerft(t, m, m.Initial(), 81, 81*36, 81*36*9, 0)
	for _, c := range []struct {
		red, blue string
		lead      int // of red
	}{
		{"(bid 2 3)", "(bid 3 1)", 1},  // 5 is true
		{"(bid 2 3)", "(bid 2 2)", -1}, // 5 is not
		{"(bid 1 1)", "(bid 3 3)", 1},  // 6 is not: 1 is less than 3
		{"(bid 3 2)", "(bid 3 3)", -1}, // 6 is true
		{"(bid 1 3)", "(bid 3 1)", 0},  // equal bids
	} {
		p := at(t, m, m.Names().AppendFluents(nil, m.Initial())...)
		p.play(c.red, c.blue)
		if got, want := p.facts("(lead")[0], fmt.Sprintf("(lead %d)", c.lead); got != want {
			t.Errorf("%s against %s: %s, want %s", c.red, c.blue, got, want)
		}
		if p.allows("red", c.red) {
			t.Errorf("the die of %s is there still", c.red)
		}
	}
	at(t, m, "(lead 1)").wants(100, 0)
	at(t, m, "(lead 0)").wants(50, 50)
	at(t, m, "(lead -2)").wants(0, 100)
	at(t, m, "(lead -2)", "(hand red 1)", "(hand blue 2)").wants()
}

func TestRockPaperScissorsMatch(t *testing.T) {
	m := gamestest.Machine(t, "rockPaperScissorsMatch-5")
	checkPerft(t, m, m.Initial(), 9, 81, 729)
	p := at(t, m, m.Names().AppendFluents(nil, m.Initial())...)
	p.play("rock", "scissors")
	p.play("scissors", "scissors")
	p.play("scissors", "paper")
	p.wants() // blue can catch up
	p.play("rock", "paper")
	p.wants()
	p.play("rock", "rock")
	p.wants(100, 0)
	p = at(t, m, "(throws 3)", "(lead -2)")
	p.wants()
	p.play("paper", "scissors")
	p.wants(0, 100)
	at(t, m, "(throws 0)", "(lead 0)").wants(50, 50)
}
