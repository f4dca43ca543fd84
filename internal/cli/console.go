package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"stackmate/protocol"
	"stackmate/reasoner"
)

// console is what all commands share: where to write, and when to stop.
type console struct {
	ctx    context.Context
	out    *printer
	err    *printer
	log    zerolog.Logger
	memory memory
	cache  *reasoner.Cache // of circuits, nil for none
	seed   atomic.Uint64
	args   []string // the command line, as the list of processes shows it
	flags  []string // that it gives
	// explain shows why a player of this program made a move; nil unless asked for.
	explain func(role string, x *protocol.Explanation)
}

// logTo makes the log: for people on a terminal, for machines elsewhere.
func (s *console) logTo(level string) {
	var w io.Writer = s.err
	if s.err.terminal {
		w = zerolog.ConsoleWriter{Out: s.err, TimeFormat: time.TimeOnly, NoColor: true}
	}
	least, err := zerolog.ParseLevel(level)
	if err != nil {
		least = zerolog.InfoLevel // the command line admits known levels only
	}
	s.log = zerolog.New(w).Level(least).With().Timestamp().Logger()
}

// show prints a result: for people, as table writes it, or as JSON on one line.
func show[T any](s *console, asJSON bool, result T, table func(io.Writer, T) error) error {
	if asJSON {
		return json.NewEncoder(s.out).Encode(result)
	}
	return table(s.out, result)
}

// progress keeps a line on the terminal until stop is called: what is being done
// and for how long. Where standard error is no terminal it is silent.
func (s *console) progress(what func() string) (stop func()) {
	if !s.err.terminal {
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
				fmt.Fprint(s.err.to, clearLine)
				return
			case <-tick.C:
				fmt.Fprintf(s.err.to, "%s%s  %.0f s", clearLine, printable(what()), time.Since(start).Seconds())
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
