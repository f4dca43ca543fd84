package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"stackmate/gdl"
	"stackmate/internal/recent"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/experiment"
)

// experimentCommand prints the tables of the papers beside ours.
type experimentCommand struct {
	Name  string           `arg:"" enum:"${experiments}" help:"Experiment: ${enum}."`
	Games []string         `arg:"" optional:"" name:"game" help:"Games and rulesheets for the experiment turns, instead of its own."`
	Sizes experiment.Range `placeholder:"4-6" help:"Sizes to run, with defaults for each experiment. The table of time and memory continues to the largest size, or to the first unfinished one."`
	Limit time.Duration    `default:"1m" help:"Time for each game."`
	NATS  string           `name:"nats" placeholder:"URL,…" help:"Let workers on this NATS server or cluster solve games, too."`
	Plot  string           `type:"path" placeholder:"FILE.svg" help:"Plot time, nodes and memory against size."`
	JSON  bool             `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *experimentCommand) Run(s *console) error {
	if c.Limit <= 0 {
		return usageError{errors.New("expected --limit above 0")}
	}
	if c.Plot != "" {
		if err := experiment.CheckPlot(c.Plot); err != nil {
			return usageError{err}
		}
	}
	line := s.progress("%s", c.Name)
	defer line.end()
	lab := s.newLab(s.memory.share(1))
	lab.Games, lab.Sizes, lab.Limit = c.Games, c.Sizes, c.Limit
	lab.Progress = func(what string, nodes int64) { line.say("%s, %d nodes", what, nodes) }
	if c.NATS != "" {
		worker, q, err := s.joinQueue(c.NATS, 1)
		if err != nil {
			return err
		}
		var end func()
		lab.Elsewhere, end = worker.Measure(s.ctx, q)
		defer end()
	}
	var rows []experiment.Row
	printer := rowPrinter{w: s.out}
	err := lab.Run(s.ctx, c.Name, func(r experiment.Row) error {
		rows = append(rows, r)
		if c.JSON {
			return json.NewEncoder(s.out).Encode(r)
		}
		return printer.print(r)
	})
	line.end()
	if c.Plot != "" && len(rows) > 0 {
		err = errors.Join(err, experiment.WritePlot(c.Plot, rows))
	}
	if errors.Is(err, experiment.ErrNoSize) || errors.Is(err, experiment.ErrNoGames) {
		return usageError{err}
	}
	return err
}

// keptMachines is the number of machines that a laboratory keeps: methods are compared on ten games each.
const keptMachines = 16

// newLab makes a laboratory whose searches take so much memory, in bytes.
func (s *console) newLab(memory int64) experiment.Lab {
	machines := recent.Cache[string, machine.Machine]{Size: keptMachines}
	return experiment.Lab{
		Memory: max(1, memory/mebibyte),
		Compile: func(ctx context.Context, game string) (machine.Machine, error) {
			return machines.Get(game, func() (machine.Machine, error) {
				rules, err := s.load(game, gdl.Load)
				if err != nil {
					return nil, err
				}
				return reasoner.New(ctx, rules, reasoner.Options{Memory: memory, Cache: s.cache})
			})
		},
	}
}

// rowPrinter writes rows for people, one table after the other. The columns have
// fixed widths, so that a row can be shown as soon as it is there.
type rowPrinter struct {
	w     io.Writer
	table string
}

const rowFormat = "%4s  %-12s %14s %14s %10s %10s  | %14s %12s %10s  %s\n"

// print writes one row, and the caption before the first of a table.
func (p *rowPrinter) print(r experiment.Row) error {
	if r.Table != p.table {
		if p.table != "" {
			fmt.Fprintln(p.w)
		}
		p.table = r.Table
		fmt.Fprintf(p.w, "%s\n"+rowFormat, r.Table, "size", "method", "nodes", "LPs", "seconds", "MB",
			"paper: nodes", "LPs", "seconds", "")
	}
	paper := r.Paper
	if paper == nil {
		paper = new(experiment.Published)
	}
	notes := []string{r.Note, paper.Note, paper.Source}
	line := fmt.Sprintf(rowFormat, fmt.Sprint(r.Size), r.Method,
		figure(r, r.Nodes, "%.0f"), figure(r, r.LPCalls, "%.0f"), figure(r, r.Seconds, "%.3f"), figure(r, float64(r.PeakBytes)/1e6, "%.1f"),
		published(float64(paper.Nodes), "%.0f"), published(float64(paper.LPCalls), "%.0f"), published(paper.Seconds, "%g"),
		strings.Join(strings.FieldsFunc(strings.Join(notes, "\x00"), func(c rune) bool { return c == 0 }), "; "))
	_, err := fmt.Fprintln(p.w, strings.TrimRight(line, " |\n"))
	return err
}

// figure shows a figure of a row: with ">" if the row was not finished, and not
// at all if it was not even tried.
func figure(r experiment.Row, v float64, format string) string {
	text := fmt.Sprintf(format, v)
	switch {
	case r.Finished:
		return text
	case r.Seconds == 0:
		return "-"
	}
	return "> " + text
}

// published shows a published figure, or nothing.
func published(v float64, format string) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}
