package player

import (
	"context"
	"testing"
	"time"

	"stackmate/reasoner/machine"
)

func TestATrialGivesEachRuleItsOwnSide(t *testing.T) {
	// The row player wins whatever happens, so the rule that has the row gets
	// all the points: UCT with even seeds, regret matching with odd ones.
	m := newShot([][][2]int32{{{100, 0}, {100, 0}}, {{100, 0}, {100, 0}}})
	at := position{machine: m, state: m.Initial()}
	for seed := range uint64(4) {
		points, ok := trial(context.Background(), at, seed)
		if !ok || points[seed&1] != 100 || points[1-seed&1] != 0 {
			t.Errorf("seed %d: points %v, %v; want all for rule %d", seed, points, ok, seed&1)
		}
	}
}

func TestRehearsalKeepsToItsPartOfTheStartClock(t *testing.T) {
	m := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	p := newThinker(Options{Threads: 2, Memory: 64 << 20}, false)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	began := time.Now()
	p.begin(ctx, position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}})
	if ctx.Err() != nil {
		t.Errorf("took %v of a start clock of 1 s", time.Since(began))
	}
}

func TestChanceHasNoSeatInATrial(t *testing.T) {
	got := seats([]string{"a", machine.RandomRole, "b"}, 1)
	if got[0] != 1 || got[1] != -1 || got[2] != 0 {
		t.Errorf("seats %v, want 1 -1 0", got)
	}
}
