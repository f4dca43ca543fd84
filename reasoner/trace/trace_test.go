package trace_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
	"stackmate/reasoner/trace"
)

// counter is a game of one role that counts to three: exactly one of the fluents 1, 2, 3 is true, and each position
// has the moves up and stay.
type counter struct{ at int }

func newCounter() machine.Machine {
	names := &machine.Names{
		Roles:   []string{"robot"},
		Moves:   [][]string{{"stay", "(up by one)"}},
		Fluents: []string{"(at 1)", "(at 2)", "three"},
	}
	return scalar.New(names, machine.State{1}, machine.Info{}, func() scalar.Stepper { return new(counter) })
}

func (c *counter) SetState(s machine.State) {
	for c.at = 0; !s.Has(c.at); c.at++ {
	}
}

func (c *counter) Terminal() bool { return c.at == 2 }

func (c *counter) AppendLegal(dst []machine.Move, _ machine.Role) []machine.Move {
	return append(dst, 0, 1)
}

func (c *counter) Goal(machine.Role) int32 { return int32(50 * c.at) }

func (c *counter) Next(dst machine.State, joint []machine.Move) {
	clear(dst)
	dst.Set(c.at + int(joint[0]))
}

// match is a correct record of a match of the counter.
const match = `{"game":"counter","playout":7,"roles":["robot"],"steps":[` +
	`{"state":["(at 1)"],"legal":[["(up by one)","(stay)"]],"joint":["(up by one)"]},` +
	`{"state":["(at 2)"],"legal":[["(up by one)","stay"]],"joint":["(stay)"]},` +
	`{"state":["(at 2)"],"legal":[["(up by one)","stay"]],"joint":["(up by one)"]}],` +
	`"final":{"terminal":true,"state":["(three)"],"goals":[100]}}` + "\n"

// readAll writes text to a file and returns its matches.
func readAll(t *testing.T, name, text string) ([]*trace.Match, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(f)
		must.Get(z.Write([]byte(text)))(t)
		must.OK(t, z.Close())
	} else if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	var out []*trace.Match
	for m, err := range trace.Read(path) {
		if err != nil {
			return out, err
		}
		out = append(out, m)
	}
	return out, nil
}

func TestTrueRecordsReplay(t *testing.T) {
	for _, name := range []string{"counter.jsonl", "counter.jsonl.gz"} {
		matches, err := readAll(t, name, match+match)
		if err != nil || len(matches) != 2 {
			t.Fatalf("%s: %d matches, error %v", name, len(matches), err)
		}
		for _, m := range matches {
			if err := trace.Replay(newCounter(), m); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestTheFirstDifferenceIsNamedWithItsStep(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"state", `"(at 2)"]`, `"(at 2)","(at 9)"]`, "counter, match 7, step 1: fluents: the machine lacks (at 9)"},
		{"state misses a fluent", `["(at 2)"]`, `[]`, "step 1: fluents: the machine has (at 2)"},
		{"legal", `["(up by one)","(stay)"]`, `["(stay)"]`, "step 0: legal moves of robot: the machine has (up by one)"},
		{"move", `"joint":["(stay)"]`, `"joint":["jump"]`, "step 1: the machine has no move jump of robot"},
		{"goal", `[100]`, `[99]`, "step 3 (the last): recorded goal 99 of robot, the machine says 100"},
		{"no goal", `[100]`, `[null]`, "recorded goal -1 of robot, the machine says 100"},
		{"terminal", `true`, `false`, "recorded terminal false, the machine says true"},
		{"roles", `"roles":["robot"]`, `"roles":["robot","random"]`, "recorded roles [robot random], the machine has [robot]"},
		{"legal moves of too many roles", `"(stay)"]]`, `"(stay)"],[]]`, "step 0: recorded legal moves of 2 roles, the machine has 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(match, c.old, c.new, 1)
			if text == match {
				t.Fatal("the test changes nothing")
			}
			matches, err := readAll(t, "counter.jsonl", text)
			if err != nil {
				t.Fatal(err)
			}
			err = trace.Replay(newCounter(), matches[0])
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestPartsThatWereNotRecordedAreNotCompared(t *testing.T) {
	matches := must.Get(readAll(t, "counter.jsonl", match))(t)
	m := matches[0]
	for i := range m.Steps {
		m.Steps[i].Legal = nil
	}
	m.Steps[0].State = nil
	if err := trace.Replay(newCounter(), m); err != nil {
		t.Error(err)
	}
	m.Final.State = []string{"(at 7)"}
	if err := trace.Replay(newCounter(), m); err == nil {
		t.Error("the last position passed")
	}
	m.Final.State, m.Steps = nil, m.Steps[:1]
	if err := trace.Replay(newCounter(), m); err != nil {
		t.Error(err)
	}
}

func TestGoalsOfMatchesThatWereCutOffDoNotCount(t *testing.T) {
	text := match[:strings.Index(match, `"final"`)-len(`,{"state":["(at 2)"],"legal":[["(up by one)","stay"]],"joint":["(up by one)"]}],`)] +
		`],"final":{"terminal":false,"state":["(at 2)"],"goals":[null]}}`
	matches := must.Get(readAll(t, "counter.jsonl", text))(t)
	if err := trace.Replay(newCounter(), matches[0]); err != nil {
		t.Error(err)
	}
}

func TestOtherFilesAreRefusedWithTheLine(t *testing.T) {
	const record = `{"match":"m","game":"counter","roles":["robot"],"moves":[["stay"]],"states":[["(at 1)"]],"goals":[50]}`
	for name, c := range map[string]struct{ text, want string }{
		"broken.jsonl":  {match + `{"game":`, "broken.jsonl:2: expected a recorded match in JSON"},
		"plain.jsonl":   {"hello", "plain.jsonl:1: "},
		"record.jsonl":  {record, "record.jsonl:1: expected a recorded match with roles and a final position"},
		"part.jsonl":    {strings.Replace(match, `"legal"`, `"moves"`, 1), "part.jsonl:1: expected state, legal and joint in every step"},
		"numbers.jsonl": {match + "\n3\n", "numbers.jsonl:3: "},
		"other.jsonl":   {`{"name":"x"}`, "other.jsonl:1: expected a recorded match with roles"},
		"empty.jsonl":   {"", "empty.jsonl: expected recorded matches, found none"},
		"blank.jsonl":   {"\n \n", "blank.jsonl: expected recorded matches, found none"},
		"empty.gz":      {"", "empty.gz: expected recorded matches, found none"},
	} {
		if _, err := readAll(t, name, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	for _, err := range trace.Read("absent.jsonl") {
		if err == nil {
			t.Error("reading an absent file succeeds")
		}
	}
}
