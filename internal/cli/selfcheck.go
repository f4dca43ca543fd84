package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"stackmate/reasoner"
	"stackmate/reasoner/prover"
	"stackmate/reasoner/reference"
	"stackmate/search"
	"stackmate/search/goals"
	"stackmate/search/solve"
)

// A solution is checked for one part in checkShare of the time that it took, at least for leastCheck.
const (
	checkShare = 20
	leastCheck = 20 * time.Millisecond
)

// contradictionError is a solution that the rules refute: a fault of this program, with its own exit status.
type contradictionError struct {
	error
	file string // holds the evidence; empty where it could not be written
}

// Error implements error.
func (e contradictionError) Error() string {
	text := e.error.Error() + "\nThis is a fault of stackmate, not of the game: do not rely on the solution"
	if e.file != "" {
		text += "; please report it with the evidence in " + e.file
	}
	return text
}

// Unwrap returns the contradiction.
func (e contradictionError) Unwrap() error { return e.error }

// evidence is the content of the file of a contradiction.
type evidence struct {
	Game     string                `json:"game"`
	Rules    string                `json:"rules"` // digest
	Args     []string              `json:"args"`
	What     string                `json:"what"`
	Line     [][]string            `json:"line"`
	Position []string              `json:"position"`
	Method   string                `json:"method"`
	Concept  string                `json:"concept"`
	Value    map[string][2]float64 `json:"value"`
}

// selfCheck plays lines of the solution on the reference engine.
func (c *solveCommand) selfCheck(s *console, p problem, solution solve.Solution) error {
	took := time.Duration(solution.Seconds * float64(time.Second))
	ctx, cancel := context.WithTimeout(s.ctx, max(took/checkShare, leastCheck))
	defer cancel()
	second, err := reference.New(ctx, p.rules)
	if err != nil {
		return nil //nolint:nilerr // there was no time to make it
	}
	var wrong *solve.Contradiction
	if err := p.solver.SelfCheck(ctx, p.machine, second, solution); !errors.As(err, &wrong) {
		return err
	}
	e := evidence{
		c.Game, p.rules.ExactDigest(), s.args, wrong.What, wrong.Line, wrong.Position, solution.Method, string(solution.Concept), solution.Value,
	}
	return contradictionError{wrong, e.write(s)}
}

// write writes the evidence to a new file in the folder of temporary files and returns its name.
func (e evidence) write(s *console) string {
	f, err := os.CreateTemp("", "stackmate-contradiction-*.json")
	if err == nil {
		out := json.NewEncoder(f)
		out.SetIndent("", "  ")
		err = errors.Join(out.Encode(e), f.Close())
	}
	if err != nil {
		s.log.Error().Err(err).Msg("the evidence of a contradiction is not kept")
		return ""
	}
	return f.Name()
}

// withGoals adds the goals that the rules give to the error of a position with a faulty goal.
func (s *console) withGoals(err error, p problem) error {
	var fault *goals.Fault
	if !errors.As(err, &fault) {
		return err
	}
	facts, failed := prover.New(p.rules).Facts(s.ctx, fault.Position, "goal", 2)
	if failed != nil {
		return err
	}
	found := "none"
	for _, fact := range facts {
		switch {
		case fact[0] != fault.Role:
		case found == "none":
			found = fact[1]
		default:
			found += " and " + fact[1]
		}
	}
	return fmt.Errorf("%w; the goals of %s there: %s", err, fault.Role, found)
}

// asPlayedNodes bounds the search of asPlayed: a second.
const asPlayedNodes = 1 << 14

// asPlayed returns, in words, the values of a small game with faulty goals as game managers read its rules: the first of several goals
// counts, and no goal counts as 0. It returns "" if err has another reason, or if the values are not solved.
func (c *solveCommand) asPlayed(ctx context.Context, s *console, p problem, err error) string {
	if fault := (*goals.Fault)(nil); !errors.As(err, &fault) {
		return ""
	}
	m := p.machine
	if p.rules.MayHaveSeveralGoals() {
		if m, _, err = s.machine(c.Game, p.rules.FirstGoals(), reasoner.Options{Engine: c.Engine}); err != nil {
			return ""
		}
	}
	o := c.options(c.tableBytes(s))
	o.Method, o.Lenient, o.Threads = solve.Auto, true, 1
	solver, err := solve.New(o)
	if err != nil {
		return ""
	}
	r, err := solver.Search(ctx, m, m.Initial(), search.Limits{MaxNodes: asPlayedNodes, MaxBytes: o.Memory << 20, NoLine: true})
	if err != nil || !r.Solved() {
		return ""
	}
	var values []string
	for _, role := range m.Names().Players() {
		values = append(values, fmt.Sprintf("%s %s", m.Names().Roles[role], bounds(r.Values[role])))
	}
	return "; as game managers read the rules: " + strings.Join(values, ", ")
}
