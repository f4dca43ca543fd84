package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"stackmate/gdl"
	"stackmate/internal/atomicfile"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
	"stackmate/protocol/arena/tasks"
)

// eventFlags are the flags of the commands that run matches on a queue.
type eventFlags struct {
	Games    []string `arg:"" optional:"" name:"game" help:"Games to play."`
	Openings int      `default:"0" help:"Number of random joint moves to begin with, or fewer in shorter games, the same for all rotations of the roles."`
	workFlags
	Resume bool   `help:"Resume the interrupted tournament or tuning in --record; games and players are read from there."`
	Listen string `placeholder:"ADDRESS" help:"Let workers on other machines play matches; the command to start them is printed."`
	NATS   string `name:"nats" placeholder:"URL,…" help:"NATS server or cluster for the queue of matches, or a file with its address; by default a server in this process."`
	Plot   string `type:"path" placeholder:"FILE.svg" help:"Plot the ratings, and the course of --sprt or of a tuning."`
	matchFlags
}

// planner is a command that holds matches on a queue.
type planner interface {
	// plan returns the tournament of the command line, without games and players.
	plan(s *console) (arena.Tournament, error)
	report(r *arena.Ranking) error
}

// run plays a tournament and prints its results; after an interruption, the results so far and the command that continues
// it. It returns an error for invalid flags before the first match.
func (c *eventFlags) run(s *console, command planner) error {
	if err := checkWritable(c.Plot); err != nil {
		return err
	}
	if c.Resume && c.Record == "" {
		return usageError{errors.New("--resume: expected --record DIR with the folder of the tournament; a tournament without --record leaves nothing to go on with")}
	}
	if _, err := os.Stat(c.Record); c.Resume && err != nil {
		return noTournament(c.Record)
	}
	setting, err := c.setting(s)
	if err != nil {
		return err
	}
	if c.Openings < 0 {
		return usageError{fmt.Errorf("--openings: expected 0 moves or more, found %d", c.Openings)}
	}
	setting.Tell, setting.Opening = nil, c.Openings
	plan, err := command.plan(s)
	if err != nil {
		return usageError{err}
	}
	plan.Seed = c.Seed
	dir := c.Record
	if dir == "" {
		if dir, err = os.MkdirTemp("", "stackmate-tournament-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	e, err := c.event(s, dir, plan, setting)
	if err != nil {
		return err
	}
	l, err := c.taskWorker(s, e)
	if err != nil {
		return err
	}
	q, err := c.queue(s, filepath.Join(dir, distributed.Folder))
	if err != nil {
		return err
	}
	defer q.Close()
	ranking, err := c.hold(s, q, e, l)
	err = errors.Join(err, show(s, c.JSON, ranking, writeRanking), command.report(ranking), s.ctx.Err())
	if s.ctx.Err() != nil && c.Record != "" {
		fmt.Fprintf(s.err, "stackmate: to go on: stackmate %s --resume --record %s\n", s.args[0], shellQuoted(c.Record))
	}
	if c.Plot != "" {
		err = errors.Join(err, atomicfile.Write(c.Plot, ranking.Plot()))
	}
	if err != nil {
		return err
	}
	return verdict(ranking.Results)
}

// shellQuoted writes a word as shells read it.
func shellQuoted(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("/._-+=:,@%", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// hold runs the tournament with workers of this process.
func (c *eventFlags) hold(s *console, q *queue.Queue, e *distributed.Event, l *tasks.Worker) (*arena.Ranking, error) {
	var archive *arena.Archive
	if c.Record != "" {
		archive = arena.ReadArchive(c.Record) // setting has made it
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		cancel(l.Work(ctx, q)) // without workers here, something is wrong with the queue
	}()
	defer func() { cancel(nil); <-done }()
	line := s.progress("playing")
	defer line.end()
	planned := e.Plan.Matches()
	if e.Plan.Rounds == 0 { // nobody knows how many the test takes
		planned = 0
	}
	update := func(ledger *arena.Ledger) { line.score(ledger.Ranking, planned) }
	ranking, err := distributed.Run(ctx, q, e, archive, update)
	if cause := context.Cause(ctx); err != nil && cause != nil && s.ctx.Err() == nil {
		err = cause
	}
	return ranking, err
}

// eventFile tells how to resume the tournament of a command.
const eventFile = "tournament.json"

// planned returns the flags that define a tournament, with its values.
func planned(plan arena.Tournament, setting arena.Setting, players []string) map[string]any {
	flags := map[string]any{
		"rounds": plan.Rounds, "format": cmp.Or(plan.Format, map[bool]string{true: "gauntlet", false: "round-robin"}[plan.Gauntlet]), "openings": setting.Opening, "seed": plan.Seed,
		"players": strings.Join(players, ","), "scramble": setting.Scramble,
		"start-clock": setting.StartClock, "play-clock": setting.PlayClock, "grace": setting.Grace,
		"sprt": "not asked for", "parameters": "none",
	}
	if t := plan.Test; t != nil {
		flags["sprt"], flags["alpha"], flags["beta"] = fmt.Sprintf("%v,%v", t.Elo0, t.Elo1), t.Alpha, t.Beta
	}
	if t := plan.Tuning; t != nil {
		flags["parameters"], flags["perturbation"], flags["step"] = ranges(t.Parameters), t.Perturbation, t.Step
		flags["pairs"], flags["iterations"] = t.Pairs, plan.Rounds/max(1, t.Pairs)
	}
	return flags
}

// differs returns an error that lists the flags and games of the command line that contradict a tournament.
func (c *eventFlags) differs(s *console, plan arena.Tournament, setting arena.Setting, from *distributed.Event) error {
	var games []string
	for _, g := range from.Plan.Games {
		games = append(games, g.Name)
	}
	if len(c.Games) > 0 && !slices.Equal(c.Games, games) {
		return fmt.Errorf("the games are %s, the tournament has %s", strings.Join(c.Games, " "), strings.Join(games, " "))
	}
	specs := from.Specs
	if from.Plan.Tuning != nil {
		specs = specs[:1]
	}
	given, known := planned(plan, setting, c.Players), planned(from.Plan, from.Setting, specs)
	for _, flag := range s.flags {
		if value, ok := known[flag]; ok && given[flag] != nil && given[flag] != value {
			return fmt.Errorf("--%s is %v, the tournament has %v", flag, given[flag], value)
		}
	}
	return nil
}

// event returns the tournament of the command line, or the tournament to resume: of a command or, if begun
// in the page, the latest unfinished one, else the latest.
func (c *eventFlags) event(s *console, dir string, plan arena.Tournament, setting arena.Setting) (*distributed.Event, error) {
	file := filepath.Join(dir, distributed.Folder, eventFile)
	e, err := distributed.ReadEvent(file)
	missing := errors.Is(err, fs.ErrNotExist)
	if c.Resume && missing {
		var list []distributed.Status
		list, err = distributed.NewTournaments(s.ctx, arena.ReadArchive(dir), nil, s.log).List()
		if len(list) == 0 {
			err = fs.ErrNotExist
		} else {
			e = list[max(0, slices.IndexFunc(list, func(t distributed.Status) bool { return !t.Ended }))].Event
		}
	}
	switch {
	case c.Resume && errors.Is(err, fs.ErrNotExist):
		return nil, noTournament(dir)
	case c.Resume && err != nil:
		return nil, err
	case c.Resume:
		if err := c.differs(s, plan, setting, e); err != nil {
			return nil, usageError{fmt.Errorf("--resume: %w", err)}
		}
		return e, nil
	case err == nil:
		return nil, usageError{fmt.Errorf("--record: %s has a tournament already; --resume continues it", c.Record)}
	case !missing:
		return nil, err
	}
	var rules []*gdl.Game
	for _, name := range c.Games {
		g, err := s.load(name, gdl.LoadToPlay)
		if err != nil {
			return nil, err
		}
		rules = append(rules, s.firstGoals(g))
	}
	plan.Players = s.named(c.Players)
	if e, err = distributed.NewEvent(plan, setting, c.Players, c.Games, rules); err != nil {
		return nil, usageError{err}
	}
	return e, e.Save(file)
}

// noTournament returns the error of --resume for a folder without a tournament.
func noTournament(dir string) error {
	return usageError{fmt.Errorf("--resume: expected --record with the folder of a tournament, found none in %s", dir)}
}

// invitationFile contains the secrets for workers on other machines.
const invitationFile = "worker.nats"

// queue returns the queue of the matches. With --listen it writes the invitation for workers on other machines.
func (c *eventFlags) queue(s *console, dir string) (*queue.Queue, error) {
	if c.NATS != "" {
		return s.dial(c.NATS)
	}
	q, err := queue.Embed(s.ctx, dir, c.Listen, s.log)
	if err != nil || c.Listen == "" {
		return q, err
	}
	address, err := url.Parse(q.Invitation())
	if err == nil {
		if at, unknown := netip.ParseAddrPort(address.Host); unknown == nil {
			address.Host = reachable(net.TCPAddrFromAddrPort(at))
		}
		file := filepath.Join(dir, invitationFile)
		if err = atomicfile.WriteSecret(file, []byte(address.String()+"\n")); err == nil {
			fmt.Fprintf(s.err, "stackmate worker --nats %s\n(on other machines with a copy of this file, which is secret)\n", file)
		}
	}
	if err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// taskWorker returns the worker of this process.
func (c *eventFlags) taskWorker(s *console, e *distributed.Event) (*tasks.Worker, error) {
	seats := 1
	for _, g := range e.Plan.Games {
		seats = max(seats, g.Roles)
	}
	l, err := c.newTaskWorker(s, seats, c.Knowledge)
	if err != nil {
		return nil, err
	}
	for _, spec := range e.Descriptions() {
		if _, err := l.Matches.Player(spec, 0); err != nil {
			return nil, err
		}
	}
	return l, nil
}
