package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/certify"
	"stackmate/search/layers"
	"stackmate/search/solve"
)

// solveCommand computes values and strategies.
type solveCommand struct {
	oneGame
	positionFlags
	searchFlags
	Time    time.Duration `placeholder:"DURATION" help:"Stop search and certificate after this time, such as 90s or 2h, and print the bounds proved so far; no limit by default."`
	Exact   bool          `help:"Print an equilibrium in fractions, with the matrix of the first position. Method equilibrium computes it, for small games."`
	Matrix  bool          `help:"Print the matrix of the first position: the payoffs of the players after each move, or pair of moves."`
	Export  string        `type:"path" placeholder:"FILE" help:"Write the matrix of the first position as .csv, .tex or .nfg, or the game tree as .efg (Gambit)."`
	Certify bool          `help:"Play the strategies against every opponent and prove a bound of the gain against them."`
	Draws   int64         `placeholder:"N" help:"Check only N positions of random games, not all."`
	Save    string        `type:"path" placeholder:"FILE" help:"Certify and save the solution, for play --from; save the proofs of an unfinished search by bab or dfs in FILE.proofs. Method layers saves all values in a folder."`
	NATS    string        `name:"nats" placeholder:"URL,…" help:"Let workers on this NATS server or cluster solve parts of layers, too; they need the folder of --save at the same path."`
	Resume  bool          `help:"Continue from FILE.proofs, if it exists, or from the folder of layers."`
}

// Run implements the command.
func (c *solveCommand) Run(s *console) error {
	if err := c.check(); err != nil {
		return err
	}
	p, end, err := c.problem(s)
	defer end()
	if err != nil {
		return err
	}
	kept := newKept(c.file(), c.Game, p)
	if c.Resume && c.file() != "" {
		if err := kept.load(s); err != nil {
			return err
		}
	}
	kept.warn(s)
	line := s.progress("solving %s", c.Game)
	var pace pace
	ctx, cancel := c.limited(s.ctx)
	defer cancel()
	solution, err := p.solver.Solve(ctx, p.machine, func(r search.Result) {
		line.say("solving %s%s", c.Game, pace.show(p.machine.Names(), r, c.tableBytes(s)))
		kept.save(s, keepEvery)
	})
	line.end()
	if err != nil {
		return fmt.Errorf("%s: %w%s", c.Game, s.withGoals(err, p), c.asPlayed(ctx, s, p, err))
	}
	solution.Game = c.Game
	if !solution.IsWithin(c.Epsilon) {
		solution.Unfinished = cmp.Or(solution.Unfinished, c.earlyEnd(ctx, s))
	}
	doubt := c.selfCheck(s, p, solution)
	if doubt != nil {
		solution.Solved, solution.Proved = false, false
	}
	if doubt == nil && solution.IsWithin(c.Epsilon) && (c.Certify || c.Draws > 0 || c.file() != "") {
		doubt = c.certify(ctx, s, p, &solution)
	}
	if solution.Solved && doubt == nil {
		kept.remove()
	} else {
		kept.save(s, 0)
	}
	noExport := c.addMatrix(ctx, p, &solution)
	if noExport == nil {
		noExport = c.export(p, solution)
	}
	err = errors.Join(show(s, c.JSON, solution, writeSolution), doubt, noExport)
	if err != nil {
		err = fmt.Errorf("%s: %w", c.Game, err)
	}
	if doubt == nil {
		err = errors.Join(err, c.unsolved(solution))
	}
	return err
}

// check returns an error for flags that contradict each other or lack a value.
func (c *solveCommand) check() error {
	if c.Epsilon > 0 && c.Save != "" {
		return usageError{fmt.Errorf("--save: expected an exact solution, without --epsilon, found --epsilon %v", c.Epsilon)}
	}
	if c.Time < 0 {
		return usageError{fmt.Errorf("--time: expected a duration above 0, found %v", c.Time)}
	}
	if c.Resume && c.Save == "" {
		return usageError{errors.New("--resume: expected --save FILE, too")}
	}
	if c.NATS != "" && (c.Method != solve.Layers || c.Save == "") {
		return usageError{errors.New("--nats: expected --method layers and --save FOLDER, too")}
	}
	if _, err := os.Lstat(c.file() + proofsExtension); c.file() != "" && !c.Resume && err == nil {
		return usageError{fmt.Errorf("--save: %s has the proofs of an unfinished search: --resume continues it; or remove the file", c.file()+proofsExtension)}
	}
	return errors.Join(checkExport(c.Export), c.chooseExact())
}

// unsolved returns the error of a solution that is wider than --epsilon, with the reason for an early end, or that a check has not
// certified.
func (c *solveCommand) unsolved(s solve.Solution) error {
	switch {
	case s.IsWithin(c.Epsilon):
		return nil
	case s.Certificate != nil && s.First != nil:
		return fmt.Errorf("%s is solved, but not certified: %s", c.Game, objection(s))
	case s.Unfinished == "":
		return fmt.Errorf("%s is not solved", c.Game)
	}
	return fmt.Errorf("%s is not solved: %s", c.Game, s.Unfinished)
}

// earlyEnd returns the reason for which the context of the search has ended, or "".
func (c *solveCommand) earlyEnd(ctx context.Context, s *console) string {
	switch {
	case s.ctx.Err() != nil:
		return "interrupted"
	case ctx.Err() != nil:
		return fmt.Sprintf("the time of %v is over", c.Time)
	}
	return ""
}

// limited returns the context of the search and the certificate, which ends with --time.
func (c *solveCommand) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Time > 0 {
		return context.WithTimeout(ctx, c.Time)
	}
	return context.WithCancel(ctx)
}

// file returns the path of the solution, or "": layers are in a folder.
func (c *solveCommand) file() string {
	if c.Method == solve.Layers {
		return ""
	}
	return c.Save
}

// problem returns the game, begun at the position of the flags, with its solver, which works until end is called.
func (c *solveCommand) problem(s *console) (p problem, end func(), err error) {
	end = func() {}
	if c.Draws < 0 || c.Draws > 0 && c.file() != "" {
		return p, end, usageError{errors.New("--draws: expected a number above 0, and no solution in a file, which is certified in full")}
	}
	if err := errors.Join(c.checkSave(s), checkWritable(c.Export)); err != nil {
		return p, end, err
	}
	o := c.options(c.tableBytes(s))
	o.Answers = c.Certify || c.Draws > 0 || c.file() != ""
	if p, err = s.problem(o, c.Game, c.Engine); err != nil {
		return p, end, err
	}
	if p.rules, p.machine, err = c.atPosition(s, c.Game, p.rules, p.machine, c.Engine); err == nil && c.Method == solve.Layers {
		o.Layers = layers.Config{Folder: c.Save, Resume: c.Resume, Label: c.label(p, c.Method)}
		if c.NATS != "" {
			worker, q, failure := s.joinQueue(c.NATS, o.Threads)
			if failure != nil {
				return p, end, failure
			}
			o.Layers.Elsewhere, end, err = worker.Layers(s.ctx, q, c.Game, p.rules, c.Engine, c.LP, c.Save)
		}
		if err == nil {
			p.solver, err = solve.New(o)
		}
	}
	if err == nil {
		err = c.checkGame(p)
	}
	return p, end, err
}

// checkSave returns an error if the solution and the proofs cannot be saved, or would replace another file.
func (c *solveCommand) checkSave(s *console) error {
	if c.file() == "" {
		return nil
	}
	if err := checkWritable(c.file(), c.file()+proofsExtension); err != nil {
		return err
	}
	_, err := await(s.ctx, func() (struct{}, error) { return struct{}{}, book.CanReplace(c.file()) })
	if err != nil && s.ctx.Err() == nil {
		return usageError{fmt.Errorf("--save: %w", err)}
	}
	return err
}

// checkGame returns an error for flags that do not fit the game.
func (c *solveCommand) checkGame(p problem) error {
	if c.Certify || c.Draws > 0 || c.file() != "" {
		if err := p.solver.CanAnswer(p.machine); err != nil {
			return usageError{fmt.Errorf("--certify: %w", err)}
		}
	}
	return c.checkPlayers(len(p.machine.Names().Players()))
}

// label returns the label of a solution of the game.
func (c *solveCommand) label(p problem, method string) book.Label {
	return book.Label{Game: c.Game, Rules: p.rules.ExactDigest(), Method: method}
}

// tableBytes returns the memory of the search: three quarters of the limit minus unaccounted, since tables are
// counted exactly and cost the garbage collector nothing. If the solution is to be certified, one third of that is
// left for the checked positions and for the book, which holds only positions reached by the strategies. A worker
// in this process takes as much as the search.
func (c *solveCommand) tableBytes(s *console) int64 {
	if c.NATS != "" {
		return s.memory.share(2)
	}
	bytes := max(s.memory.share(1), int64(s.memory)-max(int64(s.memory)/4, unaccounted))
	if c.file() != "" || c.Certify || c.Draws > 0 {
		bytes -= bytes / 3
	}
	return bytes
}

// certify checks a solution until ctx ends, and saves the certified solution if requested.
func (c *solveCommand) certify(ctx context.Context, s *console, p problem, solution *solve.Solution) error {
	parts, err := p.solver.Answers(p.machine, *solution)
	switch {
	case err != nil:
		return fmt.Errorf("--certify: %w", err)
	case len(parts) > 1 && c.file() != "":
		return fmt.Errorf("--save: expected a zero-sum game, but %s: guarantees are certified and not kept", solution.Goals)
	}
	kept := book.New(p.machine, c.label(p, solution.Method), s.memory.share(6))
	if c.file() != "" {
		parts[0].Solution = kept.Recorder(parts[0].Solution)
	}
	threads := 1
	if c.Method == solve.Layers { // whose solution is safe for concurrent use
		threads = c.options(0).Threads
	}
	value := provedValue(p.machine.Names(), solution.Result)
	line := s.progress("certifying %s%s", c.Game, value)
	defer line.end()
	err = p.solver.Certify(ctx, parts, solution, certify.Limits{Draws: c.Draws, Threads: threads, Progress: func(positions int64, share float64) {
		line.say("certifying %s%s, %d positions, %.1f %% of the moves", c.Game, value, positions, 100*share)
	}})
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the certificate is not finished: %s", c.earlyEnd(ctx, s))
	}
	if c.file() == "" || !isWorthKeeping(solution) || kept.Len() == 0 {
		return err
	}
	if !solution.Certified {
		kept.Uncertified = true
		s.log.Warn().Str("file", c.file()).Msg("saved without a certificate: values are proved by the search alone")
	}
	return errors.Join(err, kept.Save(c.file()))
}

// isWorthKeeping reports whether no claim of a solution was found false. A strategy that does not reach
// the end, and a certificate that is not finished, leave the values as they are.
func isWorthKeeping(s *solve.Solution) bool {
	c := s.Certificate
	return s.Solved && c != nil && (c.Certified || c.Faults == 0 || c.First != nil && c.First.Endless)
}
