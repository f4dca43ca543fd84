package arena

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
)

// quadratic returns a tuning of two parameters whose best values are 30 and 0.2.
func quadratic(iterations, pairs int) *Tournament {
	return &Tournament{
		Games: []Game{{"x", 2}}, Players: []string{"p:threads=1", "p:threads=1-2"}, Rounds: iterations * pairs, Seed: 3,
		Tuning: &Tuning{
			Parameters: []Parameter{{Name: "a", Start: 80, Low: 0, High: 100}, {Name: "b", Start: 0.9, Low: 0, High: 1}},
			Pairs:      pairs, Perturbation: DefaultPerturbation, Step: DefaultStep,
		},
	}
}

// strength of a description, in Elo.
func strength(t *testing.T, description string) float64 {
	t.Helper()
	values := make(map[string]float64)
	rest, ok := strings.CutPrefix(description, "p:threads=1,")
	for option := range strings.SplitSeq(rest, ",") {
		name, text, _ := strings.Cut(option, "=")
		value, err := strconv.ParseFloat(text, 64)
		if values[name] = value; !ok || err != nil {
			t.Fatalf("the description %s: %v", description, err)
		}
	}
	x, y := (values["a"]-30)/100, values["b"]-0.2
	return -1200 * (x*x + y*y)
}

// play holds the matches of a tuning up to a number, each of them won or lost at random as the
// strengths of the two sides say.
func playTuning(t *testing.T, plan *Tournament, rng *machine.Rand, l *Ledger, until int) {
	t.Helper()
	for f := range plan.Fixtures() {
		if f.Number >= until {
			return
		}
		if f.Number >= l.Open() {
			t.Fatalf("match %d is held before the iteration before it is over", f.Number)
		}
		sides := l.Descriptions()
		first, second := sides[f.Players[0]], sides[f.Players[1]]
		goal := 0
		if rng.Float64() < expectedScore(strength(t, first)-strength(t, second)) {
			goal = 100
		}
		l.Add(f.Number, Result{
			Game: "x", Players: []string{first, second}, Goals: []int{goal, 100 - goal},
			Errors: []int{0, 0}, Late: []int{0, 0}, Illegal: []int{0, 0}, Failed: []int{0, 0},
		})
	}
}

func TestTuningFindsTheTopOfANoisyQuadratic(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	for seed := range uint64(10) {
		plan := quadratic(500, 4)
		plan.Seed = seed * 1000
		must.OK(t, plan.Check())
		l := NewLedger(plan)
		playTuning(t, plan, machine.NewRand(seed), l, math.MaxInt)
		c := l.Ranking().Tuning
		if len(c.Course) != 501 || len(c.Scores) != 500 || c.Iterations != 500 {
			t.Fatalf("%d points and %d scores of %d iterations", len(c.Course), len(c.Scores), c.Iterations)
		}
		// It begins 888 Elo below the top. 40 Elo are 18 % of the way left.
		if left := -strength(t, c.Player); left > 40 {
			t.Errorf("seed %d: %s is %.0f Elo below the top", seed, c.Player, left)
		}
	}
}

func TestTuningGoesOnWhereItWas(t *testing.T) {
	plan := quadratic(20, 3)
	whole := NewLedger(plan)
	playTuning(t, plan, machine.NewRand(1), whole, math.MaxInt)
	// The results of the first part, counted again, in another order within each iteration.
	again := NewLedger(plan)
	for i := range 20 {
		for n := 6*i + 5; n >= 6*i; n-- {
			again.Add(n, whole.results[n])
		}
	}
	if diff := cmp.Diff(whole.Ranking().Tuning.Course, again.Ranking().Tuning.Course); diff != "" {
		t.Errorf("(-at once +again):\n%s", diff)
	}
}

func TestParametersStayWithinTheirBounds(t *testing.T) {
	plan := quadratic(50, 1)
	plan.Tuning.Step, plan.Tuning.Parameters[1].Integer, plan.Tuning.Parameters[1].High = 1, true, 9
	l := NewLedger(plan)
	for f := range plan.Fixtures() { // the higher a wins
		goal, sides := 0, l.Descriptions()
		var a [2]float64
		var b [2]int
		for i, p := range f.Players {
			if _, err := fmt.Sscanf(sides[p], "p:threads=1,a=%g,b=%d", &a[i], &b[i]); err != nil || a[i] < 0 || a[i] > 100 || b[i] < 0 || b[i] > 9 {
				t.Fatalf("%s: %v", sides[p], err)
			}
		}
		if a[0] > a[1] {
			goal = 100
		}
		l.Add(f.Number, duel("x", "y", goal))
	}
	if course := l.Ranking().Tuning.Course; course[50][0] < 95 {
		t.Errorf("a is %v in the end", course[50][0])
	}
}

func TestATuningThatMakesNoSenseIsExplained(t *testing.T) {
	for want, spoil := range map[string]func(*Tournament){
		"at least one parameter": func(p *Tournament) { p.Tuning.Parameters = nil },
		"a pair of matches":      func(p *Tournament) { p.Tuning.Pairs = 0 },
		"in 2001 rounds":         func(p *Tournament) { p.Rounds = 2001 },
		"a perturbation of up":   func(p *Tournament) { p.Tuning.Perturbation = math.NaN() },
		"a step of up":           func(p *Tournament) { p.Tuning.Step = 0 },
		"the start of a":         func(p *Tournament) { p.Tuning.Parameters[0].Start = 101 },
		"a is given twice":       func(p *Tournament) { p.Tuning.Parameters[1].Name = "a" },
		"low < high":             func(p *Tournament) { p.Tuning.Parameters[1].High = math.Inf(1) },
		"not both":               func(p *Tournament) { p.Test = &SPRT{0, 5, 0.05, 0.05} },
		"needs two players":      func(p *Tournament) { p.Players = append(p.Players, "c") },
	} {
		plan := quadratic(500, 4)
		spoil(plan)
		if err := plan.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
