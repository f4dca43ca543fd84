// Package cli is the command line: one file for each command with its flags, what
// it prints and its progress. It wires the packages below it together and owns
// nothing that they could.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"stackmate/internal/guard"
	"stackmate/reasoner"
	"stackmate/search/experiment"
)

// The exit status of every command.
const (
	statusFine  = 0
	statusBad   = 1 // the game or the result is bad
	statusUsage = 2
	// statusUnread is what a shell shows of a program that ends because nobody reads
	// its output, as in "stackmate … | head".
	statusUnread = 128 + int(syscall.SIGPIPE)
)

const about = `Stackmate plays and solves games that are given as rules in the Game Description Language.

"stackmate arena" opens a page to play and watch games; "stackmate COMMAND --help" tells more of a command.
A GAME is the name of a built-in game (see "stackmate inspect --help") or the path of a rulesheet.`

// globals are the flags of all commands.
type globals struct {
	LogLevel string           `enum:",trace,debug,info,warn,error,disabled" default:"" placeholder:"LEVEL" help:"What to log on standard error: trace, debug, info (serve), warn (other commands), error or disabled."`
	Memory   int64            `placeholder:"MIB" help:"What to take of the memory altogether, in MiB; half of the machine's by default."`
	Cache    string           `type:"path" placeholder:"DIR" help:"Keep the circuits of large games in this folder, and load them from there."`
	Version  kong.VersionFlag `help:"Print the version."`
}

// command is one of the command line.
type command struct {
	group, name, help string
	flags             any // what kong reads its arguments into, and runs
	aliases           []string
}

// commands are all of them, in the order of the help.
func commands() []command {
	return []command{
		{"play", "arena", "Play, watch and analyse games in the browser.", new(arenaCommand), nil},
		{"play", "match", "Hold matches of a game between players.", new(matchCommand), nil},
		{"play", "play", "Play against a solution at the terminal.", new(playCommand), nil},
		{"compete", "serve", "Play what game servers deal.", new(serveCommand), nil},
		{"compete", "tournament", "Rate players by many matches.", new(tournamentCommand), nil},
		{"compete", "worker", "Do the tasks of commands that run elsewhere.", new(workerCommand), nil},
		{"compete", "rate", "Rate players by records of matches.", new(rateCommand), []string{"standings"}},
		{"compete", "show", "Step through a recorded match.", new(showCommand), nil},
		{"compete", "train", "Learn an evaluation of a game by self-play.", new(trainCommand), nil},
		{"compete", "check-player", "Check a player against the protocol.", new(checkPlayerCommand), nil},
		{"compete", "check-manager", "Check a game manager against the protocol.", new(checkManagerCommand), nil},
		{"solve", "solve", "Compute values and strategies.", new(solveCommand), nil},
		{"solve", "bridge", "Find the best plan for a bridge ending.", new(bridgeCommand), nil},
		{"rules", "validate", "Check rulesheets.", new(validateCommand), nil},
		{"rules", "fmt", "Lay rulesheets out canonically.", new(fmtCommand), nil},
		{"rules", "inspect", "Show what the compiler found in a game.", new(inspectCommand), nil},
		{"rules", "export", "Print the rulesheet of a built-in game.", new(exportCommand), nil},
		{"develop", "bench", "Measure random playouts on one thread.", new(benchCommand), nil},
		{"develop", "perft", "Count the joint moves to a given depth.", new(perftCommand), nil},
		{"develop", "signature", "Count the nodes of all searches on fixed games.", new(signatureCommand), nil},
		{"develop", "experiment", "Measure the solvers beside the literature.", new(experimentCommand), nil},
		{"develop", "replay", "Compare an engine with a recorded trace.", new(replayCommand), nil},
	}
}

// groups are those of the commands, in the order of the help.
var groups = []kong.Group{
	{Key: "play", Title: "Play"},
	{Key: "compete", Title: "Compete"},
	{Key: "solve", Title: "Solve"},
	{Key: "rules", Title: "Write rules"},
	{Key: "develop", Title: "Develop"},
}

// meant is the command line with "help" in the place where kong has "--help", and what a person
// wants who says nothing.
func meant(args []string, terminal bool) []string {
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 0 && terminal:
		return []string{"--help"}
	}
	return args
}

// grammar is what kong is to read: of the commands the one that the first argument names, if
// it does, since to build all of them takes longer than to solve a small game.
func grammar(args []string) (options []kong.Option) {
	all := commands()
	named := func(c command) bool {
		return len(args) > 0 && (args[0] == c.name || slices.Contains(c.aliases, args[0]))
	}
	if i := slices.IndexFunc(all, named); i >= 0 {
		all = all[i : i+1]
	}
	for _, c := range all {
		options = append(options, kong.DynamicCommand(c.name, c.help, c.group, c.flags, `aliases:"`+strings.Join(c.aliases, ",")+`"`))
	}
	return options
}

// newParser makes the parser of a command line.
func newParser(cli *globals, args []string, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(cli, slices.Concat(grammar(args), []kong.Option{
		kong.Name("stackmate"), kong.Description(about), kong.Vars{"version": version(), "engines": strings.Join(reasoner.Engines, ","), "experiments": strings.Join(experiment.Names, ","), "players": playersHelp()},
		kong.ExplicitGroups(groups), kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
	}, options)...)
}

// Run executes one command line and returns the exit status. It ends, with what it
// has so far, when ctx does or when nobody reads stdout any longer.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &console{ctx: ctx, err: newPrinter(stderr, nil)}
	s.out = newPrinter(stdout, func() { cancel(errUnread) })
	return s.conclude(s.execute(args))
}

// execute reads the command line and runs the command.
func (s *console) execute(args []string) error {
	args, err := expandArguments(meant(args, s.out.terminal))
	if err != nil {
		return usageError{err}
	}
	var cli globals
	done := false // --help or --version was all that was wanted
	parser, err := newParser(&cli, args, kong.Writers(s.out, s.err), kong.Exit(func(int) { done = true }))
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if done {
		return nil
	}
	if err != nil {
		return usageError{fmt.Errorf("%w\nstackmate --help tells more", err)}
	}
	for _, p := range command.Path {
		if p.Flag != nil {
			s.flags = append(s.flags, p.Flag.Name)
		}
	}
	if cli.LogLevel == "" {
		cli.LogLevel = "warn"
		if command.Command() == "serve" {
			cli.LogLevel = "info"
		}
	}
	s.logTo(cli.LogLevel)
	if s.memory, err = limitMemory(cli.Memory); err != nil {
		return err
	}
	if cli.Cache != "" {
		warn := func(err error) { s.log.Warn().Err(err).Msg("cache") }
		if s.cache, err = reasoner.OpenCache(cli.Cache, warn); err != nil {
			return usageError{fmt.Errorf("--cache: %w", err)}
		}
	}
	return guard.Do(func() error { return command.Run(s) })
}

// conclude says what went wrong and returns the exit status. An interruption hides
// no other error, but the errors that only say that there was one.
func (s *console) conclude(err error) int {
	known := []error{errTold}
	interrupted := s.ctx.Err() != nil
	if interrupted {
		known = append(known, context.Canceled, s.ctx.Err())
	}
	unwritten := s.out.end()
	if unwritten != nil {
		known = append(known, unwritten)
		interrupted = interrupted && !errors.Is(context.Cause(s.ctx), errUnread)
	}
	news := without(err, known...)
	var usage usageError
	var fault *guard.Panic
	if errors.As(err, &fault) {
		news = fmt.Errorf("%w\nThis is a fault of stackmate, not of the game; --log-level debug shows where", err)
		if s.log.GetLevel() <= zerolog.DebugLevel {
			_, _ = s.err.Write(fault.Stack)
		}
	}
	if news != nil {
		fmt.Fprintf(s.err, "stackmate: %v\n", news)
	}
	if unwritten != nil && !errors.Is(unwritten, syscall.EPIPE) {
		fmt.Fprintf(s.err, "stackmate: cannot write the output: %v\n", unwritten)
	}
	if interrupted && err != nil {
		fmt.Fprintln(s.err, "stackmate: interrupted")
	}
	_ = s.err.end()
	switch {
	case errors.As(news, &usage):
		return statusUsage
	case errors.Is(unwritten, syscall.EPIPE):
		return statusUnread
	case err != nil || unwritten != nil:
		return statusBad
	}
	return statusFine
}

// errUnread is why a command ends whose output cannot be written.
var errUnread = errors.New("nobody reads the output")

// without takes the known errors from joined ones; nil is left where there are no
// others.
func without(err error, known ...error) error {
	holds := func(err error) bool {
		return slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) })
	}
	if !holds(err) {
		return err
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // the parts of this very error
		var rest []error
		for _, part := range joined.Unwrap() {
			rest = append(rest, without(part, known...))
		}
		return errors.Join(rest...)
	}
	if inner := errors.Unwrap(err); holds(inner) && without(inner, known...) != nil {
		return err
	}
	return nil
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
