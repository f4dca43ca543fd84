// Package trace reads recorded matches and replays them on a machine, comparing
// everything that was recorded. It owns the file format and the comparison; it
// knows no engine and no rules.
package trace

import (
	"bufio"
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

	"stackmate/reasoner/machine"
)

// Match is one recorded match. Terms are written in prefix form with single
// blanks, spelled as in the rulesheet.
type Match struct {
	Game    string   `json:"game"`
	Playout int      `json:"playout"`
	Roles   []string `json:"roles"`
	Steps   []Step   `json:"steps"`
	Final   Final    `json:"final"`
}

// Step is a position that is not terminal and what was played there.
type Step struct {
	State []string   `json:"state"` // the true fluents
	Legal [][]string `json:"legal"` // by role
	Joint []string   `json:"joint"` // by role
}

// Final is the last position of a match.
type Final struct {
	Terminal bool     `json:"terminal"` // false if the match was cut off
	State    []string `json:"state"`
	Goals    []Goal   `json:"goals"` // by role; they count in terminal positions
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

// Read iterates over the matches of a file: one JSON object after the other,
// compressed if the name ends in .gz. An error ends the iteration.
func Read(path string) iter.Seq2[*Match, error] {
	return func(yield func(*Match, error) bool) {
		in, err := open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		for d := json.NewDecoder(in); ; {
			m := new(Match)
			if err := d.Decode(m); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				yield(nil, fmt.Errorf("%s: at byte %d: %w", path, d.InputOffset(), err))
				return
			}
			m.canonical()
			if !yield(m, nil) {
				return
			}
		}
	}
}

// nullary is a symbol in parentheses of its own, which means the symbol.
var nullary = regexp.MustCompile(`\(([^\s()]+)\)`)

// canonical writes all terms as machines do: `(p)` as `p`.
func (m *Match) canonical() {
	for i := range m.Steps {
		s := &m.Steps[i]
		s.State = terms(s.State)
		for r := range s.Legal {
			s.Legal[r] = terms(s.Legal[r])
		}
		for r := range s.Joint {
			s.Joint[r] = nullary.ReplaceAllString(s.Joint[r], "$1")
		}
	}
	m.Final.State = terms(m.Final.State)
}

// terms makes a set of terms canonical.
func terms(list []string) []string {
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
