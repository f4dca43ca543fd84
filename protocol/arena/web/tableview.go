package web

import (
	"net/http"
	"slices"
	"time"

	"stackmate/protocol"
)

// TableView is a table as everybody may see it.
type TableView struct {
	Table    string   `json:"table"`
	Game     string   `json:"game"`
	Seats    []string `json:"seats"`  // by role: kinds of players, person, open, chance
	Chosen   []bool   `json:"chosen"` // by role: whether there is a choice for this turn
	Position Position `json:"position"`
	// Moves are the joint moves played, and Why what players said of their own.
	Moves [][]string                `json:"moves"`
	Why   [][]*protocol.Explanation `json:"why"`
	Note  string                    `json:"note,omitempty"`
	Due   time.Time                 `json:"due,omitzero"` // until when people may choose, by the clock of the server
	// Asked names the roles that have asked for what the others have not agreed to yet: undo.
	Asked map[string][]string `json:"asked,omitempty"`
}

func (t *table) view() *TableView {
	v := &TableView{
		Table: t.id, Game: t.history.name, Position: t.history.show(), Moves: slices.Clone(t.joints), Note: t.notes, Due: t.due, Asked: t.asking(),
		// What was said of a choice that is secret still is no part of it.
		Why: slices.Clone(t.why[:len(t.joints)]),
	}
	if v.Moves == nil {
		v.Moves = [][]string{}
	}
	for r, s := range t.seats {
		v.Seats = append(v.Seats, s.kind)
		v.Chosen = append(v.Chosen, t.goals == nil && t.choice[r] != "")
	}
	return v
}

func (s *Server) followTable(w http.ResponseWriter, r *http.Request) {
	t, err := s.tables.get(r.PathValue("id"))
	if err != nil {
		writeJSON(w, nil, err)
		return
	}
	e, err := s.open(w)
	if err != nil {
		writeJSON(w, nil, err)
		return
	}
	if e.send(event("now", time.Now())) != nil { // the browser's clock may be another one
		e.done()
		return
	}
	t.look(1)
	defer t.look(-1)
	e.follow(r, &t.story)
}

// look counts those who look at the table.
func (t *table) look(more int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.viewers += more
	t.touched = time.Now()
}

// listed is a table in the list of those that are open.
type listed struct {
	Table string    `json:"table"`
	Game  string    `json:"game"`
	Seats []string  `json:"seats"`
	Turn  int       `json:"turn"`
	Over  bool      `json:"over"`
	Since time.Time `json:"since"`
}

func (s *Server) listTables(w http.ResponseWriter, _ *http.Request) {
	s.tables.mu.Lock()
	all := make([]*table, 0, len(s.tables.byID))
	for _, t := range s.tables.byID {
		all = append(all, t)
	}
	s.tables.mu.Unlock()
	list := []listed{}
	for _, t := range all {
		t.mu.Lock()
		l := listed{Table: t.id, Game: t.history.name, Turn: len(t.joints), Over: t.goals != nil, Since: t.started}
		for _, seat := range t.seats {
			l.Seats = append(l.Seats, seat.kind)
		}
		t.mu.Unlock()
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b listed) int { return b.Since.Compare(a.Since) })
	writeJSON(w, list, nil)
}
