package protocol

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stackmate/gdl"
)

const (
	// playGrace is the time past the play clock in which a late move is still sent, since some servers accept it, and
	// the time of an agent that must hurry.
	playGrace = time.Second
	// maxFallback, or a quarter of the play clock if less: at this time before its end, an agent that is still busy
	// with an earlier call is skipped.
	maxFallback = time.Second
	// leastFallback is the minimum time for finding a legal move without the agent; the maximum is a quarter of the
	// play clock.
	leastFallback = time.Second
	// unlimitedRenewal is the start clock of a replacement agent if the play clock has no limit.
	unlimitedRenewal = 10 * time.Second
)

// turn is a PLAY and its answer.
type turn struct {
	text    string // the message as it came
	arrived time.Time
	clock   context.Context // the agent's time; ends early if the agent must hurry
	hurry   context.CancelFunc
	done    chan struct{} // closed when reply or err is known
	reply   string
	err     error
	// delivered reports whether a client was connected when the reply was known. Guarded by the session's mutex.
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

// resendMargin limits the time before the end of our play clock at which a manager, whose clock began earlier, may
// have replaced a late move and gone on. The limit is an eighth of the clock if less.
const resendMargin = 200 * time.Millisecond

// move answers a PLAY. A repeated PLAY gets the answer of the first request, see repeated. Any other PLAY starts a new
// turn and ends the pending move.
func (s *session) move(x *exchange) (string, error) {
	wait, cancel := WithClock(s.ctx, x.arrived, s.match.PlayClock)
	defer cancel()
	select {
	case <-s.loaded:
	case <-wait.Done():
	}
	if s.seated() == nil {
		return "busy", nil // the rules are not loaded, or invalid
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

// isSentAgain reports whether a PLAY with this text is a retransmission of the latest turn by a client without a
// reply. The bytes must be equal, the play clock of the turn must not have ended, and the turn must be pending or its
// reply undelivered. Managers send each PLAY once. In a new turn, equal bytes mean that both sides repeated their
// moves, or that the manager replaced our move by our previous move. After an undelivered reply, a joint move with
// this reply is a new turn: the client had closed only its sending side. The caller holds s.mu.
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

// repeated returns the turn that a PLAY repeats, or nil for a new turn. GDL-II messages number their turns. The caller
// holds s.mu.
func (s *session) repeated(m Message, text string, joint []gdl.Term, arrived time.Time) *turn {
	switch {
	case m.Seen != nil:
		return s.numbered[m.Seen.Turn]
	case s.isSentAgain(text, joint, arrived):
		return s.turn
	}
	return nil
}

// ask returns the turn of a message and reports whether the message is its first request. A new turn is added to the
// history first. It fails if the messages of the match exceed maxHistory.
func (s *session) ask(m Message, text string, arrived time.Time) (t *turn, first bool, err error) {
	joint, err := s.joint(m)
	if err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, kind := s.turn, jointNew
	if again := s.repeated(m, text, joint, arrived); again != nil {
		s.counters.told(jointRepeated)
		s.log.Warn().Msg("a PLAY was sent again: it gets the same answer")
		return again, false, nil
	}
	switch {
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
			Msg("a joint move does not have one move per role: the player receives it unchanged")
	}
	s.counters.told(kind)
	t = &turn{text: text, arrived: arrived, done: make(chan struct{})}
	t.clock, t.hurry = WithClock(s.time, arrived, s.match.PlayClock)
	s.turn = t
	if m.Seen != nil {
		s.numbered[m.Seen.Turn] = t
	}
	s.history = append(s.history, joint)
	s.heard += len(text)
	s.notes.take(Note{At: arrived, Command: Play, Joint: joint})
	return t, true, nil
}

// answer computes the reply to a turn.
func (s *session) answer(t *turn) {
	t.err = errAgent // replaced on success
	defer func() {
		t.hurry()
		close(t.done)
	}()
	move, why, by, err := s.choose(t)
	s.notes.take(Note{At: time.Now(), Asked: t.arrived, Move: move, Why: why, Err: err})
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

// choose returns the agent's move. If the agent fails it returns a move of a replacement agent, or else any legal
// move.
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

// legal returns any legal move.
func (s *session) legal() (gdl.Term, error) {
	ctx, cancel := context.WithTimeout(s.ctx, max(leastFallback, s.match.PlayClock/4))
	defer cancel()
	move, err := s.fallback.move(ctx, s.told())
	if err != nil && !errors.Is(err, ErrOver) && !errors.Is(err, errNoMove) {
		s.log.Error().Err(err).Msg("the fallback found no legal move")
	}
	return move, err
}

// playAnew replaces the agent by a new one, with the rules and the history, and returns its move.
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

// told returns the history of joint moves.
func (s *session) told() [][]gdl.Term {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history[:len(s.history):len(s.history)]
}

// finishing makes the agent answer the pending turn immediately, and reports whether a turn is pending.
func (s *session) finishing() bool {
	s.rush()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil && !s.turn.isAnswered()
}
