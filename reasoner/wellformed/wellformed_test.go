package wellformed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/wellformed"
)

// walk is a game without goals: its role goes from 0 to 2, by one or by two.
const walk = `(role p) (init (at 0)) (succ 0 1) (succ 1 2)
	(<= (legal p one) (true (at ?x)) (succ ?x ?y))
	(<= (legal p two) (true (at ?x)) (succ ?x ?y) (succ ?y ?z))
	(<= (next (at ?y)) (does p one) (true (at ?x)) (succ ?x ?y))
	(<= (next (at ?z)) (does p two) (true (at ?x)) (succ ?x ?y) (succ ?y ?z))
	(<= terminal (true (at 2)))
	`

func simulate(ctx context.Context, t *testing.T, rules string, o wellformed.Options) (*wellformed.Report, error) {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte(rules)))(t)
	m := must.Get(reasoner.New(t.Context(), g, reasoner.Options{}))(t)
	return wellformed.Simulate(ctx, g, m, o)
}

func TestFaultsAreReportedWithTheirPosition(t *testing.T) {
	goal := func(found string) []*wellformed.Fault {
		return []*wellformed.Fault{{
			Kind: "goal", Role: "p", State: []string{"(at 2)"}, Count: 40,
			Message: "expected one goal for p from 0 to 100 in a terminal position, found " + found,
		}}
	}
	for name, test := range map[string]struct {
		rules string
		want  []*wellformed.Fault
	}{
		"no fault":                  {"(goal p 50)", []*wellformed.Fault{}},
		"no goal":                   {"(<= (goal p 1) (true (at 1)))", goal("none")},
		"two goals":                 {"(goal p 50) (<= (goal p 7) (true (at 2)))", goal("50 and 7")},
		"a goal that is no number":  {"(<= (goal p ?v) (worth ?v)) (worth high)", goal("high")},
		"a goal that is too large":  {"(<= (goal p ?v) (worth ?v)) (worth 101)", goal("101")},
		"a goal that is too little": {"(<= (goal p ?v) (worth ?v)) (worth -1)", goal("-1")},
		"base lacks a fluent": {"(goal p 1) (base (at 0)) (base (at 2))", []*wellformed.Fault{{
			Kind: "base", Warning: true, State: []string{"(at 1)"}, Count: 1,
			Message: "expected `base` to list every fluent, it lacks (at 1)",
		}}},
		"base lists too much": {"(goal p 1) (base (at 0)) (base (at 1)) (base (at 2)) (base (at 4)) (base here)", []*wellformed.Fault{{
			Kind: "base", Warning: true, Count: 2,
			Message: "expected `base` to list only reachable terms, found (at 4), which is unreachable",
		}}},
		"input lacks a move": {"(goal p 1) (input p one)", []*wellformed.Fault{{
			Kind: "input", Warning: true, Role: "p", State: []string{"(at 0)"}, Count: 1,
			Message: "expected `input` to list every legal move of p, it lacks two",
		}}},
		"input lists too much": {"(goal p 1) (input p one) (input p two) (input p three)", []*wellformed.Fault{{
			Kind: "input", Warning: true, Role: "p", Count: 1,
			Message: "expected `input` to list only reachable terms, found three, which is unreachable",
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			report := must.Get(simulate(t.Context(), t, walk+test.rules, wellformed.Options{Matches: 40, Seed: 1}))(t)
			if d := cmp.Diff(test.want, report.Faults, cmpopts.IgnoreFields(wellformed.Fault{}, "Moves")); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			if report.Matches != 40 {
				t.Errorf("%d matches", report.Matches)
			}
			for _, f := range report.Faults {
				if want := strings.Join(f.State, "") == "(at 1)"; want && !cmp.Equal(f.Moves, [][]string{{"one"}}) {
					t.Errorf("%v leads to %v", f.Moves, f.State)
				}
			}
		})
	}
}

func TestGrowingTermsAreReportedInBoundedLines(t *testing.T) {
	report, err := simulate(t.Context(), t, `(role p) (init (s 0)) (legal p (go a)) (goal p 0) (<= terminal (true (s 1))) (base (s 0))
		(<= (next (s (+ ?n 1))) (true (s ?n)) (does p (go a)))`, wellformed.Options{Matches: 1, MaxSteps: 300})
	if err != nil || len(report.Faults) == 0 {
		t.Fatal(err, report.Faults)
	}
	for _, f := range report.Faults {
		text := f.String()
		for line := range strings.Lines(text) {
			if len(line) > 600 {
				t.Errorf("a line of %d bytes: %.100s", len(line), line)
			}
		}
		if len(strings.Join(f.State, " ")) > 200 {
			t.Errorf("a state of %d bytes", len(strings.Join(f.State, " ")))
		}
	}
}

func TestARoleWithoutMovesIsReportedWithTheLine(t *testing.T) {
	report, err := simulate(t.Context(), t, `(role p) (role q) (init a) (legal p n) (goal p 0) (goal q 0)
		(<= (legal q (go ?x)) (true ?x) (distinct ?x c)) (<= (next b) (true a)) (<= (next c) (true b))
		(<= terminal (true d)) (<= (next d) (does q d))`, wellformed.Options{Matches: 3})
	if err != nil {
		t.Fatal(err)
	}
	want := []*wellformed.Fault{{
		Kind: "stuck", Role: "q", Count: 3, State: []string{"c"},
		Message: "expected a legal move for q, found none in a position that is not terminal",
		Moves:   [][]string{{"n", "(go a)"}, {"n", "(go b)"}},
	}}
	if d := cmp.Diff(want, report.Faults); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if !report.HasErrors() {
		t.Error("the report has no errors")
	}
}

func TestMatchesThatDoNotEndAreCutOff(t *testing.T) {
	report, err := simulate(t.Context(), t, `(role p) (init a) (legal p n) (goal p 0) (<= (next a) (true a))
		(<= terminal (true d)) (<= (next d) (does p d))`, wellformed.Options{Matches: 2, MaxSteps: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Faults) != 1 || report.Faults[0].Kind != "endless" || len(report.Faults[0].Moves) != 5 {
		t.Errorf("found %v", report.Faults)
	}
}

func TestSimulationStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := simulate(ctx, t, walk+"(goal p 1)", wellformed.Options{Matches: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Rules may give a different goal in every match.
func TestFaultsOfAKindAreBounded(t *testing.T) {
	report, err := simulate(t.Context(), t, `(role p) (init (n z 0)) (bit a) (bit b) (bit c) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
		(<= (legal p ?x) (bit ?x))
		(<= (next (n (cons ?x ?l) ?t)) (does p ?x) (true (n ?l ?s)) (succ ?s ?t))
		(<= terminal (true (n ?l 4))) (<= (goal p ?l) (true (n ?l ?s)))`, wellformed.Options{Matches: 500, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, f := range report.Faults {
		total += f.Count
	}
	if len(report.Faults) > 25 || total != 500 || !report.HasErrors() {
		t.Errorf("%d distinct faults, %d occurrences in 500 matches", len(report.Faults), total)
	}
}

// Rules may list more terms in base than fit into memory or time.
func TestReadingDeclarationsStopsWithTheContext(t *testing.T) {
	var b strings.Builder
	b.WriteString(walk + "(goal p 1) (digit 0)")
	for d := range 9 {
		fmt.Fprintf(&b, "(digit %d)", d+1)
	}
	b.WriteString("(<= (base (at ?a ?b ?c ?d ?e ?f ?g ?h)) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (digit ?g) (digit ?h))")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := simulate(ctx, t, b.String(), wellformed.Options{Matches: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}
