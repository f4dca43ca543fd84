package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"stackmate/internal/cli/terminal"
	"stackmate/protocol/arena/board"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/solve"
)

// playCommand lets a person play.
type playCommand struct {
	Game   string        `arg:"" help:"Game to play."`
	Engine string        `enum:"${engines}" default:"auto" help:"State machine: ${enum}."`
	From   string        `type:"path" placeholder:"FILE" help:"Solution saved by solve --save, a file or the folder of method layers; positions that it does not know are solved."`
	Role   string        `help:"Role of the person; the first one by default."`
	Seed   uint64        `default:"1" help:"Seed of the solution's dice and of chance."`
	Think  time.Duration `default:"5s" help:"Time for a position that the solution does not know: half of it to solve it and, if it is not solved, half to find a good move by sampling."`
	searchFlags
}

// Run implements the command.
func (c *playCommand) Run(s *console) error {
	if c.Think <= 0 {
		return usageError{errors.New("expected --think above 0")}
	}
	share := s.memory.share(3) // the tables of two searches, and the book
	p, err := s.problem(c.options(share), c.Game, c.Engine)
	if err != nil {
		return err
	}
	sampling := c.options(share)
	sampling.Method = "mcts"
	sampler, err := solve.New(sampling)
	if err != nil {
		return err
	}
	match := terminal.Match{
		Machine: p.machine, Seed: c.Seed,
		Layout: board.Find(p.rules, p.machine.Names().AppendFluents(nil, p.machine.Initial())),
	}
	match.Search = func(ctx context.Context, q machine.State) (search.Result, error) {
		defer s.progress(doing("thinking, for %v at most", c.Think))()
		var r search.Result
		for _, solver := range []*solve.Solver{p.solver, sampler} {
			ctx, cancel := context.WithTimeout(ctx, c.Think/2)
			r, err = solver.Search(ctx, p.machine, q, search.Limits{MaxBytes: share})
			cancel()
			if err != nil || r.Solved() {
				break
			}
		}
		return r, err
	}
	if match.Person, err = c.person(p.machine.Names()); err != nil {
		return usageError{err}
	}
	if c.From != "" {
		if match.Known, err = s.saved(c.From, p.rules, p.machine, share); err != nil {
			return err
		}
	}
	return match.Play(s.ctx, os.Stdin, s.out)
}

// person finds the role of the person.
func (c *playCommand) person(names *machine.Names) (machine.Role, error) {
	if _, _, err := search.Opponents(names); err != nil {
		return machine.NoRole, fmt.Errorf("%w; any number can play in stackmate match %s --players human,stackmate,…", err, c.Game)
	}
	for _, r := range names.Players() {
		if c.Role == "" || strings.EqualFold(names.Roles[r], c.Role) {
			return r, nil
		}
	}
	return machine.NoRole, fmt.Errorf("--role: expected one of %s, found %q", strings.Join(names.Roles, ", "), c.Role)
}
