package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/rs/zerolog"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

func TestPrintersEscapeWhatSteersATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ümläut, 中\n\ttab": "plain, ümläut, 中\n\ttab",
		"\x1b[2Jred\a\b":          `\u001b[2Jred\u0007\u0008`,
		"\u009b31m\x7f":           `\u009b31m\u007f`,
		"a\r\nb\rc":               "a\nb\\u000dc",
		"one\x9btwo\xff":          `one\x9btwo\xff`,
		"half \xe4\xb8":           `half \xe4\xb8`,
		"end\r":                   `end\x0d`,
		"a\u202eb\u2066c":         `a\u202eb\u2066c`,
	} {
		for size := 1; size <= len(text); size++ {
			var out bytes.Buffer
			p := newPrinter(&out, nil)
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				fmt.Fprint(p, rest[:n])
				rest = rest[n:]
			}
			if err := p.end(); err != nil || out.String() != want {
				t.Errorf("%q by %d bytes: %q (%v), want %q", text, size, out.String(), err, want)
			}
		}
		if got := printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestUntrustedTextDoesNotReachTheTerminalAsItIs(t *testing.T) {
	const evil = "\x1b]0;title\x07\x1b[2J\u009b5m\x9b"
	folder := filepath.Join(t.TempDir(), evil)
	must.OK(t, os.Mkdir(folder, 0o755))
	bad, good, trace := filepath.Join(folder, "bad"+evil+".kif"), filepath.Join(folder, "coin"+evil+".kif"), filepath.Join(folder, "coin.jsonl")
	for path, text := range map[string]string{
		bad:   "(role you) ; " + evil + "\n(" + evil + " (p" + evil + " ?x" + evil,
		good:  strings.ReplaceAll(coin, "heads", "he\x1b[5mads"),
		trace: strings.ReplaceAll(recorded, "heads", `he\u001b[7mads`),
	} {
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, args := range [][]string{
		{"validate", bad},
		{"validate", "--json", bad},
		{"validate", folder},
		{"validate", "--simulate", "3", good},
		{"inspect", good},
		{"inspect", bad},
		{"inspect", "--json", good},
		{"solve", good},
		{"solve", good, "--save", filepath.Join(folder, "no", "such")},
		{"perft", good, "1"},
		{"bench", good, "--seconds", "0.02"},
		{"match", good, "--players", "legal"},
		{"match", "ticTacToe", "--players", "legal," + evil},
		{"replay", good, trace},
		{"replay", good, good},
		{"play", good, "--role", evil},
		{"perft", evil, "1"},
		{"--" + evil},
	} {
		o := execute(t, args...)
		for _, c := range strings.ToValidUTF8(o.out+o.err, "\x9b") {
			if unicode.IsControl(c) && c != '\n' && c != '\t' {
				t.Errorf("%q: control character %U in\n%s\n%s", args, c, printable(o.out), printable(o.err))
				break
			}
		}
	}
}

func TestTablesAreAlignedWhateverTheNamesAre(t *testing.T) {
	for _, name := range []string{"you", "yÿou", "ÿþ", "y\u009bu", "\u00ff\ufffd"} {
		o := execute(t, "solve", file(t, "coin.kif", strings.ReplaceAll(coin, "you", name)))
		o.expect(t, statusFine, "\nstatus")
		if strings.Contains(o.out, "\t") {
			t.Errorf("%q: the table is not laid out:\n%s", name, o.out)
		}
	}
	for _, name := range []string{"y\xffou", "\xff\xfe"} { // names that are not UTF-8 reach no table
		o := execute(t, "solve", file(t, "coin.kif", strings.ReplaceAll(coin, "you", name)))
		o.expect(t, statusBad, "E034: expected UTF-8, found the symbol \"", `\xff`)
	}
}

func TestFmtPrintsTheContentOfTheFileExactly(t *testing.T) {
	const remark = "; \u009b\x1b[1m as it is\n"
	execute(t, "fmt", file(t, "game.kif", remark+coin)).expect(t, statusFine, remark)
}

func TestLogsOnATerminalAreEscaped(t *testing.T) {
	var out bytes.Buffer
	s := &console{err: newPrinter(&out, nil)}
	s.err.terminal = true
	s.logTo("info")
	s.log.Info().Str("reply", "\u009b2J").Err(errors.New("\x1b[2J")).Interface("list", []string{"\u009b"}).Msg("one \x1b[3J")
	if text := out.String(); !strings.Contains(text, `one \u001b[3J`) || strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) && c != '\n' }) {
		t.Errorf("printed %q", text)
	}
}

func TestACommandThatNobodyWatchesTellsWhatItDoesNowAndThen(t *testing.T) {
	for level, want := range map[zerolog.Level]string{
		zerolog.WarnLevel: "stackmate: counting 1  10 s\nstackmate: counting 2  20 s\nstackmate: counting 2  40 s\n",
		zerolog.Disabled:  "",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			s := &console{err: newPrinter(&out, nil), log: zerolog.Nop().Level(level)}
			line := s.progress("counting %d", 1)
			time.Sleep(15 * time.Second)
			line.say("counting %d", 2)
			time.Sleep(60 * time.Second)
			line.end()
			line.end() // as where a command ends it before it shows something, and at its own end
			if got := out.String(); got != want {
				t.Errorf("level %v: printed %q, want %q", level, got, want)
			}
		})
	}
}

func TestTheProgressOfATerminalFitsOnItsLine(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{{0, "solving chess  12 s"}, {20, "solving chess  12 s"}, {19, "solving che…  12 s"}, {10, "so…  12 s"}, {3, "…  12 s"}} {
		if got := fitted("solving chess", "  12 s", c.width); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
	}
}

// progressOf returns the progress of three seconds of a command on a terminal.
func progressOf(t *testing.T, begin func(*console) *progress) (shown string) {
	synctest.Test(t, func(*testing.T) {
		var out bytes.Buffer
		s := &console{err: newPrinter(&out, nil), log: zerolog.Nop().Level(zerolog.WarnLevel)}
		s.err.terminal = true
		line := begin(s)
		time.Sleep(3 * time.Second)
		line.end()
		shown = out.String()
	})
	return shown
}

func TestADumbTerminalGetsNoEscapes(t *testing.T) {
	counting := func(s *console) *progress { return s.progress("counting") }
	t.Setenv("TERM", "xterm")
	if shown := progressOf(t, counting); !strings.Contains(shown, "\r\x1b[Kcounting  2 s") {
		t.Errorf("%q", shown)
	}
	t.Setenv("TERM", "dumb")
	if shown := progressOf(t, counting); shown != "" {
		t.Errorf("%q", shown)
	}
}

func TestNoProgressOverwritesThePromptOfAPerson(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for players, silent := range map[string]bool{"human,random": true, "random,human": true, "mcts,random": false} {
		c := &matchCommand{Game: "ticTacToe"}
		c.Players = strings.Split(players, ",")
		if shown := progressOf(t, c.progress); (shown == "") != silent {
			t.Errorf("%s: %q", players, shown)
		}
	}
}

func TestProgressTellsWhatIsProvedOfTheValue(t *testing.T) {
	names := &machine.Names{Roles: []string{"random", "red", "blue"}}
	for _, c := range []struct {
		proved bool
		value  search.Interval
		want   string
	}{
		{true, search.Interval{Lower: 0, Upper: 50}, ", red [0, 50]"},
		{true, search.Exact(100), ", red 100"},
		{false, search.Exact(100), ""},
	} {
		r := search.Result{Proved: c.proved, Values: []search.Interval{{}, c.value, {}}}
		if got := provedValue(names, r); got != c.want {
			t.Errorf("proved %v, %v: %q, want %q", c.proved, c.value, got, c.want)
		}
	}
}

// brokenOutput is an output that cannot be written.
type brokenOutput struct{ err error }

func (b brokenOutput) Write([]byte) (int, error) { return 0, b.err }

func TestAnOutputThatCannotBeWrittenEndsEveryCommand(t *testing.T) {
	for _, args := range [][]string{
		{"--help"},
		{"inspect", "ticTacToe"},
		{"fmt", file(t, "coin.kif", coin)},
		{"bench", "ticTacToe", "--seconds", "600"},
		{"experiment", "tron", "--sizes", "3-12", "--limit", "1h"},
		{"match", "ticTacToe", "--players", "legal,legal", "--json", "--count", "1000000"},
		{"play", "ticTacToe"},
	} {
		t.Run(args[0], func(t *testing.T) {
			var stderr bytes.Buffer
			if status := Run(t.Context(), args, brokenOutput{&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}}, &stderr); status != statusUnread || strings.Contains(stderr.String(), "stackmate:") {
				t.Errorf("a closed pipe: status %d, %s", status, &stderr)
			}
			if status := Run(t.Context(), args, brokenOutput{syscall.ENOSPC}, &stderr); status != statusBad ||
				strings.Count(stderr.String(), "stackmate:") != 1 ||
				!strings.HasSuffix(stderr.String(), "stackmate: cannot write the output: no space left on device\n") {
				t.Errorf("a full disk: status %d, %s", status, &stderr)
			}
		})
	}
}

func TestAnInterruptionHidesNoOtherError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	real := errors.New("the disk is broken")
	for name, test := range map[string]struct {
		err          error
		want, status any
	}{
		"alone":        {ctx.Err(), "stackmate: interrupted\n", statusBad},
		"wrapped":      {fmt.Errorf("game: %w", ctx.Err()), "stackmate: interrupted\n", statusBad},
		"beside":       {errors.Join(ctx.Err(), real, errTold), "stackmate: the disk is broken\nstackmate: interrupted\n", statusBad},
		"other":        {real, "stackmate: the disk is broken\nstackmate: interrupted\n", statusBad},
		"wrong usage":  {usageError{real}, "stackmate: the disk is broken\nstackmate: interrupted\n", statusUsage},
		"told already": {errTold, "stackmate: interrupted\n", statusBad},
		"none":         {nil, "", statusFine},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			s := &console{ctx: ctx, out: newPrinter(&stdout, nil), err: newPrinter(&stderr, nil)}
			if status := s.conclude(test.err); status != test.status || stderr.String() != test.want {
				t.Errorf("status %d and %q, want %d and %q", status, stderr.String(), test.status, test.want)
			}
		})
	}
}

// panicking panics when it is written to.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("the sky falls") }

func TestAPanicIsAnErrorThatSaysWhereOnRequest(t *testing.T) {
	rules := file(t, "coin.kif", coin)
	var stderr bytes.Buffer
	if status := Run(t.Context(), []string{"fmt", rules}, panicking{}, &stderr); status != statusBad ||
		!strings.HasPrefix(stderr.String(), "stackmate: panic: the sky falls\n") || strings.Contains(stderr.String(), "goroutine") {
		t.Errorf("status %d, %s", status, &stderr)
	}
	stderr.Reset()
	if status := Run(t.Context(), []string{"fmt", rules, "--log-level", "debug"}, panicking{}, &stderr); status != statusBad ||
		!strings.Contains(stderr.String(), "output_test.go") {
		t.Errorf("status %d, %s", status, &stderr)
	}
}
