package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"stackmate/internal/atomicfile"
	"stackmate/internal/jsonfault"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
	"stackmate/reasoner/machine"
)

// tournamentCommand rates players.
type tournamentCommand struct {
	Games    []string  `arg:"" optional:"" name:"game" help:"Games to play."`
	Rounds   int       `default:"10" help:"How often every group of players meets in every game, in all rotations of the roles."`
	Gauntlet bool      `help:"Only the first player meets the others."`
	Openings int       `default:"0" help:"Begin after so many random joint moves, the same ones for all rotations of the roles."`
	SPRT     []float64 `name:"sprt" placeholder:"ELO0,ELO1" help:"Stop as soon as it is decided whether the first of two players is stronger by ELO0 or by ELO1."`
	Alpha    float64   `default:"0.05" help:"Risk of --sprt to accept ELO1 wrongly."`
	Beta     float64   `default:"0.05" help:"Risk of --sprt to accept ELO0 wrongly."`
	workFlags
	Resume bool   `help:"Go on with the tournament of --record that was interrupted; games and players are known."`
	Listen string `placeholder:"ADDRESS" help:"Let workers of other machines take matches; the command to start them is printed."`
	NATS   string `name:"nats" placeholder:"URL,…" help:"Queue the matches on this NATS server or cluster instead of one in this process."`
	CSV    string `name:"csv" type:"path" placeholder:"FILE" help:"Write standings and ratings as CSV."`
	Plot   string `type:"path" placeholder:"FILE.svg" help:"Draw the ratings, and the course of --sprt."`
	matchFlags
}

// Run implements the command.
func (c *tournamentCommand) Run(s *console) error {
	if err := checkWritable(c.CSV, c.Plot); err != nil {
		return err
	}
	setting, err := c.setting(s)
	if err != nil {
		return err
	}
	dir := c.Record
	if dir == "" {
		if dir, err = os.MkdirTemp("", "stackmate-tournament-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	e, err := c.event(s, dir, setting)
	if err != nil {
		return err
	}
	l, err := c.taskWorker(s, e)
	if err != nil {
		return err
	}
	q, err := c.queue(s, filepath.Join(dir, queueFolder))
	if err != nil {
		return err
	}
	defer q.Close()
	ranking, err := c.hold(s, q, e, l)
	if err := errors.Join(err, c.report(s, ranking), s.ctx.Err()); err != nil {
		return err
	}
	return verdict(ranking.Results)
}

// hold runs the tournament with workers of this process.
func (c *tournamentCommand) hold(s *console, q *queue.Queue, e *distributed.Event, l *taskWorker) (*arena.Ranking, error) {
	var archive *arena.Archive
	if c.Record != "" {
		archive = arena.ReadArchive(c.Record) // setting has made it
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		cancel(l.work(ctx, q)) // without workers here, something is wrong with the queue
	}()
	defer func() { cancel(nil); <-done }()
	var score atomic.Pointer[string]
	score.Store(new("playing"))
	var told time.Time
	update := func(ledger *arena.Ledger) {
		if time.Since(told) >= time.Second { // ratings of many matches take a moment
			score.Store(new(running(ledger, &e.Plan)))
			told = time.Now()
		}
	}
	defer s.progress(func() string { return *score.Load() })()
	ranking, err := distributed.Run(ctx, q, e, archive, update)
	if cause := context.Cause(ctx); err != nil && cause != nil && s.ctx.Err() == nil {
		err = cause
	}
	return ranking, err
}

// Beside the records of a tournament lies a folder with its queue, and the file that tells
// how to resume it.
const (
	queueFolder = "queue"
	eventFile   = "tournament.json"
)

// planned are the flags that say what a tournament is, with their values for this one.
func planned(e *distributed.Event) map[string]any {
	flags := map[string]any{
		"rounds": e.Plan.Rounds, "gauntlet": e.Plan.Gauntlet, "openings": e.Setting.Opening, "seed": e.Plan.Seed,
		"players": strings.Join(e.Specs, ","), "scramble": e.Setting.Scramble,
		"start-clock": e.Setting.StartClock, "play-clock": e.Setting.PlayClock, "grace": e.Setting.Grace,
		"sprt": "not asked for",
	}
	if t := e.Plan.Test; t != nil {
		flags["sprt"], flags["alpha"], flags["beta"] = fmt.Sprintf("%v,%v", t.Elo0, t.Elo1), t.Alpha, t.Beta
	}
	return flags
}

// differs tells which flags and games of the command line are not those of a tournament.
func (c *tournamentCommand) differs(s *console, setting arena.Setting, from *distributed.Event) error {
	var games []string
	for _, g := range from.Plan.Games {
		games = append(games, g.Name)
	}
	if len(c.Games) > 0 && !slices.Equal(c.Games, games) {
		return fmt.Errorf("the games are %s, those of the tournament %s", strings.Join(c.Games, " "), strings.Join(games, " "))
	}
	e, err := c.terms(setting)
	if err != nil {
		return err
	}
	given, known := planned(e), planned(from)
	if from.Plan.Test != nil {
		given["alpha"], given["beta"] = c.Alpha, c.Beta
	}
	for _, flag := range s.flags {
		if given[flag] != known[flag] {
			return fmt.Errorf("--%s is %v, that of the tournament %v", flag, given[flag], known[flag])
		}
	}
	return nil
}

// readEvent reads the tournament of a folder of records. The error wraps fs.ErrNotExist
// where there is none.
func readEvent(records string) (*distributed.Event, error) {
	path := filepath.Join(records, queueFolder, eventFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	e := &distributed.Event{}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("%s: expected a tournament: %w", path, jsonfault.Explain(err))
	}
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return e, nil
}

// event is the tournament of the command line, or the one that is resumed.
func (c *tournamentCommand) event(s *console, dir string, setting arena.Setting) (*distributed.Event, error) {
	e, err := readEvent(dir)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case c.Resume && missing:
		return nil, usageError{fmt.Errorf("--resume: expected --record with the folder of a tournament (%w)", err)}
	case c.Resume && err != nil:
		return nil, err
	case c.Resume:
		if err := c.differs(s, setting, e); err != nil {
			return nil, usageError{fmt.Errorf("--resume: %w", err)}
		}
		return e, nil
	case err == nil:
		return nil, usageError{fmt.Errorf("--record: %s has a tournament already; --resume goes on with it", c.Record)}
	case !missing:
		return nil, err
	}
	if e, err = c.plan(s, setting); err != nil {
		return nil, err
	}
	store := filepath.Join(dir, queueFolder)
	text, err := json.MarshalIndent(e, "", " ")
	if err == nil {
		err = os.MkdirAll(store, 0o755)
	}
	if err == nil {
		err = atomicfile.Write(filepath.Join(store, eventFile), append(text, '\n'))
	}
	return e, err
}

// terms are the tournament of the command line without its games.
func (c *tournamentCommand) terms(setting arena.Setting) (*distributed.Event, error) {
	if c.Openings < 0 {
		return nil, usageError{fmt.Errorf("--openings: expected 0 moves or more, found %d", c.Openings)}
	}
	setting.Tell, setting.Opening = nil, c.Openings
	e := &distributed.Event{
		Run: fmt.Sprintf("tournament-%d", time.Now().UnixMilli()), Specs: c.Players, Setting: setting,
		Plan: arena.Tournament{Players: arena.DistinctNames(c.Players), Rounds: c.Rounds, Gauntlet: c.Gauntlet, Seed: c.Seed},
	}
	if len(c.SPRT) == 2 {
		e.Plan.Test = &arena.SPRT{Elo0: c.SPRT[0], Elo1: c.SPRT[1], Alpha: c.Alpha, Beta: c.Beta}
	} else if len(c.SPRT) != 0 {
		return nil, usageError{fmt.Errorf("--sprt: expected two numbers, found %v", c.SPRT)}
	}
	return e, nil
}

// plan makes the tournament of the command line.
func (c *tournamentCommand) plan(s *console, setting arena.Setting) (*distributed.Event, error) {
	e, err := c.terms(setting)
	if err != nil {
		return nil, err
	}
	for _, name := range c.Games {
		rules, err := s.load(name)
		if err != nil {
			return nil, err
		}
		game := arena.Game{Name: name}
		for _, role := range rules.Roles {
			if role.String() != machine.RandomRole {
				game.Roles++
			}
		}
		e.Plan.Games, e.Rules = append(e.Plan.Games, game), append(e.Rules, arena.RulesText(rules))
	}
	if err := e.Plan.Check(); err != nil {
		return nil, usageError{err}
	}
	return e, nil
}

// queue is where the matches are queued.
func (c *tournamentCommand) queue(s *console, dir string) (*queue.Queue, error) {
	if c.NATS != "" {
		return queue.Dial(s.ctx, c.NATS, s.log)
	}
	token := ""
	if c.Listen != "" {
		token = rand.Text()
	}
	q, err := queue.Embed(s.ctx, dir, c.Listen, token, s.log)
	if err == nil && c.Listen != "" {
		fmt.Fprintf(s.err, "stackmate worker --nats %s\n", strings.Replace(q.URL(), "://", "://"+token+"@", 1))
	}
	return q, err
}

// taskWorker is what holds matches in this process.
func (c *tournamentCommand) taskWorker(s *console, e *distributed.Event) (*taskWorker, error) {
	seats := 1
	for _, g := range e.Plan.Games {
		seats = max(seats, g.Roles)
	}
	l, err := c.newTaskWorker(s, seats, c.Knowledge)
	if err != nil {
		return nil, err
	}
	for _, spec := range e.Specs {
		if _, err := l.matches.Player(spec, 0); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// report prints the ranking and writes the files.
func (c *tournamentCommand) report(s *console, r *arena.Ranking) error {
	err := show(s, c.JSON, r, writeRanking)
	if c.CSV != "" {
		err = errors.Join(err, atomicfile.WriteTo(c.CSV, func(w io.Writer) error { return writeRankingCSV(w, r) }))
	}
	if c.Plot != "" {
		err = errors.Join(err, plotRanking(c.Plot, r))
	}
	return err
}

// running is the score so far, for a line of progress.
func running(l *arena.Ledger, plan *arena.Tournament) string {
	const shown = 3 // players
	r := l.Ranking()
	text := fmt.Sprintf("match %d of %d", min(l.Count()+1, plan.Matches()), plan.Matches())
	for _, p := range r.Standings[:min(len(r.Standings), shown)] {
		text += fmt.Sprintf("  %s %.1f %%", p.Player, 100*p.Share())
	}
	if r.LLR != nil {
		text += fmt.Sprintf("  LLR %.2f", *r.LLR)
	}
	return text
}
