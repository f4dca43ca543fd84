package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"stackmate/internal/feed"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// table is where people play: one match of the manager after another, in which people are
// agents. Where moves are taken back, or a player gets another strength, a match begins
// that continues the one before. Its stream has the record under way, and a small event with its seats.
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
	at       *play.History
	joints   [][]string
	lefts    [][]time.Duration         // by turn and role: the clocks when it began
	why      [][]*protocol.Explanation // by turn and role
	legal    [][]string                // by role; nil where nobody moves
	sealed   bool                      // the choices of this turn: nobody changes them any more
	over     bool                      // the match is, with goals or without
	goals    []int
	resigned string            // the role that has given up
	asked    map[string][]bool // by role, requests that other people have not agreed to
	note     string
	score    []float64 // by role, of the matches before, in wins
	next     string    // table of the rematch

	drawn    string // the drawing in the stream
	told     [2]int // the match and the number of joint moves in the stream
	shown    []byte // the latest event of the seats
	events   int    // in the stream since it was compacted
	saved    []byte // the file of the table
	takes    int    // the joint moves that are left where moves are taken back
	swapping bool   // the next table is being opened
	closed   bool

	matches int                     // begun here
	end     context.CancelCauseFunc // of the latest
	ended   chan struct{}           // closed when that has ended
	timer   *time.Timer             // of the clocks
	touched time.Time
	viewers int
}

// seat is the player of a role.
type seat struct {
	kind   string // of a player; person, open, or chance
	key    string // that the person has
	player arena.Player
	choice string // for this turn, where there is one
	chosen bool
	asked  bool // for a move
	// flagged: the clock of this turn has run out without a choice.
	flagged bool
	left    time.Duration
	since   time.Time // when the clock was started; zero while it stands
}

// The kinds of seats besides players.
const (
	person = "person"
	vacant = "open" // free for anybody
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

// newTable opens a table and begins its match. It returns the keys of people by role.
func (s *Server) newTable(ctx context.Context, o opening, score []float64) (t *table, keys map[string]string, err error) {
	t, err = s.makeTable(ctx, rand.Text()[:10], o)
	if err != nil {
		return nil, nil, err
	}
	if keys, err = t.seat(o.Seats); err != nil {
		return nil, nil, err
	}
	t.score = score
	if err := s.Archive.KeepRules(string(t.game.text)); err != nil {
		return nil, nil, err
	}
	if err := s.tables.add(t); err != nil {
		return nil, nil, err
	}
	return t, keys, t.change(func() error { t.begin(slices.Clone(o.Moves), nil); return nil })
}

// makeTable makes a table without people and matches.
func (s *Server) makeTable(ctx context.Context, id string, o opening) (*table, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	g, err := s.library.compiled(ctx, o.Game)
	if err != nil {
		return nil, err
	}
	t := &table{
		Server: s, opening: o, id: id, game: g, machine: g.machine, started: time.Now(), touched: time.Now(),
		changed: make(chan struct{}), end: func(error) {}, ended: make(chan struct{}), timer: time.NewTimer(time.Hour),
	}
	t.timer.Stop()
	close(t.ended)
	t.at, err = g.at(o.Moves)
	return t, err
}

// seat gives out the roles.
func (t *table) seat(kinds []string) (keys map[string]string, err error) {
	names := t.machine.Names()
	keys = make(map[string]string)
	players := names.Players()
	if len(kinds) != len(players) {
		return nil, fmt.Errorf("seats: want %d players (one per role), got %d", len(players), len(kinds))
	}
	t.seats = make([]seat, len(names.Roles))
	for r := range t.seats {
		t.seats[r].kind, t.seats[r].left = chance, seconds(t.Limit)
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

// errClosed is returned for changes of a table that is not open.
var errClosed = faulty(http.StatusGone, "this table was closed; load it again")

// change changes the table, saves it and adds the change to the stream.
func (t *table) change(f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errClosed
	}
	t.touched = time.Now()
	if err := f(); err != nil {
		return err
	}
	t.runClocks()
	close(t.changed)
	t.changed = make(chan struct{})
	t.save()
	t.tell()
	return nil
}

// begin begins a match after some joint moves of the previous one, which ends for a cause. When moves are taken back, the clocks are reset to
// their values at that time.
func (t *table) begin(joints [][]string, cause error) {
	t.end(cause)
	t.at.Back(len(joints))
	for r := range t.seats {
		if t.stopClock(&t.seats[r]); len(joints) < len(t.joints) {
			t.seats[r].left = t.lefts[len(joints)][r]
		}
	}
	t.joints, t.why = joints, slices.Clip(t.why[:min(len(t.why), len(joints))])
	for len(t.why) < len(joints) {
		t.why = append(t.why, nil)
	}
	t.matches++
	t.Moves = joints
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

// match returns the id of the latest match.
func (t *table) match() string {
	id := protocol.SafeID("page." + t.game.name + "." + t.id)
	if t.matches > 1 {
		id += fmt.Sprint(".", t.matches)
	}
	return id
}

// players returns the players of a match, in the order of the roles.
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
		_ = t.change(func() error { // a closed table is told nothing
			if match == t.matches { // else moves have been taken back
				t.follow(part)
			}
			return nil
		})
		return nil
	}
}

// follow applies a part of the record to the table.
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
		if fault == arena.Unreadable { // replies of a remote player are never shown
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

// faultText returns the fault of a turn in words, without the text that the player sent.
func faultText(fault string) string {
	switch fault {
	case arena.TimedOut:
		return "no move in time"
	case arena.Unreadable:
		return "no answer, or none that is a move"
	}
	return "an illegal move"
}

// turn prepares the next turn.
func (t *table) turn() {
	t.legal, t.sealed, t.asked = nil, false, nil
	for r := range t.seats {
		s := &t.seats[r]
		t.stopClock(s)
		s.choice, s.chosen, s.asked, s.flagged = "", s.kind == chance, false, false
	}
	lefts := make([]time.Duration, len(t.seats))
	for r, s := range t.seats {
		lefts[r] = s.left
	}
	for t.lefts = t.lefts[:min(len(t.lefts), len(t.joints))]; len(t.lefts) <= len(t.joints); {
		t.lefts = append(t.lefts, lefts)
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

// isOfPeople reports whether a person plays a role, or will.
func (s *seat) isOfPeople() bool { return s.kind == person || s.kind == vacant }

// make sets the choice of a role, "" for none. People may change their choices until the turn is sealed.
func (t *table) make(r machine.Role, move string) {
	t.seats[r].choice, t.seats[r].chosen = move, move != ""
	t.seal()
}

// seal seals the turn if each person has chosen or run out of time.
func (t *table) seal() {
	t.sealed = !slices.ContainsFunc(t.seats, func(s seat) bool { return s.isOfPeople() && !s.chosen && !s.flagged })
}

// standing returns the score with this match.
func (t *table) standing() []float64 {
	score := make([]float64, len(t.seats))
	copy(score, t.score)
	for r, goal := range t.goals {
		score[r] += float64(goal) / machine.MaxGoal
	}
	return score
}

// close ends the table's match and streams for a cause. Its file stays.
func (t *table) close(cause error) {
	t.mu.Lock()
	t.closed = true
	t.timer.Stop()
	t.end(cause)
	t.mu.Unlock()
	t.story.Close(event("end", ""))
}
