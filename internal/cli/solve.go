package cli

import (
	"errors"
	"fmt"
	"sync/atomic"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/solve"
)

// solveCommand computes values and strategies.
type solveCommand struct {
	oneGame
	solve.Options
	Certify bool   `help:"Play the strategies against every opponent and prove how much can be gained against them."`
	Save    string `type:"path" placeholder:"FILE" help:"Keep the solution, which is certified first, for play --from."`
}

// Run implements the command.
func (c *solveCommand) Run(s *console) error {
	if c.Epsilon > 0 && (c.Certify || c.Save != "") {
		return usageError{fmt.Errorf("--certify and --save: expected an exact solution, without --epsilon, found --epsilon %v", c.Epsilon)}
	}
	solver, m, err := s.solver(c.Options, c.Game, c.Engine)
	if err != nil {
		return err
	}
	var nodes atomic.Int64
	stop := s.progress(func() string { return fmt.Sprintf("solving %s, %d nodes", c.Game, nodes.Load()) })
	solution, err := solver.Solve(s.ctx, m, func(r search.Result) { nodes.Store(r.Nodes) })
	stop()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Game, err)
	}
	solution.Game = c.Game
	var doubt error
	if solution.Solved && (c.Certify || c.Save != "") {
		doubt = c.certify(s, solver, m, &solution)
	}
	if err := errors.Join(s.show(c.JSON, solution), doubt); err != nil {
		return fmt.Errorf("%s: %w", c.Game, err)
	}
	if !solution.IsWithin(c.Epsilon) {
		return fmt.Errorf("%s is not solved", c.Game)
	}
	return nil
}

// certify checks a solution and saves what is certified where that is wanted.
func (c *solveCommand) certify(s *console, solver *solve.Solver, m machine.Machine, solution *solve.Solution) error {
	_, rules, err := rulesheet(c.Game)
	if err != nil {
		return err
	}
	answers := solver.Answers(m, *solution)
	kept := book.New(m, book.Label{Game: c.Game, Rules: book.Digest(rules), Method: solution.Method}, c.Memory<<20)
	if c.Save != "" {
		answers = kept.Recorder(answers)
	}
	var doing atomic.Value
	doing.Store("")
	defer s.progress(func() string { return "certifying " + c.Game + doing.Load().(string) })()
	err = solver.Certify(s.ctx, m, answers, solution, func(positions int64, share float64) {
		doing.Store(fmt.Sprintf(", %d positions, %.1f %% of the moves", positions, 100*share))
	})
	if err != nil || c.Save == "" || !solution.Certified {
		return err
	}
	return kept.Save(c.Save)
}
