package player

import (
	"testing"
	"testing/synctest"
	"time"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/factor"
)

func TestAPortionIsAShareAndABound(t *testing.T) {
	for _, c := range []struct {
		portion    portion
		left, want time.Duration
	}{
		{portion{0.1, 2 * time.Second}, 10 * time.Second, time.Second},
		{portion{0.1, 2 * time.Second}, time.Minute, 2 * time.Second},
		{portion{share: 0.5}, time.Hour, 30 * time.Minute},
	} {
		if got := c.portion.of(c.left); got != c.want {
			t.Errorf("%+v of %v: %v, want %v", c.portion, c.left, got, c.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := factTime.begin(ctxOf(t, 8*time.Second))
		defer cancel()
		if left := timeLeft(ctx, time.Now()); left != time.Second {
			t.Errorf("an eighth of eight seconds is %v", left)
		}
	})
}

// BenchmarkFacts reports the processor time of the searches for facts in a start clock, in milliseconds.
func BenchmarkFacts(b *testing.B) {
	for _, game := range []string{
		"breakthrough", "connectFour", "reversi", "checkers", "gomoku_15x15", "hex.kif", "chess", "amazons_8x8", "connectFourSimultaneous", "chinook",
		"nineBoardTicTacToe", "quarto", "linesOfAction", "skirmishNew", "dotsAndBoxesSuicide", "speedChess",
	} {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			turns := onOneThread(0, 1<<30)
			turns.prepare(b.Context(), position{machine: m, state: m.Initial()})
			for name, find := range map[string]func(m machine.Machine){
				"sum":      func(m machine.Machine) { facts.ProvedGoalSum(b.Context(), m) },
				"decisive": func(m machine.Machine) { facts.Decisive(b.Context(), m, !turns.class.InTurns()) },
				"subgames": func(m machine.Machine) { factor.Subgames(b.Context(), m, 0) },
				"signals":  func(m machine.Machine) { facts.SignalsOf(b.Context(), m) },
			} {
				m := newReferee(b, game).machine
				began := cputime.Now()
				find(m)
				b.ReportMetric(float64((cputime.Now() - began).Milliseconds()), name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
