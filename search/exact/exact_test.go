package exact_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
)

func TestAnotherSumOfGoalsIsAnError(t *testing.T) {
	p := exact.Payoff{First: 1, Other: 0}
	if got := p.Values(3, search.Interval{Lower: 30, Upper: 40}); got[0] != search.GoalRange || got[1] != (search.Interval{Lower: 30, Upper: 40}) || got[2] != (search.Interval{}) {
		t.Errorf("before the first end: %v", got)
	}
	if v, err := p.Of([]int32{20, 70}); v != 70 || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	if got := p.Values(2, search.Interval{Lower: 30, Upper: 40}); got[0] != (search.Interval{Lower: 50, Upper: 60}) {
		t.Errorf("with the sum 90: %v", got)
	}
	if _, err := p.Of([]int32{0, 90}); err != nil {
		t.Error(err)
	}
	if _, err := p.Of([]int32{20, 71}); !errors.Is(err, search.ErrNotZeroSum) || !strings.HasSuffix(err.Error(), "add up to 91, of another to 90") {
		t.Errorf("sum 91 after 90: %v", err)
	}
	if err := p.Sum.Merge(0); err != nil || p.Sum.Code() != 91 {
		t.Errorf("an unknown sum merged: %v, code %d", err, p.Sum.Code())
	}
	alone := exact.Payoff{First: 0, Other: machine.NoRole}
	if _, err := alone.Of([]int32{101}); err == nil {
		t.Error("no error for a goal out of range")
	}
	if v, err := alone.Of([]int32{100}); v != 100 || err != nil {
		t.Errorf("the greatest goal: %v, %v", v, err)
	}
}

func TestTheOtherPlayerHasTheRestOfAProvedEnd(t *testing.T) {
	for _, c := range []struct {
		sum     int64
		v, want search.Interval
	}{
		{100, search.Interval{Lower: 0, Upper: 60}, search.Interval{Lower: 40, Upper: 100}},
		{150, search.Interval{Lower: 70, Upper: 80}, search.Interval{Lower: 70, Upper: 80}},
		{150, search.Interval{Lower: 70, Upper: 100}, search.Interval{Lower: 0, Upper: 80}},
		{150, search.Exact(100), search.Exact(50)},
		{40, search.Interval{Lower: 0, Upper: 30}, search.Interval{Lower: 10, Upper: 100}},
		{40, search.Exact(0), search.Exact(40)},
	} {
		p := exact.Payoff{First: 0, Other: 1}
		if err := p.Sum.Observe(c.sum); err != nil {
			t.Fatal(err)
		}
		if got := p.Values(2, c.v); got[0] != c.v || got[1] != c.want {
			t.Errorf("sum %d, %v for the first player: %v, want %v for the other", c.sum, c.v, got, c.want)
		}
	}
}

func TestARandomGameShowsTheSumOfTheGoals(t *testing.T) {
	for _, sum := range []int32{0, 60} {
		tree := toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{{Moves: []int{1, 1}, Kids: []int{1}}, {Goals: []int32{sum / 3, sum - sum/3}}}}
		p := exact.Payoff{First: 0, Other: 1}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.Find(over, tree.Machine()); err != nil {
			t.Error(err)
		}
		if got, ok := p.Sum.Known(); ok {
			t.Errorf("without time: sum %g", got)
		}
		if err := p.Find(t.Context(), tree.Machine()); err != nil {
			t.Error(err)
		}
		if got, ok := p.Sum.Known(); !ok || got != float64(sum) {
			t.Errorf("sum %g (%t), want %d", got, ok, sum)
		}
	}
}

// TestTheWindowOfAChildDecidesTheMean checks the theorem of Window on random bounds.
func TestTheWindowOfAChildDecidesTheMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := 2 + rng.IntN(4)
		var mean, child search.Interval
		for range n {
			lower := 100 * rng.Float64()
			child = search.Interval{Lower: lower, Upper: lower + (100-lower)*rng.Float64()}
			mean.Lower, mean.Upper = mean.Lower+child.Lower/float64(n), mean.Upper+child.Upper/float64(n)
		}
		alpha, beta := 100*rng.Float64(), 100*rng.Float64()
		a, b := exact.Window(alpha, beta, mean, child, n)
		if got := mean.Upper + (a-child.Upper)/float64(n); math.Abs(got-alpha) > 1e-9 {
			t.Fatalf("a child worth %g leaves a mean of at most %g, want %g", a, got, alpha)
		}
		if got := mean.Lower + (b-child.Lower)/float64(n); math.Abs(got-beta) > 1e-9 {
			t.Fatalf("a child worth %g leaves a mean of at least %g, want %g", b, got, beta)
		}
	}
}

func TestValuesLieOnAGridThatHasTheGoals(t *testing.T) {
	const grid = 1. / (1 << 30)
	for v, want := range map[float64]float64{100: 100, 100. / 3: 35791394133 * grid, grid * 1.4: grid, -grid * 0.6: -grid} {
		if got := exact.Snap(v); got != want {
			t.Errorf("%g is rounded to %g, want %g", v, got, want)
		}
	}
}

func TestTheBestMoveOfAnEarlierSearchIsFirst(t *testing.T) {
	for first, want := range [][4]int{{0, 1, 2, 3}, {1, 0, 2, 3}, {2, 0, 1, 3}, {3, 0, 1, 2}} {
		for k := range want {
			if got := exact.Fronted(k, first); got != want[k] {
				t.Errorf("number %d with %d in front: %d, want %d", k, first, got, want[k])
			}
		}
	}
}
