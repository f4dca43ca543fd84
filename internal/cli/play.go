package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"stackmate/player"
	"stackmate/protocol/arena"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// playCommand lets a person play against a solution: match --players human,solution:FILE, with the
// dialogue as its output.
type playCommand struct {
	Game  string        `arg:"" help:"Game to play."`
	From  string        `type:"path" placeholder:"FILE" help:"Solution saved by solve --save, a file or the folder of method layers; positions that it does not know are solved."`
	Role  string        `help:"Role of the person; the first one by default."`
	Seed  uint64        `default:"1" help:"Seed of the solution's dice and of chance."`
	Think time.Duration `default:"5s" help:"Time for a position that the solution does not know: half of it to solve it and, if it is not solved, half to find a good move by sampling."`
}

// Run implements the command.
func (c *playCommand) Run(s *console) error {
	if c.Think <= 0 {
		return usageError{errors.New("expected --think above 0")}
	}
	s.log = zerolog.Nop() // the dialogue reports events, and the error the reason of the end
	manager, names, err := s.manager(c.Game)
	if err != nil {
		return err
	}
	role, err := c.person(names)
	if err != nil {
		return usageError{err}
	}
	s.seed.Store(c.Seed)
	r := s.newRoster(player.Options{Memory: s.memory.share(1)})
	r.persons, r.patient = s.newPeople(os.Stdin, s.out), true
	r.solutions = func(string) bool { return true }
	var players []arena.Player
	for _, other := range names.Players() {
		spec := humanPlayer
		if other != role {
			spec = strings.TrimSuffix(solutionPlayer+":"+c.From, ":")
		}
		p, err := r.player(spec, s.nextSeed)
		if err != nil {
			return err
		}
		players = append(players, p)
	}
	record, err := manager.Match(s.ctx, matchID(c.Game), players, arena.Setting{PlayClock: c.Think, Grace: c.Think, Seed: c.Seed})
	switch {
	case err != nil:
		return err
	case s.ctx.Err() != nil:
		return s.left()
	case record.Aborted:
		return errors.New(record.Reason)
	}
	return nil
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
