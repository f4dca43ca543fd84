package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"stackmate/protocol/arena"
)

// writeSeries writes the standings for people.
func writeSeries(w io.Writer, s *arena.Series) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "player\tmatches\tpoints\tshare\twins\tdraws\tlosses\tlate\tillegal\tfailed\t")
	for _, p := range s.Standings {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f %%\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			p.Player, p.Matches, p.Points, 100*p.Share(), p.Wins, p.Draws, p.Losses, p.Late, p.Illegal, p.Failed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range s.Results {
		if r.Reason != "" {
			if _, err := fmt.Fprintf(w, "match %s: %s\n", r.Match, r.Reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeRanking writes the standings and the ratings for people.
func writeRanking(w io.Writer, r *arena.Ranking) error {
	if err := writeSeries(w, &r.Series); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\nplayer\telo\t95 %\t")
	for _, p := range r.Ratings {
		fmt.Fprintf(t, "%s\t%+.0f\t±%.0f\t\n", p.Player, p.Elo, p.Error)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.LLR != nil {
		_, err := fmt.Fprintf(w, "\nlog-likelihood ratio %.2f: %s\n", *r.LLR, verdictText(r.Verdict))
		return err
	}
	return nil
}

// verdictText says what the verdict of a test means.
func verdictText(v arena.Verdict) string {
	switch v {
	case arena.AcceptH0:
		return "the first player is no stronger than elo0"
	case arena.AcceptH1:
		return "the first player is stronger, as elo1 says"
	}
	return "undecided"
}
