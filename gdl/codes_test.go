package gdl_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/gdl"
)

var update = flag.Bool("update", false, "write the generated files anew")

// frame makes a whole game of the examples in the table of codes.
const frame = `
(role p)
(base (cell 1 1))
(input p n)
(init (cell 1 1))
(<= (next (cell ?x ?y)) (true (cell ?x ?y)))
(legal p n)
(goal p 50)
(<= terminal (true (cell 1 1)))
`

// example is a table entry's text as a whole game.
func example(c gdl.Code, text string) string {
	if c.Whole {
		return text
	}
	return text + "\n" + frame
}

func codesOf(ds gdl.Diagnostics) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Code)
	}
	return out
}

func TestEveryCodeIsFoundInItsExampleAndGoneFromTheRepairedOne(t *testing.T) {
	for _, c := range gdl.Codes() {
		t.Run(c.ID, func(t *testing.T) {
			_, bad, err := gdl.Load(t.Context(), "bad", []byte(example(c, c.Bad)))
			if !slices.Contains(codesOf(bad), c.ID) {
				t.Errorf("the example has %v", bad)
			}
			if want := c.ID[0] == 'E'; (err != nil) != want {
				t.Errorf("the example is invalid: %t, want %t: %v", err != nil, want, err)
			}
			_, good, err := gdl.Load(t.Context(), "good", []byte(example(c, c.Good)))
			if err != nil {
				t.Errorf("the repaired example is invalid: %v", err)
			}
			if slices.Contains(codesOf(good), c.ID) {
				t.Errorf("the repaired example has %v", good)
			}
		})
	}
}

func TestTheFrameOfTheExamplesHasNoFinding(t *testing.T) {
	if _, found, _ := gdl.Load(t.Context(), "frame", []byte(frame)); len(found) > 0 {
		t.Error(found)
	}
}

func TestCodesAreDistinctAndComplete(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range gdl.Codes() {
		if seen[c.ID] {
			t.Errorf("%s occurs twice", c.ID)
		}
		seen[c.ID] = true
		if c.Title == "" || c.Explain == "" || c.Hint == "" || c.Bad == "" || c.Good == "" {
			t.Errorf("%s is not complete", c.ID)
		}
	}
}

// page is the documentation of all codes.
func page() string {
	var b strings.Builder
	b.WriteString("# What the checker finds\n\n")
	b.WriteString("Generated from the table in `codes.go` and `warnings.go`; do not edit. Codes with `E` make a rulesheet " +
		"invalid, codes with `W` do not. Where an example is a part of a game, it is checked together with these rules:\n\n")
	fmt.Fprintf(&b, "```\n%s\n```\n", strings.TrimSpace(frame))
	for _, c := range gdl.Codes() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n\nRepair: %s.\n", c.ID, c.Title, c.Explain, c.Hint)
		if len(c.Bad) < 1000 {
			fmt.Fprintf(&b, "\n```\n%s\n```\n\nbecomes\n\n```\n%s\n```\n", c.Bad, c.Good)
		}
	}
	return b.String()
}

func TestDiagnosticsPageIsCurrent(t *testing.T) {
	const file = "DIAGNOSTICS.md"
	if *update {
		if err := os.WriteFile(file, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	current, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(page(), string(current)); d != "" {
		t.Errorf("%s is out of date; run go generate (-want +got):\n%s", file, d)
	}
}
