package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/solve"
)

// lineShown bounds the joint moves of the principal line in the table.
const lineShown = 10

// writeSolution writes the solution for people.
func writeSolution(w io.Writer, s solve.Solution) error {
	t := newTable(w, 0)
	fmt.Fprintf(t, "game\t%s\nmethod\t%s\nstatus\t%s\n", s.Game, s.Method, proofStatus(s))
	if s.Concept != "" {
		fmt.Fprintf(t, "concept\t%s\n", concept(s))
	}
	title := map[search.Concept]string{search.Guarantee: "guarantee", search.PureGuarantee: "guarantee", search.Equilibrium: "payoff"}
	if s.Exact != nil {
		writeExact(t, s.Names, s.Exact)
		s.Result.Values, s.Result.Strategies = nil, nil
	}
	for _, role := range s.Names.Players() {
		if s.Result.Values != nil {
			fmt.Fprintf(t, "%s of %s\t%s%s\n", cmp.Or(title[s.Concept], "value"), s.Names.Roles[role], bounds(s.Result.Values[role]), estimate(s, role))
		}
	}
	for role, strategy := range s.Result.Strategies {
		for i, w := range strategy {
			title := ""
			if i == 0 {
				title = "strategy of " + s.Names.Roles[role]
			}
			fmt.Fprintf(t, "%s\t%.6f  %s\n", title, w.Probability, s.Names.MoveText(machine.Role(role), w.Move))
		}
	}
	if s.Exact == nil && s.Matrix != nil {
		writeMatrix(t, *s.Matrix)
	}
	if len(s.Line) > 0 {
		fmt.Fprintf(t, "line\t%s\n", principalLine(s))
	}
	writeOutcomes(t, s)
	fmt.Fprintf(t, "nodes\t%d\n", s.Nodes)
	if s.Positions > 0 {
		fmt.Fprintf(t, "positions\t%d\n", s.Positions)
	}
	fmt.Fprintf(t, "LP calls\t%d in %.3f s\ntable hits\t%d\n", s.LPCalls, s.LPSeconds, s.TableHits)
	if s.Certificate != nil {
		fmt.Fprintf(t, "certificate\t%s\n", certificate(s))
	}
	fmt.Fprintf(t, "memory\t%.1f MB%s\ntime\t%.3f s\n", float64(s.PeakBytes)/1e6, evicted(s), s.Seconds)
	return t.Flush()
}

// concept returns the meaning of the values in words, with the facts that it rests on.
func concept(s solve.Solution) string {
	switch s.Concept {
	case search.BestEnd:
		return "the best goal; a match without end counts 0"
	case search.Guarantee:
		return fmt.Sprintf("guarantees: the most that each role can make sure of, whatever others do (%s)", s.Goals)
	case search.PureGuarantee:
		return "guarantees in pure strategies: the most that each role can make sure of, even if others know its move"
	case search.Equilibrium:
		return "payoffs of one equilibrium; others may have other payoffs"
	}
	switch players := len(s.Names.Players()); {
	case players == 1 && s.Names.Chance() != machine.NoRole:
		return "the best expected goal"
	case players == 1:
		return "the best goal"
	case s.Goals.Constant:
		return fmt.Sprintf("value of a zero-sum game: %s", s.Goals)
	}
	return "value of a zero-sum game: all positions were searched"
}

// outcomesShown bounds the undominated outcomes in the table.
const outcomesShown = 20

// writeOutcomes writes the undominated outcomes, individually rational outcomes first.
func writeOutcomes(w io.Writer, s solve.Solution) {
	if s.Outcomes == nil {
		return
	}
	list := slices.Clone(s.Outcomes.List)
	slices.SortStableFunc(list, func(a, b solve.Outcome) int {
		switch {
		case a.Rational == b.Rational:
			return 0
		case a.Rational:
			return -1
		}
		return 1
	})
	title := "outcomes"
	if !s.Outcomes.Complete {
		title = "some outcomes"
	}
	for i, o := range list {
		if i == outcomesShown {
			fmt.Fprintf(w, "\t… %d more\n", len(list)-i)
			return
		}
		var goals []string
		for _, role := range s.Names.Roles {
			goals = append(goals, fmt.Sprintf("%s %d", role, o.Goals[role]))
		}
		note := ""
		if len(o.Line) > 0 {
			note = fmt.Sprintf("  in %d moves", len(o.Line))
		}
		if !o.Rational {
			note += "  (less than guaranteed for some)"
		}
		fmt.Fprintf(w, "%s\t%s%s\n", title, strings.Join(goals, ", "), note)
		title = ""
	}
}

// evicted warns of a table that was too small.
func evicted(s solve.Solution) string {
	if s.Evictions == 0 {
		return ""
	}
	return fmt.Sprintf(", too little: %d positions were forgotten (--memory)", s.Evictions)
}

// proofStatus says how much is known of the values.
func proofStatus(s solve.Solution) string {
	switch {
	case s.Solved:
		return "solved"
	case s.Proved:
		return "proved bounds"
	}
	return "estimate"
}

// principalLine returns the beginning of the principal variation.
func principalLine(s solve.Solution) string {
	var shown []string
	for i, joint := range s.Result.Line {
		if i == lineShown {
			shown = append(shown, fmt.Sprintf("… %d more", len(s.Result.Line)-i))
			break
		}
		shown = append(shown, s.Names.JointString(joint))
	}
	return strings.Join(shown, " ")
}

// estimate returns the estimate of the value of a role, if the value is not solved.
func estimate(s solve.Solution, role machine.Role) string {
	if s.Result.Estimates == nil || s.Result.Values[role].Solved() {
		return ""
	}
	return fmt.Sprintf(", estimate %.6g", s.Result.Estimates[role])
}

// bounds formats the bounds of a value, or the value if it is solved.
func bounds(v search.Interval) string {
	if v.Solved() {
		return fmt.Sprintf("%g", v.Lower)
	}
	return fmt.Sprintf("[%g, %g]", v.Lower, v.Upper)
}

// certificate formats the certificate of a solution.
func certificate(s solve.Solution) string {
	c := s.Certificate
	work := fmt.Sprintf("%d positions, %.3f s", c.PositionsChecked, c.Seconds)
	proved := fmt.Sprintf("exploitability %g (proved", c.Exploitability)
	if c.ProvedExploitability > 0 {
		proved += ": at most " + atMost(c.ProvedExploitability)
	}
	proved += ")"
	switch {
	case c.Drawn && c.Faults == 0 && !c.Complete:
		return "NOT finished: no fault at the positions drawn so far; " + work
	case c.Drawn && c.Faults == 0:
		return "no fault at the positions drawn: " + work
	case c.Certified && !s.Solved:
		return fmt.Sprintf("certified: the strategies hold the value to %s, so nobody gains more than %s (proved); %s",
			bounds(search.Interval{Lower: c.ProvedBounds[0], Upper: c.ProvedBounds[1]}), atMost(c.ProvedExploitability), work)
	case c.Certified:
		return fmt.Sprintf("certified: %s; %s", proved, work)
	case c.First == nil:
		return fmt.Sprintf("NOT finished: no fault found yet, the value is proved to lie in [%g, %g]; %s",
			c.ProvedBounds[0], c.ProvedBounds[1], work)
	}
	return fmt.Sprintf("NOT certified: %s; %s; %s", proved, objection(s), work)
}

// objection returns the reason for which a finished check does not certify a solution.
func objection(s solve.Solution) string {
	first := s.First
	who, at := "a lone player", strings.Join(s.Names.AppendFluents(nil, first.Position), " ")
	if first.Role >= 0 {
		who = "the strategy of " + s.Names.Roles[first.Role]
	}
	if first.Endless {
		return fmt.Sprintf("positions repeat under %s, and the check does not show that such matches end, first at %s", who, at)
	}
	return fmt.Sprintf("%d claims do not hold, one at %s: claimed %g, %s obtains %g (points of %s)",
		s.Faults, at, first.Claimed, who, first.Obtained, s.Names.Roles[s.Names.Players()[0]])
}

// leastBound is the least upper bound that certificates show, in goal points: smaller bounds are rounded up to it.
const leastBound = 1e-12

// atMost formats an upper bound with two digits, rounded up to at least leastBound unless it is 0.
func atMost(v float64) string {
	if v == 0 {
		return "0"
	}
	v = max(v, leastBound)
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return fmt.Sprintf("%.2g", math.Ceil(v/unit)*unit)
}
