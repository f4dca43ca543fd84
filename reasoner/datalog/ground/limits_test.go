package ground

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
)

func TestLimitsAreNamedWithTheRuleThatExplodes(t *testing.T) {
	for name, lim := range map[string]datalog.Limits{
		"tuples": {MaxTuples: 1000}, "possible atoms": {MaxAtoms: 1000}, "bytes": {MaxBytes: 1 << 16},
	} {
		t.Run(name, func(t *testing.T) {
			g := gametest.Load(t, "explosive.kif", gametest.Explosive)
			_, err := New(context.Background(), g, lim)
			gametest.CheckLimit(t, err, name)
		})
	}
	t.Run("rule instances", func(t *testing.T) {
		g := gametest.Load(t, "explosive.kif", strings.ReplaceAll(gametest.Explosive, " (digit ?f)", "(true (n ?f))"))
		_, err := New(context.Background(), g, datalog.Limits{MaxInstances: 1000})
		gametest.CheckLimit(t, err, "rule instances")
	})
}

func TestTermsThatGrowAreNoGroundProgram(t *testing.T) {
	g := gametest.Load(t, "terms.kif", gametest.Growing)
	if _, err := New(context.Background(), g, datalog.Limits{}); !errors.Is(err, datalog.ErrLimit) || !strings.Contains(err.Error(), "function terms") {
		t.Errorf("error is %v, want that there are too many function terms", err)
	}
}

func TestGroundingStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := gametest.Load(t, "explosive.kif", gametest.Explosive)
	if _, err := New(ctx, g, datalog.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}

// shapes returns a game whose fluents have 20 functors, with a rule of the given body.
func shapes(t *testing.T, body string) *gdl.Game {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "(init (f%d a)) (<= (next (f%d ?x)) (true (f%d ?x)))\n", i, i, i)
	}
	return gametest.Load(t, "shapes.kif", b.String()+"(role x) (legal x a) (goal x 100) (<= terminal (true (f0 b)) many) (other (g a))\n(<= many "+body+")")
}

func TestARuleOfTooManyCombinationsOfFunctionTermsIsNamed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := New(ctx, shapes(t, "(true ?a) (true ?b) (true ?c) (true ?d) (true ?e) (distinct ?a ?b)"), datalog.Limits{})
	if !errors.Is(err, datalog.ErrLimit) || !strings.Contains(err.Error(), "shapes.kif:22:1") {
		t.Errorf("error is %v, want a limit and the rule of many", err)
	}
}

// A variable without possible terms leaves no combination, however many the variables before it have.
func TestARuleThatNeverHoldsHasNoCombinations(t *testing.T) {
	if _, err := New(t.Context(), shapes(t, "(true ?a) (true ?b) (true ?c) (true ?d) (true ?e) (true ?f) (true ?g) (true ?h) (true ?i) (other ?i)"), datalog.Limits{}); err != nil {
		t.Error(err)
	}
}
