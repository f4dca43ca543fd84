package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
)

// heading describes a tournament and its state.
type heading struct {
	Run    string            `json:"run,omitempty"`
	Kind   string            `json:"kind,omitempty"` // "tournament", "test" or "tuning"
	State  distributed.State `json:"state,omitempty"`
	Reason string            `json:"reason,omitempty"` // why it stands still
}

func newHeading(t *distributed.Status) heading {
	h := heading{Run: t.Run, Kind: "tournament", State: t.State}
	switch {
	case t.Plan.Tuning != nil:
		h.Kind = "tuning"
	case t.Plan.Test != nil:
		h.Kind = "test"
	}
	if t.Fault != nil {
		h.Reason = t.Fault.Error()
	}
	return h
}

// announcement is a tournament in the list of all.
type announcement struct {
	heading
	Begun   time.Time `json:"begun"`
	Games   []string  `json:"games"`
	Matches int       `json:"matches"`
	Planned int       `json:"planned"`
	terms
}

// terms are how a tournament is held.
type terms struct {
	Players    []string `json:"players"`
	Rounds     int      `json:"rounds"`
	Gauntlet   bool     `json:"gauntlet"`
	Openings   int      `json:"openings"`
	StartClock float64  `json:"start_clock"`
	PlayClock  float64  `json:"play_clock"`
}

// program lists the tournaments, and the choices for a new one.
type program struct {
	Tournaments []announcement    `json:"tournaments"`
	Parameters  []arena.Parameter `json:"parameters"`
	Tunable     []string          `json:"tunable"`
}

func (s *Server) listTournaments(_ *http.Request) (*program, error) {
	list, err := s.Tournaments.List()
	p := &program{Tournaments: []announcement{}, Parameters: s.Parameters, Tunable: s.Tunable}
	for _, t := range list {
		a := announcement{
			heading: newHeading(&t), Begun: t.Begun, Matches: t.Matches, Planned: t.Plan.Matches(),
			terms: terms{
				t.Specs, t.Plan.Rounds, t.Plan.Gauntlet, t.Setting.Opening, t.Setting.StartClock.Seconds(), t.Setting.PlayClock.Seconds(),
			},
		}
		if c := t.Plan.Tuning; c != nil {
			a.Players, a.Rounds = t.Specs[:1], t.Plan.Rounds/c.Pairs
		}
		for _, g := range t.Plan.Games {
			a.Games = append(a.Games, g.Name)
		}
		p.Tournaments = append(p.Tournaments, a)
	}
	return p, err
}

// Bounds of the tournaments of the page.
const (
	maxPlanned  = 100_000 // matches
	maxOpenings = 100     // moves
)

// wish is a tournament that somebody wants to be held.
type wish struct {
	terms
	Games  []string    `json:"games"`
	Seed   uint64      `json:"seed"`
	Test   *arena.SPRT `json:"test"`
	Tuning *struct {
		Parameters []struct {
			Name             string
			Low, High, Start *float64
		} `json:"parameters"`
		Pairs int `json:"pairs"`
	} `json:"tuning"`
}

func (s *Server) beginTournament(r *http.Request) (map[string]string, error) {
	var x wish
	if err := readJSON(r, &x); err != nil {
		return nil, err
	}
	e, err := s.plan(r, &x)
	if err != nil {
		return nil, err
	}
	return map[string]string{"run": e.Run}, conflicting(s.Tournaments.Begin(e))
}

// plan makes the tournament of a wish.
func (s *Server) plan(r *http.Request, x *wish) (*distributed.Event, error) {
	longest := protocol.MaxClock.Seconds()
	if !(min(x.StartClock, x.PlayClock) > 0 && max(x.StartClock, x.PlayClock) <= longest) || x.Openings < 0 || x.Openings > maxOpenings {
		return nil, fmt.Errorf("expected clocks above 0 and of up to %.0f seconds, and openings of up to %d moves", longest, maxOpenings)
	}
	var rules []*gdl.Game
	for _, name := range x.Games {
		g, err := s.library.get(name)
		if err == nil {
			err = g.err
		}
		if err != nil {
			return nil, err
		}
		rules = append(rules, g.rules)
	}
	plan := arena.Tournament{Rounds: x.Rounds, Gauntlet: x.Gauntlet, Seed: x.Seed, Test: x.Test}
	if x.Tuning != nil {
		t := &arena.Tuning{Pairs: x.Tuning.Pairs, Perturbation: arena.DefaultPerturbation, Step: arena.DefaultStep}
		for _, want := range x.Tuning.Parameters {
			i := slices.IndexFunc(s.Parameters, func(p arena.Parameter) bool { return p.Name == want.Name })
			if i < 0 {
				return nil, fmt.Errorf("no parameter %q", want.Name)
			}
			p, err := s.Parameters[i].Within(want.Low, want.High, want.Start)
			if err != nil {
				return nil, err
			}
			t.Parameters = append(t.Parameters, p)
		}
		plan.Tuning, plan.Rounds = t, x.Rounds*t.Pairs
	}
	e, err := distributed.NewEvent(plan, arena.Setting{
		StartClock: time.Duration(x.StartClock * float64(time.Second)), PlayClock: time.Duration(x.PlayClock * float64(time.Second)),
		Grace: time.Second, Opening: x.Openings,
	}, x.Players, x.Games, rules)
	if err != nil {
		return nil, err
	}
	if n := e.Plan.Matches(); n > maxPlanned {
		return nil, fmt.Errorf("expected at most %d matches, found %d", maxPlanned, n)
	}
	for _, description := range e.Descriptions() {
		if _, err := s.Player(description); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// conflicting gives an error of the state of a tournament its status.
func conflicting(err error) error {
	if errors.Is(err, distributed.ErrState) {
		return faulty(http.StatusConflict, err.Error())
	}
	return err
}

func (s *Server) actOnTournament(r *http.Request) (struct{}, error) {
	act := map[string]func(string) error{"pause": s.Tournaments.Pause, "resume": s.Tournaments.Resume, "end": s.Tournaments.End}[r.PathValue("act")]
	if act == nil {
		return struct{}{}, faulty(http.StatusNotFound, "expected pause, resume or end")
	}
	return struct{}{}, conflicting(act(r.PathValue("run")))
}

// tournament returns the tournament of a query: the latest if it names none, nil for all records or without tournaments.
func (s *Server) tournament(query url.Values) (*distributed.Status, error) {
	run := query.Get("tournament")
	if s.Tournaments == nil || query.Has("all") {
		return nil, nil
	}
	t, err := s.Tournaments.Find(run)
	if run == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &t, err
}
