package evaluate

import (
	"context"
	"testing"
	"time"
)

// TestGamesPlayedElsewhereTeachAsMuch has one learner play what another learns from.
func TestGamesPlayedElsewhereTeachAsMuch(t *testing.T) {
	l, other := trained(t, "connectFour-5x4", 1, 1), trained(t, "connectFour-5x4", 2, 1)
	before := l.Evaluation()
	for l.Progress().Games < 2500 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		p := other.Play(ctx)
		cancel()
		p.Games = p.Games[:min(len(p.Games), 100)] // however quick the machine is, what is learnt is used soon
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
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	p := l.Play(ctx)
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
