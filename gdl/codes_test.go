package gdl_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/gdl"
	"stackmate/internal/must"
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

// code is a section of codes.txt.
type code struct {
	id, title, explain, hint, bad, good string
	whole                               bool // the examples are whole games, not parts of one
}

// codes reads codes.txt.
func codes(t *testing.T) []code {
	t.Helper()
	text := must.Get(os.ReadFile("codes.txt"))(t)
	section := regexp.MustCompile(`(?s)^(\w+)( \(whole\))? (.+?)\n(.+)\n-- repair: (.+?)\n-- bad\n(.+)\n-- good\n(.+)$`)
	var list []code
	for _, s := range strings.Split(strings.TrimSpace(string(text)), "\n# ")[1:] {
		m := section.FindStringSubmatch(strings.TrimSpace(s))
		if m == nil {
			t.Fatalf("expected a code with all its parts, found %s", s)
		}
		list = append(list, code{
			id: m[1], title: m[3], explain: strings.ReplaceAll(m[4], "\n", " "), hint: m[5],
			bad: repeated(m[6]), good: repeated(m[7]), whole: m[2] != "",
		})
	}
	return list
}

// repeated returns a text with {3 part} written out three times, the innermost first, and with the bytes of {byte f6}.
func repeated(text string) string {
	text = regexp.MustCompile(`\{byte ..\}`).ReplaceAllStringFunc(text, func(s string) string {
		b, _ := strconv.ParseUint(s[len("{byte "):len(s)-1], 16, 8)
		return string([]byte{byte(b)})
	})
	inner := regexp.MustCompile(`\{(\d+) ([^{}]*)\}`)
	for inner.MatchString(text) {
		text = inner.ReplaceAllStringFunc(text, func(s string) string {
			m := inner.FindStringSubmatch(s)
			n, _ := strconv.Atoi(m[1])
			return strings.Repeat(m[2], n)
		})
	}
	return text
}

// example returns an example as a whole game.
func example(c code, text string) string {
	if c.whole {
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
	for _, c := range codes(t) {
		t.Run(c.id, func(t *testing.T) {
			_, bad, err := gdl.Load(t.Context(), "bad", []byte(example(c, c.bad)))
			if !slices.Contains(codesOf(bad), c.id) {
				t.Errorf("the example has %v", bad)
			}
			if want := c.id[0] == 'E'; (err != nil) != want {
				t.Errorf("the example is invalid: %t, want %t: %v", err != nil, want, err)
			}
			_, good, err := gdl.Load(t.Context(), "good", []byte(example(c, c.good)))
			if err != nil {
				t.Errorf("the repaired example is invalid: %v", err)
			}
			if slices.Contains(codesOf(good), c.id) {
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

func TestCodesAreDistinctAndTheirHintsAreShown(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range codes(t) {
		if seen[c.id] {
			t.Errorf("%s occurs twice", c.id)
		}
		seen[c.id] = true
		_, found, _ := gdl.Load(t.Context(), "bad", []byte(example(c, c.bad)))
		for _, d := range found {
			if d.Code == c.id && d.Hint != c.hint {
				t.Errorf("%s has the hint %q, want %q", d, d.Hint, c.hint)
			}
		}
	}
}

// page returns the documentation of all codes.
func page(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# What the checker finds\n\n")
	b.WriteString("Generated from `codes.txt`; do not edit. Codes with `E` make a rulesheet " +
		"invalid, codes with `W` do not. Where an example is a part of a game, it is checked together with these rules:\n\n")
	fmt.Fprintf(&b, "```\n%s\n```\n", strings.TrimSpace(frame))
	for _, c := range codes(t) {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n\nRepair: %s.\n", c.id, c.title, c.explain, c.hint)
		if len(c.bad) < 1000 {
			fmt.Fprintf(&b, "\n```\n%s\n```\n\nbecomes\n\n```\n%s\n```\n", strings.ToValidUTF8(c.bad, "\ufffd"), c.good)
		}
	}
	return b.String()
}

func TestDiagnosticsPageIsCurrent(t *testing.T) {
	const file = "DIAGNOSTICS.md"
	if *update {
		must.OK(t, os.WriteFile(file, []byte(page(t)), 0o644))
	}
	current := must.Get(os.ReadFile(file))(t)
	if d := cmp.Diff(page(t), string(current)); d != "" {
		t.Errorf("%s is out of date; run go generate (-want +got):\n%s", file, d)
	}
}
