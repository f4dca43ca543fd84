package cli

import (
	"fmt"
	"io"

	"stackmate/internal/atomicfile"
	"stackmate/protocol/arena"
)

// tournamentCommand rates players.
type tournamentCommand struct {
	Rounds   int       `default:"10" help:"How often every group of players meets in every game, in all rotations of the roles."`
	Gauntlet bool      `help:"Only the first player meets the others."`
	SPRT     []float64 `name:"sprt" placeholder:"ELO0,ELO1" help:"Stop as soon as it is decided whether the first of two players is stronger by ELO0 or by ELO1."`
	Alpha    float64   `default:"0.05" help:"Risk of --sprt to accept ELO1 wrongly."`
	Beta     float64   `default:"0.05" help:"Risk of --sprt to accept ELO0 wrongly."`
	CSV      string    `name:"csv" type:"path" placeholder:"FILE" help:"Write standings and ratings as CSV."`
	eventFlags
}

// Run implements the command.
func (c *tournamentCommand) Run(s *console) error {
	if err := checkWritable(c.CSV); err != nil {
		return err
	}
	return c.run(s, c)
}

// plan implements planner.
func (c *tournamentCommand) plan() (arena.Tournament, error) {
	p := arena.Tournament{Rounds: c.Rounds, Gauntlet: c.Gauntlet}
	if len(c.SPRT) == 2 {
		p.Test = &arena.SPRT{Elo0: c.SPRT[0], Elo1: c.SPRT[1], Alpha: c.Alpha, Beta: c.Beta}
	} else if len(c.SPRT) != 0 {
		return p, fmt.Errorf("--sprt: expected two numbers, found %v", c.SPRT)
	}
	return p, nil
}

// report implements planner.
func (c *tournamentCommand) report(r *arena.Ranking) error {
	if c.CSV == "" {
		return nil
	}
	return atomicfile.WriteTo(c.CSV, func(w io.Writer) error { return writeRankingCSV(w, r) })
}
