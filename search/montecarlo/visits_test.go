package montecarlo

import (
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The visits of the first moves in fixed searches show how moves are selected. A change of that on purpose changes the
// numbers.
func TestFixedSearchesVisitTheirMoves(t *testing.T) {
	compiled := func(game string) machine.Machine {
		m, err := reasoner.New(t.Context(), gamestest.Rules(t, game), reasoner.Options{Kernel: "portable/64"})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	four, cards := compiled("connectFour"), compiled("goofspiel-6")
	for _, c := range []struct {
		name    string
		machine machine.Machine
		config  Config
		visits  []int64
	}{
		{"UCB", four, Config{}, []int64{2606, 117, 94, 69, 63, 34, 17}},
		{"all moves as first", four, Config{Rave: true}, []int64{2862, 50, 42, 28, 11, 4, 3}},
		{"decoupled UCB", cards, Config{}, []int64{1949, 792, 174, 63, 12, 10}},
		{"regret matching", cards, Config{Rule: RegretMatching}, []int64{1939, 611, 130, 129, 99, 92}},
		{"proved moves", newSubtraction([]string{"left", "right"}, 30), Config{}, []int64{178, 130, 19}},
		{"priors", newSubtraction([]string{"left", "right"}, 30), Config{Evaluator: oracle{new(int)}, Without: Bounds}, []int64{2998, 1, 1}},
	} {
		r, err := New(c.config).Search(t.Context(), c.machine, c.machine.Initial(), search.Limits{MaxNodes: 3_000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var visits []int64
		for _, k := range r.Moves[0] {
			visits = append(visits, k.Visits)
		}
		if !slices.Equal(visits, c.visits) {
			t.Errorf("%s: visits %v, want %v", c.name, visits, c.visits)
		}
	}
}

func TestPrunedMovesAreRankedByTheirLowerBounds(t *testing.T) {
	b := bandit{w: &worker{rng: machine.NewRand(1)}, least: 50}
	for _, c := range []struct {
		move stat
		want float64
	}{
		{stat{lower: 10, upper: 50, visits: 4, sum: 200}, prunedValue + 10},
		{stat{lower: 10, upper: 51, visits: 4, sum: 200}, 50},
		{stat{lower: 10, upper: 51, visits: 4, sum: 300}, 51},
	} {
		if got := b.arm(&c.move).value; got != c.want {
			t.Errorf("%+v: %v, want %v", c.move, got, c.want)
		}
	}
}

func TestBoundsAreRoundedOutwards(t *testing.T) {
	for _, v := range []float64{0.1, 1. / 3, 200. / 3, 25, -0.1} {
		if low, high := atMost(v), atLeast(v); float64(low) > v || float64(high) < v || float64(high-low) > 1e-4 {
			t.Errorf("%v is from %v to %v", v, low, high)
		}
	}
}

func TestLaterVisitsHaveMoreWeightInTheAverageStrategy(t *testing.T) {
	w, stats := &worker{rng: machine.NewRand(1)}, make([]stat, 2)
	*stats[0].regret() = 3
	w.matchRegret(make([]int32, 2), stats, 0)
	first := *stats[0].weight()
	*stats[0].regret(), *stats[1].regret() = 0, 3
	w.matchRegret(make([]int32, 2), stats, 10)
	if later := *stats[1].weight(); first != 3 || later != 23 || *stats[0].weight() != first {
		t.Errorf("weights %v and %v, want 3 of visits 1 and 2, and 23 of visits 11 and 12", first, later)
	}
}

func TestOfEquallySecureMovesTheMostVisitedOneIsChosen(t *testing.T) {
	for want, stats := range [][]stat{
		{{lower: 10, visits: 9}, {lower: 0, visits: 20}},
		{{lower: 10, visits: 5}, {lower: 10, visits: 9}, {lower: 10, visits: 7}},
		{{lower: 10, visits: 5}, {lower: 10, visits: 9}, {lower: 20, visits: 1}},
	} {
		if got := mostSecure(stats); got != want {
			t.Errorf("%+v: move %d, want %d", stats, got, want)
		}
	}
}
