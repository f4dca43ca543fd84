package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"stackmate/gdl"
	"stackmate/player"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/wellformed"
)

// spareProcessors are kept from searching and compiling.
const spareProcessors = 2

// keepClocks adds processors to the runtime for goroutines that watch clocks and send replies, and returns the number of threads for
// searches. If searches occupy all processors of the runtime, a timer waits until the system resumes one of their threads: on a busy
// machine a quarter of a second. A spare processor has a thread that mostly sleeps, and that the system wakes at once.
func keepClocks() (threads int) {
	threads = runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(threads + spareProcessors)
	return threads
}

var _ protocol.Explainer = (*agent)(nil)

// agent lets a player sit behind the protocol.
type agent struct {
	*player.Player
	role string
	show func(role string, x *protocol.Explanation) // nil unless moves are explained
}

// Start implements protocol.Agent.
func (a *agent) Start(ctx context.Context, m protocol.Match) error {
	a.role = m.Role
	return a.Player.Start(ctx, player.Match{Game: m.Game, Role: m.Role, Machine: m.Machine, PlayClock: m.PlayClock, Log: m.Log})
}

// Play implements protocol.Agent.
func (a *agent) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	move, err := a.Player.Play(ctx, told)
	if errors.Is(err, player.ErrOver) {
		err = protocol.ErrOver
	}
	if x := a.Explain(); err == nil && x != nil && a.show != nil {
		a.show(a.role, x)
	}
	return move, err
}

// Explain implements protocol.Explainer.
func (a *agent) Explain() *protocol.Explanation { return explained(a.Player.Explain()) }

// roster makes the players of a command.
type roster struct {
	*console
	options player.Options
	persons *people // nil where no person plays at this terminal
	patient bool    // persons have no clock
	// solutions tells which saved solutions may be read; nil: none, as others name the players.
	solutions func(path string) bool

	mu    sync.Mutex
	known map[string]*player.Margins // by description: latencies measured in earlier matches
}

// newRoster returns a roster of players with common options; descriptions override them.
func (s *console) newRoster(o player.Options) *roster {
	o.Cache = s.cache
	return &roster{console: s, options: o, known: make(map[string]*player.Margins)}
}

// player makes a player by its description: a kind with its options, or the address of an
// endpoint. Each agent of a kind has the next seed.
func (r *roster) player(spec string, seed func() uint64) (arena.Player, error) {
	p := arena.Player{Name: spec}
	switch {
	case spec == humanPlayer && r.persons != nil:
		p.New, p.Untimed = func() protocol.Agent { return &human{people: r.persons} }, r.patient
		return p, nil
	case strings.Contains(spec, "://"):
		p.URL = spec
		if err := protocol.CheckURL(spec); err != nil {
			return p, usageError{err}
		}
		return p, nil
	}
	if file, ok := isSolution(spec); ok && r.solutions != nil && r.solutions(file) {
		if _, err := os.Stat(file); file != "" && err != nil {
			return p, usageError{fmt.Errorf("cannot read the solution: %w", err)}
		}
		a := r.adviser(file, r.options.Memory/3)
		if r.persons != nil {
			r.persons.adviser = a
		}
		p.New = func() protocol.Agent { return &solved{Adviser: a, rng: machine.NewRand(seed())} }
		return p, nil
	}
	o := r.options
	if _, err := player.New(spec, o); errors.Is(err, player.ErrUnknown) {
		return p, usageError{fmt.Errorf("%w, an address such as http://localhost:9147 or, in match, %s or %s:PATH", err, humanPlayer, solutionPlayer)}
	} else if err != nil {
		return p, usageError{err}
	}
	r.mu.Lock()
	if r.known[spec] == nil {
		r.known[spec] = player.NewMargins(o.MinMargin, o.MaxMargin)
	}
	o.Margins = r.known[spec]
	r.mu.Unlock()
	p.New = func() protocol.Agent {
		o := o
		o.Seed = seed()
		made, _ := player.New(spec, o) // the description has been tried
		return &agent{Player: made, show: r.explain}
	}
	return p, nil
}

// nextSeed counts seeds.
func (s *console) nextSeed() uint64 { return s.seed.Add(1) }

// players reads the list of players of a match. People have its clock, or none.
func (s *console) players(names []string, knowledge string, clock bool) ([]arena.Player, error) {
	if err := s.checkKnowledge(knowledge); err != nil {
		return nil, err
	}
	r := s.newRoster(player.Options{Threads: keepClocks(), Memory: s.memory.share(len(names)), Knowledge: knowledge})
	r.solutions = func(string) bool { return true }
	if slices.Contains(names, humanPlayer) {
		r.persons, r.patient = s.newPeople(os.Stdin, s.err), !clock
	}
	var list []arena.Player
	for _, name := range names {
		p, err := r.player(name, s.nextSeed)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// joinOptions puts the options of players, which a list of players separates like
// players, back to the name that they follow: no name of a player has a "=" before
// its first ":".
func joinOptions(list []string) []string {
	var names []string
	for _, part := range list {
		key, _, isOption := strings.Cut(part, "=")
		if isOption && len(names) > 0 && !strings.Contains(key, ":") {
			names[len(names)-1] += "," + part
		} else {
			names = append(names, part)
		}
	}
	return names
}

// manager makes the manager of a game's matches.
func (s *console) manager(game string) (*arena.Manager, *machine.Names, error) {
	rules, err := s.load(game, gdl.LoadToPlay)
	if err != nil {
		return nil, nil, err
	}
	rules = s.firstGoals(rules)
	m, _, err := s.machine(game, rules, reasoner.Options{})
	if err != nil {
		return nil, nil, err
	}
	return arena.NewManager(game, rules, m, s.log), m.Names(), nil
}

// firstGoals returns the rules in which a role has one goal at the end.
func (s *console) firstGoals(rules *gdl.Game) *gdl.Game {
	rules, several := wellformed.FirstGoals(s.ctx, rules)
	if several != "" {
		s.log.Warn().Str("role", several).Msg("a position at the end has several goals: the first in the order of the rules counts")
	}
	return rules
}
