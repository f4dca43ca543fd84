package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/experiment"
)

// experimentCommand prints the tables of the papers beside ours.
type experimentCommand struct {
	Name  string           `arg:"" enum:"${experiments}" help:"Experiment: ${enum}."`
	Sizes experiment.Range `placeholder:"4-6" help:"Sizes to run; by default the usual ones. The table of time and memory goes on to the largest one asked for, or until one is not finished."`
	Limit time.Duration    `default:"1m" help:"Time for each game."`
	Plot  string           `type:"path" placeholder:"FILE.svg" help:"Draw time, nodes and memory against size."`
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
	var doing atomic.Value
	doing.Store("")
	lab := experiment.Lab{Sizes: c.Sizes, Limit: c.Limit, Memory: s.memory.share(1) / mebibyte}
	lab.Progress = func(what string, nodes int64) { doing.Store(fmt.Sprintf("%s, %d nodes", what, nodes)) }
	lab.Compile = func(ctx context.Context, game string) (machine.Machine, error) {
		rules, err := s.load(game)
		if err != nil {
			return nil, err
		}
		return reasoner.New(ctx, rules, reasoner.Options{Memory: s.memory.share(1)})
	}
	var rows []experiment.Row
	printer := experiment.Printer{W: s.out}
	stop := s.progress(func() string { return doing.Load().(string) })
	err := lab.Run(s.ctx, c.Name, func(r experiment.Row) error {
		rows = append(rows, r)
		if c.JSON {
			return json.NewEncoder(s.out).Encode(r)
		}
		return printer.Print(r)
	})
	stop()
	if c.Plot != "" && len(rows) > 0 {
		err = errors.Join(err, experiment.WritePlot(c.Plot, rows))
	}
	if errors.Is(err, experiment.ErrNoSize) {
		return usageError{err}
	}
	return err
}
