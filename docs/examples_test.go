package docs

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stackmate/internal/cli"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stackmate": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(cli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}})
}

// notRun are the commands of the documents that TestExamples does not run, with the reason.
var notRun = map[string]string{
	"go build -o bin/stackmate .":                        "the test runs the same program without building it again",
	"go build -tags glpk -o bin/stackmate .":             "needs libglpk; continuous integration builds and tests it",
	"go test ./...":                                      "is what runs this test",
	"docker build -t stackmate -f docs/Dockerfile .":     "needs Docker",
	"docker run --rm -p 9147:9147 stackmate":             "needs Docker",
	"sudo systemctl enable --now stackmate":              "needs systemd and root",
	"sudo cp docs/stackmate.service /etc/systemd/system": "needs systemd and root",
}

// serving are the commands that run until they are interrupted, with the flags that keep the test
// away from ports that may be in use.
var serving = map[string]string{
	"stackmate arena": "--listen 127.0.0.1:0 --player 127.0.0.1:0 --no-browser",
	"stackmate serve": "--listen 127.0.0.1:0",
}

// fails are the commands with an exit status other than 0.
var fails = []string{"stackmate validate broken.kif", "stackmate validate level.kif"}

// typed is the keyboard input of a command.
var typed = map[string]string{"stackmate play": "quit\n"}

// loose are the commands whose numbers depend on the machine or on its load.
var loose = []string{"stackmate bench", "stackmate match", "stackmate inspect", "stackmate tournament", "stackmate rate", "stackmate train"}

// example is a command in a document, with the output that is shown for it.
type example struct {
	line    int
	command string
	output  string
}

// page is the commands of a document: files shown, and examples.
type page struct {
	files    map[string]string
	examples []example
}

// readPage finds the fenced blocks of a document. A block has one of these kinds: "console" (commands
// after "$ ", each followed by its output), "kif NAME" (a rulesheet, kept under its name), or one that
// has no commands.
func readPage(t *testing.T, name, text string) page {
	t.Helper()
	p := page{files: make(map[string]string)}
	kind, file := "", ""
	for i, line := range strings.Split(text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && kind == "":
			kind, file, _ = strings.Cut(fence, " ")
			if !slices.Contains([]string{"console", "kif", "text", "go", "json", "python"}, kind) {
				t.Errorf("%s:%d: a block of kind %q", name, i+1, kind)
			}
			if kind == "kif" && file == "" {
				t.Errorf("%s:%d: a rulesheet without a name", name, i+1)
			}
		case isFence:
			kind = ""
		case kind == "kif":
			p.files[file] += line + "\n"
		case kind == "console":
			last := len(p.examples) - 1
			command, begins := strings.CutPrefix(line, "$ ")
			switch {
			case begins:
				p.examples = append(p.examples, example{line: i + 1, command: command})
			case last < 0:
				t.Errorf("%s:%d: output before the first command", name, i+1)
			case strings.HasSuffix(p.examples[last].command, `\`):
				p.examples[last].command = strings.TrimSuffix(p.examples[last].command, `\`) + strings.TrimSpace(line)
			default:
				p.examples[last].output += line + "\n"
			}
		}
	}
	return p
}

var (
	amount  = regexp.MustCompile(`\b\d+(\.\d+)? (s|ms|MB|KB)\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z?\b|"(seconds|peak_bytes)":[\d.e-]+`)
	port    = regexp.MustCompile(`(127\.0\.0\.1|localhost):\d+`)
	kernel  = regexp.MustCompile(`\b(native|native-avx2|avx512|avx2|neon|portable) +\d+\b`) // with its lanes
	work    = regexp.MustCompile(`(?m)^(nodes|LP calls|table hits) +\d+`)                   // of several threads
	number  = regexp.MustCompile(`[+±-]?\d+(\.\d+)?`)
	spaces  = regexp.MustCompile(`[ \t]+`)
	address = regexp.MustCompile(`(127\.0\.0\.1|localhost):(9\d{3})`)
)

// masked returns a text without the parts that differ between runs or machines.
func masked(text string, numbers bool) string {
	text = amount.ReplaceAllString(text, "#")
	text = port.ReplaceAllString(text, "$1:#")
	text = kernel.ReplaceAllString(text, "kernel #")
	text = work.ReplaceAllString(text, "$1 #")
	if numbers {
		text = number.ReplaceAllString(text, "#")
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(spaces.ReplaceAllString(l, " "))
	}
	return strings.Join(lines, "\n")
}

// shows reports whether a document shows an output. A line "…" stands for any number of lines, "…" at the end of a
// line for the rest of it; an empty text allows any output.
func shows(want, got string, numbers bool) bool {
	if strings.TrimSpace(want) == "" {
		return true
	}
	pattern := regexp.QuoteMeta("\n" + masked(want, numbers))
	pattern = strings.ReplaceAll(pattern, "\n…", `(\n.*)*?`)
	pattern = strings.ReplaceAll(pattern, "…", `.*`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString("\n" + masked(got, numbers))
}

// TestExamples runs every command of the documents and compares its output with the one shown.
func TestExamples(t *testing.T) {
	exhaustive.Only(t, "takes half a minute")
	used := make(map[string]bool)
	var scripts []string
	dir := t.TempDir()
	pages := make(map[string]page)
	for path, text := range documents(t) {
		if folder := filepath.Dir(path); path != "../README.md" && folder != "../docs" {
			continue
		}
		p := readPage(t, path, text)
		if len(p.examples) == 0 {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		pages[name] = p
		script := filepath.Join(dir, name+".txtar")
		must.OK(t, os.WriteFile(script, []byte(p.script(used)), 0o600))
		scripts = append(scripts, script)
	}
	for _, rule := range slices.Concat(slices.Collect(maps.Keys(notRun)), slices.Collect(maps.Keys(serving)), slices.Collect(maps.Keys(typed)), fails, loose) {
		if !used[rule] {
			t.Errorf("no document has the command %q", rule)
		}
	}
	testscript.Run(t, testscript.Params{Files: scripts, Cmds: map[string]func(*testscript.TestScript, bool, []string){
		"serve": serve,
		"shows": func(ts *testscript.TestScript, _ bool, args []string) {
			i, err := strconv.Atoi(args[0])
			ts.Check(err)
			e := pages[ts.Name()].examples[i]
			got := ts.ReadFile("stdout")
			if got == "" {
				got = ts.ReadFile("stderr")
			}
			if !shows(e.output, got, matching(loose, e.command, nil) != "") {
				ts.Fatalf("%s.md:%d: %s: the document shows\n%s\nbut the output is\n%s", ts.Name(), e.line, e.command, e.output, got)
			}
		},
	}})
}

// matching returns the first of the rules that a command begins with, "" if there is none.
func matching(rules []string, command string, used map[string]bool) string {
	for _, r := range rules {
		if command == r || strings.HasPrefix(command, r+" ") {
			if used != nil {
				used[r] = true
			}
			return r
		}
	}
	return ""
}

// script returns a page for testscript. Ports that it names are replaced by free ones.
func (p page) script(used map[string]bool) string {
	var out strings.Builder
	ports := make(map[string]string)
	for i, e := range p.examples {
		if _, skipped := notRun[e.command]; skipped {
			used[e.command] = true
			continue
		}
		command := strings.Replace(e.command, "go run .", "stackmate", 1)
		matching(loose, command, used)
		command, stays := strings.CutSuffix(command, " &")
		rule := matching(slices.Collect(maps.Keys(serving)), command, used)
		if rule != "" && !strings.Contains(command, "--listen") {
			command += " " + serving[rule]
		}
		command = address.ReplaceAllStringFunc(command, func(a string) string {
			host, port, _ := strings.Cut(a, ":")
			if ports[port] == "" {
				ports[port] = freePort()
			}
			return host + ":" + ports[port]
		})
		if person := matching(slices.Collect(maps.Keys(typed)), command, used); person != "" {
			fmt.Fprintf(&out, "stdin typed-%d\n", i)
			p.files[fmt.Sprintf("typed-%d", i)] = typed[person]
		}
		switch {
		case rule != "" && stays:
			fmt.Fprintf(&out, "serve %s\n", command)
			continue
		case rule != "":
			fmt.Fprintf(&out, "! serve %s\n", command)
		case matching(fails, command, used) != "":
			fmt.Fprintf(&out, "! exec %s\n", command)
		default:
			fmt.Fprintf(&out, "exec %s\n", command)
		}
		fmt.Fprintf(&out, "shows %d\n", i)
	}
	for name, text := range p.files {
		fmt.Fprintf(&out, "-- %s --\n%s", name, text)
	}
	return out.String()
}

func freePort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// lockedBuffer is written by a process and read meanwhile.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.String()
}

// serve starts a command and waits until it prints its address. It is interrupted at the end of the script, or, with
// "!", immediately; then its exit status must be 0, and the script sees its output.
func serve(ts *testscript.TestScript, atOnce bool, args []string) {
	var out lockedBuffer
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Stdout, c.Stderr = ts.MkAbs("."), &out, &out
	ts.Check(c.Start())
	end := sync.OnceValue(func() error {
		_ = c.Process.Signal(os.Interrupt)
		return c.Wait()
	})
	ts.Defer(func() { _ = end() })
	for until := time.Now().Add(time.Minute); !port.MatchString(out.text()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			ts.Fatalf("%v prints no address:\n%s", args, out.text())
		}
	}
	if atOnce {
		time.Sleep(100 * time.Millisecond) // for a second line
		if err := end(); err != nil {
			ts.Fatalf("%v: %v\n%s", args, err, out.text())
		}
		fmt.Fprint(ts.Stdout(), out.text())
	}
}
