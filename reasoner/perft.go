package reasoner

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"stackmate/reasoner/machine"
)

// PerftResult counts the sequences of joint moves from the initial position.
type PerftResult struct {
	Game       string  `json:"game"`
	Depth      int     `json:"depth"`
	JointMoves int64   `json:"joint_moves"` // sequences of exactly Depth joint moves
	Terminals  int64   `json:"terminals"`   // those of them that end in a terminal position
	Seconds    float64 `json:"seconds"`
	Complete   bool    `json:"complete"` // false if the counts are too small

	counts []machine.PerftCount
}

// Perft counts down to the given depth ≥ 1. When ctx ends early the counts are
// too small and the error is that of ctx.
func Perft(ctx context.Context, game string, m machine.Machine, depth int) (PerftResult, error) {
	start := time.Now()
	counts, err := machine.Perft(ctx, m, m.Initial(), depth)
	if len(counts) == 0 {
		return PerftResult{Game: game}, err
	}
	last := counts[len(counts)-1]
	return PerftResult{
		Game:       game,
		Depth:      last.Depth,
		JointMoves: last.JointMoves,
		Terminals:  last.Terminals,
		Seconds:    time.Since(start).Seconds(),
		Complete:   err == nil,
		counts:     counts,
	}, err
}

// WriteTable writes the counts of all depths for people.
func (r PerftResult) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "depth\tjoint moves\tterminals\t")
	for _, c := range r.counts {
		fmt.Fprintf(t, "%d\t%d\t%d\t\n", c.Depth, c.JointMoves, c.Terminals)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	remark := ""
	if !r.Complete {
		remark = ", not complete: the counts are too small"
	}
	_, err := fmt.Fprintf(w, "%.3f s%s\n", r.Seconds, remark)
	return err
}
