package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"stackmate/player"
	"stackmate/protocol"
)

// explained puts an explanation of a player into the words of the protocol.
func explained(x *player.Explanation) *protocol.Explanation {
	if x == nil {
		return nil
	}
	e := &protocol.Explanation{
		Move: x.Move, By: x.By, Why: x.Why, Line: x.Line, Nodes: x.Nodes, PlayoutsPerSecond: x.Playouts, Seconds: x.Took.Seconds(),
	}
	for _, v := range x.Values {
		kind := protocol.Estimated
		if v.Proved {
			kind = protocol.Proved
		}
		e.Values = append(e.Values, protocol.RoleValue{Role: v.Role, Lower: v.Lower, Upper: v.Upper, Estimate: v.Estimate, Kind: kind})
	}
	for _, s := range x.Strategy {
		share := protocol.MoveShare{Move: s.Move, Probability: s.Probability}
		if s.HasValue {
			share.Value = &s.Value
		}
		e.Strategy = append(e.Strategy, share)
	}
	return e
}

// explainMoves has the players of this program explain their moves on standard error,
// each in one piece.
func (s *console) explainMoves() {
	s.explain = func(role string, x *protocol.Explanation) {
		var text bytes.Buffer
		if writeExplanation(&text, role, x) == nil {
			fmt.Fprintln(s.err, text.String())
		}
	}
}

// maxLine is the number of joint moves of a line that people are shown.
const maxLine = 10

// writeExplanation writes why a role made a move, for people.
func writeExplanation(w io.Writer, role string, x *protocol.Explanation) error {
	t := newTable(w, 0)
	fmt.Fprintf(t, "%s\t%s\n", role, x.Move)
	fmt.Fprintf(t, "  why\t%s (%s, %.2f s)\n", x.Why, x.By, x.Seconds)
	for _, v := range x.Values {
		switch {
		case v.Kind == protocol.Estimated:
			fmt.Fprintf(t, "  value of %s\t%.1f, estimated\n", v.Role, v.Estimate)
		case v.Lower == v.Upper:
			fmt.Fprintf(t, "  value of %s\t%.4g, proved\n", v.Role, v.Lower)
		default:
			fmt.Fprintf(t, "  value of %s\tfrom %.4g to %.4g, proved; about %.1f\n", v.Role, v.Lower, v.Upper, v.Estimate)
		}
	}
	title := "moves"
	for _, s := range x.Strategy {
		fmt.Fprintf(t, "  %s\t%.3f  %s", title, s.Probability, s.Move)
		if s.Value != nil {
			fmt.Fprintf(t, ", %.1f by sampling", *s.Value)
		}
		fmt.Fprintln(t)
		title = ""
	}
	if len(x.Line) > 0 {
		var joint []string
		for _, moves := range x.Line[:min(len(x.Line), maxLine)] {
			joint = append(joint, strings.Join(moves, " "))
		}
		fmt.Fprintf(t, "  line\t%s\n", strings.Join(joint, ", "))
	}
	if x.Nodes > 0 {
		fmt.Fprintf(t, "  nodes\t%d", x.Nodes)
		if x.PlayoutsPerSecond > 0 {
			fmt.Fprintf(t, ", %.0f playouts/s", x.PlayoutsPerSecond)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
