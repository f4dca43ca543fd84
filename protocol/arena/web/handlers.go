package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"stackmate/internal/feed"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// choices are the games, players and clocks that the page offers.
type choices struct {
	Games   []Source         `json:"games"`
	Players []string         `json:"players"`
	Clocks  map[string]bound `json:"clocks"`
}

func (s *Server) listGames(*http.Request) (*choices, error) {
	c := &choices{s.Games, s.Players, clockBounds}
	s.library.mu.Lock()
	defer s.library.mu.Unlock()
	for _, g := range s.library.uploads {
		c.Games = append(c.Games[:len(c.Games):len(c.Games)], Source{Name: g.name, From: "uploaded", Group: "Uploaded"})
	}
	return c, nil
}

// gameView is a game before anything is compiled.
type gameView struct {
	Game     string    `json:"game"`
	Rules    string    `json:"rules"`
	Findings []finding `json:"findings"`
	Valid    bool      `json:"valid"`
	Roles    []string  `json:"roles,omitempty"`
	Chance   string    `json:"chance,omitempty"` // the role that nobody plays
	Position *Position `json:"position,omitempty"`
	Board    bool      `json:"board"`
	Title    string    `json:"title,omitempty"`
	About    string    `json:"about,omitempty"` // the rules in sentences
	Author   string    `json:"author,omitempty"`
}

func (s *Server) showGame(r *http.Request) (*gameView, error) {
	g, err := s.library.get(r.URL.Query().Get("game"))
	if err != nil {
		return nil, err
	}
	return g.view(r.URL.Query().Has("rules")), nil
}

func (g *game) view(withRules bool) *gameView {
	v := &gameView{Game: g.name, Findings: g.findings, Valid: g.err == nil, Title: g.page.Title, About: g.page.Rules, Author: g.page.Author}
	if withRules || !v.Valid {
		v.Rules = string(g.text)
	}
	if !v.Valid {
		return v
	}
	v.Roles = protocol.Texts(g.rules.Roles)
	if slices.Contains(v.Roles, machine.RandomRole) {
		v.Chance = machine.RandomRole
	}
	if g.initial != nil {
		v.Position = new(picture(g.layout, v.Roles, g.initial, 0))
	}
	v.Board = g.layout.HasBoard()
	return v
}

// classView is the class of a game, and the figures of its machine.
type classView struct {
	Class   string  `json:"class"`
	Engine  string  `json:"engine"`
	Fluents int     `json:"fluents"`
	Moves   []int   `json:"moves"`
	Gates   int     `json:"gates"`
	Seconds float64 `json:"seconds"`
}

// showClass compiles a game: it sends the place in the queue, then the class.
func (s *Server) showClass(e *stream, r *http.Request) error {
	g, err := s.library.get(r.URL.Query().Get("game"))
	if err != nil {
		return err
	}
	began := time.Now()
	err = s.library.compile(r.Context(), g, func(place int) { _ = e.send(event("queue", place)) }) // it is gone if that fails
	if err != nil {
		return err
	}
	m := g.machine
	v := &classView{Engine: m.Info().Engine, Gates: m.Info().Gates, Fluents: len(m.Names().FluentTexts()), Seconds: time.Since(began).Seconds()}
	for i := range m.Names().Roles {
		v.Moves = append(v.Moves, len(m.Names().MoveTexts(machine.Role(i))))
	}
	v.Class = s.Class(r.Context(), m)
	return e.send(event("class", v), event("end", ""))
}

// named finds the position that a request names by a game and joint moves from its
// beginning.
func (s *Server) named(r *http.Request) (*game, *play.History, error) {
	g, err := s.library.compiled(r.Context(), r.URL.Query().Get("game"))
	if err != nil {
		return nil, nil, err
	}
	var joints [][]string
	if text := r.URL.Query().Get("moves"); text != "" {
		if err := json.Unmarshal([]byte(text), &joints); err != nil {
			return nil, nil, faulty(http.StatusBadRequest, "moves: expected a list of joint moves as JSON")
		}
	}
	at, err := g.at(joints)
	return g, at, err
}

func (s *Server) showPosition(r *http.Request) (*Position, error) {
	g, at, err := s.named(r)
	if err != nil {
		return nil, err
	}
	return new(g.show(at)), nil
}

// Times of an analysis, in seconds.
const (
	usualAnalysis = 10
	maxAnalysis   = 600
)

// remark is an analysis without results.
type remark struct {
	Roles []string `json:"roles"`
	Note  string   `json:"note"`
	Done  bool     `json:"done"`
}

// analyse searches a position and sends the progress, until the search ends or the reader leaves. At first it
// sends the place in the queue.
func (s *Server) analyse(e *stream, r *http.Request) error {
	g, at, err := s.named(r)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(r.URL.Query().Get("seconds"), 64)
	if err != nil || !(seconds > 0) {
		seconds = usualAnalysis
	}
	var t feed.Feed[[]byte]
	tell := func(a any) { t.Replace(event("analysis", a)) }
	s.safely("an analysis", func() {
		defer t.Close(event("end", ""))
		leave, err := s.searches.enter(r.Context(), func(place int) {
			tell(remark{Roles: at.Names.Roles, Note: fmt.Sprintf("waiting: place %d in the queue", place)})
		})
		if err != nil {
			t.Add(event("failed", err.Error()))
			return
		}
		defer leave()
		ctx, cancel := context.WithTimeout(r.Context(), time.Duration(min(seconds, maxAnalysis)*float64(time.Second)))
		defer cancel()
		if err := s.Analyse(ctx, g.rules, g.machine, at.State(), tell); err != nil {
			tell(remark{Roles: at.Names.Roles, Note: s.told(err), Done: true})
		}
	})
	return e.follow(&t)
}

// upload adds a rulesheet to the library, or returns its findings.
func (s *Server) upload(r *http.Request) (*gameView, error) {
	text, err := rulesOfBody(r)
	if err != nil {
		return nil, err
	}
	g, err := s.library.upload(r.Context(), text)
	if err != nil {
		return nil, err
	}
	return g.view(true), nil
}
