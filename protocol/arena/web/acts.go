package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"stackmate/protocol/arena"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// act is the request of somebody at the table.
type act struct {
	Role string `json:"role"`
	Key  string `json:"key"`
	Turn int    `json:"turn"` // number of joint moves before
	Move string `json:"move"`
	What string `json:"what"` // is refused
	Of   string `json:"of"`   // the role whose player is replaced
	Kind string `json:"kind"` // the new player
	// Keys holds all seat keys of the browser, by role; its consent counts for all these seats.
	Keys map[string]string `json:"keys"`
}

// opened is the answer: where to play, and the keys of new seats by role.
type opened struct {
	Table string            `json:"table"`
	Keys  map[string]string `json:"keys"`
}

// errLate says that the position has changed.
var errLate = faulty(http.StatusConflict, "the position has changed")

func (s *Server) openTable(r *http.Request) (*opened, error) {
	var o opening
	if err := readJSON(r, &o); err != nil {
		return nil, err
	}
	t, keys, err := s.newTable(r.Context(), o, nil)
	if err != nil {
		return nil, err
	}
	return &opened{t.id, keys}, nil
}

func (s *Server) actAtTable(r *http.Request) (*opened, error) {
	t, err := s.table(r)
	if err != nil {
		return nil, err
	}
	var a act
	if err := readJSON(r, &a); err != nil {
		return nil, err
	}
	role, ok := t.machine.Names().Role(a.Role)
	if !ok {
		return nil, fmt.Errorf("there is no role %q", a.Role)
	}
	what := r.PathValue("act")
	if what == "rematch" {
		return t.rematch(r.Context(), role, a)
	}
	result := &opened{Table: t.id}
	return result, t.change(func() error {
		if what == "sit" {
			result.Keys = map[string]string{}
			return t.sit(role, result.Keys)
		}
		act := map[string]func(machine.Role, act) error{
			"move": t.choose, "undo": t.undo, "refuse": t.refuse, "resign": t.resign, "strength": t.strengthen,
		}[what]
		if act == nil {
			return faulty(http.StatusNotFound, "expected sit, move, undo, refuse, resign, rematch or strength")
		}
		if !t.sits(role, a.Key) {
			return errForbidden(a.Role)
		}
		return act(role, a)
	})
}

func errForbidden(role string) error {
	return faulty(http.StatusForbidden, "somebody else plays "+role)
}

// sits reports whether a person plays a role and has its key.
func (t *table) sits(r machine.Role, key string) bool {
	return t.seats[r].kind == person && t.seats[r].key == key
}

// sit gives a free seat to a newcomer.
func (t *table) sit(r machine.Role, keys map[string]string) error {
	name := t.at.Names.Roles[r]
	if t.seats[r].kind != vacant {
		return faulty(http.StatusConflict, name+" is taken")
	}
	t.seats[r].kind, t.seats[r].key = person, rand.Text()
	keys[name] = t.seats[r].key
	return nil
}

// choose sets a person's choice.
func (t *table) choose(r machine.Role, a act) error {
	switch {
	case t.over || t.legal == nil:
		return errors.New("the game is over")
	case a.Turn != len(t.joints) || t.sealed || t.seats[r].flagged:
		return errLate
	case !slices.Contains(t.legal[r], a.Move):
		return fmt.Errorf("%s is no legal move", a.Move)
	}
	t.make(r, a.Move)
	t.note = ""
	return nil
}

// resign gives the match up.
func (t *table) resign(r machine.Role, _ act) error {
	if t.over {
		return errors.New("the game is over")
	}
	t.giveUp(int(r), "has resigned")
	return nil
}

// undo takes back a choice of this turn, which is secret yet. It takes played moves back as far as the
// last choice of the role that has asked first, as soon as all people at the table have asked for it.
func (t *table) undo(r machine.Role, a act) error {
	if t.legal != nil && !t.sealed && t.seats[r].choice != "" && len(t.legal[r]) > 1 {
		t.make(r, "")
		return nil
	}
	if a.Turn != len(t.joints) {
		return errLate
	}
	if t.asked["undo"] == nil {
		if t.takes = t.before(r); t.takes < 0 {
			return errors.New("there is nothing to take back")
		}
	}
	if t.agree("undo", r, a) {
		t.begin(slices.Clip(t.joints[:t.takes]), errors.New("takeback"))
	}
	return nil
}

// before returns the number of joint moves before the last one in which a role had a choice, or -1.
func (t *table) before(r machine.Role) int {
	for back := len(t.joints) - 1; back >= 0; back-- {
		if len(play.NewHistory(t.machine, t.at.States[back]).Legal(r)) > 1 {
			return back
		}
	}
	return -1
}

// agree notes the consent of a role to an act, and reports whether all people at the table consent.
func (t *table) agree(what string, r machine.Role, a act) bool {
	if t.asked == nil {
		t.asked = make(map[string][]bool)
	}
	agreed := t.asked[what]
	if agreed == nil {
		agreed = make([]bool, len(t.seats))
		t.asked[what] = agreed
	}
	all := true
	for role, name := range t.at.Names.Roles {
		agreed[role] = agreed[role] || machine.Role(role) == r || t.sits(machine.Role(role), a.Keys[name])
		all = all && (agreed[role] || t.seats[role].kind != person)
	}
	if all {
		delete(t.asked, what)
	}
	return all
}

func (t *table) refuse(_ machine.Role, a act) error {
	delete(t.asked, cmp.Or(a.What, "undo"))
	return nil
}

// strengthen lets another player of this program go on in the place of one.
func (t *table) strengthen(_ machine.Role, a act) error {
	of, ok := t.at.Names.Role(a.Of)
	if !ok || t.seats[of].player.Name == "" || t.over {
		return fmt.Errorf("no player of this program plays %q", a.Of)
	}
	p, err := t.Player(a.Kind)
	if err != nil {
		return err
	}
	t.seats[of].kind, t.seats[of].player = a.Kind, p
	before := slices.Clone(t.seats)
	t.begin(t.joints, fmt.Errorf("%s plays on as %s", a.Of, a.Kind))
	for r, s := range before { // the choices of people hold for the new match
		if s.isOfPeople() && s.choice != "" {
			t.make(machine.Role(r), s.choice)
		}
	}
	return nil
}

// rematch opens a table at which each player takes the next seat, as soon as all people here want it. They get
// the keys of their new seats for the keys of the old ones.
func (t *table) rematch(ctx context.Context, role machine.Role, a act) (*opened, error) {
	var swapped opening
	wanted := false
	err := t.change(func() error {
		switch {
		case !t.sits(role, a.Key):
			return errForbidden(a.Role)
		case !t.over:
			return errors.New("the match goes on")
		}
		if wanted = t.next == "" && !t.swapping && t.agree("rematch", role, a); wanted {
			t.swapping, swapped = true, t.opening
			swapped.Moves, swapped.Seats = nil, nil
			for _, p := range t.seatsBefore() {
				swapped.Seats = append(swapped.Seats, t.seats[p].kind)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if wanted {
		next, _, err := t.newTable(ctx, swapped, t.swappedScore())
		_ = t.change(func() error {
			if t.swapping = false; err == nil {
				t.next = next.id
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return t.seatsAgain(ctx, role, a)
}

// seatsBefore returns, for each role of the next match, the role that its player has here.
func (t *table) seatsBefore() []machine.Role { return arena.Rotated(t.machine.Names().Players(), 1) }

// swappedScore returns the score of the matches so far, by the roles of the next one.
func (t *table) swappedScore() []float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	players, now := t.machine.Names().Players(), t.standing()
	score := make([]float64, len(t.seats))
	for i, r := range t.seatsBefore() {
		score[players[i]] = now[r]
	}
	return score
}

// seatsAgain returns the next table, with the keys of its seats for the keys of the seats here.
func (t *table) seatsAgain(ctx context.Context, role machine.Role, a act) (*opened, error) {
	t.mu.Lock()
	id, mine := t.next, make([]bool, len(t.seats))
	for r, name := range t.machine.Names().Roles {
		mine[r] = machine.Role(r) == role || t.sits(machine.Role(r), a.Keys[name])
	}
	t.mu.Unlock()
	if id == "" {
		return &opened{Table: t.id}, nil
	}
	next, err := t.findTable(ctx, id)
	if err != nil {
		return nil, err
	}
	next.mu.Lock()
	defer next.mu.Unlock()
	names, players := t.machine.Names().Roles, t.machine.Names().Players()
	keys := make(map[string]string)
	for i, r := range t.seatsBefore() {
		if key := next.seats[players[i]].key; key != "" && mine[r] {
			keys[names[players[i]]] = key
		}
	}
	return &opened{id, keys}, nil
}

func (s *Server) followTable(e *stream, r *http.Request) error {
	t, err := s.table(r)
	if err != nil {
		return err
	}
	if err := e.send(event("now", time.Now())); err != nil { // the browser's clock may be another one
		return err
	}
	t.look(1)
	defer t.look(-1)
	return e.follow(&t.story)
}

// look counts the viewers of the table.
func (t *table) look(more int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.viewers += more
	t.touched = time.Now()
}

// listed is a table in the list of all tables.
type listed struct {
	Table string    `json:"table"`
	Game  string    `json:"game"`
	Seats []string  `json:"seats"`
	Turn  int       `json:"turn"`
	Over  bool      `json:"over"`
	Since time.Time `json:"since"`
	// Resting tables are opened when somebody comes; Turn is then the turn at which their latest match began.
	Resting bool `json:"resting,omitempty"`
}

func (s *Server) listTables(*http.Request) ([]listed, error) {
	list, open := []listed{}, make(map[string]bool)
	for _, t := range slices.Backward(s.tables.all()) {
		t.mu.Lock()
		l := listed{Table: t.id, Game: t.game.name, Turn: len(t.joints), Over: t.over, Since: t.started}
		for _, seat := range t.seats {
			l.Seats = append(l.Seats, seat.kind)
		}
		t.mu.Unlock()
		list, open[t.id] = append(list, l), true
	}
	return append(list, s.resting(open)...), nil
}
