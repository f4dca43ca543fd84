package player

import (
	"context"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/search/evaluate"
)

// trialOf holds a trial of estimates against playouts in breakthrough, with the given time, and a number of leaves for each move.
func trialOf(t *testing.T, e *evaluate.Evaluation, clock time.Duration, leaves float64) bool {
	t.Helper()
	m := gamestest.Machine(t, "breakthrough-5x5")
	p := onOneThread(3, 1<<30, exactSearch)
	p.clock = 640 * time.Millisecond
	p.prepare(t.Context(), position{machine: m, state: m.Initial()})
	p.class.StatesPerSecond *= leaves / p.leaves(scaled(trialPart, p.clock))
	return p.winsTrial(t.Context(), alone(e), clock)
}

func TestEstimatesThatMisleadLoseToPlayouts(t *testing.T) {
	exhaustive.Only(t, "takes four seconds")
	m := gamestest.Machine(t, "breakthrough-5x5")
	nothing := learnerOf(t, m, nil, 1).Evaluation()
	if trialOf(t, nothing, time.Minute, 2*leastTrialLeaves) {
		t.Error("what was learnt from one game beats playouts")
	}
	if !trialOf(t, nothing, time.Millisecond, 2*leastTrialLeaves) || !trialOf(t, nothing, time.Minute, leastTrialLeaves/2) {
		t.Error("estimates are given up without a trial")
	}
	if !trialOf(t, learntOf(t, m, 20_000), time.Minute, 2*leastTrialLeaves) {
		t.Error("what was learnt from 20 000 games loses to playouts")
	}
}

func TestWhatLosesItsTrialIsNotUsed(t *testing.T) {
	m := gamestest.Machine(t, "breakthrough-4x4")
	for _, wins := range []bool{true, false} {
		p := onOneThread(0, 64<<20, exactSearch, rave)
		learnt, tried := 0, 0
		p.runLearner = func(l *evaluate.Learner, _ context.Context, _ int64) {
			learnt++
			l.Learn(t.Context(), 3000)
		}
		p.beatsPlayouts = func(_ *thinker, _ context.Context, a approach, clock time.Duration) bool {
			if tried++; a.evaluator == nil || clock > 15*time.Second {
				t.Errorf("a trial of %+v in %v of a minute", a, clock)
			}
			return wins
		}
		p.prepare(ctxOf(t, time.Minute), position{machine: m, state: m.Initial()})
		a := p.study(ctxOf(t, time.Minute))
		if used := a.evaluator != nil; used != wins || tried != 1 || learnt != 1 {
			t.Errorf("won %v: used %v, %d trials, learnt %d times", wins, used, tried, learnt)
		}
	}
}
