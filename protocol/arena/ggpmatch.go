package arena

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"stackmate/gdl"
)

// ggpMatch is a match in the format of the General Game Playing archives: the JSON of ggp-base's Match.toJSON. Times
// are in milliseconds, clocks in seconds.
type ggpMatch struct {
	MatchID     string     `json:"matchId"`
	RandomToken string     `json:"randomToken"`
	StartTime   int64      `json:"startTime"`
	GameMetaURL string     `json:"gameMetaURL"`
	IsCompleted bool       `json:"isCompleted"`
	IsAborted   bool       `json:"isAborted"`
	Forfeit     bool       `json:"forfeit,omitempty"` // as in Record, like Reason
	Reason      string     `json:"reason,omitempty"`
	States      []string   `json:"states"` // each a list of facts: ( ( cell 1 1 b ) ( control x ) )
	Moves       [][]string `json:"moves"`
	StateTimes  []int64    `json:"stateTimes"`
	Errors      [][]string `json:"errors,omitempty"` // of START, then of each turn
	Goals       []int      `json:"goalValues,omitempty"`
	Preview     int        `json:"previewClock"`
	StartClock  int        `json:"startClock"`
	PlayClock   int        `json:"playClock"`
	Players     []string   `json:"playerNamesFromHost,omitempty"`
	Human       []bool     `json:"isPlayerHuman,omitempty"`
	Scrambled   bool       `json:"scrambled"`
}

// ggpGames is ggp-base's address of game rules.
const ggpGames = "http://games.ggp.org/base/games/"

// version matches the version at the end of a game's address.
var version = regexp.MustCompile(`(/v[0-9]+)?/*$`)

// unknownPlayer is the name of unrecorded players.
const unknownPlayer = "unknown"

// readGGP converts a match of an archive to a record. Such matches do not name their roles: numbers replace the roles
// until Name is called.
func readGGP(text []byte) (*Record, error) {
	var m ggpMatch
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	start, err := ggpTime(m.StartTime)
	if err != nil {
		return nil, err
	}
	r := &Record{
		Match: m.MatchID, Game: path.Base(version.ReplaceAllString(m.GameMetaURL, "")), StartTime: start,
		StartClock: float64(m.StartClock), PlayClock: float64(m.PlayClock), Players: m.Players, Errors: m.Errors,
		Goals: m.Goals, Completed: m.IsCompleted && !m.IsAborted, Aborted: m.IsAborted, Forfeit: m.Forfeit, Reason: m.Reason, Turns: len(m.Moves), Unnamed: true,
	}
	if len(r.Errors) > len(m.Moves) {
		r.StartErrors, r.Errors = r.Errors[0], r.Errors[1:]
	}
	if r.Aborted {
		r.Goals = nil
	}
	n := max(len(m.Players), len(m.Goals), len(r.StartErrors))
	for turn, joint := range m.Moves {
		moves := make([]string, len(joint))
		for i, move := range joint {
			t, err := gdl.ParseTerm(move)
			if err != nil {
				return nil, fmt.Errorf("move %d of turn %d: %w", i+1, turn+1, err)
			}
			moves[i] = t.String()
		}
		r.Moves = append(r.Moves, moves)
		n = max(n, len(joint))
	}
	for i := range n {
		r.Roles = append(r.Roles, fmt.Sprintf("role%d", i+1))
		if i >= len(r.Players) || r.Players[i] == "" {
			r.Players = slices.Concat(r.Players[:i], []string{unknownPlayer}, r.Players[min(i+1, len(r.Players)):])
		}
	}
	for turn, state := range m.States {
		facts, err := ggpFacts(state)
		if err != nil {
			return nil, fmt.Errorf("state %d: %w", turn+1, err)
		}
		r.States = append(r.States, facts)
	}
	for _, milliseconds := range m.StateTimes {
		at, err := ggpTime(milliseconds)
		if err != nil {
			return nil, err
		}
		r.StateTimes = append(r.StateTimes, at)
	}
	return r, nil
}

// ggpTime returns the time of a number of milliseconds, or an error if the JSON of a record cannot hold it.
func ggpTime(milliseconds int64) (time.Time, error) {
	at := time.UnixMilli(milliseconds)
	if year := at.Year(); year < 0 || year > 9999 {
		return at, fmt.Errorf("expected times in milliseconds of the years 0 to 9999, found %d", milliseconds)
	}
	return at, nil
}

// ggpFacts parses a state, with or without true around its facts.
func ggpFacts(state string) ([]string, error) {
	inner, opened := strings.CutPrefix(strings.TrimSpace(state), "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !opened || !closed {
		return nil, fmt.Errorf("expected a list of facts, found %.40q", state)
	}
	terms, err := gdl.ParseTerms(inner)
	if err != nil {
		return nil, err
	}
	facts := []string{}
	for _, t := range terms {
		if t.Name == "true" && len(t.Args) == 1 {
			t = t.Args[0]
		}
		facts = append(facts, t.String())
	}
	return facts, nil
}

// GGP returns the record in the format of the General Game Playing archives. This format has no opening: its moves and
// the positions before them become turns without faults at the start time. The function human reports whether a player
// is a person.
func (r *Record) GGP(before [][]string, human func(player string) bool) ([]byte, error) {
	faultless := slices.Repeat([][]string{make([]string, len(r.Roles))}, len(r.Opening))
	m := ggpMatch{
		MatchID: r.Match, StartTime: r.StartTime.UnixMilli(), GameMetaURL: ggpGames + r.Game + "/", RandomToken: HashRules(r.Match)[:32],
		IsCompleted: r.Completed, IsAborted: r.Aborted, Forfeit: r.Forfeit, Reason: r.Reason, States: []string{}, Moves: slices.Concat([][]string{}, r.Opening, r.Moves), StateTimes: []int64{},
		Errors: slices.Concat([][]string{r.StartErrors}, faultless, r.Errors), Goals: r.Goals, Preview: -1, StartClock: int(math.Ceil(r.StartClock)), PlayClock: int(math.Ceil(r.PlayClock)), Players: r.Players,
	}
	if r.StartErrors == nil {
		m.Errors = m.Errors[1:]
	}
	for _, facts := range slices.Concat(before, r.States) {
		m.States = append(m.States, "( "+strings.Join(facts, " ")+" )")
	}
	for _, at := range slices.Concat(slices.Repeat([]time.Time{r.StartTime}, len(r.Opening)), r.StateTimes) {
		m.StateTimes = append(m.StateTimes, at.UnixMilli())
	}
	for _, p := range r.Players {
		m.Human = append(m.Human, human(p))
	}
	return json.Marshal(m)
}
