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

// Event is a tournament with all that is needed to hold it, as a file keeps it for whoever
// resumes it.
type Event struct {
	// Run names the tournament in the queue and begins the ids of its matches: letters,
	// digits, "-" and "_".
	Run   string           `json:"run"`
	Begun time.Time        `json:"begun,omitzero"`
	Plan  arena.Tournament `json:"plan"`
	// Rules are the rulesheets of the games, see arena.RulesText.
	Rules []string `json:"rules"`
	// Specs describe the players, for Worker.Player.
	Specs []string `json:"specs"`
	// Setting is that of all matches but for seeds.
	Setting arena.Setting `json:"setting"`
	// Ended says that no more matches are to be held.
	Ended bool `json:"ended,omitempty"`

	file string // "" if it is in none
}

// NewEvent returns a plan with the games and players that it lacks: games by name and their
// rules, players by their descriptions, which are also their names unless the plan has others. A player that
// is tuned plays itself.
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

// Check says why the tournament cannot be held, if it cannot.
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

// ReadEvent reads the tournament of a file. The error wraps fs.ErrNotExist where there is
// none.
func ReadEvent(file string) (*Event, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	e := &Event{file: file}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("%s: expected a tournament: %w", file, jsonfault.Explain(err))
	}
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return e, nil
}

// Save writes the tournament to a file, in which it is from then on.
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

// end notes that no more matches are to be held.
func (e *Event) end() error {
	if e.Ended || e.file == "" {
		return nil
	}
	e.Ended = true
	return e.Save(e.file)
}

// match is the id of a fixture.
func (e *Event) match(number int) string { return e.Run + "." + strconv.Itoa(number) }

// Number is the fixture of a match id, if it is one of the tournament.
func (e *Event) Number(match string) (int, bool) {
	text, ok := strings.CutPrefix(match, e.Run+".")
	n, err := strconv.Atoi(text)
	return n, ok && err == nil && e.match(n) == match
}

// order is what a worker is told of a match.
type order struct {
	Match   string        `json:"match"`
	Game    string        `json:"game"`
	Rules   string        `json:"rules"` // their hash, under which the queue has the text
	Names   []string      `json:"names"` // of the players, in the order of the roles
	Specs   []string      `json:"specs"`
	Setting arena.Setting `json:"setting"`
}

// Descriptions are those of the players at first.
func (e *Event) Descriptions() []string {
	if e.Plan.Tuning == nil {
		return e.Specs
	}
	sides := arena.NewLedger(&e.Plan).Descriptions()
	return sides[:]
}

// order writes that of a fixture, as far as the tournament has come.
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

// isShared tells whether a player can be in one match at a time only, whoever holds it:
// one that is reached at an address.
func isShared(spec string) bool { return strings.Contains(spec, "://") }

// held is what a worker brings back of a match: its record, or why there is none.
type held struct {
	Attempt string        `json:"attempt"` // the same in the reports of its turns
	Record  *arena.Record `json:"record,omitempty"`
	Failure string        `json:"failure,omitempty"`
}

// report is what a worker tells of a match under way.
type report struct {
	Attempt string        `json:"attempt"`
	Number  int           `json:"number"` // of the part, from 0
	Part    *arena.Record `json:"part"`
}

// result is that of a match: with its record, or as one that could not be held.
func (o order) result(h held) arena.Result {
	if h.Record == nil {
		h.Record = &arena.Record{
			Match: o.Match, Game: o.Game, Roles: o.Names, Players: o.Names, Aborted: true, Reason: h.Failure,
		}
	}
	return h.Record.Result()
}

// decode reads what this package has written.
func decode[T any](data []byte) (T, error) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("a message of a tournament: %w", err)
	}
	return v, nil
}
