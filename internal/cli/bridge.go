package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"stackmate/search/lattice/bridge"
)

// maxDeal bounds the text of a deal, in bytes.
const maxDeal = 1 << 20

// bridgeCommand finds the best play of bridge endings.
type bridgeCommand struct {
	Deal    string `arg:"" help:"Deal: a file, or the text itself, compact (\"N:AQ.2.. S:32.A.. EW:KJT9.K3.. trump:NT lead:S tricks:2\") or PBN."`
	Tricks  int    `placeholder:"N" help:"Tricks that the declarer needs of those left; those that the deal asks for, or all numbers, by default."`
	Layouts int    `default:"0" placeholder:"N" help:"Draw N layouts of the hidden cards at random where there are more; all by default."`
	Seed    uint64 `default:"1" help:"Seed of the layouts drawn."`
	Depth   int    `default:"2" placeholder:"N" help:"Tricks that plans show; 0 is all."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *bridgeCommand) Run(s *console) error {
	if c.Tricks < 0 || c.Layouts < 0 || c.Depth < 0 {
		return usageError{fmt.Errorf("--tricks, --layouts, --depth: expected numbers ≥ 0, found %d, %d, %d", c.Tricks, c.Layouts, c.Depth)}
	}
	name, text, err := s.deal(c.Deal)
	if err != nil {
		return err
	}
	deal, err := bridge.Parse(text)
	if err != nil {
		return fmt.Errorf("%s:%w", name, err)
	}
	if c.Tricks > deal.Left() {
		return usageError{fmt.Errorf("--tricks: expected at most %d, as many as are left, found %d", deal.Left(), c.Tricks)}
	}
	line := s.progress("searching plans")
	result, err := bridge.Solve(s.ctx, deal, bridge.Options{
		Tricks: c.Tricks, Layouts: c.Layouts, Seed: c.Seed, Depth: c.Depth, Memory: s.memory.share(1),
		Progress: func(tricks int, nodes int64) { line.say("searching plans for %d tricks, %d positions", tricks, nodes) },
	})
	line.end()
	if result == nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if shown := show(s, c.JSON, result, writeDeal); shown != nil || err != nil {
		return errors.Join(shown, err)
	}
	for _, g := range result.Goals {
		if !g.Exact {
			return fmt.Errorf("%s: not solved for %d tricks", name, g.Tricks)
		}
	}
	return nil
}

// deal returns the text of a deal: the contents of a file or, if no such file exists and the argument looks
// like a deal, the argument itself.
func (s *console) deal(argument string) (name, text string, err error) {
	src, err := await(s.ctx, func() ([]byte, error) { return readUpTo(argument, maxDeal) })
	switch {
	case err == nil:
		return argument, string(src), nil
	case s.ctx.Err() != nil:
		return "", "", err
	case strings.Contains(argument, ":") && (errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(argument, " \n")):
		return "deal", argument, nil
	}
	return "", "", usageError{fmt.Errorf("cannot read the deal: %w", err)}
}

// writeDeal writes the result for people.
func writeDeal(w io.Writer, r *bridge.Result) error {
	d := r.Deal
	t := newTable(w, 0)
	for seat := range bridge.Seat(4) {
		switch {
		case (seat^d.Declarer)&1 == 0:
			fmt.Fprintf(t, "%v\t%v\n", seat, d.Hands[seat])
		case d.Actual:
			fmt.Fprintf(t, "%v\t%v (hidden)\n", seat, d.Hands[seat])
		}
	}
	if !d.Actual {
		fmt.Fprintf(t, "hidden\t%v\n", d.Hidden)
	}
	fmt.Fprintf(t, "play\ttrump %v, declarer %v, %v to lead, %d tricks left\n", d.Trump, d.Declarer, d.Leader, d.Left())
	fmt.Fprintf(t, "layouts\t%d%s\n\n", r.Layouts, drawn(r))
	fmt.Fprint(t, "tricks\tmade in\tchance\tdouble dummy\tpositions\ttime\n")
	for _, g := range r.Goals {
		fmt.Fprintf(t, "%d\t%s\t%s\t%.1f %%\t%d\t%.3f s\n", g.Tricks, span(g.Won, g.Upper, "%d"),
			span(percent(g.Won, r.Layouts), percent(g.Upper, r.Layouts), "%.1f %%"), percent(g.DoubleDummy, r.Layouts), g.Nodes, g.Seconds)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, g := range r.Goals {
		if len(g.Plan) > 0 {
			fmt.Fprintf(w, "\nplan for %d tricks, which wins in %d layouts:\n", g.Tricks, g.Won)
			bridge.WriteSteps(w, g.Plan, "  ")
		}
	}
	return nil
}

func drawn(r *bridge.Result) string {
	if r.Layouts == r.All {
		return ""
	}
	return fmt.Sprintf(" of %d", r.All)
}

func percent(n, of int64) float64 { return 100 * float64(n) / float64(of) }

// span formats an interval.
func span[T comparable](lower, upper T, format string) string {
	if lower == upper {
		return fmt.Sprintf(format, lower)
	}
	return fmt.Sprintf("["+format+", "+format+"]", lower, upper)
}
