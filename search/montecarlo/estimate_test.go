package montecarlo

import (
	"math"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// oracle returns true values of positions of subtraction, and counts its calls.
type oracle struct{ asked *int }

func (o oracle) Values(dst []float64, states []uint64) {
	*o.asked += len(states)
	for i, q := range states {
		v := 0.0
		if left, turn := q/2, q%2; (left%4 != 0) == (turn == 0) {
			v = 100
		}
		dst[2*i], dst[2*i+1] = v, 100-v
	}
}

func TestEstimatesGuideTheSearch(t *testing.T) {
	for _, c := range []Config{{}, {Without: Priors}, {Alone: true}, {Alone: true, Without: Priors}} {
		var asked int
		m := newSubtraction([]string{"left", "right"}, 101)
		c.Evaluator, c.Without = oracle{&asked}, c.Without|Bounds
		r := sample(t, c, m, 200)
		// Leaving a multiple of four wins.
		if move := r.Strategies[0][0].Move; m.Names().MoveText(0, move) != "(take 1)" {
			t.Errorf("%+v: takes %s of 101 counters", c, m.Names().MoveText(0, move))
		}
		if asked == 0 {
			t.Errorf("%+v: no position was estimated", c)
		}
		if most := r.Nodes + 2*firstLeaves; c.estimatesAlone() && r.Playouts > most {
			t.Errorf("%+v: %d playouts and estimates of %d leaves", c, r.Playouts, r.Nodes)
		}
	}
}

func TestWrongEstimatesDoNotStandAgainstProofs(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 7)
	r := sample(t, Config{Evaluator: liar{}}, m, 20_000)
	if !r.Solved() || r.Values[0] != search.Exact(100) {
		t.Errorf("values %v", r.Values)
	}
}

// liar takes every position for won by the second player.
type liar struct{}

func (liar) Values(dst []float64, _ []uint64) {
	for i := range dst {
		dst[i] = float64(100 * (i & 1))
	}
}

func TestAnEvaluationCountsForTheDefaultNumberOfPlayouts(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 60)
	goals := func(c Config) []float64 {
		p := newPlayouts(m, &c, 2*DefaultPlayouts, machine.NewRand(1), 1<<30)
		p.ctx, p.check, p.played = t.Context(), func([]int32) {}, true
		leaves := newLeaves(1, m)
		copy(leaves[0].from, m.Initial())
		moves := make([][]machine.Move, p.roles)
		p.legal(moves, m.Initial())
		for r, legal := range moves {
			leaves[0].joint[r] = legal[0]
		}
		p.run(leaves)
		return leaves[0].goals
	}
	played := goals(Config{})
	for _, c := range []struct {
		alone bool
		share float64 // of the evaluation, beside twice the default number
	}{{false, 1. / 3}, {true, 1}} {
		for r, got := range goals(Config{Evaluator: liar{}, Alone: c.alone, Without: Priors}) {
			if want := (1-c.share)*played[r] + c.share*float64(100*r); math.Abs(got-want) > 1e-9 {
				t.Errorf("alone %v: role %d gets %g, want %g", c.alone, r, got, want)
			}
		}
	}
}
