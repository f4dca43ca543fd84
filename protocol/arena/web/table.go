package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"stackmate/internal/feed"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner/machine"
)

// table is where people play: one match of the manager after another, in which people are
// agents. Where moves are taken back, or a player gets another strength, a match begins
// that continues the one before.
type table struct {
	*Server
	opening
	id      string
	game    *game
	machine machine.Machine
	started time.Time
	story   feed.Feed[[]byte]

	mu       sync.Mutex
	changed  chan struct{} // closed at the next change
	seats    []seat        // by role
	at       *machine.History
	joints   [][]string
	why      [][]*protocol.Explanation // by turn and role
	legal    [][]string                // by role; nil where nobody moves
	sealed   bool                      // the choices of this turn: nobody changes them any more
	over     bool                      // the match is, with goals or without
	goals    []int
	resigned string            // the role that has given up
	asked    map[string][]bool // by role, what people have asked for that others have not agreed to
	note     string
	score    []float64 // by role, of the matches before, in wins
	next     *table    // of the rematch

	shown    []byte // the view, as it is sent
	takes    int    // the joint moves that are left where moves are taken back
	swapping bool   // the next table is being opened

	matches int                     // begun here
	end     context.CancelCauseFunc // of the latest
	ended   chan struct{}           // closed when that has ended
	timer   *time.Timer             // of the clocks
	touched time.Time
	viewers int
}

// seat is who plays a role.
type seat struct {
	kind   string // of a player; person, open, or chance
	key    string // that the person has
	player arena.Player
	choice string // for this turn, where there is one
	chosen bool
	asked  bool // for a move
	left   time.Duration
	since  time.Time // when the clock was started; zero while it stands
}

// The kinds of seats besides players.
const (
	person = "person"
	vacant = "open" // for whoever comes
	chance = "chance"
)

// opening is the request for a table.
type opening struct {
	Game      string     `json:"game"`
	Seats     []string   `json:"seats"`     // by role: a kind of player, person or open
	Moves     [][]string `json:"moves"`     // joint moves that lead to the first position
	Clock     float64    `json:"clock"`     // seconds that players have for a move
	Limit     float64    `json:"limit"`     // seconds that people have, see clocks.go; 0 without limit
	Increment float64    `json:"increment"` // seconds more after each move
}

const (
	usualClock = 2.0 // seconds
	minClock   = 0.1
	maxClock   = 600
)

// seconds is a clock, within bounds.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s, minClock), maxClock) * float64(time.Second))
}

// newTable opens a table and begins its match. Keys are those of people, by role.
func (s *Server) newTable(o opening, score []float64) (t *table, keys map[string]string, err error) {
	g, err := s.library.compiled(o.Game)
	if err != nil {
		return nil, nil, err
	}
	o.Clock = cmp.Or(o.Clock, usualClock)
	t = &table{
		Server: s, opening: o, id: rand.Text()[:10], game: g, machine: g.machine, score: score, started: time.Now(), touched: time.Now(),
		changed: make(chan struct{}), end: func(error) {}, ended: make(chan struct{}), timer: time.NewTimer(time.Hour),
	}
	t.timer.Stop()
	close(t.ended)
	if t.at, err = g.at(o.Moves); err != nil {
		return nil, nil, err
	}
	if keys, err = t.seat(o.Seats); err != nil {
		return nil, nil, err
	}
	if err := s.tables.add(t); err != nil {
		return nil, nil, err
	}
	return t, keys, t.change(func() error { t.begin(slices.Clone(o.Moves), nil); return nil })
}

// seat gives out the roles.
func (t *table) seat(kinds []string) (keys map[string]string, err error) {
	names := t.machine.Names()
	keys = make(map[string]string)
	players := names.Players()
	if len(kinds) != len(players) {
		return nil, fmt.Errorf("expected who plays each of the %d roles, found %d", len(players), len(kinds))
	}
	t.seats = make([]seat, len(names.Roles))
	for r := range t.seats {
		t.seats[r].kind = chance
	}
	for i, r := range players {
		seat := &t.seats[r]
		switch seat.kind = kinds[i]; seat.kind {
		case person:
			seat.key = rand.Text()
			keys[names.Roles[r]] = seat.key
		case vacant:
		default:
			if seat.player, err = t.Player(seat.kind); err != nil {
				return nil, err
			}
		}
	}
	return keys, nil
}

// change changes the table and tells everybody.
func (t *table) change(f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.touched = time.Now()
	if err := f(); err != nil {
		return err
	}
	t.runClocks()
	close(t.changed)
	t.changed = make(chan struct{})
	if shown := event("table", t.view()); !bytes.Equal(shown, t.shown) {
		t.shown = shown
		t.story.Replace(shown)
	}
	return nil
}

// begin begins a match after some joint moves of the one before, which ends for a cause.
func (t *table) begin(joints [][]string, cause error) {
	t.end(cause)
	t.at.Back(len(joints))
	t.joints, t.why = joints, slices.Clip(t.why[:min(len(t.why), len(joints))])
	for len(t.why) < len(joints) {
		t.why = append(t.why, nil)
	}
	if t.matches++; t.over || t.matches == 1 {
		for r := range t.seats {
			t.seats[r].left = seconds(t.Limit)
		}
	}
	t.over, t.goals, t.resigned, t.note = false, nil, "", ""
	t.turn()
	ctx, end := context.WithCancelCause(t.ctx)
	before, ended := t.ended, make(chan struct{})
	t.end, t.ended = end, ended
	manager := arena.NewManager(t.game.name, t.game.rules, t.machine, t.Log)
	id, players, tell := t.match(), t.players(), t.teller()
	setting := arena.Setting{
		StartClock: seconds(t.Clock), PlayClock: seconds(t.Clock), Grace: time.Second, Seed: uint64(time.Now().UnixNano()),
		After: slices.Clip(joints), Tell: tell,
	}
	t.safely("a match at a table", func() {
		defer close(ended)
		<-before // a player at an address can be in one match only
		if _, err := manager.Match(ctx, id, players, setting); err != nil {
			t.Log.Error().Err(err).Msg("a match at a table")
		}
	})
}

// match is the id of the latest match.
func (t *table) match() string {
	id := protocol.SafeID("page." + t.game.name + "." + t.id)
	if t.matches > 1 {
		id += fmt.Sprint(".", t.matches)
	}
	return id
}

// players are those of a match, in the order of the roles.
func (t *table) players() (list []arena.Player) {
	for r, s := range t.seats {
		p := s.player
		switch {
		case s.kind == chance:
			continue
		case s.isOfPeople():
			p = arena.Player{Name: person, New: func() protocol.Agent { return &somebody{table: t, role: machine.Role(r)} }, Untimed: true}
		case p.New != nil:
			p.New, p.Untimed = func() protocol.Agent { return &thinker{table: t, role: machine.Role(r), newAgent: s.player.New} }, true
		}
		list = append(list, p)
	}
	return list
}

// teller follows the latest match, and records it from its first move on.
func (t *table) teller() func(*arena.Record) error {
	match, record, played := t.matches, t.recorder(), false
	var held []*arena.Record // while nobody has moved
	return func(part *arena.Record) error {
		held, played = append(held, part), played || len(part.Moves) > 0
		for ; played && len(held) > 0; held = held[1:] {
			if err := record(held[0]); err != nil {
				t.Log.Error().Err(err).Msg("a table goes on without its record")
				record = func(*arena.Record) error { return nil }
			}
		}
		return t.change(func() error {
			if match == t.matches { // else moves have been taken back
				t.follow(part)
			}
			return nil
		})
	}
}

// follow shows what has happened in the match.
func (t *table) follow(part *arena.Record) {
	for i, joint := range part.Moves {
		if err := t.at.Advance(joint); err != nil {
			t.note = err.Error()
			return
		}
		t.joints, t.why = append(t.joints, joint), append(t.why, part.Explanations[i])
		for r, fault := range part.Errors[i] {
			if fault != "" {
				t.note = fmt.Sprintf("%s had %s; a move was drawn", t.at.Names.Roles[r], faultText(fault))
			}
		}
		t.wind()
		t.turn()
	}
	for r, fault := range part.StartErrors {
		if fault == arena.Unreadable { // what a player at an address has sent is shown to nobody
			t.note = "the player of " + t.at.Names.Roles[r] + " does not answer as players do"
		}
	}
	if part.Ended() {
		t.over, t.goals, t.legal = true, part.Goals, nil
		if part.Completed || t.note == "" {
			t.note = cmp.Or(part.Reason, t.note)
		}
	}
}

// faultText says what was wrong with a turn. What a player has sent is no part of it.
func faultText(fault string) string {
	switch fault {
	case arena.TimedOut:
		return "no move in time"
	case arena.Unreadable:
		return "no answer, or none that is a move"
	}
	return "an illegal move"
}

// turn begins a turn.
func (t *table) turn() {
	t.legal, t.sealed, t.asked = nil, false, nil
	for r := range t.seats {
		s := &t.seats[r]
		t.stopClock(s)
		s.choice, s.chosen, s.asked = "", s.kind == chance, false
	}
	if t.at.IsOver() || t.at.Fault() != nil {
		return
	}
	t.legal = make([][]string, len(t.seats))
	for r := range t.seats {
		t.legal[r] = t.at.Legal(machine.Role(r))
		if len(t.legal[r]) == 1 {
			t.make(machine.Role(r), t.legal[r][0])
		}
	}
}

// isOfPeople tells whether a person plays a role, or will.
func (s *seat) isOfPeople() bool { return s.kind == person || s.kind == vacant }

// make makes the choice of a role, "" for none. People may change theirs until all have one.
func (t *table) make(r machine.Role, move string) {
	t.seats[r].choice, t.seats[r].chosen = move, move != ""
	t.sealed = !slices.ContainsFunc(t.seats, func(s seat) bool { return s.isOfPeople() && !s.chosen })
}

// TableView is a table as everybody may see it.
type TableView struct {
	Table    string   `json:"table"`
	Game     string   `json:"game"`
	Seats    []string `json:"seats"`  // by role: kinds of players, person, open, chance
	Chosen   []bool   `json:"chosen"` // by role: whether there is a choice for this turn
	Position Position `json:"position"`
	// Moves are the joint moves played, and Why what players said of their own.
	Moves  [][]string                `json:"moves"`
	Why    [][]*protocol.Explanation `json:"why"`
	Note   string                    `json:"note,omitempty"`
	Clocks []*clockView              `json:"clocks,omitempty"` // by role
	Score  []float64                 `json:"score,omitempty"`  // by role, over several games
	May    []string                  `json:"may"`              // what people may ask for besides moves
	// Asked names the roles that have asked for what others have not agreed to yet.
	Asked     map[string][]string `json:"asked,omitempty"`
	Resigned  string              `json:"resigned,omitempty"`
	Next      string              `json:"next,omitempty"` // table of the rematch
	Clock     float64             `json:"clock"`
	Limit     float64             `json:"limit,omitempty"`
	Increment float64             `json:"increment,omitempty"`
}

func (t *table) view() *TableView {
	v := &TableView{
		Table: t.id, Game: t.game.name, Position: t.game.show(t.at), Moves: append([][]string{}, t.joints...), Why: append([][]*protocol.Explanation{}, t.why...),
		Note: t.note, Resigned: t.resigned, May: []string{"resign", "rematch", "strength"},
		Clock: t.Clock, Limit: t.Limit, Increment: t.Increment, Clocks: t.clockViews(),
	}
	if t.score != nil {
		v.Score = t.standing()
	}
	if t.over {
		v.Position.Legal, v.Position.Goals = nil, t.goals
	}
	if t.next != nil {
		v.Next = t.next.id
	}
	for _, s := range t.seats {
		v.Seats = append(v.Seats, s.kind)
		v.Chosen = append(v.Chosen, t.legal != nil && s.chosen)
	}
	for what, agreed := range t.asked {
		for r, yes := range agreed {
			if yes && t.seats[r].kind == person {
				if v.Asked == nil {
					v.Asked = make(map[string][]string)
				}
				v.Asked[what] = append(v.Asked[what], t.at.Names.Roles[r])
			}
		}
	}
	return v
}

// standing is the score with this match.
func (t *table) standing() []float64 {
	score := make([]float64, len(t.seats))
	copy(score, t.score)
	for r, goal := range t.goals {
		score[r] += float64(goal) / machine.MaxGoal
	}
	return score
}

// close ends the table's match and streams.
func (t *table) close() {
	t.mu.Lock()
	t.timer.Stop()
	t.end(errors.New("the table was closed"))
	t.mu.Unlock()
	t.story.Close(event("end", ""))
}

// tables are those that are open.
type tables struct {
	mu   sync.Mutex
	byID map[string]*table
}

// all are in the order of their opening.
func (ts *tables) all() []*table {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return slices.SortedFunc(maps.Values(ts.byID), func(a, b *table) int { return a.started.Compare(b.started) })
}

// maxTables bounds the tables that are open.
const maxTables = 64

// add keeps a table. If there are too many, one that nobody needs makes room.
func (ts *tables) add(t *table) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.byID) >= maxTables {
		var least *table
		need, touched := playing, time.Time{}
		for _, o := range ts.byID {
			if n, at := o.need(); n < need || n == need && n != playing && at.Before(touched) {
				least, need, touched = o, n, at
			}
		}
		if least == nil {
			return faulty(http.StatusServiceUnavailable, fmt.Sprintf("people play at all of the %d tables; try again later", maxTables))
		}
		delete(ts.byID, least.id)
		least.close()
	}
	ts.byID[t.id] = t
	return nil
}

// How much a table is needed.
const (
	left     = iota // nobody is there
	finished        // somebody looks at the end of the match
	playing
)

// abandoned is how long a match has rested at which nobody looks any more, until its table may go.
const abandoned = 30 * time.Minute

func (t *table) need() (need int, touched time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	over := t.over || t.at.IsOver() // the manager may not have told it yet
	switch {
	case t.viewers == 0 && (over || time.Since(t.touched) > abandoned):
		need = left
	case over:
		need = finished
	default:
		need = playing
	}
	return need, t.touched
}

func (ts *tables) close() {
	for _, t := range ts.all() {
		t.close()
	}
}
