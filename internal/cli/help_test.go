package cli

import (
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"stackmate/games"
	"stackmate/internal/exhaustive"
	"stackmate/search/solve"
)

func TestHelpFitsOneScreen(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	const lines, columns = 24, 80
	for _, text := range []string{execute(t, "--help").out, execute(t, "help").out, welcome} {
		if n := strings.Count(text, "\n"); n > lines || n < 10 {
			t.Errorf("%d lines, want at most %d:\n%s", n, lines, text)
		}
		for line := range strings.Lines(text) {
			if len(line) > columns+1 {
				t.Errorf("more than %d columns: %s", columns, line)
			}
		}
	}
	all := execute(t, "help").out
	for _, c := range commands() {
		if !strings.Contains(all, c.name) {
			t.Errorf("%s is missing", c.name)
		}
	}
}

// Each command has examples, which are at the beginning of its help and are command lines that it takes.
func TestExamplesAreCommandLines(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	s := &console{ctx: t.Context(), out: newPrinter(io.Discard, nil), err: newPrinter(io.Discard, nil)}
	count := 0
	for _, c := range commands() {
		lines := examplesOf(c.name)
		count += len(lines)
		if lines == nil && c.name != "version" {
			t.Errorf("%s has no example", c.name)
		}
		help := execute(t, "help", c.name).out
		for _, line := range lines {
			if len(line) > 76 || !strings.Contains(help, "    "+line+"\n") {
				t.Errorf("the help of %s does not have %q, or it is too long:\n%s", c.name, line, help)
			}
			command, _, _ := strings.Cut(line, "#")
			command, _, _ = strings.Cut(command, ">")
			args := words(t, command)[1:]
			parser, err := s.parser(args, new(globals), func() {})
			if err == nil {
				_, err = parser.Parse(args)
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if written := strings.Count(examples, "\n"); count != written {
		t.Errorf("%d examples of commands, %d lines", count, written)
	}
	if help := execute(t, "solve", "--help").out; len(examplesOf("solve")) != 3 || strings.Index(help, "Examples:") > 200 {
		t.Errorf("the help of solve does not begin with three examples:\n%s", help)
	}
}

// words splits a command line with single quotes.
func words(t *testing.T, line string) []string {
	t.Helper()
	var list []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

func TestCompletionsKnowCommandsFlagsAndGames(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	for shell, want := range map[string][]string{
		"bash": {"complete -o", " --certify", " tournament", "goofspiel"},
		"zsh":  {"#compdef stackmate", "--engine[", ":value:(auto ", "connectFour"},
		"fish": {"complete -c stackmate -n '__fish_seen_subcommand_from solve' -l method -x -d", "-l table -x -a 'on off'"},
		"man":  {".TH STACKMATE 1", `\-\-certify`, `URL,...`, "stackmate solve goofspiel"},
	} {
		o := execute(t, "completion", shell)
		o.expect(t, statusFine, want...)
		if i := strings.IndexFunc(o.out, func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 && shell == "man" {
			t.Errorf("groff reads ASCII alone, found %q", o.out[i:min(i+40, len(o.out))])
		}
		checker := map[string][]string{"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "--no-execute"}}[shell]
		if checker == nil {
			continue
		}
		if _, err := exec.LookPath(checker[0]); err != nil {
			continue
		}
		if text, err := exec.Command(checker[0], append(checker[1:], file(t, "completions", o.out))...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", checker, err, text)
		}
	}
}

func TestACommandLineWithoutArgumentsWelcomes(t *testing.T) {
	execute(t).expect(t, statusFine, welcome)
}

func TestTopicsOfTheHelpListAllThatCommandsTake(t *testing.T) {
	want := map[string][]string{"games": nil, "methods": solve.Methods, "players": {"stackmate", "mcts", "human", "solution:PATH", "http://host:port", "rave", "exploration"}}
	for _, f := range games.Families() {
		want["games"] = append(want["games"], f.Pattern)
	}
	for name, words := range want {
		text := execute(t, "help", name)
		text.expect(t, statusFine)
		for _, word := range words {
			if !regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(word) + `\b`).MatchString(text.out + "\n") {
				t.Errorf("help %s has no line for %s:\n%s", name, word, text.out)
			}
		}
	}
	if len(want) != len(topics) {
		t.Errorf("%d topics, %d tested", len(topics), len(want))
	}
}
