package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/prove"
)

// proof is a prove.Finding with names.
type proof struct {
	Property string        `json:"property"`
	Verdict  prove.Verdict `json:"verdict"`
	Detail   string        `json:"detail,omitempty"`
	Line     [][]string    `json:"line,omitempty"`     // joint moves to where it fails
	Shortest bool          `json:"shortest,omitempty"` // there is no shorter line
	Required bool          `json:"required,omitempty"` // a valid rulesheet has the property
}

// noBudget returns the error for proofs without time.
func noBudget(found time.Duration) error {
	return usageError{fmt.Errorf("expected a time above 0 for --budget, found %v", found)}
}

// proofs proves the properties that should hold in all positions of a game.
func proofs(ctx context.Context, s *console, game *gdl.Game, budget time.Duration) ([]proof, error) {
	memory := s.memory.share(1)
	found, names, err := reasoner.Prove(ctx, game, reasoner.Options{Memory: memory, Cache: s.cache}, prove.Limits{MaxTime: budget, MaxBytes: memory})
	list := make([]proof, 0, len(found))
	for _, f := range found {
		list = append(list, proof{
			Property: f.Property, Verdict: f.Verdict, Detail: f.Detail, Shortest: f.Shortest, Required: f.Required, Line: names.LineTexts(f.Line),
		})
	}
	return list, err
}

// writeProofs writes a table of proofs, and under it the lines that refute.
func writeProofs(w io.Writer, list []proof) {
	t := newTable(w, 0)
	for _, p := range list {
		fmt.Fprintf(t, "%s\t%s", p.Verdict, p.Property)
		if p.Detail != "" {
			fmt.Fprintf(t, "\t%s", p.Detail)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	for _, p := range list {
		switch {
		case p.Verdict != prove.Refuted:
		case len(p.Line) == 0:
			fmt.Fprintf(w, "%q fails in the initial position\n", p.Property)
		case p.Shortest:
			fmt.Fprintf(w, "%q fails after %d joint moves, no fewer:%s\n", p.Property, len(p.Line), shortLine(p.Line))
		default:
			fmt.Fprintf(w, "%q fails after %d joint moves:%s\n", p.Property, len(p.Line), shortLine(p.Line))
		}
	}
}

// shownMoves is how many joint moves of a line people are shown.
const shownMoves = 8

// shortLine writes the first joint moves of a line.
func shortLine(line [][]string) string {
	var b strings.Builder
	for i, joint := range line {
		if i == shownMoves {
			b.WriteString(" …")
			break
		}
		fmt.Fprintf(&b, " (%s)", strings.Join(joint, " "))
	}
	return b.String()
}
