package cli

import (
	"errors"
	"fmt"
	"time"

	"stackmate/reasoner"
)

// benchCommand measures playouts.
type benchCommand struct {
	Games   []string `arg:"" name:"game" help:"Games to measure."`
	Seconds float64  `default:"5" help:"Time for each game."`
	Engine  string   `enum:"${engines}" default:"circuit" help:"State machine: ${enum}."`
	Lanes   int      `enum:"0,64,256,512" default:"0" help:"Positions per batch of the circuit: ${enum}; 0 is the widest that the processor has."`
	Out     string   `type:"path" placeholder:"FILE" help:"Also write the result of the (one) game in the format of gdl-perf."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// maxSeconds is a time that a time.Duration holds.
const maxSeconds = 1e9

// Run implements the command.
func (c *benchCommand) Run(s *console) error {
	if !(c.Seconds > 0 && c.Seconds <= maxSeconds) || c.Out != "" && len(c.Games) > 1 {
		return usageError{errors.New("expected --seconds above 0 and at most a billion, and only one game with --out")}
	}
	if err := checkPlaces(c.Out); err != nil {
		return err
	}
	if !c.JSON {
		fmt.Fprint(s.out, reasoner.BenchHeading)
	}
	for _, game := range c.Games {
		r, err := c.measure(s, game)
		if c.Out != "" {
			err = errors.Join(err, r.SaveHarness(c.Out, version(), err))
		}
		if err == nil {
			err = errors.Join(s.show(c.JSON, r), s.ctx.Err())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *benchCommand) measure(s *console, game string) (reasoner.BenchResult, error) {
	m, took, err := s.compile(game, reasoner.Options{Engine: c.Engine, Lanes: c.Lanes})
	if err != nil {
		return reasoner.BenchResult{}, err
	}
	defer s.progress(doing("measuring %s", game))()
	r := reasoner.Measure(s.ctx, m, time.Duration(c.Seconds*float64(time.Second)))
	r.Game, r.InitSeconds = game, took.Seconds()
	return r, nil
}
