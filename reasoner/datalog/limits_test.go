package datalog

import (
	"context"
	"errors"
	"strings"
	"testing"

	"stackmate/internal/must"
)

// explosive has a rule with a million instances that no split can avoid.
const explosive = `
(role r) (init (n 1)) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4)
(digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(<= (legal r (say ?a ?b ?c ?d ?e ?f))
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f)
    (true (n ?n)))
(<= (next (n 1)) (true (n 1)))
(goal r 0)
terminal
`

func TestLimitsAreNamedWithTheRuleThatExplodes(t *testing.T) {
	for name, lim := range map[string]Limits{
		"tuples": {MaxTuples: 1000}, "possible atoms": {MaxAtoms: 1000}, "bytes": {MaxBytes: 1 << 16},
	} {
		t.Run(name, func(t *testing.T) {
			g := load(t, "explosive.kif", explosive)
			_, err := Ground(context.Background(), g, lim)
			checkLimit(t, err, name)
			_, err = NewMachine(context.Background(), g, lim)
			checkLimit(t, err, name)
		})
	}
	t.Run("rule instances", func(t *testing.T) {
		g := load(t, "explosive.kif", strings.ReplaceAll(explosive, " (digit ?f)", "(true (n ?f))"))
		_, err := Ground(context.Background(), g, Limits{MaxInstances: 1000})
		checkLimit(t, err, "rule instances")
	})
}

func TestTermsThatGrowAreNoGroundProgram(t *testing.T) {
	g := load(t, "terms.kif", `(role r) (init (at nil)) (item a) (item b) (goal r 0)
		(<= (legal r (take ?x)) (item ?x)) (<= terminal (true (at (list a (list b (list a nil))))))
		(<= (next (at (list ?x ?tail))) (does r (take ?x)) (true (at ?tail)))`)
	if _, err := Ground(context.Background(), g, Limits{}); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "function terms") {
		t.Errorf("error is %v, want that there are too many function terms", err)
	}
	if _, err := NewMachine(context.Background(), g, Limits{}); err != nil {
		t.Errorf("the machine: %v", err)
	}
}

func checkLimit(t *testing.T, err error, what string) {
	t.Helper()
	if !errors.Is(err, ErrLimit) {
		t.Fatalf("error is %v, want a limit", err)
	}
	for _, part := range []string{what, "legal", "explosive.kif:4:1"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q does not mention %q", err, part)
		}
	}
}

func TestGroundingStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := load(t, "explosive.kif", explosive)
	if _, err := Ground(ctx, g, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Ground: error is %v, want %v", err, context.Canceled)
	}
	if _, err := NewMachine(ctx, g, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("NewMachine: error is %v, want %v", err, context.Canceled)
	}
}

func TestOnlyPositionsWithinTheMemoryHaveMoves(t *testing.T) {
	const src = `(role r) (init (n 0)) (succ 0 1) (succ 1 2) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4)
		(<= (legal r (say ?a ?b ?c ?d ?e ?f)) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (true (n 1)))
		(legal r wait) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (goal r 0) (<= terminal (true (n 2)))`
	m := must.Get(NewMachine(context.Background(), load(t, "src.kif", src), Limits{MaxTuples: 1000}))(t)
	b := m.NewBatch()
	for range 2 {
		b.Fill(m.Initial(), nil)
		if b.Evaluate(1); b.Terminal()[0]&1 != 0 || b.Stuck()[0]&1 != 0 {
			t.Fatal("the initial position has no moves")
		}
		b.Choose(0, 0, b.AppendLegal(nil, 0, 0)[0])
		b.Advance(1)
		if b.Evaluate(1); b.Terminal()[0]&1 != 0 || b.Stuck()[0]&1 == 0 {
			t.Error("15 625 moves are found within 1 000 tuples")
		}
	}
}
