package threads

import (
	"errors"
	"testing"
)

func TestWhoeverIsFirstEndsTheWorkOfAll(t *testing.T) {
	var c Crew
	for winner := range 3 {
		first := c.Together(3, func(i int) (bool, error) {
			if c.Join(); i > 2 {
				t.Errorf("worker %d of three", i)
			}
			for i != winner && !c.IsOver() {
			}
			return i == winner, nil
		}, func(i int, err error) { t.Errorf("worker %d: %v", i, err) })
		if first != winner {
			t.Errorf("worker %d was first, want %d", first, winner)
		}
	}
}

func TestOthersBeginWhenTheyAreAskedTo(t *testing.T) {
	var c Crew
	if first := c.Together(2, func(i int) (bool, error) { return i > 0, nil }, nil); first != -1 {
		t.Errorf("worker %d was first, though nobody joined and worker 0 completed nothing", first)
	}
}

func TestAWorkerThatFailsEndsTheWorkOfAll(t *testing.T) {
	var c Crew
	fault := errors.New("fault")
	var failed error
	first := c.Together(2, func(i int) (bool, error) {
		c.Join()
		if i == 1 {
			panic(fault)
		}
		for !c.IsOver() {
		}
		return false, nil
	}, func(i int, err error) { failed = err })
	if first != -1 || !errors.Is(failed, fault) {
		t.Errorf("worker %d was first, error %v", first, failed)
	}
}

func TestBusyTellsWhereWorkersAre(t *testing.T) {
	var b Busy
	const one, other = 77, 77 + 1<<20
	if b.Enter(one); !b.Has(one) || b.Has(other) {
		t.Error("the position entered is not told, or another one is")
	}
	b.Leave(other)
	if !b.Has(one) {
		t.Error("a position was left that nobody is in, and another one is forgotten")
	}
	if b.Leave(one); b.Has(one) {
		t.Error("a position that was left is told")
	}
}
