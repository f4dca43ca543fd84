package distributed

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackmate/gdl"
	"stackmate/internal/atomicfile"
	"stackmate/internal/jsonfault"
	"stackmate/protocol/arena"
	"stackmate/reasoner/machine"
)

// Event is a tournament with its games and players, stored in a file from which it can be resumed.
type Event struct {
	// Run names the tournament in the queue and begins the ids of its matches: letters, digits, "-" and "_".
	Run   string           `json:"run"`
	Begun time.Time        `json:"begun,omitzero"`
	Plan  arena.Tournament `json:"plan"`
	// Rules holds the rulesheets of the games, see arena.RulesText.
	Rules []string `json:"rules"`
	// Specs describes the players, for Worker.Player.
	Specs []string `json:"specs"`
	// Setting holds the parameters of all matches except seeds.
	Setting arena.Setting `json:"setting"`
	// Ended: no more matches will be played.
	Ended bool `json:"ended,omitempty"`

	file string // "" if not saved
}

// NewEvent returns a plan completed by games (names and rules) and players. The descriptions of players are also
// their names unless the plan has others. A tuned player plays itself.
func NewEvent(plan arena.Tournament, setting arena.Setting, specs, games []string, rules []*gdl.Game) (*Event, error) {
	if plan.Tuning != nil && len(specs) == 1 && !isShared(specs[0]) {
		specs = []string{specs[0], specs[0]}
	}
	now := time.Now()
	if len(plan.Players) != len(specs) {
		plan.Players = specs
	}
	plan.Players = arena.DistinctNames(plan.Players)
	e := &Event{Run: fmt.Sprintf("tournament-%d", now.UnixMilli()), Begun: now.Round(0), Plan: plan, Specs: specs, Setting: setting}
	for i, g := range rules {
		seats := len(g.Roles)
		if slices.ContainsFunc(g.Roles, func(r gdl.Term) bool { return r.String() == machine.RandomRole }) {
			seats--
		}
		e.Plan.Games, e.Rules = append(e.Plan.Games, arena.Game{Name: games[i], Roles: seats}), append(e.Rules, arena.RulesText(g))
	}
	return e, e.Check()
}

// runName matches the names of runs.
var runName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Check returns an error if the tournament is invalid.
func (e *Event) Check() error {
	switch {
	case !runName.MatchString(e.Run):
		return fmt.Errorf("expected a run named by letters, digits, - and _, found %q", e.Run)
	case len(e.Rules) != len(e.Plan.Games) || len(e.Specs) != len(e.Plan.Players):
		return fmt.Errorf("expected the rules of %d games and descriptions of %d players, found %d and %d",
			len(e.Plan.Games), len(e.Plan.Players), len(e.Rules), len(e.Specs))
	case e.Plan.Tuning != nil && (len(e.Specs) != 2 || e.Specs[0] != e.Specs[1]):
		return errors.New("a tuning needs one player, of this program")
	}
	return e.Plan.Check()
}

// ReadEvent reads a tournament from a file. The error wraps fs.ErrNotExist if the file is missing.
func ReadEvent(file string) (*Event, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	e := &Event{file: file}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("%s: not a tournament file: %w", file, jsonfault.Explain(err))
	}
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return e, nil
}

// Save writes the tournament to a file, which later changes update.
func (e *Event) Save(file string) error {
	text, err := json.MarshalIndent(e, "", " ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = atomicfile.Write(file, append(text, '\n'))
	}
	e.file = file
	return err
}

// end marks the tournament as ended.
func (e *Event) end() error {
	if e.Ended || e.file == "" {
		return nil
	}
	e.Ended = true
	return e.Save(e.file)
}

// match returns the match id of a fixture.
func (e *Event) match(number int) string { return e.Run + "." + strconv.Itoa(number) }

// Number returns the fixture of a match id, if it belongs to the tournament.
func (e *Event) Number(match string) (int, bool) {
	text, ok := strings.CutPrefix(match, e.Run+".")
	n, err := strconv.Atoi(text)
	return n, ok && err == nil && e.match(n) == match
}

// order is the message with a match for a worker.
type order struct {
	Match   string        `json:"match"`
	Game    string        `json:"game"`
	Rules   string        `json:"rules"` // hash of the text in the queue
	Names   []string      `json:"names"` // of the players, in the order of the roles
	Specs   []string      `json:"specs"`
	Setting arena.Setting `json:"setting"`
}

// Descriptions returns the initial descriptions of the players.
func (e *Event) Descriptions() []string {
	if e.Plan.Tuning == nil {
		return e.Specs
	}
	sides := arena.NewLedger(&e.Plan).Descriptions()
	return sides[:]
}

// order returns the order of a fixture at the ledger's state.
func (e *Event) order(f arena.Fixture, l *arena.Ledger) order {
	o := order{
		Match: e.match(f.Number), Game: e.Plan.Games[f.Game].Name, Rules: arena.HashRules(e.Rules[f.Game]),
		Setting: e.Setting,
	}
	o.Setting.Seed, o.Setting.OpeningSeed, o.Setting.Forfeit = f.Seed, f.OpeningSeed, true
	specs, names := e.Specs, e.Plan.Players
	if e.Plan.Tuning != nil {
		sides := l.Descriptions()
		specs, names = sides[:], arena.DistinctNames(sides[:])
	}
	for _, p := range f.Players {
		o.Names, o.Specs = append(o.Names, names[p]), append(o.Specs, specs[p])
	}
	return o
}

// isShared reports whether a player can play only one match at a time in all processes: a player behind an endpoint.
func isShared(spec string) bool { return strings.Contains(spec, "://") }

// held is the result of a match from a worker: the record, or the reason for its absence.
type held struct {
	Attempt string        `json:"attempt"` // equal in the reports of its turns
	Record  *arena.Record `json:"record,omitempty"`
	Failure string        `json:"failure,omitempty"`
}

// report is a progress report of a running match.
type report struct {
	Attempt string        `json:"attempt"`
	Number  int           `json:"number"` // of the part, from 0
	Part    *arena.Record `json:"part"`
}

// record returns the record of a match, also of a match that failed.
func (o order) record(h held) *arena.Record {
	if h.Record != nil {
		return h.Record
	}
	return &arena.Record{
		Match: o.Match, Game: o.Game, Rules: o.Rules, Roles: o.Names, Players: o.Names, Aborted: true, Reason: h.Failure,
	}
}

// decode parses a message of this package.
func decode[T any](data []byte) (T, error) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("a message of a tournament: %w", err)
	}
	return v, nil
}
