package player

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

func TestASparingSearchRestsMostOfTheTimeAndEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		s, worked := newSparing(ctx, 0.25), time.Duration(0)
		for s.Err() == nil {
			time.Sleep(time.Millisecond)
			worked += time.Millisecond
		}
		if took := time.Since(began); took > time.Second+time.Millisecond {
			t.Errorf("it ends after %v, want a second and what it does at once", took)
		}
		if worked < 240*time.Millisecond || worked > 260*time.Millisecond {
			t.Errorf("it works for %v of a second, want a quarter", worked)
		}
	})
}

func TestTheExactSearchWorksLessWhileItFindsNothing(t *testing.T) {
	p := newThinker(setting{threads: 1, memory: &memory{total: 64 << 20}, margins: NewMargins(0, 0)})
	p.worthwhile(new(root))
	if p.exactWork != 0.5 {
		t.Errorf("works %v of the time after one move without help, want half", p.exactWork)
	}
	for range 9 {
		p.worthwhile(new(root))
	}
	if p.exactWork != leastWork {
		t.Errorf("works %v of the time after ten, want %v", p.exactWork, leastWork)
	}
	m := newSubtraction(9)
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{1, 2, 3}}
	open, lost := search.Interval{Lower: 0, Upper: 100}, search.Exact(0)
	solved := pure(1, search.Exact(0), true)
	for name, found := range map[string]*search.Result{
		"refuted a move":    moves(pure(1, open, true), bounded(lost, open, open)),
		"solved a position": &solved,
	} {
		r := newRoot(at)
		r.note(found)
		p.exactWork = leastWork
		if p.worthwhile(r); p.exactWork != 1 {
			t.Errorf("works %v of the time when it has %s, want all", p.exactWork, name)
		}
	}
}

func TestTheSamplingSearchHasAllThreadsWhereTheExactOneSharesThem(t *testing.T) {
	for want, without := range map[int][]string{2: nil, 1: {sharing}} {
		p := newThinker(setting{
			threads: 2, without: without, log: zerolog.Nop(), memory: &memory{total: 64 << 20, compiled: closed}, margins: NewMargins(0, 0),
		})
		m := newSubtraction(60)
		if p.prepare(t.Context(), position{machine: m, state: m.Initial()}); len(p.exact) == 0 {
			t.Fatal("no exact search")
		}
		if got := p.samplingThreads(); got != want {
			t.Errorf("without %v: samples on %d of 2 threads, want %d", without, got, want)
		}
	}
}
