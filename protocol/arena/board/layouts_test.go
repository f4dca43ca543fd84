package board

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

var updateLayouts = flag.Bool("layouts.update", false, "write the golden files of layouts anew")

// described returns a line about a layout: its boards, then its fluents by their purpose.
func (l *Layout) described() string {
	var parts []string
	for _, g := range l.grids {
		parts = append(parts, fmt.Sprintf("%s %dx%d*%d %s", g.shape, len(g.columns.values), len(g.rows.values), len(g.selections()), g.owner.name))
	}
	for _, s := range l.piles {
		parts = append(parts, "stacks "+s.on.name)
	}
	var uses []string
	for rel, u := range l.uses {
		name := []string{"on", "axis", "hand", "counter", "segment", "stack", "amount", "stake", "choice"}[u.purpose]
		uses = append(uses, fmt.Sprintf("%s:%s/%d", name, rel.name, rel.arity))
	}
	slices.Sort(uses)
	return strings.Join(append(parts, uses...), " | ")
}

// TestLayoutsOfRulesheetsMatchTheGoldenFile compares the layouts of all rulesheets with a golden file.
func TestLayoutsOfRulesheetsMatchTheGoldenFile(t *testing.T) {
	exhaustive.Only(t, "reading all rulesheets takes seconds")
	var lines []string
	for _, sheet := range corpus.Rulesheets(t) {
		g, _ := must.Get2(gdl.Load(t.Context(), sheet.Path, corpus.Source(t, sheet.Name)))(t)
		lines = append(lines, sheet.Name+": "+Find(t.Context(), g, match(t, sheet.Name)...).described())
	}
	compare(t, "testdata/layouts.golden", lines)
}

// TestLayoutsOfBuiltInGamesMatchTheGoldenFile does the same for the built-in games, by their first positions.
func TestLayoutsOfBuiltInGamesMatchTheGoldenFile(t *testing.T) {
	var lines []string
	for _, f := range games.Families() {
		l, _ := layout(t, f.Name())
		lines = append(lines, f.Name()+": "+l.described())
	}
	compare(t, "testdata/builtin.golden", lines)
}

// compare compares lines with a golden file, which -layouts.update writes.
func compare(t *testing.T, golden string, lines []string) {
	t.Helper()
	got := strings.Join(lines, "\n") + "\n"
	if *updateLayouts {
		must.OK(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	text := must.Get(os.ReadFile(golden))(t)
	want := strings.Split(string(text), "\n")
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("not in %s (-layouts.update writes it): %s", golden, line)
		}
	}
}
