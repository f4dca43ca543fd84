package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"stackmate/protocol"
	"stackmate/protocol/arena"
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
	// Asked are, under "undo", the roles of people who want to take moves back, as long as others have not agreed.
	Asked map[string][]string `json:"asked,omitempty"`
}

func (t *table) view() *TableView {
	v := &TableView{
		Table: t.id, Game: t.history.name, Position: t.history.show(), Moves: slices.Clone(t.joints), Note: t.notes, Due: t.due,
		// What was said of a choice that is secret still is no part of it.
		Why: slices.Clone(t.why[:len(t.joints)]),
	}
	if v.Moves == nil {
		v.Moves = [][]string{}
	}
	for r, s := range t.seats {
		v.Seats = append(v.Seats, s.kind)
		v.Chosen = append(v.Chosen, t.goals == nil && t.choice[r] != "")
		if t.asks[r] {
			v.Asked = map[string][]string{"undo": append(v.Asked["undo"], v.Position.Roles[r])}
		}
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
	e.follow(r, &t.story)
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

// record keeps a match that is over, in the form of all others.
func (t *table) record() {
	if t.Archive == nil {
		return
	}
	names := t.machine.Names()
	text := string(t.history.text)
	r := &arena.Record{
		Match: fmt.Sprintf("page.%s.%s", strings.ReplaceAll(t.history.name, ":", "-"), t.id), Game: t.history.name, Rules: arena.HashRules(text), Rulesheet: text,
		StartTime: t.started, PlayClock: t.clock.Seconds(), Roles: names.Roles,
		StartErrors: make([]string, len(names.Roles)), Goals: t.goals, Turns: len(t.joints) - t.from, Completed: true,
		Opening: slices.Clone(t.joints[:t.from]), Moves: slices.Clone(t.joints[t.from:]), Explanations: slices.Clone(t.why[t.from:]),
	}
	if t.matches > 0 {
		r.Match += fmt.Sprint(".", t.matches+1)
	}
	if len(t.history.states) > len(t.joints) {
		for _, q := range t.history.states[t.from:] {
			r.States = append(r.States, names.AppendFluents([]string{}, q))
		}
	}
	for _, s := range t.seats {
		r.Players = append(r.Players, s.kind)
	}
	for range r.Moves {
		r.Errors = append(r.Errors, make([]string, len(names.Roles)))
		r.ReplyTimes = append(r.ReplyTimes, make([]float64, len(names.Roles)))
	}
	summary := r.Result()
	r.Summary = &summary
	tell := t.Archive.Recorder()
	t.safely("the record of a table", func() {
		if err := tell(r); err != nil {
			t.Log.Debug().Err(err).Msg("the table was recorded before")
		}
	})
}
