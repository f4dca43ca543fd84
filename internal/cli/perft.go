package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"stackmate/protocol/arena/board"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// perftCommand counts joint moves.
type perftCommand struct {
	oneGame
	Depth  int  `arg:"" help:"Number of joint moves."`
	Divide bool `help:"Count below each first joint move, too."`
	positionFlags
}

// Run implements the command.
func (c *perftCommand) Run(s *console) error {
	if c.Depth < 1 || c.Depth > machine.MaxSteps {
		return usageError{fmt.Errorf("expected a depth of 1 to %d, found %d", machine.MaxSteps, c.Depth)}
	}
	m, _, err := s.compile(c.Game, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	if m, err = c.begin(m); err != nil {
		return err
	}
	stop := s.progress(doing("counting %s", c.Game))
	r, err := perft(s.ctx, c.Game, m, c.Depth)
	if c.Divide && err == nil {
		r.Divide, err = divide(s.ctx, m, c.Depth)
	}
	stop()
	return errors.Join(show(s, c.JSON, r, writePerft), err)
}

// perftResult counts the sequences of joint moves from the initial position.
type perftResult struct {
	Game       string  `json:"game"`
	Depth      int     `json:"depth"`
	JointMoves int64   `json:"joint_moves"` // sequences of exactly Depth joint moves
	Terminals  int64   `json:"terminals"`   // those of them that end in a terminal position
	Seconds    float64 `json:"seconds"`
	Complete   bool    `json:"complete"` // false if the counts are too small
	Divide     []share `json:"divide,omitempty"`

	counts []machine.PerftCount
}

// share is what lies below one first joint move.
type share struct {
	Move       string `json:"move"`
	JointMoves int64  `json:"joint_moves"` // sequences that begin with it
}

// divide counts below each joint move of the initial position, in the order in which
// people count.
func divide(ctx context.Context, m machine.Machine, depth int) ([]share, error) {
	b := m.NewNarrowBatch()
	b.Fill(m.Initial(), nil)
	b.Evaluate(1)
	if b.Terminal()[0]&1 != 0 {
		return nil, nil
	}
	joints := [][]machine.Move{nil}
	for r := range m.Names().Roles {
		var longer [][]machine.Move
		for _, joint := range joints {
			for _, move := range b.AppendLegal(nil, 0, machine.Role(r)) {
				longer = append(longer, append(slices.Clone(joint), move))
			}
		}
		joints = longer
	}
	var out []share
	for _, joint := range joints {
		count := int64(1)
		if depth > 1 {
			b.Fill(m.Initial(), nil)
			b.Evaluate(1)
			for r, move := range joint {
				b.Choose(0, machine.Role(r), move)
			}
			b.Advance(1)
			after := slices.Clone(m.Initial())
			b.Store(after, 1)
			counts, err := machine.Perft(ctx, m, after, depth-1)
			if err != nil {
				return out, err
			}
			if count = 0; len(counts) == depth-1 {
				count = counts[depth-2].JointMoves
			}
		}
		out = append(out, share{m.Names().JointString(joint), count})
	}
	slices.SortFunc(out, func(x, y share) int { return board.Natural(x.Move, y.Move) })
	return out, nil
}

// perft counts down to the given depth ≥ 1. When ctx ends early the counts are
// too small and the error is that of ctx.
func perft(ctx context.Context, game string, m machine.Machine, depth int) (perftResult, error) {
	start := time.Now()
	counts, err := machine.Perft(ctx, m, m.Initial(), depth)
	if len(counts) == 0 {
		return perftResult{Game: game}, err
	}
	last := counts[len(counts)-1]
	return perftResult{
		Game:       game,
		Depth:      last.Depth,
		JointMoves: last.JointMoves,
		Terminals:  last.Terminals,
		Seconds:    time.Since(start).Seconds(),
		Complete:   err == nil,
		counts:     counts,
	}, err
}

// writePerft writes the counts of all depths for people.
func writePerft(w io.Writer, r perftResult) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
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
