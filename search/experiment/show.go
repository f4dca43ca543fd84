package experiment

import (
	"fmt"
	"io"
	"strings"
)

// Printer writes rows for people, one table after the other. The columns have
// fixed widths, so that a row can be shown as soon as it is there.
type Printer struct {
	W     io.Writer
	table string
}

const rowFormat = "%4s  %-12s %14s %14s %10s %10s  | %14s %12s %10s  %s\n"

// Print writes one row, and the caption before the first of a table.
func (p *Printer) Print(r Row) error {
	if r.Table != p.table {
		if p.table != "" {
			fmt.Fprintln(p.W)
		}
		p.table = r.Table
		fmt.Fprintf(p.W, "%s\n"+rowFormat, r.Table, "size", "method", "nodes", "LPs", "seconds", "MB",
			"paper: nodes", "LPs", "seconds", "")
	}
	paper := r.Paper
	if paper == nil {
		paper = new(Published)
	}
	notes := []string{r.Note, paper.Note, paper.Source}
	line := fmt.Sprintf(rowFormat, fmt.Sprint(r.Size), r.Method,
		r.figure(r.Nodes, "%.0f"), r.figure(r.LPCalls, "%.0f"), r.figure(r.Seconds, "%.3f"), r.figure(float64(r.PeakBytes)/1e6, "%.1f"),
		figure(float64(paper.Nodes), "%.0f"), figure(float64(paper.LPCalls), "%.0f"), figure(paper.Seconds, "%g"),
		strings.Join(strings.FieldsFunc(strings.Join(notes, "\x00"), func(c rune) bool { return c == 0 }), "; "))
	_, err := fmt.Fprintln(p.W, strings.TrimRight(line, " |\n"))
	return err
}

// figure shows a figure of a row: with ">" if the row was not finished, and not
// at all if it was not even tried.
func (r Row) figure(v float64, format string) string {
	text := fmt.Sprintf(format, v)
	switch {
	case r.Finished:
		return text
	case r.Seconds == 0:
		return "-"
	}
	return "> " + text
}

// figure shows a published figure, or nothing.
func figure(v float64, format string) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}
