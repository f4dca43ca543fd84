package protocol

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"

	"github.com/rs/zerolog"
)

const (
	// startMargin is how long before the end of the start clock `ready` is sent
	// at the latest, so that it reaches the server in time.
	startMargin = 500 * time.Millisecond
	// playGrace is how long past the play clock a late move is still sent: some
	// servers add a second.
	playGrace = time.Second
	// stopWait bounds the wait for an agent that is told of the end.
	stopWait = time.Second
	// silence is how long past its clocks a match may go without a message
	// before it is given up: the server is gone.
	silence = 5 * time.Minute
	// unlimitedSilence stands for silence where a clock has no limit.
	unlimitedSilence = 24 * time.Hour
)

// errAgent marks a failure of the agent, as opposed to one of the request.
var errAgent = errors.New("the player failed")

// session is the match that an endpoint plays.
type session struct {
	seat   *Seat
	match  Match
	names  spelling
	log    zerolog.Logger
	ctx    context.Context // ends with the match
	cancel context.CancelFunc
	expiry *time.Timer

	mu      sync.Mutex // guards history
	history [][]gdl.Term
}

// newSession reads the rules of a START message.
func newSession(ctx context.Context, m Message, arrived time.Time, newAgent NewAgent, log zerolog.Logger) (*session, error) {
	log = log.With().Str("match", m.ID).Logger()
	game, notes, err := gdl.Load(ctx, "match "+m.ID, []byte(m.Rules))
	if err != nil {
		for _, d := range notes.Errors() {
			log.Error().Str("code", d.Code).Msg(d.String())
		}
		return nil, fmt.Errorf("START: the rules are invalid: %w", err)
	}
	for _, d := range notes {
		log.Debug().Str("code", d.Code).Msg(d.String())
	}
	role, err := findRole(game, m.Role)
	if err != nil {
		return nil, err
	}
	s := &session{log: log, names: newSpelling(game), match: Match{
		ID: m.ID, Role: role, Game: game,
		Start: arrived, StartClock: m.StartClock, PlayClock: m.PlayClock, Log: log,
	}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if s.seat, err = NewSeat(newAgent); err != nil {
		s.cancel()
		return nil, s.failure("START", err)
	}
	return s, nil
}

// findRole is the role as the rules spell it: as given, or else in any case.
func findRole(g *gdl.Game, name string) (string, error) {
	found := ""
	var roles []string
	for _, r := range g.Roles {
		text := r.String()
		if text == name {
			return text, nil
		}
		if strings.EqualFold(text, name) {
			found = text
		}
		roles = append(roles, text)
	}
	if found == "" {
		return "", fmt.Errorf("START: expected one of the roles %s, found %s", strings.Join(roles, ", "), clip(name))
	}
	return found, nil
}

// patience is how long the session may go without a message.
func (s *session) patience() time.Duration {
	if s.match.StartClock == 0 || s.match.PlayClock == 0 {
		return unlimitedSilence
	}
	return s.match.StartClock + s.match.PlayClock + silence
}

// begin prepares the agent. A slow agent is left to it: the reply is due.
func (s *session) begin() (string, error) {
	limit := s.match.StartClock
	if limit > 0 {
		limit -= min(startMargin, limit/4)
	}
	wait, cancel := WithClock(s.ctx, s.match.Start, limit)
	defer cancel()
	err := s.seat.Start(wait, s.ctx, s.match)
	if errors.Is(err, ErrLate) && s.ctx.Err() == nil {
		s.log.Warn().Msg("the player is still preparing at the end of the start clock")
		return "ready", nil
	}
	if err != nil {
		return "", s.failure("START", err)
	}
	return "ready", nil
}

// move answers a PLAY.
func (s *session) move(m Message, arrived time.Time) (string, error) {
	if err := s.checkJoint(m); err != nil {
		return "", err
	}
	s.hear(m.Joint)
	clock, cancel := WithClock(s.ctx, arrived, s.match.PlayClock)
	defer cancel()
	limit := s.match.PlayClock
	if limit > 0 {
		limit += playGrace
	}
	wait, cancelWait := WithClock(s.ctx, arrived, limit)
	defer cancelWait()
	move, err := s.seat.Play(wait, clock, s.told)
	if err != nil {
		return "", s.failure("PLAY", err)
	}
	if clock.Err() != nil {
		s.log.Warn().Dur("clock", s.match.PlayClock).Dur("took", time.Since(arrived)).Msg("the move is late")
	}
	return move.String(), nil
}

// hear keeps a joint move, nil for NIL, before anything else happens: it is
// history, whatever the agent does at that moment.
func (s *session) hear(joint []gdl.Term) {
	joint = s.names.correctAll(joint)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history = append(s.history, joint)
}

// told is what the agent is told: all that was heard.
func (s *session) told() [][]gdl.Term {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history[:len(s.history):len(s.history)]
}

// checkJoint tells whether a joint move has one move per role.
func (s *session) checkJoint(m Message) error {
	if n := len(s.match.Game.Roles); m.Joint != nil && len(m.Joint) != n {
		return fmt.Errorf("%s: expected %d moves, one per role, found %d", m.Command, n, len(m.Joint))
	}
	return nil
}

// end answers a STOP.
func (s *session) end(m Message) string {
	s.cancel()
	if err := s.checkJoint(m); err != nil {
		s.log.Warn().Err(err).Msg("the last joint move is ignored")
	} else {
		s.hear(m.Joint)
	}
	wait, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	if err := s.seat.Stop(wait, s.told); err != nil {
		_ = s.failure("STOP", err)
	}
	return "done"
}

// drop ends the session without a last move.
func (s *session) drop() {
	s.cancel()
	s.seat.Abort()
}

// failure logs what went wrong in the agent and says so for the reply.
func (s *session) failure(command string, err error) error {
	if s.ctx.Err() != nil && errors.Is(err, ErrLate) {
		return fmt.Errorf("%s: the match has ended meanwhile", command)
	}
	event := s.log.Error().Str("command", command).Err(err)
	var p *guard.Panic
	if errors.As(err, &p) {
		event = event.Bytes("stack", p.Stack)
	}
	event.Msg("the player failed")
	return fmt.Errorf("%s: %w: %w", command, errAgent, err)
}
