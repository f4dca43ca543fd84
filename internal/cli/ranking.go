package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"stackmate/protocol/arena"
)

// writeStandings writes the standings for people, and each reason for which matches ended otherwise than by the rules.
func writeStandings(w io.Writer, s *arena.Ranking) error {
	t := newTable(w, tabwriter.AlignRight)
	fmt.Fprintln(t, "player\tmatches\tpoints\tshare\twins\tdraws\tlosses\tlate\tillegal\tfailed\t")
	for _, p := range s.Standings {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			p.Player, p.Matches, p.Points, matchShare(p), p.Wins, p.Draws, p.Losses, p.Late, p.Illegal, p.Failed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if s.Winner != "" {
		fmt.Fprintf(w, "winner: %s\n", s.Winner)
	}
	first, count := make(map[string]string), make(map[string]int)
	for _, r := range s.Results {
		if count[r.Reason]++; count[r.Reason] == 1 {
			first[r.Reason] = r.Match
		}
	}
	for _, r := range s.Results {
		if r.Reason == "" || first[r.Reason] != r.Match {
			continue
		}
		more := ""
		if n := count[r.Reason]; n > 1 {
			more = fmt.Sprintf(" and %d more", n-1)
		}
		if _, err := fmt.Fprintf(w, "match %s%s: %s\n", r.Match, more, r.Reason); err != nil {
			return err
		}
	}
	return nil
}

// matchShare formats the share of a player in the points of its matches, or - without matches.
func matchShare(s arena.Standing) string {
	if s.Matches == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*s.Share())
}

// scoreLine returns the score so far as a line of progress; planned is the number of matches, 0 if it is not known.
func scoreLine(r *arena.Ranking, planned int) string {
	const shown = 3 // players
	text := fmt.Sprintf("match %d", len(r.Results)+1)
	if planned > 0 {
		text = fmt.Sprintf("match %d of %d", min(len(r.Results)+1, planned), planned)
	}
	for _, p := range r.Standings[:min(len(r.Standings), shown)] {
		text += fmt.Sprintf("  %s %s", p.Player, matchShare(p))
	}
	if r.LLR != nil {
		text += fmt.Sprintf("  LLR %.2f", *r.LLR)
	}
	if r.Tuning != nil {
		text += "  " + r.Tuning.Player
	}
	return text
}

// writeRanking writes the standings and the ratings for people.
func writeRanking(w io.Writer, r *arena.Ranking) error {
	if r.Tuning != nil {
		return writeCourse(w, r.Tuning)
	}
	if err := writeStandings(w, r); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := writeRatings(w, "player", r.Ratings); err != nil {
		return err
	}
	for _, g := range r.Games {
		fmt.Fprintln(w)
		if err := writeRatings(w, g.Game, g.Ratings); err != nil {
			return err
		}
	}
	if err := writePairs(w, r); err != nil {
		return err
	}
	if r.LLR == nil {
		return nil
	}
	fmt.Fprint(w, "\nmean scores of pairs:")
	for _, c := range r.Outcomes {
		fmt.Fprintf(w, "  %g × %d", c.Score, c.Pairs)
	}
	_, err := fmt.Fprintf(w, "\nlog-likelihood ratio %.2f: %s\n", *r.LLR, verdictText(r.Verdict))
	return err
}

// writeRatings writes ratings under a title, or - for a player that has met no opponent.
func writeRatings(w io.Writer, title string, ratings []arena.Rating) error {
	t := newTable(w, tabwriter.AlignRight)
	fmt.Fprintf(t, "%s\telo\t95 %%\t\n", title)
	for _, p := range ratings {
		elo, bound := fmt.Sprintf("%+.1f", p.Elo), fmt.Sprintf("±%.1f", p.Error)
		if p.Error == 0 {
			elo, bound = "-", "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t\n", p.Player, elo, bound)
	}
	return t.Flush()
}

// writePairs writes the encounters of players, with the share of drawn ones and the likelihood of superiority.
func writePairs(w io.Writer, r *arena.Ranking) error {
	if len(r.Pairs) == 0 {
		return nil
	}
	t := newTable(w, tabwriter.AlignRight)
	fmt.Fprintln(t, "\nplayer\topponent\tmatches\twins\tdraws\tlosses\tscore\tdrawn\telo\t95 %\tLOS\t")
	for _, p := range r.Pairs {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%.1f %%\t%.1f %%\t%+.1f\t±%.1f\t%.1f %%\t\n",
			p.Player, p.Opponent, p.Matches, p.Wins, p.Draws, p.Losses, 100*p.Score, 100*p.DrawShare(), p.Elo, p.Error, 100*p.LOS)
	}
	return t.Flush()
}

// writeRankingCSV writes ratings and encounters as CSV: of a player over all games and in
// each, and against each opponent.
func writeRankingCSV(w io.Writer, r *arena.Ranking) error {
	out := csv.NewWriter(w)
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	_ = out.Write([]string{"game", "player", "opponent", "matches", "wins", "draws", "losses", "score", "elo", "error", "los"})
	for i, p := range r.Standings {
		rating := r.Ratings[i]
		_ = out.Write([]string{
			"", p.Player, "", strconv.Itoa(p.Matches), strconv.Itoa(p.Wins), strconv.Itoa(p.Draws), strconv.Itoa(p.Losses),
			number(p.Share()), number(rating.Elo), number(rating.Error), "",
		})
	}
	for _, g := range r.Games {
		for _, rating := range g.Ratings {
			_ = out.Write([]string{g.Game, rating.Player, "", "", "", "", "", "", number(rating.Elo), number(rating.Error), ""})
		}
	}
	for _, p := range r.Pairs {
		_ = out.Write([]string{
			"", p.Player, p.Opponent, strconv.Itoa(p.Matches), strconv.Itoa(p.Wins), strconv.Itoa(p.Draws), strconv.Itoa(p.Losses),
			number(p.Score), number(p.Elo), number(p.Error), number(p.LOS),
		})
	}
	out.Flush()
	return out.Error()
}

// verdictText returns the meaning of a verdict of a test.
func verdictText(v arena.Verdict) string {
	switch v {
	case arena.AcceptH0:
		return "the first player is no stronger than elo0"
	case arena.AcceptH1:
		return "the first player is stronger, as elo1 says"
	}
	return "undecided"
}
