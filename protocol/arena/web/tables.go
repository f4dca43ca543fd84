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
	faults  []string                  // by role: what went wrong with it, as records write it
	spent   []float64                 // by role: the seconds until it was made
	asked   time.Time                 // when this turn began
	legal   [][]string
	goals   []int
	taking  takeback
	record  recording
	turn    int // counts changes: what was thought about an earlier position is of no use
	rng     *machine.Rand
	touched time.Time
	viewers int
	cancel  context.CancelFunc // of the players' thoughts
	due     time.Time          // until when people may choose; zero while no clock runs
	timer   *time.Timer
	notes   string // what went wrong
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
	left = iota // nobody is there
	over        // somebody looks at the end of the match
	playing
)

// abandoned is how long a match has rested at which nobody looks any more, until its table may go.
const abandoned = 30 * time.Minute

func (t *table) need() (need int, touched time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.viewers == 0 && (t.goals != nil || time.Since(t.touched) > abandoned):
		need = left
	case t.goals != nil:
		need = over
	default:
		need = playing
	}
	return need, t.touched
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
	t.abortRecord("the table was closed")
	t.mu.Unlock()
	t.story.end("")
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
		t.record.opening = len(o.Moves)
		t.joints, t.why = o.Moves, make([][]*protocol.Explanation, len(o.Moves))
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
			t.choice, t.faults, t.spent, t.asked = make([]string, len(t.seats)), make([]string, len(t.seats)), make([]float64, len(t.seats)), time.Now()
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
		t.legal, t.taking = nil, takeback{}
		t.stopClock()
		_, t.goals = t.history.legal()
		t.keep()
		if t.goals != nil {
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
					t.make(machine.Role(r), moves[t.rng.Intn(len(moves))], arena.TimedOut)
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

// play has a player choose, and chooses for it if it fails.
func (t *table) play(ctx context.Context, r machine.Role, s seat, q arena.Question, turn int) {
	select {
	case t.thinking <- struct{}{}:
	case <-ctx.Done():
		return
	}
	move, x, err := t.manager.Ask(ctx, s.player, q)
	<-t.thinking
	if ctx.Err() != nil {
		return
	}
	_ = t.change(func() error {
		if t.turn != turn || t.goals != nil || t.choice[r] != "" {
			return errLate
		}
		fault, what := "", ""
		switch {
		case errors.Is(err, protocol.ErrLate):
			fault, what = arena.TimedOut, "no move in time"
		case err != nil: // what it says may repeat what a server has sent
			fault, what = arena.Unreadable, "no answer, or none that is a move"
			t.Log.Warn().Err(err).Str("player", s.kind).Msg("no move at a table")
		case !slices.Contains(t.legal[r], move):
			fault, what = arena.Illegal+protocol.Printable(move, maxFault), "an illegal move"
		}
		if fault != "" {
			t.notes = fmt.Sprintf("%s: %s; a move was drawn for it", s.kind, what)
			move = t.legal[r][t.rng.Intn(len(t.legal[r]))]
		}
		t.make(r, move, fault)
		if len(t.why) == len(t.joints) {
			t.why = append(t.why, make([]*protocol.Explanation, len(t.seats)))
		}
		t.why[len(t.joints)][r] = x
		return nil
	})
}

// make makes the choice of a role.
func (t *table) make(r machine.Role, move, fault string) {
	t.choice[r], t.faults[r], t.spent[r] = move, fault, time.Since(t.asked).Round(time.Millisecond).Seconds()
}

// maxFault bounds what the record repeats of a reply, in bytes.
const maxFault = 80

// act is the request of somebody at the table.
type act struct {
	Role string `json:"role"`
	Key  string `json:"key"`
	Turn int    `json:"turn"` // number of joint moves before
	Move string `json:"move"`
	// Keys are all that whoever asks has, by role: who plays several roles agrees for all of them.
	Keys map[string]string `json:"keys"`
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
				if !t.sits(role, a.Key) {
					return faulty(http.StatusForbidden, "somebody else plays "+a.Role)
				}
				switch act {
				case "undo":
					return t.undo(role, a)
				case "refuse":
					t.taking = takeback{}
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
	t.make(r, a.Move, "")
	t.notes = ""
	return nil
}
