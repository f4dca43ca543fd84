package cli

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"stackmate/gdl"
	"stackmate/internal/atomicfile"
	"stackmate/player/training"
	"stackmate/reasoner"
	"stackmate/search/evaluate"
)

// trainCommand learns an evaluation of a game.
type trainCommand struct {
	oneGame
	Time      time.Duration `default:"1m" help:"Time to learn."`
	Knowledge string        `type:"path" required:"" placeholder:"DIR" help:"Folder for the weights, for serve, match and tournament; training continues from existing weights."`
	Seed      uint64        `default:"1" help:"Seed of self-play."`
	Plot      string        `type:"path" placeholder:"FILE.svg" help:"Plot strength and correlation against the games learnt."`
	NATS      string        `name:"nats" placeholder:"URL,…" help:"Let workers on this NATS server or cluster play games, too."`
}

// Run implements the command.
func (c *trainCommand) Run(s *console) error {
	if c.Time <= 0 {
		return usageError{fmt.Errorf("--time: expected a time above 0, found %v", c.Time)}
	}
	if err := checkFolder("--knowledge", c.Knowledge); err != nil {
		return err
	}
	if err := checkWritable(c.Plot); err != nil {
		return err
	}
	rules, m, err := s.compile(c.Game, gdl.LoadToPlay, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	t, err := training.New(s.ctx, c.Knowledge, rules, m, c.Seed, s.memory.share(1))
	if err != nil {
		return fmt.Errorf("%s: %w", c.Game, err)
	}
	t.Game = c.Game
	if c.NATS != "" {
		worker, q, err := s.joinQueue(c.NATS, 1)
		if err != nil {
			return err
		}
		do, end, err := worker.SelfPlay(s.ctx, q, c.Game, rules, c.Engine)
		defer end()
		if err != nil {
			return err
		}
		endGames, err := t.Invite(s.ctx, s.log, c.Seed, do)
		if err != nil {
			return err
		}
		defer endGames()
	}
	line := s.progress("learning %s", c.Game)
	err = t.Run(s.ctx, c.Time, func(done, of int) { line.say("learning %s: checkpoint %d of %d", c.Game, done, of) })
	line.end()
	if c.Plot != "" {
		err = errors.Join(err, atomicfile.Write(c.Plot, t.Plot()))
	}
	return errors.Join(show(s, c.JSON, t, writeTraining), err)
}

func writeTraining(w io.Writer, t *training.Training) error {
	table := newTable(w, tabwriter.AlignRight)
	fmt.Fprintln(table, "seconds\tgames\tpositions\tcorrelation\tagainst the best weights\tElo\t\t")
	for _, c := range t.Checkpoints {
		saved := "saved"
		if !c.Saved {
			saved = "weaker, not saved"
		}
		fmt.Fprintf(table, "%.1f\t%d\t%d\t%.3f\t%s\t%+.0f\t%s\t\n", c.Seconds, c.Games, c.Positions, c.Correlation, score(c.Against), c.Elo, saved)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if t.Total != nil {
		fmt.Fprintf(w, "gain on the weights at the start: %s points\n", score(*t.Total))
	}
	if t.Alone != nil {
		fmt.Fprintf(w, "evaluation alone against evaluation beside playouts: %s points, pairs of matches: %d\n", score(*t.Alone), t.Alone.Games)
	}
	if t.Elsewhere > 0 {
		fmt.Fprintf(w, "%d games were played by workers\n", t.Elsewhere)
	}
	if !t.Saved() {
		return nil
	}
	_, err := fmt.Fprintf(w, "saved in %s\n", t.File)
	return err
}

// score formats a comparison: goal points ahead, with their 95 % error.
func score(s evaluate.Score) string {
	if s.Games == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.1f ± %.1f", s.Points, s.Error)
}
