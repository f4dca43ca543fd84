package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/must"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

// parses checks a command line of the program by asking for its help, which it gives only if it knows
// the command and the flags before "--help".
func parses(t *testing.T, args []string) {
	t.Helper()
	for i, a := range args[1:] {
		flag, isFlag := strings.CutPrefix(a, "--")
		if !isFlag {
			continue
		}
		help, err := exec.CommandContext(t.Context(), "stackmate", args[0], "--help").CombinedOutput()
		if err != nil || !regexp.MustCompile(`--`+flag+`\b`).Match(help) {
			t.Errorf("%v: %s has no flag %s (%v)", args, args[0], args[i+1], err)
		}
	}
}

func TestTheDockerfileBuildsWhatItRuns(t *testing.T) {
	text := read(t, "Dockerfile")
	var entry, command []string
	list := regexp.MustCompile(`"([^"]*)"`)
	for _, line := range strings.Split(text, "\n") {
		instruction, rest, _ := strings.Cut(line, " ")
		known := []string{"", "#", "FROM", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD"}
		if !slices.Contains(known, instruction) {
			t.Errorf("an unknown instruction: %s", line)
		}
		for _, word := range list.FindAllStringSubmatch(rest, -1) {
			switch instruction {
			case "ENTRYPOINT":
				entry = append(entry, word[1])
			case "CMD":
				command = append(command, word[1])
			}
		}
	}
	built := regexp.MustCompile(`go build .*-o (\S+)`).FindStringSubmatch(text)
	if built == nil || len(entry) != 1 || entry[0] != built[1] || !strings.Contains(text, "--from=build "+built[1]+" "+built[1]) {
		t.Errorf("it builds %q and runs %q", built, entry)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, filepath.Join("..", "go.mod")))
	if version == nil || !strings.Contains(text, "FROM golang:"+version[1]+" ") {
		t.Errorf("it does not build with Go %q of go.mod", version)
	}
	if len(command) == 0 {
		t.Fatal("it runs no command")
	}
	parses(t, command)
}

func TestTheServiceStartsThePlayer(t *testing.T) {
	text := read(t, "stackmate.service")
	line := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(text)
	if line == nil || filepath.Base(line[1]) != "stackmate" {
		t.Fatalf("it starts %q", line)
	}
	parses(t, strings.Fields(line[2]))
	unitLine := regexp.MustCompile(`^(#.*|\[(Unit|Service|Install)\]|[A-Z]\w+=.+|)$`)
	for _, l := range strings.Split(text, "\n") {
		if !unitLine.MatchString(l) {
			t.Errorf("not a line of a unit: %s", l)
		}
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		return // the rest needs systemd
	}
	program := must.Get(exec.LookPath("stackmate"))(t)
	unit := filepath.Join(t.TempDir(), "stackmate.service")
	must.OK(t, os.WriteFile(unit, []byte(strings.Replace(text, line[1], program, 1)), 0o600))
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", unit).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
