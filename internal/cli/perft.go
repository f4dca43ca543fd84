package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"stackmate/gdl"
	"stackmate/protocol/arena/board"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// perftCommand counts joint moves.
type perftCommand struct {
	oneGame
	Depth  int  `arg:"" help:"Number of joint moves."`
	Divide bool `help:"Also count below each first joint move."`
	positionFlags
}

// Run implements the command.
func (c *perftCommand) Run(s *console) error {
	if c.Depth < 1 || c.Depth > play.MaxSteps {
		return usageError{fmt.Errorf("expected a depth of 1 to %d, found %d", play.MaxSteps, c.Depth)}
	}
	rules, m, err := s.compile(c.Game, gdl.Load, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	if _, m, err = c.atPosition(s, c.Game, rules, m, c.Engine); err != nil {
		return err
	}
	line := s.progress("counting %s", c.Game)
	r, err := perft(s.ctx, c.Game, m, c.Depth, c.Divide)
	line.end()
	return errors.Join(show(s, c.JSON, r, writePerft), err)
}

// perftResult counts the sequences of joint moves from the initial position.
type perftResult struct {
	Game       string  `json:"game"`
	Depth      int     `json:"depth"`
	JointMoves int64   `json:"joint_moves"` // sequences of exactly Depth joint moves
	Terminals  int64   `json:"terminals"`   // sequences that end in a terminal position
	Seconds    float64 `json:"seconds"`
	Complete   bool    `json:"complete"` // false if the counts are too small
	Divide     []share `json:"divide,omitempty"`

	counts []play.PerftCount
}

// share is the count below one first joint move.
type share struct {
	Move       string `json:"move"`
	JointMoves int64  `json:"joint_moves"` // sequences that begin with it
}

// perft counts down to the given depth ≥ 1, divided by first moves if divided is set. When ctx ends early
// the counts are too small and the error is ctx's.
func perft(ctx context.Context, game string, m machine.Machine, depth int, divided bool) (r perftResult, err error) {
	start := time.Now()
	r.Game = game
	if divided {
		r.Divide, r.counts, err = divide(ctx, m, depth)
	} else {
		r.counts, err = play.Perft(ctx, m, m.Initial(), depth)
	}
	if len(r.counts) == 0 {
		return r, err
	}
	last := r.counts[len(r.counts)-1]
	r.Depth, r.JointMoves, r.Terminals = last.Depth, last.JointMoves, last.Terminals
	r.Seconds, r.Complete = time.Since(start).Seconds(), err == nil
	return r, err
}

// divide counts below each joint move of the initial position, in natural order; the sums equal perft's.
func divide(ctx context.Context, m machine.Machine, depth int) ([]share, []play.PerftCount, error) {
	counts := make([]play.PerftCount, depth)
	for d := range counts {
		counts[d].Depth = d + 1
	}
	x := play.NewExpander(m)
	x.Limit(ctx, play.MaxExpansionBytes, 0)
	if terminal, _ := x.Look(m.Initial()); terminal {
		return nil, counts, nil
	}
	var first play.Expansion
	if err := x.Expand(&first, m.Initial()); errors.Is(err, play.ErrStuck) {
		return nil, counts, nil
	} else if err != nil {
		return nil, counts, err
	}
	var shares []share
	joint := make([]machine.Move, len(m.Names().Roles))
	for c := range first.Children {
		first.Joint(joint, c)
		below := []play.PerftCount{{JointMoves: 1}}
		if first.Terminal[c] {
			below[0].Terminals = 1
		}
		var err error
		if depth > 1 {
			var deeper []play.PerftCount
			deeper, err = play.Perft(ctx, m, first.Child(c), depth-1)
			below = append(below, deeper...)
		}
		for d, n := range below {
			counts[d].JointMoves += n.JointMoves
			counts[d].Terminals += n.Terminals
		}
		if err != nil {
			return shares, counts, err
		}
		shares = append(shares, share{m.Names().JointString(joint), below[depth-1].JointMoves})
	}
	slices.SortFunc(shares, func(x, y share) int { return board.Natural(x.Move, y.Move) })
	return shares, counts, nil
}

// writePerft writes the counts of all depths for people.
func writePerft(w io.Writer, r perftResult) error {
	t := newTable(w, tabwriter.AlignRight)
	fmt.Fprintln(t, "depth\tjoint moves\tterminals\t")
	for _, c := range r.counts {
		fmt.Fprintf(t, "%d\t%d\t%d\t\n", c.Depth, c.JointMoves, c.Terminals)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(r.Divide) > 0 {
		fmt.Fprintln(t, "\nfirst moves\tjoint moves\t")
		for _, d := range r.Divide {
			fmt.Fprintf(t, "%s\t%d\t\n", d.Move, d.JointMoves)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	remark := ""
	if !r.Complete {
		remark = ", not complete: the counts are too small"
	}
	_, err := fmt.Fprintf(w, "%.3f s%s\n", r.Seconds, remark)
	return err
}
