package cli

import (
	"fmt"
	"io"
	"math/bits"
	"slices"

	"stackmate/internal/atomicfile"
	"stackmate/protocol/arena"
)

// tournamentCommand rates players.
type tournamentCommand struct {
	Format string    `enum:"round-robin,gauntlet,swiss,knockout" default:"round-robin" help:"Pairing: round-robin, gauntlet (the first player against all others), swiss (players of similar scores), knockout (the higher score advances, or the player listed first); swiss and knockout need games for two."`
	Rounds int       `placeholder:"10" help:"Rounds: matches of each group of players in each game, in all rotations of the roles. The default is 10; 1 in a knockout; enough stages to find the best player in swiss; unlimited with --sprt."`
	SPRT   []float64 `name:"sprt" placeholder:"ELO0,ELO1" help:"Continue until a sequential test accepts that the first of two players is ELO0 or ELO1 stronger; --rounds limits the length."`
	Alpha  float64   `default:"0.05" help:"Probability of accepting ELO1 wrongly."`
	Beta   float64   `default:"0.05" help:"Probability of accepting ELO0 wrongly."`
	CSV    string    `name:"csv" type:"path" placeholder:"FILE" help:"Write standings and ratings as CSV."`
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
func (c *tournamentCommand) plan(s *console) (arena.Tournament, error) {
	p := arena.Tournament{Rounds: c.Rounds, Gauntlet: c.Format == "gauntlet"}
	if c.Format == arena.Swiss || c.Format == arena.Knockout {
		p.Format = c.Format
	}
	if len(c.SPRT) == 2 {
		p.Test = &arena.SPRT{Elo0: c.SPRT[0], Elo1: c.SPRT[1], Alpha: c.Alpha, Beta: c.Beta}
	} else if len(c.SPRT) != 0 {
		return p, fmt.Errorf("--sprt: expected two numbers, found %v", c.SPRT)
	} else if i := slices.IndexFunc(s.flags, func(f string) bool { return f == "alpha" || f == "beta" }); i >= 0 && !c.Resume {
		return p, fmt.Errorf("--%s: expected --sprt ELO0,ELO1, too", s.flags[i])
	}
	switch given := slices.Contains(s.flags, "rounds"); {
	case given && c.Rounds < 1:
		return p, fmt.Errorf("--rounds: expected 1 or more, found %d", c.Rounds)
	case given || p.Test != nil:
	case p.Format == arena.Swiss:
		p.Rounds = max(1, bits.Len(uint(len(c.Players)-1)))
	case p.Format == arena.Knockout:
		p.Rounds = 1
	default:
		p.Rounds = defaultRounds
	}
	return p, nil
}

// defaultRounds is the number of rounds of a tournament without stages and without a test.
const defaultRounds = 10

// report implements planner.
func (c *tournamentCommand) report(r *arena.Ranking) error {
	if c.CSV == "" {
		return nil
	}
	return atomicfile.WriteTo(c.CSV, func(w io.Writer) error { return writeRankingCSV(w, r) })
}
