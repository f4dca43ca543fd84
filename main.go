// Command stackmate is a general game player. It owns the command line and the
// wiring of the packages below it, nothing else.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/rs/zerolog"
	"golang.org/x/term"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/player"
	"stackmate/player/sparring"
	"stackmate/protocol"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/trace"
	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/certify"
	"stackmate/search/experiment"
	"stackmate/search/solve"
)

// The exit status of every command.
const (
	statusFine  = 0
	statusBad   = 1 // the game or the result is bad
	statusUsage = 2
)

const about = `Stackmate plays and solves games that are given as rules in the Game Description Language.

A GAME is the name of a built-in game (see "stackmate inspect --help") or the path of a rulesheet.`

// commands is the command line.
type commands struct {
	LogLevel string           `enum:",trace,debug,info,warn,error,disabled" default:"" placeholder:"LEVEL" help:"What to log on standard error: trace, debug, info (serve), warn (other commands), error or disabled."`
	Version  kong.VersionFlag `help:"Print the version."`

	Serve      serveCommand      `cmd:"" help:"Wait for game servers and play what they deal."`
	Match      matchCommand      `cmd:"" help:"Hold matches of a game between players."`
	Tournament tournamentCommand `cmd:"" help:"Let players meet each other in many matches, and rate them."`
	Solve      solveCommand      `cmd:"" help:"Compute the value and the strategies of the initial position."`
	Play       playCommand       `cmd:"" help:"Play against a solution at the terminal."`
	Validate   validateCommand   `cmd:"" help:"Check rulesheets."`
	Fmt        fmtCommand        `cmd:"" help:"Lay rulesheets out canonically."`
	Replay     replayCommand     `cmd:"" help:"Compare an engine with a recorded trace."`
	Bench      benchCommand      `cmd:"" help:"Measure random playouts on one thread."`
	Perft      perftCommand      `cmd:"" help:"Count the joint moves to a given depth."`
	Experiment experimentCommand `cmd:"" help:"Measure the solvers on a family of games, beside the figures of the literature."`
	Inspect    inspectCommand    `cmd:"" help:"Show what the compiler found out about a game."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second Ctrl-C ends the program at once. Within a second it is taken for the
	// same: timeout(1) sends a signal to the program and to its group.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var cli commands
	done := false // --help or --version was all that was wanted
	parser := kong.Must(&cli,
		kong.Name("stackmate"), kong.Description(about), kong.Vars{"version": version(), "engines": strings.Join(reasoner.Engines, ","), "experiments": strings.Join(experiment.Names, ",")},
		kong.Writers(stdout, stderr), kong.Exit(func(int) { done = true }))
	command, err := parser.Parse(args)
	if done {
		return statusFine
	}
	if err != nil {
		fmt.Fprintf(stderr, "stackmate: %v\nstackmate --help tells more\n", err)
		return statusUsage
	}
	if cli.LogLevel == "" {
		cli.LogLevel = "warn"
		if command.Command() == "serve" {
			cli.LogLevel = "info"
		}
	}
	err = command.Run(newConsole(ctx, stdout, stderr, cli.LogLevel))
	var usage usageError
	switch {
	case err == nil:
		return statusFine
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "stackmate: %v\n", err)
		return statusUsage
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "stackmate: interrupted")
	case !errors.Is(err, errTold):
		fmt.Fprintf(stderr, "stackmate: %v\n", err)
	}
	return statusBad
}

// usageError is a fault of the command line that only the command finds.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errTold is the error of a command that has already said what is bad.
var errTold = errors.New("bad result")

// version is that of the module, as the build knows it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return "stackmate " + info.Main.Version
	}
	return "stackmate (devel)"
}

// console is what all commands share: where to write, and when to stop.
type console struct {
	ctx      context.Context
	out      io.Writer
	err      io.Writer
	log      zerolog.Logger
	terminal bool // err is one
	seed     atomic.Uint64
}

func newConsole(ctx context.Context, stdout, stderr io.Writer, level string) *console {
	s := &console{ctx: ctx, out: stdout, err: stderr}
	f, ok := stderr.(*os.File)
	s.terminal = ok && term.IsTerminal(int(f.Fd()))
	var w io.Writer = stderr
	if s.terminal {
		w = zerolog.ConsoleWriter{Out: stderr, TimeFormat: time.TimeOnly}
	}
	least, err := zerolog.ParseLevel(level)
	if err != nil {
		least = zerolog.InfoLevel // the command line admits known levels only
	}
	s.log = zerolog.New(w).Level(least).With().Timestamp().Logger()
	return s
}

// table is a result that people can read.
type table interface {
	WriteTable(w io.Writer) error
}

// show prints a result for people or, on one line, as JSON.
func (s *console) show(asJSON bool, result table) error {
	if asJSON {
		return json.NewEncoder(s.out).Encode(result)
	}
	return result.WriteTable(s.out)
}

// progress keeps a line on the terminal until stop is called: what is being done
// and for how long. Where standard error is no terminal it is silent.
func (s *console) progress(what func() string) (stop func()) {
	if !s.terminal {
		return func() {}
	}
	const clearLine = "\r\x1b[K"
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for start := time.Now(); ; {
			select {
			case <-quit:
				fmt.Fprint(s.err, clearLine)
				return
			case <-tick.C:
				fmt.Fprintf(s.err, "%s%s  %.0f s", clearLine, what(), time.Since(start).Seconds())
			}
		}
	}()
	return func() { close(quit); <-gone }
}

// doing is the text of a progress line that does not change.
func doing(format string, args ...any) func() string {
	text := fmt.Sprintf(format, args...)
	return func() string { return text }
}

// rulesheet reads a game given by name or path. A built-in name wins over a file
// of the same name, which can be had as ./name.
func rulesheet(game string) (file string, src []byte, err error) {
	file, src, unknown := games.Source(game)
	if unknown == nil {
		return file, src, nil
	}
	src, err = readFile(game)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(game, "/.") {
		err = usageError{unknown}
	}
	return game, src, err
}

// readFile reads a file of the command line.
func readFile(path string) ([]byte, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError{fmt.Errorf("cannot read the rulesheet: %w", err)}
	}
	return src, nil
}

// load reads and checks a game. Warnings are logged as details: the game plays.
func (s *console) load(game string) (*gdl.Game, error) {
	file, src, err := rulesheet(game)
	if err != nil {
		return nil, err
	}
	rules, findings, err := gdl.Load(file, src)
	if err != nil {
		return nil, err
	}
	for _, d := range findings {
		s.log.Debug().Msg(d.String())
	}
	return rules, nil
}

// compile makes the machine of a game given by name or path and tells how long
// that took.
func (s *console) compile(game string, o reasoner.Options) (machine.Machine, time.Duration, error) {
	rules, err := s.load(game)
	if err != nil {
		return nil, 0, err
	}
	return s.machine(game, rules, o)
}

func (s *console) machine(game string, rules *gdl.Game, o reasoner.Options) (machine.Machine, time.Duration, error) {
	defer s.progress(doing("compiling %s", game))()
	start := time.Now()
	m, err := reasoner.New(s.ctx, rules, o)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", game, err)
	}
	took := time.Since(start)
	s.log.Debug().Str("game", game).Dur("took", took).Interface("machine", m.Info()).Msg("compiled")
	return m, took, nil
}

// agent lets a player sit behind the protocol.
type agent struct{ *player.Player }

// Start implements protocol.Agent.
func (a agent) Start(ctx context.Context, m protocol.Match) error {
	return a.Player.Start(ctx, m.Game, m.Role)
}

// agents makes agents of one kind. Each has a seed of its own.
func (s *console) agents(kind string, o player.Options) (protocol.NewAgent, error) {
	o.Logger = s.log
	if _, err := player.New(kind, o); err != nil {
		return nil, err
	}
	return func() protocol.Agent {
		o := o
		o.Seed = s.seed.Add(1)
		p, _ := player.New(kind, o) // the kind has been tried
		return agent{p}
	}, nil
}

// players reads a list of players: kinds, or addresses of endpoints.
func (s *console) players(names []string) ([]protocol.Player, error) {
	var list []protocol.Player
	for _, name := range names {
		p := protocol.Player{Name: name}
		var err error
		if strings.Contains(name, "://") {
			p.URL, err = name, protocol.CheckURL(name)
		} else if p.New, err = s.agents(name, player.Options{}); err != nil {
			err = fmt.Errorf("%w, or an address such as http://localhost:9147", err)
		}
		if err != nil {
			return nil, usageError{err}
		}
		list = append(list, p)
	}
	return list, nil
}

// manager makes the manager of a game's matches.
func (s *console) manager(game string) (*protocol.Manager, error) {
	rules, err := s.load(game)
	if err != nil {
		return nil, err
	}
	m, _, err := s.machine(game, rules, reasoner.Options{})
	if err != nil {
		return nil, err
	}
	return protocol.NewManager(game, rules, m, s.log), nil
}

// serveCommand is the player on the network.
type serveCommand struct {
	Listen string `default:":9147" help:"Address to listen on."`
	Name   string `default:"Stackmate" help:"Name that game servers are told."`
}

// Run implements the command.
func (c *serveCommand) Run(s *console) error {
	s.seed.Store(uint64(time.Now().UnixNano()))
	newAgent, err := s.agents("stackmate", player.Options{Ponder: true})
	if err != nil {
		return err
	}
	l, err := protocol.Listen(c.Listen)
	if err != nil {
		return err
	}
	return protocol.Serve(s.ctx, l, protocol.NewEndpoint(c.Name, newAgent, s.log))
}

// matchFlags say how matches are played.
type matchFlags struct {
	Players    []string `help:"Players in order of the roles: stackmate, mcts, random, legal, or http://host:port."`
	StartClock int      `default:"10" help:"Seconds to prepare; 0 means no limit."`
	PlayClock  int      `default:"2" help:"Seconds for each move; 0 means no limit."`
	Seed       uint64   `default:"1" help:"Seed of chance and of the players in this program."`
	Scramble   bool     `help:"Give the symbols of the rules new names."`
	Record     string   `type:"path" placeholder:"DIR" help:"Folder for match records."`
	JSON       bool     `name:"json" help:"Print JSON."`
}

func (c *matchFlags) setting(s *console) (protocol.Setting, error) {
	if c.StartClock < 0 || c.PlayClock < 0 {
		return protocol.Setting{}, usageError{errors.New("expected clocks of 0 seconds or more")}
	}
	s.seed.Store(c.Seed)
	return protocol.Setting{
		StartClock: time.Duration(c.StartClock) * time.Second,
		PlayClock:  time.Duration(c.PlayClock) * time.Second,
		Seed:       c.Seed,
		Scramble:   c.Scramble,
	}, nil
}

// keep saves a record where that is wanted.
func (c *matchFlags) keep(r *protocol.Record) error {
	if c.Record == "" {
		return nil
	}
	_, err := r.Save(c.Record)
	return err
}

// verdict is errTold if something went wrong in a match.
func verdict(results []protocol.Result) error {
	for _, r := range results {
		if r.Aborted || slices.Max(r.Errors) > 0 {
			return errTold
		}
	}
	return nil
}

// matchID begins the ids of the matches that begin now.
func matchID(game string) string {
	return fmt.Sprintf("%s.%d", strings.TrimSuffix(filepath.Base(game), filepath.Ext(game)), time.Now().UnixMilli())
}

// matchCommand holds matches.
type matchCommand struct {
	Game  string `arg:"" help:"Game to play."`
	Count int    `default:"1" help:"Number of matches; the players change roles from one to the next."`
	matchFlags
}

// Run implements the command.
func (c *matchCommand) Run(s *console) error {
	setting, err := c.setting(s)
	if err != nil {
		return err
	}
	manager, err := s.manager(c.Game)
	if err != nil {
		return err
	}
	roles := manager.PlayerRoles()
	if len(c.Players) == 0 {
		c.Players = slices.Repeat([]string{"stackmate"}, len(roles))
	}
	if len(c.Players) != len(roles) || c.Count < 1 {
		return usageError{fmt.Errorf("expected players for %s and a count above 0, found %d players and %d",
			strings.Join(roles, ", "), len(c.Players), c.Count)}
	}
	players, err := s.players(c.Players)
	if err != nil {
		return err
	}
	defer s.progress(doing("playing %s", c.Game))()
	series, err := manager.Series(s.ctx, matchID(c.Game), players, c.Count, setting, func(r *protocol.Record) error {
		if c.JSON {
			return errors.Join(c.keep(r), json.NewEncoder(s.out).Encode(r.Result()))
		}
		return c.keep(r)
	})
	if err == nil && !c.JSON {
		err = series.WriteTable(s.out)
	}
	if err := errors.Join(err, s.ctx.Err()); err != nil {
		return err
	}
	return verdict(series.Results)
}

// tournamentCommand rates players.
type tournamentCommand struct {
	Games  []string  `arg:"" name:"game" help:"Games to play."`
	Rounds int       `default:"10" help:"How often every group of players meets in every game, in all rotations of the roles."`
	SPRT   []float64 `name:"sprt" placeholder:"ELO0,ELO1" help:"Stop as soon as it is decided (errors of 5 %) whether the first of two players is stronger by ELO0 or by ELO1."`
	matchFlags
}

// sprtRisk is the risk of each kind of error of a test.
const sprtRisk = 0.05

// Run implements the command.
func (c *tournamentCommand) Run(s *console) error {
	t := protocol.Tournament{Rounds: c.Rounds}
	var err error
	if t.Setting, err = c.setting(s); err != nil {
		return err
	}
	if t.Players, err = s.players(c.Players); err != nil {
		return err
	}
	if len(c.SPRT) == 2 {
		t.Test = &protocol.SPRT{Elo0: c.SPRT[0], Elo1: c.SPRT[1], Alpha: sprtRisk, Beta: sprtRisk}
	} else if len(c.SPRT) != 0 {
		return usageError{fmt.Errorf("--sprt: expected two numbers, found %v", c.SPRT)}
	}
	for _, game := range c.Games {
		manager, err := s.manager(game)
		if err != nil {
			return err
		}
		t.Games = append(t.Games, manager)
	}
	defer s.progress(doing("playing"))()
	ranking, err := t.Run(s.ctx, matchID("tournament"), c.keep)
	if ranking == nil {
		return usageError{err}
	}
	if err := errors.Join(err, s.show(c.JSON, ranking), s.ctx.Err()); err != nil {
		return err
	}
	return verdict(ranking.Results)
}

// oneGame is what the commands on one game share.
type oneGame struct {
	Game   string `arg:"" help:"Game: a name or a rulesheet."`
	Engine string `enum:"${engines}" default:"auto" help:"State machine: ${enum}."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

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

// solver makes a solver and the machine of a game for it.
func (s *console) solver(o solve.Options, game, engine string) (*solve.Solver, machine.Machine, error) {
	solver, err := solve.New(o)
	if err != nil {
		return nil, nil, usageError{err}
	}
	m, _, err := s.compile(game, reasoner.Options{Engine: engine})
	return solver, m, err
}

// playCommand lets a person play.
type playCommand struct {
	Game   string        `arg:"" help:"Game to play."`
	Engine string        `enum:"${engines}" default:"auto" help:"State machine: ${enum}."`
	From   string        `type:"path" placeholder:"FILE" help:"Solution saved by solve --save; positions that it does not know are solved."`
	Role   string        `help:"Role of the person; the first one by default."`
	Seed   uint64        `default:"1" help:"Seed of the solution's dice and of chance."`
	Think  time.Duration `default:"10s" help:"Time to solve a position that the solution does not know."`
	solve.Options
}

// Run implements the command.
func (c *playCommand) Run(s *console) error {
	solver, m, err := s.solver(c.Options, c.Game, c.Engine)
	if err != nil {
		return err
	}
	match := sparring.Match{Machine: m, Seed: c.Seed}
	match.Search = func(ctx context.Context, q machine.State) (search.Result, error) {
		ctx, cancel := context.WithTimeout(ctx, c.Think)
		defer cancel()
		return solver.Search(ctx, m, q, search.Limits{MaxBytes: c.Memory << 20})
	}
	if match.Person, err = c.person(m.Names().Roles); err != nil {
		return usageError{err}
	}
	if c.From != "" {
		_, rules, err := rulesheet(c.Game)
		if err != nil {
			return err
		}
		kept, err := book.Load(c.From, m, book.Digest(rules), c.Memory<<20)
		if err != nil {
			return err
		}
		match.Known = kept.Lookup
	}
	return match.Play(s.ctx, os.Stdin, s.out)
}

// person finds the role of the person.
func (c *playCommand) person(roles []string) (machine.Role, error) {
	players, _, err := certify.Players(roles)
	if err != nil {
		return 0, err
	}
	for _, r := range players {
		if c.Role == "" || strings.EqualFold(roles[r], c.Role) {
			return r, nil
		}
	}
	return 0, fmt.Errorf("--role: expected one of %s, found %q", strings.Join(roles, ", "), c.Role)
}

// validateCommand checks rulesheets.
type validateCommand struct {
	Files    []string `arg:"" name:"file" help:"Rulesheets to check."`
	Strict   bool     `help:"Count warnings as errors."`
	Simulate int      `placeholder:"N" help:"Play N random matches of each valid game, too, and report the faults that they meet."`
	JSON     bool     `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *validateCommand) Run(s *console) error {
	var faulty error
	for _, file := range c.Files {
		src, err := readFile(file)
		if err != nil {
			return err
		}
		stop := s.progress(doing("validating %s", file))
		v, err := reasoner.Validate(s.ctx, file, src, reasoner.ValidateOptions{Strict: c.Strict, Simulate: c.Simulate})
		stop()
		if err := errors.Join(s.show(c.JSON, v), err); err != nil {
			return err
		}
		if !v.Valid {
			faulty = errTold
		}
	}
	return faulty
}

// replayCommand compares an engine with recorded matches.
type replayCommand struct {
	Rulesheet string `arg:"" help:"Game that was recorded."`
	Trace     string `arg:"" help:"File of recorded matches (.jsonl or .jsonl.gz)."`
	Engine    string `enum:"${engines}" default:"circuit" help:"State machine: ${enum}."`
}

// Run implements the command.
func (c *replayCommand) Run(s *console) error {
	m, _, err := s.compile(c.Rulesheet, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	defer s.progress(doing("replaying %s", c.Trace))()
	matches, steps := 0, 0
	for match, err := range trace.Read(c.Trace) {
		if err == nil {
			err = s.ctx.Err()
		}
		if err == nil {
			err = trace.Replay(m, match)
		}
		if err != nil {
			return err
		}
		matches++
		steps += len(match.Steps)
	}
	_, err = fmt.Fprintf(s.out, "%s: %d matches, %d steps: no difference (%s)\n", c.Trace, matches, steps, m.Info().Engine)
	return err
}

// benchCommand measures playouts.
type benchCommand struct {
	Games   []string `arg:"" name:"game" help:"Games to measure."`
	Seconds float64  `default:"5" help:"Time for each game."`
	Engine  string   `enum:"${engines}" default:"circuit" help:"State machine: ${enum}."`
	Lanes   int      `enum:"0,64,256,512" default:"0" help:"Positions per batch of the circuit: ${enum}; 0 is the widest that the processor has."`
	Out     string   `type:"path" placeholder:"FILE" help:"Also write the result of the (one) game in the format of gdl-perf."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *benchCommand) Run(s *console) error {
	if c.Seconds <= 0 || c.Out != "" && len(c.Games) > 1 {
		return usageError{errors.New("expected --seconds above 0, and only one game with --out")}
	}
	if !c.JSON {
		fmt.Fprint(s.out, reasoner.BenchHeading)
	}
	for _, game := range c.Games {
		r, err := c.measure(s, game)
		if c.Out != "" {
			err = errors.Join(err, r.SaveHarness(c.Out, version(), err))
		}
		if err == nil {
			err = errors.Join(s.show(c.JSON, r), s.ctx.Err())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *benchCommand) measure(s *console, game string) (reasoner.BenchResult, error) {
	m, took, err := s.compile(game, reasoner.Options{Engine: c.Engine, Lanes: c.Lanes})
	if err != nil {
		return reasoner.BenchResult{}, err
	}
	defer s.progress(doing("measuring %s", game))()
	r := reasoner.Measure(s.ctx, m, time.Duration(c.Seconds*float64(time.Second)))
	r.Game, r.InitSeconds = game, took.Seconds()
	return r, nil
}

// perftCommand counts joint moves.
type perftCommand struct {
	oneGame
	Depth int `arg:"" help:"Number of joint moves."`
}

// Run implements the command.
func (c *perftCommand) Run(s *console) error {
	if c.Depth < 1 {
		return usageError{fmt.Errorf("expected a depth of 1 or more, found %d", c.Depth)}
	}
	m, _, err := s.compile(c.Game, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	stop := s.progress(doing("counting %s", c.Game))
	r, err := reasoner.Perft(s.ctx, c.Game, m, c.Depth)
	stop()
	return errors.Join(s.show(c.JSON, r), err)
}

// experimentCommand prints the tables of the papers beside ours.
type experimentCommand struct {
	Name   string           `arg:"" enum:"${experiments}" help:"Experiment: ${enum}."`
	Sizes  experiment.Range `placeholder:"4-6" help:"Sizes to run; by default the usual ones. The table of time and memory goes on to the largest one asked for, or until one is not finished."`
	Limit  time.Duration    `default:"1m" help:"Time for each game."`
	Memory int64            `default:"1024" help:"Limit of each transposition table, in MiB."`
	Plot   string           `type:"path" placeholder:"FILE.svg" help:"Draw time, nodes and memory against size."`
	JSON   bool             `name:"json" help:"Print JSON."`
}

// Run implements the command.
func (c *experimentCommand) Run(s *console) error {
	if c.Limit <= 0 || c.Memory <= 0 {
		return usageError{errors.New("expected --limit and --memory above 0")}
	}
	if c.Plot != "" {
		if err := experiment.CheckPlot(c.Plot); err != nil {
			return usageError{err}
		}
	}
	var doing atomic.Value
	doing.Store("")
	lab := experiment.Lab{Sizes: c.Sizes, Limit: c.Limit, Memory: c.Memory}
	lab.Progress = func(what string, nodes int64) { doing.Store(fmt.Sprintf("%s, %d nodes", what, nodes)) }
	lab.Compile = func(ctx context.Context, game string) (machine.Machine, error) {
		rules, err := s.load(game)
		if err != nil {
			return nil, err
		}
		return reasoner.New(ctx, rules, reasoner.Options{})
	}
	var rows []experiment.Row
	printer := experiment.Printer{W: s.out}
	stop := s.progress(func() string { return doing.Load().(string) })
	err := lab.Run(s.ctx, c.Name, func(r experiment.Row) error {
		rows = append(rows, r)
		if c.JSON {
			return json.NewEncoder(s.out).Encode(r)
		}
		return printer.Print(r)
	})
	stop()
	if c.Plot != "" && len(rows) > 0 {
		err = errors.Join(err, experiment.WritePlot(c.Plot, rows))
	}
	if errors.Is(err, experiment.ErrNoSize) {
		return usageError{err}
	}
	return err
}

// inspectCommand shows what the compiler found.
type inspectCommand struct {
	oneGame
	Circuit bool `xor:"view" help:"Also show the circuit after each pass."`
	Dot     bool `xor:"view" help:"Draw the circuit in the language of Graphviz, and nothing else."`
}

// Help lists the built-in games.
func (c *inspectCommand) Help() string {
	var b strings.Builder
	b.WriteString("The built-in games:\n")
	for _, f := range games.Families() {
		fmt.Fprintf(&b, "\n  %s\n      %s\n", f.Pattern, f.Summary)
		for _, p := range f.Parameters {
			each := ""
			if p.List {
				each = "joined by dots, each "
			}
			fmt.Fprintf(&b, "      %s: %s, %s%d to %d\n", p.Name, p.About, each, p.Min, p.Max)
		}
	}
	return b.String()
}

// Run implements the command.
func (c *inspectCommand) Run(s *console) error {
	if c.Dot {
		return c.draw(s)
	}
	var passes []reasoner.PassInfo
	options := reasoner.Options{Engine: c.Engine}
	if c.Circuit {
		options.Trace = func(p reasoner.PassInfo) { passes = append(passes, p) }
	}
	m, took, err := s.compile(c.Game, options)
	if err != nil {
		return err
	}
	result := reasoner.Inspect(c.Game, m, took, passes)
	result.Class = player.Classify(s.ctx, m, 1).String()
	return s.show(c.JSON, result)
}

func (c *inspectCommand) draw(s *console) error {
	rules, err := s.load(c.Game)
	if err != nil {
		return err
	}
	circuit, err := reasoner.Circuit(s.ctx, rules, reasoner.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Game, err)
	}
	return circuit.WriteDot(s.out)
}

// fmtCommand lays rulesheets out.
type fmtCommand struct {
	Files []string `arg:"" name:"file" help:"Rulesheets to lay out."`
	Write bool     `short:"w" help:"Write the result to the file instead of standard output."`
	Diff  bool     `short:"d" help:"Print what would change; with a change, the exit status is 1."`
}

// Run implements the command.
func (c *fmtCommand) Run(s *console) error {
	var faulty []error
	for _, file := range c.Files {
		faulty = append(faulty, c.format(s, file))
	}
	return errors.Join(faulty...)
}

func (c *fmtCommand) format(s *console, file string) error {
	src, err := readFile(file)
	if err != nil {
		return err
	}
	if _, err := gdl.Parse(file, src); err != nil {
		return err // with the name of the file, which Format does not know
	}
	text, err := gdl.Format(src)
	if err != nil {
		return err
	}
	if !c.Write && !c.Diff {
		_, err = s.out.Write(text)
		return err
	}
	if bytes.Equal(text, src) {
		return nil
	}
	if c.Write {
		err = os.WriteFile(file, text, 0o644)
	}
	if c.Diff {
		_, errWrite := s.out.Write(diff.Diff(file+".orig", src, file, text))
		err = errors.Join(err, errWrite, errTold)
	}
	return err
}
