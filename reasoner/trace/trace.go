// Package trace reads recorded matches and replays them on a machine, with a comparison of all recorded parts. It
// owns the file format and the comparison, and is independent of engines and rules.
package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"

	"stackmate/internal/jsonfault"
	"stackmate/reasoner/machine"
)

// Match is a recorded match. Terms are in prefix form with single blanks, spelled as in the rulesheet.
type Match struct {
	Game    string   `json:"game"`
	Playout int      `json:"playout"`
	Roles   []string `json:"roles"`
	Steps   []Step   `json:"steps"`
	Final   Final    `json:"final"`
}

// Step is a position that is not terminal, and the joint move made there. Files have all fields; records of other
// programs may lack State or Legal.
type Step struct {
	State []string   `json:"state"` // the true fluents, nil if not recorded
	Legal [][]string `json:"legal"` // by role, nil if not recorded
	Joint []string   `json:"joint"` // by role
}

// Final is the last position of a match.
type Final struct {
	Terminal bool     `json:"terminal"` // false if the match was cut off
	State    []string `json:"state"`    // nil if not recorded, and then not compared
	Goals    []Goal   `json:"goals"`    // by role; compared if terminal
	// Unjudged restricts the comparison to State.
	Unjudged bool `json:"-"`
}

// Goal is a number of goal points, or machine.NoGoal, which the file spells null.
type Goal int32

// UnmarshalJSON implements json.Unmarshaler.
func (g *Goal) UnmarshalJSON(text []byte) error {
	*g = Goal(machine.NoGoal)
	if string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, (*int32)(g))
}

// Read yields the matches of a file: one JSON object per line, compressed if the name ends in .gz. An error, which
// names file and line, ends the iteration; a file without matches is an error.
func Read(path string) iter.Seq2[*Match, error] {
	return func(yield func(*Match, error) bool) {
		in, err := open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		matches, number := 0, 1
		for ; lines.Scan(); number++ {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			m, err := parse(lines.Bytes())
			if err != nil { // after a read error the last line is incomplete
				yield(nil, fmt.Errorf("%s:%d: %w", path, number, cmp.Or(lines.Err(), err)))
				return
			}
			matches++
			if !yield(m, nil) {
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(nil, fmt.Errorf("%s:%d: expected a line of at most %d MiB, found a longer one", path, number, maxLine>>20))
		case err != nil:
			yield(nil, fmt.Errorf("%s:%d: %w", path, number, err))
		case matches == 0:
			yield(nil, fmt.Errorf("%s: expected recorded matches, found none", path))
		}
	}
}

// maxLine bounds a line in bytes: a match of thousands of turns.
const maxLine = 256 << 20

// ErrNotTrace is the error of a line of JSON that is not a trace, such as the record of a game manager.
var ErrNotTrace = errors.New("expected a recorded match with roles and a final position, found none")

// parse reads a match from a line.
func parse(text []byte) (*Match, error) {
	m := &Match{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("expected a recorded match in JSON: %w", jsonfault.Explain(err))
	}
	if len(m.Roles) == 0 || m.Final.State == nil && len(m.Steps) == 0 {
		return nil, ErrNotTrace
	}
	for i, s := range m.Steps {
		if s.State == nil || s.Legal == nil {
			return nil, fmt.Errorf("expected state, legal and joint in every step, step %d lacks a field", i)
		}
	}
	m.canonical()
	return m, nil
}

// nullary matches a symbol in its own parentheses, which means the symbol.
var nullary = regexp.MustCompile(`\(([^\s()]+)\)`)

// canonical spells all terms as machines do: `(p)` as `p`.
func (m *Match) canonical() {
	for i := range m.Steps {
		s := &m.Steps[i]
		s.State = canonicalTerms(s.State)
		for r := range s.Legal {
			s.Legal[r] = canonicalTerms(s.Legal[r])
		}
		for r := range s.Joint {
			s.Joint[r] = nullary.ReplaceAllString(s.Joint[r], "$1")
		}
	}
	m.Final.State = canonicalTerms(m.Final.State)
}

// canonicalTerms returns a set of terms in canonical spelling, sorted.
func canonicalTerms(list []string) []string {
	for i, t := range list {
		list[i] = nullary.ReplaceAllString(t, "$1")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// open opens a file for reading, through gzip if its name says so.
func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return f, err
	}
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}
