package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// benchCommand measures playouts.
type benchCommand struct {
	Games   []string `arg:"" name:"game" help:"Games to measure."`
	Seconds float64  `type:"time" default:"5" help:"Time for each game."`
	Engine  string   `enum:"${engines}" default:"auto" help:"State machine: ${enum}."`
	kernelFlag
	JSON bool `name:"json" help:"Print JSON."`
}

// maxSeconds is a time that a time.Duration holds.
const maxSeconds = 1e9

// Run implements the command.
func (c *benchCommand) Run(s *console) error {
	if !(c.Seconds > 0 && c.Seconds <= maxSeconds) {
		return usageError{errors.New("expected --seconds above 0 and at most a billion")}
	}
	for i, game := range c.Games {
		r, err := c.measure(s, game, i == 0 && !c.JSON)
		if err == nil {
			err = errors.Join(show(s, c.JSON, r, writeBench), r.limit(), s.ctx.Err())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measure compiles and measures a game. Before the measurement it prints the heading, if it is wanted.
func (c *benchCommand) measure(s *console, game string, heading bool) (benchResult, error) {
	rules, err := s.load(game, gdl.Load)
	if err != nil {
		return benchResult{}, err
	}
	m, took, err := s.machine(game, rules, reasoner.Options{Engine: c.Engine, Kernel: c.Kernel})
	if err != nil {
		return benchResult{}, err
	}
	if heading {
		fmt.Fprint(s.out, benchHeading)
	}
	defer s.progress("measuring %s", game).end()
	r := measure(s.ctx, m, time.Duration(c.Seconds*float64(time.Second)))
	r.Game, r.InitSeconds = game, took.Seconds()
	r.positionCosts = costsOfPositions(s.ctx, m)
	return r, nil
}

// benchResult is the outcome of random playouts with one machine.
type benchResult struct {
	Game              string  `json:"game"`
	Engine            string  `json:"engine"`
	Kernel            string  `json:"kernel,omitempty"` // of a circuit
	Lanes             int     `json:"lanes"`            // positions per batch
	Threads           int     `json:"threads"`          // always 1
	InitSeconds       float64 `json:"init_seconds"`
	Seconds           float64 `json:"seconds"`
	States            int64   `json:"states"`   // successor positions computed
	Playouts          int64   `json:"playouts"` // terminal positions reached
	Faulty            int64   `json:"faulty"`   // playouts that got stuck or never ended
	Lost              int64   `json:"lost"`     // playouts that came to a position too large for the machine
	StatesPerSecond   float64 `json:"states_per_second"`
	PlayoutsPerSecond float64 `json:"playouts_per_second"`
	positionCosts
}

// limit returns an error if playouts were lost at positions outside the machine's table.
func (r *benchResult) limit() error {
	if r.Lost == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d of %d playouts: %w", r.Game, r.Lost, r.Playouts+r.Faulty+r.Lost, machine.ErrLost)
}

// benchSeed makes the playouts of every measurement the same ones.
const benchSeed = 1

// measure plays random matches from the initial position on one thread, for the
// given time or until ctx is done. Game, InitSeconds and the costs of single positions
// are left to the caller.
func measure(ctx context.Context, m machine.Machine, duration time.Duration) benchResult {
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	p := play.NewPlayouts(m, m.Initial(), benchSeed)
	start := time.Now()
	p.Run(ctx, 0)
	seconds := time.Since(start).Seconds()
	return benchResult{
		Engine:            m.Info().Engine,
		Kernel:            m.Info().Kernel,
		Lanes:             m.NewBatch().Lanes(),
		Threads:           1,
		Seconds:           seconds,
		States:            p.States,
		Playouts:          p.Ended,
		Faulty:            p.Faulty,
		Lost:              p.Lost,
		StatesPerSecond:   float64(p.States) / seconds,
		PlayoutsPerSecond: float64(p.Ended) / seconds,
	}
}

// The columns of the table for people: a heading, and a line for each game.
const (
	benchHeading = "game                             engine     kernel     lanes   init s  seconds      states/s    playouts/s    faulty  legal ns   step ns expand ns\n"
	benchLine    = "%-32s %-10s %-10s %5d %8.3f %8.2f %13.0f %13.0f %9d %9s %9s %9s\n"
)

// cost formats nanoseconds, or - for a cost that was not measured.
func cost(nanoseconds float64) string {
	if nanoseconds == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", nanoseconds)
}

// writeBench writes the line of the game below benchHeading.
func writeBench(w io.Writer, r benchResult) error {
	_, err := fmt.Fprintf(w, benchLine, r.Game, r.Engine, cmp.Or(r.Kernel, "-"), r.Lanes, r.InitSeconds, r.Seconds,
		r.StatesPerSecond, r.PlayoutsPerSecond, r.Faulty, cost(r.Legal), cost(r.Step), cost(r.Expand))
	return err
}
