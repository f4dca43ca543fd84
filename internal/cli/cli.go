// Package cli is the command line: one file for each command with its flags, output and progress. It wires the packages
// below it together and owns only code that they cannot own.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"github.com/rs/zerolog"

	"stackmate/internal/guard"
	"stackmate/reasoner"
)

// The exit status of every command.
const (
	statusFine  = 0
	statusBad   = 1 // the game or the result is bad
	statusUsage = 2
	// statusContradiction: a solution contradicts the rules, which is a fault of the program.
	statusContradiction = 3
	// statusUnread is the exit status that a shell shows for a program killed by SIGPIPE, as in "stackmate … | head".
	statusUnread = 128 + int(syscall.SIGPIPE)
)

// globals are the flags of all commands.
type globals struct {
	LogLevel string `enum:",trace,debug,info,warn,error,disabled" default:"" placeholder:"LEVEL" help:"What to log on standard error: trace, debug, info (serve), warn (other commands), error or disabled."`
	Memory   int64  `placeholder:"MIB" help:"What to take of the memory altogether, in MiB; by default half of the machine's, or three quarters of a container's."`
	Cache    string `type:"path" placeholder:"DIR" help:"Keep the circuits of large games in this folder, and load them from there."`
}

// Run executes one command line and returns the exit status. It ends, with partial results, when ctx does or when stdout
// is closed.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &console{ctx: ctx, err: newPrinter(stderr, nil)}
	s.out = newPrinter(stdout, func() { cancel(errUnread) })
	return s.conclude(s.execute(args))
}

// execute reads the command line and runs the command.
func (s *console) execute(args []string) error {
	if len(args) == 0 {
		_, err := io.WriteString(s.out, welcome)
		return err
	}
	if i := slices.IndexFunc(topics, func(t topic) bool { return slices.Equal(args, []string{"help", t.Name}) }); i >= 0 {
		return topics[i].write(s.out)
	}
	s.args = args
	args, err := expandArguments(meant(args))
	if err != nil {
		return usageError{err}
	}
	var cli globals
	done := false // --help was all that was wanted
	parser, err := s.parser(args, &cli, func() { done = true })
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if done {
		return nil
	}
	if err != nil {
		return usageError{unparsed(parser.Model, args, err)}
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

// conclude reports an error and returns the exit status. Errors that only report the interruption are hidden.
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
	var contradiction contradictionError
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
	case errors.As(news, &contradiction):
		return statusContradiction
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

// errTold is the error of a command that has already reported a bad result.
var errTold = errors.New("bad result")
