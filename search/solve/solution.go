package solve

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Solution is the result of solving the initial position of a game. Values are
// goal points.
type Solution struct {
	Game      string                        `json:"game"` // left to the caller
	Method    string                        `json:"method"`
	Value     map[string][2]float64         `json:"value"`              // by role: lower and upper bound
	Estimate  map[string]float64            `json:"estimate,omitempty"` // by role: guess at a value not solved
	Strategy  map[string]map[string]float64 `json:"strategy"`           // by role: probability of each move played
	Line      [][]string                    `json:"line,omitempty"`
	Proved    bool                          `json:"proved"`
	Solved    bool                          `json:"solved"` // proved, and lower = upper for every role
	Nodes     int64                         `json:"nodes"`
	LPCalls   int64                         `json:"lp_calls"`
	LPSeconds float64                       `json:"lp_seconds"`
	TableHits int64                         `json:"table_hits"`
	Seconds   float64                       `json:"seconds"`
	PeakBytes int64                         `json:"peak_bytes"`
	Evictions int64                         `json:"evictions,omitempty"` // positions lost by the table, see search.Counters

	*Certificate // nil if there is none

	names  *machine.Names
	result search.Result
}

func newSolution(method string, names *machine.Names, r search.Result) Solution {
	s := Solution{
		Method:    method,
		Value:     make(map[string][2]float64),
		Strategy:  make(map[string]map[string]float64),
		Proved:    r.Proved,
		Solved:    r.Solved(),
		Nodes:     r.Nodes,
		LPCalls:   r.LPCalls,
		LPSeconds: r.LPTime.Seconds(),
		TableHits: r.TableHits,
		Seconds:   r.Elapsed.Seconds(),
		PeakBytes: r.PeakBytes,
		Evictions: r.Evictions,
		names:     names,
		result:    r,
	}
	for role, v := range r.Values {
		s.Value[names.Roles[role]] = [2]float64{v.Lower, v.Upper}
	}
	if !s.Solved && r.Estimates != nil {
		s.Estimate = make(map[string]float64)
		for role, v := range r.Estimates {
			s.Estimate[names.Roles[role]] = v
		}
	}
	for role, strategy := range r.Strategies {
		if strategy == nil {
			continue
		}
		moves := make(map[string]float64, len(strategy))
		for _, w := range strategy {
			moves[names.Moves[role][w.Move]] = w.Probability
		}
		s.Strategy[names.Roles[role]] = moves
	}
	for _, joint := range r.Line {
		moves := make([]string, len(joint))
		for role, m := range joint {
			moves[role] = names.Moves[role][m]
		}
		s.Line = append(s.Line, moves)
	}
	return s
}

// lineShown bounds the joint moves of the principal line in the table.
const lineShown = 10

// IsWithin tells whether the value of every role is known up to epsilon goal
// points, and the certificate, where there is one, does not contradict.
func (s Solution) IsWithin(epsilon float64) bool {
	for _, v := range s.result.Values {
		if v.Upper-v.Lower > epsilon {
			return false
		}
	}
	return s.Proved && (s.Certificate == nil || s.Certified)
}

// WriteTable writes the solution for people.
func (s Solution) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "game\t%s\nmethod\t%s\nstatus\t%s\n", s.Game, s.Method, s.status())
	for role, v := range s.result.Values {
		fmt.Fprintf(t, "value of %s\t%s%s\n", s.names.Roles[role], interval(v), s.guess(role))
	}
	for role, strategy := range s.result.Strategies {
		for i, w := range strategy {
			title := ""
			if i == 0 {
				title = "strategy of " + s.names.Roles[role]
			}
			fmt.Fprintf(t, "%s\t%.6f  %s\n", title, w.Probability, s.names.Moves[role][w.Move])
		}
	}
	if len(s.Line) > 0 {
		fmt.Fprintf(t, "line\t%s\n", s.line())
	}
	fmt.Fprintf(t, "nodes\t%d\nLP calls\t%d in %.3f s\ntable hits\t%d\n", s.Nodes, s.LPCalls, s.LPSeconds, s.TableHits)
	if s.Certificate != nil {
		fmt.Fprintf(t, "certificate\t%s\n", s.sentence())
	}
	fmt.Fprintf(t, "memory\t%.1f MB%s\ntime\t%.3f s\n", float64(s.PeakBytes)/1e6, s.lost(), s.Seconds)
	return t.Flush()
}

// lost warns of a table that was too small.
func (s Solution) lost() string {
	if s.Evictions == 0 {
		return ""
	}
	return fmt.Sprintf(", too little: %d positions were forgotten (--memory)", s.Evictions)
}

func (s Solution) status() string {
	switch {
	case s.Solved:
		return "solved"
	case s.Proved:
		return "proved bounds"
	}
	return "estimate"
}

// line is the beginning of the principal line.
func (s Solution) line() string {
	var shown []string
	for i, joint := range s.result.Line {
		if i == lineShown {
			shown = append(shown, fmt.Sprintf("… %d more", len(s.result.Line)-i))
			break
		}
		shown = append(shown, s.names.JointString(joint))
	}
	return strings.Join(shown, " ")
}

// guess is the estimate of the value of a role, where it says more than that.
func (s Solution) guess(role int) string {
	if s.Estimate == nil || s.result.Values[role].Solved() {
		return ""
	}
	return fmt.Sprintf(", estimate %.6g", s.result.Estimates[role])
}

func interval(v search.Interval) string {
	if v.Solved() {
		return fmt.Sprintf("%g", v.Lower)
	}
	return fmt.Sprintf("[%g, %g]", v.Lower, v.Upper)
}
