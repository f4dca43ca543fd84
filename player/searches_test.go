package player

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// judge is an exact search that has proved a value of every position: own at the root, by move 1, and values below it in
// the order in which they are asked for.
type judge struct {
	root   machine.State
	own    float64
	values []float64
	asked  int
}

func (j *judge) Search(_ context.Context, _ machine.Machine, q machine.State, _ search.Limits) (search.Result, error) {
	if q.Equal(j.root) {
		return pure(1, search.Exact(j.own), true), nil
	}
	v := j.values[j.asked]
	j.asked++
	return pure(1, search.Exact(v), true), nil
}

func TestAfterAProvedValueTheOtherMovesAreJudgedToo(t *testing.T) {
	for name, c := range map[string]struct {
		own    float64
		values []float64 // after moves 2 and 3
		asked  int
		move   string // samples prefer move 2
	}{
		"another move is as good":       {50, []float64{50, 0}, 2, "(take 2)"},
		"another move is worse":         {50, []float64{30, 50}, 2, "(take 1)"},
		"nothing is better than best":   {100, nil, 0, "(take 1)"},
		"all moves are worth the worst": {0, nil, 0, "(take 2)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newSubtraction(9)
				j := &judge{root: m.Initial(), own: c.own, values: c.values}
				p := seated(t, m, &patient{result: pure(2, search.Exact(60), false)}, j)
				if move := playTurn(t, p, time.Second); move != c.move || j.asked != c.asked {
					t.Errorf("plays %s after judging %d other moves, want %s after %d", move, j.asked, c.move, c.asked)
				}
			})
		})
	}
}
