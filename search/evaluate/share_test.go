package evaluate

import (
	"context"
	"runtime"
	"testing"

	"stackmate/games/gamestest"
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

// steps returns a context that ends play after n steps.
func steps(t *testing.T, n int) context.Context { return &counted{t.Context(), n} }

// TestGamesPlayedElsewhereTeachAsMuch trains a learner on the games of another learner.
func TestGamesPlayedElsewhereTeachAsMuch(t *testing.T) {
	l, other := trained(t, "connectFour-5x4", 1, 1), trained(t, "connectFour-5x4", 2, 1)
	before := l.Evaluation()
	for l.Progress().Games < 2500 {
		p := other.Play(steps(t, 20))
		if err := l.Take(p); err != nil {
			t.Fatal(err)
		}
		other.guide.Store(&guide{evaluation: *l.Evaluation()}) // as if from a file
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

func TestOtherThreadsPlayWhatIsLearntFrom(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4)) // on one processor, too, they take turns
	m := gamestest.Machine(t, "connectFour-5x4")
	l := learner(t, m, Config{Seed: 1, ConstantSum: true, Threads: 3})
	own := 0
	ended := l.games.ended
	l.games.ended = func(g *game, lane int) { own++; ended(g, lane) }
	l.Learn(t.Context(), 2000)
	before := l.Evaluation()
	l.Learn(t.Context(), 2000)
	if n := l.Progress().Games; n < 4000 || int64(own) > 3*n/4 {
		t.Errorf("of %d games %d are its own", n, own)
	}
	if s := Duel(t.Context(), m, l.Evaluation(), before, 600, 1); s.Points < -s.Error {
		t.Errorf("%.1f ± %.1f points after learning", s.Points, s.Error)
	}
	l.others[1].made = func(*game, int) { panic("broken") }
	defer func() {
		if recover() == nil {
			t.Error("the panic of another thread is lost")
		}
	}()
	for range 100 {
		l.Learn(t.Context(), 500)
	}
}
