package board

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/trace"
)

var table = flag.Bool("corpus.table", false, "print a picture of each rulesheet")

// TestMostRulesheetsHaveABoard draws a match of each rulesheet. Four in five have a board; most others have
// none by their rules (matrix games, puzzles of switches).
func TestMostRulesheetsHaveABoard(t *testing.T) {
	exhaustive.Only(t, "reading all rulesheets takes seconds")
	boards, rows, all := 0, 0, 0
	share := 0.0 // sum over the rulesheets of the share of facts that are listed beside the boards
	var without []string
	for _, sheet := range corpus.Rulesheets(t) {
		g, _ := must.Get2(gdl.Load(t.Context(), sheet.Path, corpus.Source(t, sheet.Name)))(t)
		all++
		positions := match(t, sheet.Name)
		l := Find(t.Context(), g, positions...)
		switch {
		case !l.HasBoard():
			without = append(without, sheet.Name)
		case len(l.grids) > 0 && l.grids[0].shape == Row:
			rows++
		default:
			boards++
		}
		facts, chips := 0, 0
		for _, position := range positions {
			checkComplete(t, sheet.Name, l, position)
			facts += len(position)
			chips += l.chips(position)
		}
		share += float64(chips) / float64(max(1, facts))
		if *table {
			fmt.Printf("=== %s\n%s", sheet.Name, l.Draw(positions[len(positions)-1]).Text(120))
		}
	}
	t.Logf("of %d rulesheets %d have a board, %d more a row of cells, %d neither: %s",
		all, boards, rows, len(without), strings.Join(without, " "))
	t.Logf("%.1f %% of the facts are chips beside the boards, in the mean of the rulesheets", 100*share/float64(all))
	if boards*100 < all*80 || (boards+rows)*100 < all*88 {
		t.Errorf("expected a board for 80 %% of the rulesheets and 88 %% with rows of cells")
	}
}

// chips counts the facts of a position that are listed beside the boards. It leaves out the role to move, the
// clock, and values in the colour of a role.
func (l *Layout) chips(facts []string) int {
	p := l.Draw(facts)
	n := len(p.Facts)
	for _, c := range p.Counters {
		if !c.Turn && !c.Clock && c.Color == "" {
			n++
		}
	}
	for _, h := range p.Hands {
		n += len(h.Items)
	}
	return n
}

// checkComplete reports whether each fact of a position is somewhere in its picture.
func checkComplete(t *testing.T, name string, l *Layout, facts []string) {
	p := l.Draw(facts)
	drawn := len(p.Counters) + len(p.Facts)
	for _, b := range p.Boards {
		for _, c := range b.Cells {
			drawn += len(c.Pieces)
			if b.Name == "positions" {
				drawn += len(c.Pieces) // each of two facts
			}
		}
	}
	for _, h := range p.Hands {
		drawn += len(h.Items)
	}
	for _, fact := range facts {
		rel, args := parse(fact)
		if u := l.uses[rel]; u != nil && u.purpose == onBoard && u.empty != "" && u.contentOf(args) == u.empty {
			drawn++
		}
	}
	if drawn < len(facts) {
		t.Fatalf("%s: %d of %d facts are drawn: %q", name, drawn, len(facts), facts)
	}
}

// match returns the positions of the first recorded match of a rulesheet.
func match(t *testing.T, name string) (positions [][]string) {
	file, _ := corpus.Trace(t, name)
	for m, err := range trace.Read(file) {
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range m.Steps {
			positions = append(positions, s.State)
		}
		return append(positions, m.Final.State)
	}
	return nil
}
