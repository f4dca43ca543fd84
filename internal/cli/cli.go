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
	"strings"

	"github.com/alecthomas/kong"

	"stackmate/reasoner"
	"stackmate/search/experiment"
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
	Standings  standingsCommand  `cmd:"" help:"Count the matches of a folder of records."`
	Solve      solveCommand      `cmd:"" help:"Compute the value and the strategies of the initial position."`
	Play       playCommand       `cmd:"" help:"Play against a solution at the terminal."`
	Validate   validateCommand   `cmd:"" help:"Check rulesheets."`
	Fmt        fmtCommand        `cmd:"" help:"Lay rulesheets out canonically."`
	Replay     replayCommand     `cmd:"" help:"Compare an engine with a recorded trace."`
	Bench      benchCommand      `cmd:"" help:"Measure random playouts on one thread."`
	Perft      perftCommand      `cmd:"" help:"Count the joint moves to a given depth."`
	Experiment experimentCommand `cmd:"" help:"Measure the solvers on a family of games, beside the figures of the literature."`
	Signature  signatureCommand  `cmd:"" help:"Count what every search does on a fixed set of games: the same on every machine, unless the searches change."`
	Inspect    inspectCommand    `cmd:"" help:"Show what the compiler found out about a game."`
}

// Run executes one command line and returns the exit status. It ends, with what it
// has so far, when ctx does.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
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
