package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner"
)

// console is the common state of the commands: outputs and context.
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

// progress is a line on the terminal with the present work and its duration. Its text may be changed at any time.
type progress struct {
	what   atomic.Pointer[string]
	end    func()    // takes the line away, if it is there
	scored time.Time // when score has said something
}

// say sets the text of the line.
func (p *progress) say(format string, args ...any) { p.what.Store(new(fmt.Sprintf(format, args...))) }

// score says how a tournament stands, once a second at most: ratings of many matches take a moment.
func (p *progress) score(ranking func() *arena.Ranking, planned int) {
	if time.Since(p.scored) >= time.Second {
		p.say("%s", scoreLine(ranking(), planned))
		p.scored = time.Now()
	}
}

// firstWord is the time until the first line of progress of a command without a terminal.
const firstWord = 10 * time.Second

// fitted returns a line of progress with its time, with the text cut to the width of a terminal; width 0 means unknown.
func fitted(text, passed string, width int) string {
	room := max(0, width-1-utf8.RuneCountInString(passed))
	if letters := []rune(text); width > 0 && len(letters) > room {
		text = string(letters[:max(0, room-1)]) + "…"
	}
	return text + passed
}

// progress keeps a line until its end. Where standard error is no terminal that can erase lines, a line is printed after some seconds,
// and another one whenever the time has doubled, unless nothing is to be logged.
func (s *console) progress(format string, args ...any) *progress {
	p := &progress{end: func() {}}
	p.say(format, args...)
	erases := s.err.terminal && os.Getenv("TERM") != "dumb"
	if !erases && s.log.GetLevel() == zerolog.Disabled {
		return p
	}
	const clearLine = "\r\x1b[K"
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for start, next := time.Now(), firstWord; ; {
			select {
			case <-quit:
				if erases {
					fmt.Fprint(s.err.to, clearLine)
				}
				return
			case <-tick.C:
				what, passed := printable(*p.what.Load()), time.Since(start)
				switch {
				case erases:
					fmt.Fprint(s.err.to, clearLine, fitted(what, fmt.Sprintf("  %.0f s", passed.Seconds()), s.err.width()))
				case passed >= next:
					fmt.Fprintf(s.err, "stackmate: %s  %.0f s\n", what, passed.Seconds())
					next *= 2
				}
			}
		}
	}()
	p.end = sync.OnceFunc(func() { close(quit); <-gone })
	return p
}
