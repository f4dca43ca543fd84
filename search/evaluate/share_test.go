package evaluate

import (
	"context"
	"testing"
)

// counted is a context that ends when it has been looked at so often, for games whose number
// does not depend on the machine.
type counted struct {
	context.Context
	looks int
}

func (c *counted) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// steps ends play after so many.
func steps(t *testing.T, n int) context.Context { return &counted{t.Context(), n} }

// TestGamesPlayedElsewhereTeachAsMuch has one learner play what another learns from.
func TestGamesPlayedElsewhereTeachAsMuch(t *testing.T) {
	l, other := trained(t, "connectFour-5x4", 1, 1), trained(t, "connectFour-5x4", 2, 1)
	before := l.Evaluation()
	for l.Progress().Games < 2500 {
		p := other.Play(steps(t, 20))
		if err := l.Take(p); err != nil {
			t.Fatal(err)
		}
		other.current = *l.Evaluation() // as if from a file
	}
	if n := other.Progress().Games; n > 32 {
		t.Errorf("whoever plays has learnt from %d games", n)
	}
	if s := Duel(t.Context(), l.games.machine, l.Evaluation(), before, 600, 1); s.Points < 5*s.Error/2 {
		t.Errorf("%.1f ± %.1f points in %d games after learning", s.Points, s.Error, s.Games)
	}
}

func TestGamesOfOtherRulesAreRefused(t *testing.T) {
	l := trained(t, "ticTacToe", 1, 1)
	p := l.Play(steps(t, 40))
	if err := l.Take(p); err != nil || len(p.Games) == 0 {
		t.Errorf("%d games: %v", len(p.Games), err)
	}
	if err := trained(t, "connectFour-5x4", 1, 1).Take(p); err == nil {
		t.Error("games of ticTacToe are taken for connectFour")
	}
	p.Games[0].Values = append(p.Games[0].Values, 1)
	if err := l.Take(p); err == nil {
		t.Error("a damaged game is taken")
	}
}
