package protocol

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stackmate/gdl"
)

const (
	// playGrace is how long past the play clock a late move is still waited for, as
	// some servers do, and how long an agent that is to hurry may take.
	playGrace = time.Second
	// maxFallback is how long before the end of the play clock an agent that still
	// does something else is no longer waited for, or a quarter of the clock.
	maxFallback = time.Second
	// leastFallback is what finding a legal move without the agent may take in any
	// case; else it is a quarter of the clock, too.
	leastFallback = time.Second
	// unlimitedRenewal is the start clock of an agent made anew where there is no
	// play clock of which it could have a part.
	unlimitedRenewal = 10 * time.Second
)

// turn is a PLAY and its answer.
type turn struct {
	text    string // the message as it came
	arrived time.Time
	clock   context.Context // the agent's time; ends early when the agent is to hurry
	hurry   context.CancelFunc
	done    chan struct{} // closed when reply or err is known
	reply   string
	err     error
	// delivered: a client was still connected when the reply was known. Guarded by the session's mutex.
	delivered bool
}

// isAnswered reports whether the reply, or an error, is known.
func (t *turn) isAnswered() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// resendMargin is how long before the end of a play clock a manager whose clock began earlier may have
// replaced a late move already and gone on: at most this, or an eighth of the clock.
const resendMargin = 200 * time.Millisecond

// move answers a PLAY. A request that is sent again gets the answer of the first, see isSentAgain.
// Any other PLAY says that the match has gone on, so that the move under way is not wanted any more.
func (s *session) move(x *exchange) (string, error) {
	wait, cancel := WithClock(s.ctx, x.arrived, s.match.PlayClock)
	defer cancel()
	select {
	case <-s.loaded:
	case <-wait.Done():
	}
	if s.seated() == nil {
		return "busy", nil // there are no rules yet, or none at all
	}
	t, first, err := s.ask(x.message, x.request, x.arrived)
	x.heard()
	if err != nil {
		return "", err
	}
	if first {
		s.answer(t)
	}
	<-t.done
	if x.client.Err() == nil {
		s.mu.Lock()
		t.delivered = true
		s.mu.Unlock()
	}
	return t.reply, t.err
}

// isSentAgain reports whether a PLAY with this text is the request of the latest turn, sent again by a client that
// has no reply yet: the bytes are the same, the play clock of the turn has not ended, and the turn is still being
// answered, or no client was left to take the reply. Managers send each PLAY once; in a new turn the same bytes mean that both
// sides moved as before, or that the manager replaced our move by the move of the turn before. After a reply that no
// client took, a joint move that holds this reply is a new turn, too: the client had closed only its side for writing.
// The caller holds s.mu.
func (s *session) isSentAgain(text string, joint []gdl.Term, arrived time.Time) bool {
	t, clock := s.turn, s.match.PlayClock
	if t == nil || t.text != text || clock > 0 && arrived.Sub(t.arrived) > clock-min(resendMargin, clock/8) {
		return false
	}
	if !t.isAnswered() {
		return true
	}
	return !t.delivered && t.err == nil && !(s.self < len(joint) && joint[s.self].String() == t.reply)
}

// ask returns the turn of a message, and whether the message is its first request: a new turn is added to
// the history before anything else happens. It fails if the messages of the match exceed maxHistory.
func (s *session) ask(m Message, text string, arrived time.Time) (t *turn, first bool, err error) {
	joint, err := s.joint(m)
	if err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, kind := s.turn, jointNew
	switch {
	case s.isSentAgain(text, joint, arrived):
		s.counters.told(jointRepeated)
		s.log.Warn().Msg("a PLAY was sent again before its reply arrived: it gets the same answer")
		return before, false, nil
	case s.heard+len(text) > maxHistory:
		return nil, false, fmt.Errorf("PLAY: expected at most %d bytes in all messages of a match, found more", maxHistory)
	case before != nil && !before.isAnswered():
		s.log.Warn().Msg("a PLAY came before the last one was answered: the match has gone on")
		before.hurry()
	}
	switch {
	case joint == nil:
		kind = jointNone
	case len(joint) != len(s.match.Game.Roles):
		kind = jointLength
		s.log.Warn().Int("moves", len(joint)).Int("roles", len(s.match.Game.Roles)).
			Msg("a joint move does not have one move per role: it is told all the same")
	}
	s.counters.told(kind)
	t = &turn{text: text, arrived: arrived, done: make(chan struct{})}
	t.clock, t.hurry = WithClock(s.time, arrived, s.match.PlayClock)
	s.turn = t
	s.history = append(s.history, joint)
	s.heard += len(text)
	s.notes.take(Note{At: arrived, Command: Play, Joint: joint})
	return t, true, nil
}

// answer finds the reply to a turn.
func (s *session) answer(t *turn) {
	t.err = errAgent // unless something better is known at the end
	defer func() {
		t.hurry()
		close(t.done)
	}()
	move, why, by, err := s.choose(t)
	s.notes.take(Note{At: time.Now(), Move: move, Why: why, Err: err})
	if err != nil {
		t.err = err
		return
	}
	t.reply, t.err = move.String(), nil
	took, clock := time.Since(t.arrived), s.match.PlayClock
	s.counters.move(by, took, clock)
	event := s.log.Debug()
	late := clock > 0 && took > clock
	if late || by != byAgent {
		event = s.log.Warn()
	}
	event.Str("move", Printable(t.reply, maxFinding)).Str("by", by).
		Dur("clock", clock).Dur("took", took).Bool("late", late).Msg("answered")
}

// choose is the move of the agent or, if that fails, of one made anew or, if that
// fails too or there is no time, any legal one.
func (s *session) choose(t *turn) (move gdl.Term, why *Explanation, by string, err error) {
	wait, cancel := context.WithCancel(s.ctx)
	defer cancel()
	defer context.AfterFunc(t.clock, func() { time.AfterFunc(playGrace, cancel) })()
	clock := s.match.PlayClock
	vacant, cancelVacant := WithClock(t.clock, t.arrived, clock-min(maxFallback, clock/4))
	defer cancelVacant()
	seat := s.seated()
	err = ErrLate
	if seat.vacant(vacant) {
		move, why, err = seat.Play(wait, t.clock, s.told)
	}
	if err == nil {
		return move, why, byAgent, nil
	}
	if s.ctx.Err() != nil {
		return move, nil, "", fmt.Errorf("PLAY: %w", errEnded)
	}
	failure := err
	if !errors.Is(err, ErrOver) {
		failure = s.failure("PLAY", err)
	}
	legal, noLegal := s.legal()
	if errors.Is(noLegal, ErrOver) || errors.Is(noLegal, errNoMove) {
		return move, nil, "", fmt.Errorf("PLAY: %w", noLegal)
	}
	if !errors.Is(err, ErrLate) && !errors.Is(err, ErrOver) && t.clock.Err() == nil {
		if move, why, err = s.playAnew(t, wait); err == nil {
			return move, why, byAnew, nil
		}
	}
	if noLegal != nil {
		return move, nil, "", failure
	}
	return legal, nil, byFallback, nil
}

// legal is any legal move.
func (s *session) legal() (gdl.Term, error) {
	ctx, cancel := context.WithTimeout(s.ctx, max(leastFallback, s.match.PlayClock/4))
	defer cancel()
	move, err := s.fallback.move(ctx, s.told())
	if err != nil && !errors.Is(err, ErrOver) && !errors.Is(err, errNoMove) {
		s.log.Error().Err(err).Msg("no legal move was found")
	}
	return move, err
}

// playAnew has the move chosen by an agent made from what is known: the rules and
// all that was told.
func (s *session) playAnew(t *turn, wait context.Context) (move gdl.Term, why *Explanation, err error) {
	m := s.match
	m.Start, m.StartClock = time.Now(), unlimitedRenewal
	if m.PlayClock > 0 {
		m.StartClock = max((m.PlayClock-time.Since(t.arrived))/2, time.Millisecond)
	}
	if err = s.renew(wait, m); err == nil {
		move, why, err = s.seated().Play(wait, t.clock, s.told)
	}
	if err != nil {
		return move, nil, s.failure("PLAY", err)
	}
	return move, why, nil
}

// told is what the agent is told: all that was heard.
func (s *session) told() [][]gdl.Term {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history[:len(s.history):len(s.history)]
}

// finishing has the agent answer the running turn at once, and reports whether there
// is one.
func (s *session) finishing() bool {
	s.rush()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil && !s.turn.isAnswered()
}
