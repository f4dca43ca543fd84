package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/solve"
)

// rulesheet reads a game given by name or path. A built-in name wins over a file
// of the same name, which can be had as ./name.
func (s *console) rulesheet(game string) (file string, src []byte, err error) {
	file, src, unknown := games.Source(game)
	if unknown == nil {
		return file, src, nil
	}
	src, err = s.readRules(game)
	if !errors.Is(err, fs.ErrNotExist) || isPath(game) {
		return game, src, err
	}
	if errors.Is(unknown, games.ErrUnknown) {
		unknown = fmt.Errorf("%w; stackmate help games lists the built-in games", unknown)
	}
	return game, nil, usageError{unknown}
}

// isPath reports whether a game is meant as the path of a file: it has a folder, or an extension that is no number.
func isPath(game string) bool {
	extension := strings.TrimPrefix(filepath.Ext(game), ".")
	return strings.Contains(game, "/") || extension != "" && (extension[0] < '0' || extension[0] > '9')
}

// loader reads rules: gdl.Load, or gdl.LoadToPlay where the game is only played.
type loader func(ctx context.Context, file string, src []byte) (*gdl.Game, gdl.Diagnostics, error)

// load reads and checks a game.
func (s *console) load(game string, read loader) (*gdl.Game, error) {
	file, src, err := s.rulesheet(game)
	if err != nil {
		return nil, err
	}
	return s.check(file, src, read)
}

// check checks the rules of a game. Faults that are played all the same are logged as warnings, warnings as
// details.
func (s *console) check(file string, src []byte, read loader) (*gdl.Game, error) {
	rules, findings, err := read(s.ctx, file, src)
	if other := foreign(file, src, err); other != nil {
		return nil, other
	}
	if err != nil {
		return nil, err
	}
	for _, d := range findings {
		if d.Meaning != "" {
			s.log.Warn().Msg(d.String())
		} else {
			s.log.Debug().Msg(d.String())
		}
	}
	return rules, nil
}

// compile loads a game given by name or path and makes its machine.
func (s *console) compile(game string, read loader, o reasoner.Options) (*gdl.Game, machine.Machine, error) {
	rules, err := s.load(game, read)
	if err != nil {
		return nil, nil, err
	}
	m, _, err := s.machine(game, rules, o)
	return rules, m, err
}

// machine makes the machine of a game and tells how long that took.
func (s *console) machine(game string, rules *gdl.Game, o reasoner.Options) (machine.Machine, time.Duration, error) {
	defer s.progress("compiling %s", game).end()
	start := time.Now()
	o.Memory, o.Cache = s.memory.share(1), s.cache
	m, err := reasoner.New(s.ctx, rules, o)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", game, err)
	}
	took := time.Since(start)
	s.log.Debug().Str("game", game).Dur("took", took).Interface("machine", m.Info()).Msg("compiled")
	return m, took, nil
}

// oneGame is the common flags of commands on one game.
type oneGame struct {
	Game   string `arg:"" help:"Game: a name or a rulesheet."`
	Engine string `enum:"${engines}" default:"auto" help:"State machine: ${enum}."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// problem is a game to solve.
type problem struct {
	solver  *solve.Solver
	rules   *gdl.Game
	machine machine.Machine
}

// problem makes a solver and the machine of a game for it.
func (s *console) problem(o solve.Options, game, engine string) (problem, error) {
	solver, err := solve.New(o)
	if err != nil {
		return problem{}, usageError{err}
	}
	rules, m, err := s.compile(game, gdl.Load, reasoner.Options{Engine: engine})
	return problem{solver, rules, m}, err
}
