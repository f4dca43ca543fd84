package solve

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/goals"
)

// Solution is the result of solving the initial position of a game. Values are in goal points.
type Solution struct {
	Game      string                        `json:"game"` // set by the caller
	Method    string                        `json:"method"`
	Concept   search.Concept                `json:"concept"`            // the meaning of the values
	Value     map[string][2]float64         `json:"value"`              // by role: lower and upper bound
	Estimate  map[string]float64            `json:"estimate,omitempty"` // by role: estimate of an unsolved value
	Strategy  map[string]map[string]float64 `json:"strategy"`           // by role: probability of each move in the support
	Line      [][]string                    `json:"line,omitempty"`
	Outcomes  *Outcomes                     `json:"outcomes,omitempty"`
	Proved    bool                          `json:"proved"`
	Solved    bool                          `json:"solved"` // proved, and lower = upper for every role
	Nodes     int64                         `json:"nodes"`
	Positions int64                         `json:"positions,omitempty"` // see search.Counters
	LPCalls   int64                         `json:"lp_calls"`
	LPSeconds float64                       `json:"lp_seconds"`
	TableHits int64                         `json:"table_hits"`
	Seconds   float64                       `json:"seconds"`
	PeakBytes int64                         `json:"peak_bytes"`
	Evictions int64                         `json:"evictions,omitempty"` // positions evicted from the table, see search.Counters
	// Unfinished is the reason for an early end, see search.Result.
	Unfinished string `json:"unfinished,omitempty"`

	// Matrix holds the payoffs of the initial position, if the caller has asked for them: see Solver.Matrix.
	Matrix *Matrix `json:"matrix,omitempty"`

	// Exact is the equilibrium in rational numbers; nil for other methods.
	Exact *ExactSolution `json:"exact,omitempty"`

	*Certificate // nil without a certificate

	// Names belongs to the game, Goals holds the facts about its goals on which the values rest, and Result is the
	// result of the search, by role and move.
	Names  *machine.Names `json:"-"`
	Goals  goals.Facts    `json:"-"`
	Result search.Result  `json:"-"`
}

// Outcomes is search.Outcomes with named roles.
type Outcomes struct {
	Complete bool      `json:"complete"`
	List     []Outcome `json:"list"`
}

// Outcome is search.Outcome with named roles. Rational reports that every role gets at least its guarantee.
type Outcome struct {
	Goals    map[string]int32 `json:"goals"`
	Rational bool             `json:"rational"`
	Line     [][]string       `json:"line,omitempty"`
}

func newSolution(method string, names *machine.Names, facts goals.Facts, r search.Result) Solution {
	s := Solution{
		Method:    method,
		Concept:   r.Concept,
		Value:     make(map[string][2]float64),
		Estimate:  make(map[string]float64),
		Strategy:  make(map[string]map[string]float64),
		Proved:    r.Proved,
		Solved:    r.Solved(),
		Nodes:     r.Nodes,
		Positions: r.Positions,
		LPCalls:   r.LPCalls,
		LPSeconds: r.LPTime.Seconds(),
		TableHits: r.TableHits,
		Seconds:   r.Elapsed.Seconds(),
		PeakBytes: r.PeakBytes,
		Evictions: r.Evictions,
		Names:     names,
		Goals:     facts,
		Result:    r,
	}
	if r.Unfinished != nil {
		s.Unfinished = r.Unfinished.Error()
	}
	for _, role := range names.Players() {
		if r.Values != nil {
			s.Value[names.Roles[role]] = [2]float64{r.Values[role].Lower, r.Values[role].Upper}
		}
		if !s.Solved && r.Estimates != nil {
			s.Estimate[names.Roles[role]] = r.Estimates[role]
		}
	}
	for role, strategy := range r.Strategies {
		if strategy == nil {
			continue
		}
		moves := make(map[string]float64, len(strategy))
		for _, w := range strategy {
			moves[names.MoveText(machine.Role(role), w.Move)] = w.Probability
		}
		s.Strategy[names.Roles[role]] = moves
	}
	s.Line = names.LineTexts(r.Line)
	s.Outcomes = namedOutcomes(names, r)
	return s
}

func namedOutcomes(names *machine.Names, r search.Result) *Outcomes {
	if r.Outcomes == nil {
		return nil
	}
	out := &Outcomes{Complete: r.Outcomes.Complete, List: []Outcome{}}
	for _, o := range r.Outcomes.List {
		named := Outcome{Goals: make(map[string]int32), Rational: true, Line: names.LineTexts(o.Line)}
		for role, g := range o.Goals {
			named.Goals[names.Roles[role]] = g
			named.Rational = named.Rational && float64(g) >= r.Values[role].Lower
		}
		out.List = append(out.List, named)
	}
	return out
}

// IsWithin reports whether the interval of every role is at most epsilon goal points wide, without widening by
// rounding errors. A certificate or incomplete outcomes that contradict make it false.
func (s Solution) IsWithin(epsilon float64) bool {
	return s.Proved && areWithin(s.Result.Values, epsilon, s.Method) &&
		(s.Certificate == nil || s.Certified || s.Drawn && s.Faults == 0) && (s.Outcomes == nil || s.Outcomes.Complete)
}

// areWithin reports whether each interval of a result of a method is at most epsilon goal points wide, apart from the
// widening by rounding errors where epsilon > 0.
func areWithin(values []search.Interval, epsilon float64, method string) bool {
	if epsilon > 0 {
		epsilon += 2 * roundingOf(method)
	}
	for _, v := range values {
		if v.Upper-v.Lower > epsilon {
			return false
		}
	}
	return true
}
