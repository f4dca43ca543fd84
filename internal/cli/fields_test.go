package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// byName holds the fields whose objects have roles as keys.
var byName = map[string]bool{"value": true, "estimate": true, "strategy": true, "payoff": true, "moves": true, "bounds": true, "proved_bounds": true, "goals": true}

// keys adds the keys of a JSON value to a set.
func keys(value any, set map[string]bool) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			keys(e, set)
		}
	case map[string]any:
		for key, e := range v {
			set[key] = true
			if _, isMap := e.(map[string]any); !isMap || !byName[key] {
				keys(e, set)
			}
		}
	}
}

// TestThePageForPythonNamesAllFields runs commands with --json; docs/python.md has a section with all keys of each.
func TestThePageForPythonNamesAllFields(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "python.md")))(t)
	section := map[string]string{}
	for _, part := range strings.Split(string(page), "\n### ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		for _, name := range regexp.MustCompile(`[a-z-]+`).FindAllString(title, -1) {
			section[name] = text
		}
	}
	dir := filepath.Join(t.TempDir(), "records")
	for _, name := range commandsWithJSON(t) {
		if section[name] == "" {
			t.Errorf("docs/python.md: no section for %s", name)
		}
	}
	bad := file(t, "bad.kif", "(role a) (init (at 1)) (legal a go) (<= terminal (true (at ?x)) (not (does a go))) (goal a 1000)")
	for _, line := range []string{
		"solve goofspiel-3 --matrix --certify", "solve prisonersDilemma", "solve trio-3x3 --method lattice", "solve goofspiel-6 --method mcts --time 100ms",
		"validate " + bad, "validate --prove --simulate 2 " + file(t, "good.kif", coin),
		"inspect nim-2 --prove", "inspect nim-2 --circuit",
		"match nim-2 --players legal,random --record " + dir, "tournament nim-2 ticTacToe --players legal,random --rounds 1", "tournament nim-2 --players legal,random --rounds 2 --sprt 0,10",
		"tune nim-2 --players mcts --parameters playouts --iterations 1 --pairs 1 --start-clock 0.2 --play-clock 0.02",
		"bridge --depth 2 " + file(t, "deal", "N:AQ.2.. S:32.A.. EW:KJT9.K3.. trump:NT lead:S tricks:2"),
		"solve goofspiel-3 --method layers --draws 5", "train ticTacToe --time 100ms --knowledge " + filepath.Join(t.TempDir(), "weights"),
		"check-player --start-clock 1 --play-clock 1 --level required " + deafPlayer(t), "experiment goofspiel --sizes 3",
		"rate " + dir, "perft nim-2 1 --divide", "bench nim-2 --seconds 0.01",
	} {
		checkFields(t, section, line)
	}
	first := func(o outcome) bool { return strings.Contains(o.out, "\n") } // of many objects with the same keys
	checkKeys(t, section, "signature", interruptWhen(t, []string{"signature", "--json"}, first).out)
	records, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(records) == 0 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	checkFields(t, section, "show "+records[0])
}

// commandsWithJSON returns the commands that have the flag --json.
func commandsWithJSON(t *testing.T) (list []string) {
	t.Helper()
	s := &console{out: newPrinter(io.Discard, nil), err: newPrinter(io.Discard, nil)}
	for _, c := range must.Get(s.parser(nil, new(globals), func() {}))(t).Model.Children {
		if slices.ContainsFunc(c.Flags, func(f *kong.Flag) bool { return f.Name == "json" }) {
			list = append(list, c.Name)
		}
	}
	return list
}

// checkFields runs a command with --json and looks its keys up in the section of the command.
func checkFields(t *testing.T, section map[string]string, line string) {
	t.Helper()
	checkKeys(t, section, line, execute(t, append(strings.Fields(line), "--json")...).out)
}

// checkKeys looks the keys of the output of a command up in the section of the command.
func checkKeys(t *testing.T, section map[string]string, line, out string) {
	t.Helper()
	command, _, _ := strings.Cut(line, " ")
	set, decoder := map[string]bool{}, json.NewDecoder(bytes.NewReader([]byte(out)))
	for decoder.More() {
		var value map[string]any
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%s: %v in %s", line, err, out)
		}
		keys(value, set)
	}
	if len(set) == 0 {
		t.Errorf("%s: no JSON", line)
	}
	for key := range set {
		if !strings.Contains(section[command], "`"+key+"`") {
			t.Errorf("docs/python.md: section of %s: no field %s of stackmate %s", command, key, line)
		}
	}
}
