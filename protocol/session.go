package protocol

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/wellformed"

	"github.com/rs/zerolog"
)

const (
	// startMargin is the time before the end of the start clock at which `ready` is sent at the latest.
	startMargin = 500 * time.Millisecond
	// loadGrace is the time past the start clock in which a match can still begin.
	loadGrace = 5 * time.Second
	// stopWait limits the wait for an agent at the end of a match.
	stopWait = time.Second
	// silence is the time without a message, past both clocks, after which a match is abandoned: the server is gone.
	silence = 5 * time.Minute
	// unlimitedSilence replaces silence if a clock has no limit.
	unlimitedSilence = 24 * time.Hour
	// usualRules exceeds the size of all known rulesheets, in bytes.
	usualRules = 1 << 20
	// maxFindings limits the logged errors of a rulesheet, maxFinding the bytes of each.
	maxFindings = 20
	maxFinding  = 500
	// maxHistory limits the text of all joint moves of a match, in bytes: tens of thousands of joint moves.
	maxHistory = 4 << 20
)

// errAgent marks a failure of the agent, in contrast to an invalid request.
var errAgent = errors.New("the player failed")

// errEnded is returned to requests that are pending when the match ends.
var errEnded = errors.New("the match has ended meanwhile")

// errUnread is returned to a START whose rules take longer than its clock.
var errUnread = errors.New("the start clock has ended before the rules were read")

// session is a match, from the arrival of its START on.
type session struct {
	match    Match // without Game and Role until the rules are loaded
	newAgent NewAgent
	counters *counters
	log      zerolog.Logger
	ctx      context.Context // ends with the match
	cancel   context.CancelFunc
	time     context.Context // context of the agent's moves; cancelled before ctx at shutdown
	rush     context.CancelFunc
	loaded   chan struct{} // closed once the rules are loaded
	names    spelling
	self     int // index of match.Role among the roles
	fallback *fallback

	running bool        // guarded by Endpoint.mu: the session is a match
	expiry  *time.Timer // guarded by Endpoint.mu: set while running
	notes   notes       // while running

	mu      sync.Mutex // guards the fields below
	seat    *Seat      // nil until the rules are loaded
	history [][]gdl.Term
	heard   int   // bytes of the messages in history
	turn    *turn // the latest PLAY; nil before the first
	// numbered holds the turns of GDL-II messages, by the number of the PLAY.
	numbered map[int]*turn
}

func newSession(m Message, arrived time.Time, newAgent NewAgent, counts *counters, log zerolog.Logger) *session {
	log = log.With().Str("match", clip(m.ID)).Logger()
	s := &session{
		match:    Match{ID: m.ID, Start: arrived, StartClock: m.StartClock, PlayClock: m.PlayClock, Log: log},
		newAgent: newAgent, counters: counts, log: log, loaded: make(chan struct{}), numbered: make(map[int]*turn),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.time, s.rush = context.WithCancel(s.ctx)
	return s
}

// load parses the rules of a START message and creates an agent. It stops loadGrace past the start clock, and at the
// end of the match. If the rules are unusually large, it also stops when the client closes the connection. With usual
// rules it goes on: the client may have closed only its sending side.
func (s *session) load(request context.Context, m Message, parsing chan struct{}) error {
	defer close(s.loaded)
	limit := s.match.StartClock
	if limit > 0 {
		limit += loadGrace
	}
	ctx, cancel := WithClock(s.ctx, s.match.Start, limit)
	defer cancel()
	if len(m.Rules) > usualRules {
		defer context.AfterFunc(request, cancel)()
	}
	select {
	case parsing <- struct{}{}:
		defer func() { <-parsing }()
	case <-ctx.Done():
		return unloaded(ctx)
	}
	game, notes, err := gdl.LoadToPlay(ctx, "match "+clip(m.ID), []byte(m.Rules))
	if ctx.Err() != nil {
		return unloaded(ctx)
	}
	s.report(notes)
	if err != nil {
		return fmt.Errorf("START: the rules are invalid: %w", err)
	}
	game, several := wellformed.FirstGoals(ctx, game)
	if several != "" {
		s.log.Warn().Str("role", several).Msg("a role has several goals in a terminal position: the first in the order of the rules counts")
	}
	if s.match.Role, err = findRole(game, m.Role); err != nil {
		return err
	}
	s.match.Game, s.names, s.self = game, newSpelling(game), slices.Index(Texts(game.Roles), s.match.Role)
	s.fallback = &fallback{game: game, role: s.match.Role, slice: []string{"legal", "terminal"}}
	seat, err := NewSeat(s.newAgent)
	if err != nil {
		return s.failure("START", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seat = seat
	return nil
}

// unloaded returns the error of a load whose context has ended.
func unloaded(ctx context.Context) error {
	err := errEnded
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = errUnread
	}
	return fmt.Errorf("START: %w", err)
}

// report logs the errors of the rules, and the warnings that change their meaning.
func (s *session) report(found gdl.Diagnostics) {
	faults := slices.DeleteFunc(slices.Clone(found), func(d gdl.Diagnostic) bool { return !d.IsError() && d.Meaning == "" })
	for i, d := range faults {
		event := s.log.Error()
		if !d.IsError() {
			event = s.log.Warn()
		}
		if i == maxFindings {
			event.Int("more", len(faults)-i).Msg("further errors in the rules")
			return
		}
		event.Str("code", d.Code).Msg(Printable(d.String(), maxFinding))
	}
	if len(faults) == 0 {
		s.log.Debug().Int("warnings", len(found)).Msg("the rules are valid")
	}
}

// findRole returns the role as spelled in the rules: an exact match, or else a match in any case.
func findRole(g *gdl.Game, name string) (string, error) {
	roles := Texts(g.Roles)
	if slices.Contains(roles, name) {
		return name, nil
	}
	for _, role := range slices.Backward(roles) {
		if strings.EqualFold(role, name) {
			return role, nil
		}
	}
	return "", fmt.Errorf("START: expected one of the roles %s, found %s", strings.Join(roles, ", "), clip(name))
}

// maxSilence returns the longest time without a message.
func (s *session) maxSilence() time.Duration {
	if s.match.StartClock == 0 || s.match.PlayClock == 0 {
		return unlimitedSilence
	}
	return s.match.StartClock + s.match.PlayClock + silence
}

// begin starts the agent, and a new agent if the first one fails. If the agent is late, begin replies while it
// continues.
func (s *session) begin() (string, error) {
	limit := s.match.StartClock
	if limit > 0 {
		limit -= min(startMargin, limit/4)
	}
	wait, cancel := WithClock(s.ctx, s.match.Start, limit)
	defer cancel()
	err := s.seated().Start(wait, s.ctx, s.match)
	if err != nil && !errors.Is(err, ErrLate) && s.ctx.Err() == nil {
		_ = s.failure("START", err)
		err = s.renew(wait, s.match)
	}
	switch {
	case s.ctx.Err() != nil:
		return "", fmt.Errorf("START: %w", errEnded)
	case err == nil:
	case errors.Is(err, ErrLate):
		s.log.Warn().Msg("the player is not ready at the end of the start clock; it continues to prepare")
	default:
		return "", s.failure("START", err)
	}
	return "ready", nil
}

// renew replaces the agent and starts it, with the clock of m.
func (s *session) renew(wait context.Context, m Match) error {
	s.seated().Abort()
	seat, err := NewSeat(s.newAgent)
	if err != nil {
		return err
	}
	if err := seat.Start(wait, s.ctx, m); err != nil && !errors.Is(err, ErrLate) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seat = seat
	return nil
}

// joint returns the joint move of a message, spelled as in the rules, or nil.
func (s *session) joint(m Message) ([]gdl.Term, error) {
	switch {
	case m.Seen == nil:
		return s.names.correctAll(m.Joint), nil
	case m.Seen.Move.Name == "":
		return nil, nil
	}
	joint, err := s.match.Game.JointMove(s.match.Role, m.Seen.Move, m.Seen.Percepts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Command, err)
	}
	return s.names.correctAll(joint), nil
}

func (s *session) seated() *Seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seat
}

// end answers a STOP.
func (s *session) end(x *exchange) string {
	s.cancel()
	seat := s.seated()
	if seat == nil {
		return "done"
	}
	joint, err := s.joint(x.message)
	if err != nil {
		s.log.Warn().Err(err).Msg("the last joint move is unknown")
	}
	s.mu.Lock()
	s.history = append(s.history, joint)
	s.notes.take(Note{At: x.arrived, Command: Stop, Joint: joint})
	s.mu.Unlock()
	x.heard()
	wait, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	if err := seat.Stop(wait, s.told); err != nil {
		_ = s.failure("STOP", err)
	}
	return "done"
}

// drop ends the session without a last joint move.
func (s *session) drop(reason string) {
	s.notes.take(Note{At: time.Now(), Command: Abort, Reason: reason})
	s.cancel()
	if seat := s.seated(); seat != nil {
		seat.Abort()
	}
}

// failure logs an error of the agent and returns it as a refusal.
func (s *session) failure(command string, err error) error {
	guard.Log(s.log.Error().Str("command", command), err).Msg("the player failed")
	return &refusal{http.StatusInternalServerError, "player", fmt.Errorf("%s: %w: %w", command, errAgent, err)}
}
