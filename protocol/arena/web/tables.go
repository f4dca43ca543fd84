package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner/machine"
)

// table is a match that people play on the page: each role is a seat, taken by a person
// or by a player. What people choose stays secret until all have chosen.
type table struct {
	*Server
	id      string
	machine machine.Machine
	manager *arena.Manager
	clock   time.Duration // that players have for a move
	limit   time.Duration // that people have; 0 without limit
	started time.Time
	story   story

	mu      sync.Mutex
	history *history
	seats   []seat // by role
	joints  [][]string
	why     [][]*protocol.Explanation // by turn and role
	choice  []string                  // by role: the move chosen for this turn, or ""
	legal   [][]string
	goals   []int
	turn    int // counts changes: what was thought about an earlier position is of no use
	rng     *machine.Rand
	touched time.Time
	cancel  context.CancelFunc // of the players' thoughts
	due     time.Time          // until when people may choose; zero while no clock runs
	timer   *time.Timer
	notes   string // what went wrong
	from    int    // joint moves before the match: of the position that the table was opened with, or taken back to
	matches int    // that have ended
	asks    []bool // by role: who wants to take moves back, which all people at the table must agree to
}

// seat is who plays a role.
type seat struct {
	kind   string // of a player; person, open, or chance
	key    string // that the person has
	player arena.Player
}

// The kinds of seats besides players.
const (
	person = "person"
	vacant = "open" // for whoever comes
	chance = "chance"
)

// tables are those that are open.
type tables struct {
	mu   sync.Mutex
	byID map[string]*table
}

func (ts *tables) get(id string) (*table, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.byID[id]; t != nil {
		return t, nil
	}
	return nil, faulty(http.StatusNotFound, "there is no table "+id+" (any longer)")
}

// add keeps a table; if there are too many, it drops the one that was not used for longest, but
// none at which somebody plays.
func (ts *tables) add(t *table) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.byID) >= maxTables {
		var oldest *table
		for _, o := range ts.byID {
			if !o.isPlayed() && (oldest == nil || o.lastTouched().Before(oldest.lastTouched())) {
				oldest = o
			}
		}
		if oldest == nil {
			return faulty(http.StatusServiceUnavailable, fmt.Sprintf("there is a match at each of %d tables: try again when one has ended", maxTables))
		}
		delete(ts.byID, oldest.id)
		oldest.close()
	}
	ts.byID[t.id] = t
	return nil
}

func (ts *tables) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.byID {
		t.close()
	}
}

// close ends the table's thoughts and streams.
func (t *table) close() {
	t.mu.Lock()
	t.turn++
	t.cancel()
	t.stopClock()
	t.mu.Unlock()
	t.story.end("")
}

func (t *table) lastTouched() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.touched
}

// isPlayed tells whether a match is under way in which somebody has done something lately.
func (t *table) isPlayed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.goals == nil && time.Since(t.touched) < abandoned
}

// opening is the request for a table.
type opening struct {
	Game  string     `json:"game"`
	Seats []string   `json:"seats"` // by role: a kind of player, person or open
	Moves [][]string `json:"moves"` // joint moves that lead to the first position
	Clock float64    `json:"clock"` // seconds that players have
	Limit float64    `json:"limit"` // seconds that people have; 0 without limit
}

// opened is the response.
type opened struct {
	Table string            `json:"table"`
	Keys  map[string]string `json:"keys"` // by role
}

const (
	// abandoned is how long nobody does anything at a table until it may make room for others.
	abandoned  = 30 * time.Minute
	usualClock = 2 * time.Second
	minClock   = 100 * time.Millisecond
	maxClock   = 10 * time.Minute
)

// seconds is a clock, within bounds.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s, minClock.Seconds()), maxClock.Seconds()) * float64(time.Second))
}

func (s *Server) openTable(w http.ResponseWriter, r *http.Request) {
	reply(w, func() (*opened, error) {
		var o opening
		if err := readJSON(w, r, &o); err != nil {
			return nil, err
		}
		g, err := s.library.get(r.Context(), o.Game)
		if err != nil {
			return nil, err
		}
		m, err := s.library.compile(s.ctx, g)
		if err != nil {
			return nil, err
		}
		t := &table{
			Server: s, id: rand.Text()[:10], machine: m, manager: arena.NewManager(g.name, g.rules, m, s.Log),
			started: time.Now(), rng: machine.NewRand(uint64(time.Now().UnixNano())),
		}
		t.cancel = func() {}
		t.clock = usualClock
		if o.Clock > 0 {
			t.clock = seconds(o.Clock)
		}
		if o.Limit > 0 {
			t.limit = seconds(o.Limit)
		}
		if t.history, err = g.at(o.Moves); err != nil {
			return nil, err
		}
		t.joints, t.why, t.from = o.Moves, make([][]*protocol.Explanation, len(o.Moves)), len(o.Moves)
		keys, err := t.seat(o.Seats)
		if err != nil {
			return nil, err
		}
		t.touched = time.Now()
		if err := s.tables.add(t); err != nil {
			return nil, err
		}
		return &opened{t.id, keys}, t.change(func() error { return nil })
	})
}

// reply writes the result of f.
func reply[T any](w http.ResponseWriter, f func() (T, error)) {
	value, err := f()
	writeJSON(w, value, err)
}

// seat gives out the roles.
func (t *table) seat(kinds []string) (keys map[string]string, err error) {
	names := t.machine.Names()
	keys = make(map[string]string)
	players := names.Players()
	if len(kinds) != len(players) {
		return nil, fmt.Errorf("expected who plays each of the %d roles, found %d", len(players), len(kinds))
	}
	t.seats, t.asks = make([]seat, len(names.Roles)), make([]bool, len(names.Roles))
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

// change changes the table and goes on with the match.
func (t *table) change(f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.touched = time.Now()
	if err := f(); err != nil {
		return err
	}
	t.proceed()
	t.startClock()
	t.story.replace(event("table", t.view()))
	return nil
}

// proceed plays on until somebody has to choose: chance chooses at once, and whoever has
// one move makes it.
func (t *table) proceed() {
	for {
		if t.legal == nil && t.goals == nil {
			t.legal, t.goals = t.history.legal()
			t.choice = make([]string, len(t.seats))
			if t.goals == nil {
				t.think()
			}
		}
		if t.goals != nil || len(t.joints) >= arena.DefaultMaxTurns {
			return
		}
		waiting := false
		for r, moves := range t.legal {
			switch {
			case t.choice[r] != "":
			case len(moves) == 1:
				t.choice[r] = moves[0]
			case t.seats[r].kind == chance:
				t.choice[r] = moves[t.rng.Intn(len(moves))]
			default:
				waiting = true
			}
		}
		if waiting {
			return
		}
		if err := t.history.advance(t.choice); err != nil {
			t.notes = err.Error()
			return
		}
		t.joints = append(t.joints, t.choice)
		if len(t.why) < len(t.joints) {
			t.why = append(t.why, make([]*protocol.Explanation, len(t.seats)))
		}
		t.turn++
		t.legal = nil
		clear(t.asks)
		t.stopClock()
		if _, goals := t.history.legal(); goals != nil {
			t.goals = goals
			t.record()
			t.matches++
			return
		}
	}
}

// startClock starts the clock of people who have to choose, unless it runs, as soon as no
// seat is vacant: whoever has not chosen when it ends makes a move by chance.
func (t *table) startClock() {
	if t.limit == 0 || !t.due.IsZero() || t.goals != nil || !t.waitsForPeople() {
		return
	}
	turn := t.turn
	t.due = time.Now().Add(t.limit)
	t.timer = time.AfterFunc(t.limit, func() {
		_ = t.change(func() error {
			if t.turn != turn {
				return errLate
			}
			for r, moves := range t.legal {
				if t.seats[r].kind == person && t.choice[r] == "" {
					t.choice[r] = moves[t.rng.Intn(len(moves))]
					t.notes = t.machine.Names().Roles[r] + " had no move in time; one was drawn"
				}
			}
			return nil
		})
	})
}

// waitsForPeople tells whether a person has to choose, and no seat is vacant.
func (t *table) waitsForPeople() bool {
	waits := false
	for r, s := range t.seats {
		switch {
		case s.kind == vacant:
			return false
		case s.kind == person && t.choice[r] == "":
			waits = true
		}
	}
	return waits
}

func (t *table) stopClock() {
	if t.due = (time.Time{}); t.timer != nil {
		t.timer.Stop()
	}
}

// errLate says that the position has changed.
var errLate = faulty(http.StatusConflict, "the position has changed")

// think lets the players choose, each in a goroutine of its own.
func (t *table) think() {
	t.cancel()
	ctx, cancel := context.WithCancel(t.ctx)
	t.cancel = cancel
	for r, s := range t.seats {
		if s.player.Name == "" || len(t.legal[r]) < 2 {
			continue
		}
		q := arena.Question{Match: "page." + t.id, Role: machine.Role(r), Joints: t.joints, State: t.history.state(), Clock: t.clock}
		turn := t.turn
		t.safely("a player at a table", func() { t.play(ctx, machine.Role(r), s, q, turn) })
	}
}

// play has a player choose when it is its turn to think, and chooses for it if it fails.
func (t *table) play(ctx context.Context, r machine.Role, s seat, q arena.Question, turn int) {
	select {
	case t.thoughts <- struct{}{}:
	case <-ctx.Done():
		return
	}
	move, x, err := t.manager.Ask(ctx, s.player, q)
	<-t.thoughts
	if ctx.Err() != nil {
		return
	}
	_ = t.change(func() error {
		if t.turn != turn || t.goals != nil || t.choice[r] != "" {
			return errLate
		}
		if err == nil && !slices.Contains(t.legal[r], move) {
			err = fmt.Errorf("%s is no legal move", protocol.Printable(move, maxNote))
		}
		if err != nil {
			t.notes = fmt.Sprintf("%s: %v; a move was drawn for it", s.kind, err)
			move = t.legal[r][t.rng.Intn(len(t.legal[r]))]
		}
		t.choice[r] = move
		if len(t.why) == len(t.joints) {
			t.why = append(t.why, make([]*protocol.Explanation, len(t.seats)))
		}
		t.why[len(t.joints)][r] = x
		return nil
	})
}

// maxNote bounds what a note repeats of a reply, in bytes.
const maxNote = 80

// act is the request of somebody at the table.
type act struct {
	Role string `json:"role"`
	Key  string `json:"key"`
	Turn int    `json:"turn"` // number of joint moves before
	Move string `json:"move"`
	What string `json:"what"` // is refused
}

func (s *Server) actAtTable(w http.ResponseWriter, r *http.Request) {
	reply(w, func() (*opened, error) {
		t, err := s.tables.get(r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		var a act
		if err := readJSON(w, r, &a); err != nil {
			return nil, err
		}
		role, ok := t.machine.Names().Role(a.Role)
		if !ok {
			return nil, fmt.Errorf("there is no role %q", a.Role)
		}
		result := &opened{Table: t.id}
		return result, t.change(func() error {
			switch act := r.PathValue("act"); act {
			case "sit":
				if t.seats[role].kind != vacant {
					return faulty(http.StatusConflict, a.Role+" is taken")
				}
				t.seats[role] = seat{kind: person, key: rand.Text()}
				result.Keys = map[string]string{a.Role: t.seats[role].key}
				return nil
			case "move", "undo", "refuse":
				if t.seats[role].kind != person || t.seats[role].key != a.Key {
					return faulty(http.StatusForbidden, "somebody else plays "+a.Role)
				}
				switch act {
				case "undo":
					return t.undo(role)
				case "refuse":
					clear(t.asks)
					return nil
				}
				return t.choose(role, a)
			}
			return faulty(http.StatusNotFound, "expected sit, move, undo or refuse")
		})
	})
}

// choose makes a person's choice.
func (t *table) choose(r machine.Role, a act) error {
	switch {
	case t.goals != nil:
		return errors.New("the game is over")
	case a.Turn != len(t.joints):
		return errLate
	case !slices.Contains(t.legal[r], a.Move):
		return fmt.Errorf("%s is no legal move", a.Move)
	}
	t.choice[r], t.notes = a.Move, ""
	return nil
}

// undo takes back a person's choice of this turn or, as soon as all people at the table have asked
// for it, what was played since the first who asked had a choice.
func (t *table) undo(r machine.Role) error {
	if t.goals == nil && t.choice[r] != "" && len(t.legal[r]) > 1 {
		t.choice[r] = ""
		return nil
	}
	if first := slices.Index(t.asks, true); first >= 0 {
		t.asks[r] = true
		r = machine.Role(first)
	}
	t.asks[r] = true
	for other, s := range t.seats {
		if s.kind == person && !t.asks[other] {
			return nil // the others are asked
		}
	}
	clear(t.asks)
	return t.takeBack(r)
}

// takeBack goes back to where a role had a choice the last time. If the match was over, what
// follows is another match.
func (t *table) takeBack(r machine.Role) error {
	back := len(t.joints)
	for back--; back >= 0; back-- {
		before := &history{game: t.history.game, states: t.history.states[:back+1]}
		if moves, _ := before.legal(); moves != nil && len(moves[r]) > 1 {
			break
		}
	}
	if back < 0 {
		return errors.New("there is nothing to take back")
	}
	if t.goals != nil {
		t.from, t.started = back, time.Now()
	}
	t.from = min(t.from, back)
	t.history.states = slices.Clip(t.history.states[:back+1])
	t.joints, t.why = slices.Clip(t.joints[:back]), slices.Clip(t.why[:back])
	t.legal, t.goals = nil, nil
	t.turn++
	t.stopClock()
	return nil
}
