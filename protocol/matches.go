package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"stackmate/internal/guard"
)

// The status in replies to INFO and /healthz.
const (
	availableStatus = "available"
	busyStatus      = "busy"
	closingStatus   = "closing" // /healthz only: INFO replies busy
)

// answer computes the reply to a message.
func (e *Endpoint) answer(x *exchange) error {
	switch x.message.Command {
	case Info:
		x.reply = fmt.Sprintf("((name %s) (status %s))", e.name, e.status())
		if e.Version != "" {
			x.reply = fmt.Sprintf("((name %s) (status %s) (version %s))", e.name, e.status(), symbol(e.Version))
		}
		return nil
	case Ping:
		x.reply = e.status()
		return nil
	case Preview:
		x.reply = "done"
		return nil
	case Start:
		return e.start(x)
	}
	s := e.find(x.message.ID)
	if s == nil {
		e.strangers.Warn().Str("match", clip(x.message.ID)).Str("command", string(x.message.Command)).
			Str("from", x.from).Msg("unknown match")
		x.reply = "busy"
		return nil
	}
	var err error
	switch x.message.Command {
	case Play:
		x.reply, err = s.move(x)
	case Stop:
		e.release(s)
		s.log.Info().Msg("the match is over")
		x.reply = s.end(x)
	default: // Abort
		e.release(s)
		s.log.Info().Msg("the match was aborted")
		s.drop("aborted by the manager")
		x.reply = "aborted"
	}
	return err
}

// start begins a match if a place is free.
func (e *Endpoint) start(x *exchange) error {
	s := newSession(x.message, x.arrived, e.newAgent, e.counters, e.log)
	if !e.register(s) {
		x.reply = "busy"
		return nil
	}
	if err := guard.Do(func() error { return s.load(x.client, x.message, e.parsing) }); err != nil {
		e.release(s)
		s.cancel()
		return err
	}
	if !e.claim(s) {
		s.cancel()
		x.reply = "busy"
		return nil
	}
	s.notes.begin(e.Record, s.match, &e.written)
	s.log.Info().Str("role", clip(s.match.Role)).
		Dur("startclock", s.match.StartClock).Dur("playclock", s.match.PlayClock).Msg("a match begins")
	var err error
	if x.reply, err = s.begin(); err != nil {
		e.abandon(s, "it could not begin")
		s.notes.take(Note{Command: Abort, Reason: "it could not begin"}) // no-op unless the match was ended concurrently
	}
	return err
}

// abandon ends a match on the player's initiative, without STOP or ABORT.
func (e *Endpoint) abandon(s *session, why string) {
	if e.release(s) {
		s.log.Warn().Msg("match abandoned: " + why)
		s.drop("abandoned: " + why)
	}
}

// register adds the session, so that ABORT reaches it while its rules are parsed, and reports whether a place is
// free.
func (e *Endpoint) register(s *session) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := strings.ToLower(s.match.ID)
	if e.sessions[key] != nil || e.closing || e.running() >= e.capacity() {
		return false
	}
	e.sessions[key] = s
	return true
}

// claim turns a registered session into a match and reports whether a place is still free: the first session with
// parsed rules plays.
func (e *Endpoint) claim(s *session) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := strings.ToLower(s.match.ID)
	if e.sessions[key] != s {
		return false // aborted concurrently
	}
	if e.closing || e.running() >= e.capacity() {
		delete(e.sessions, key)
		return false
	}
	s.running = true
	s.expiry = time.AfterFunc(s.maxSilence(), func() { e.abandon(s, "timeout: no message from the game server") })
	return true
}

// running counts the matches. The caller holds mu.
func (e *Endpoint) running() int {
	n := 0
	for _, s := range e.sessions {
		if s.running {
			n++
		}
	}
	return n
}

func (e *Endpoint) capacity() int { return max(e.Matches, 1) }

// release removes the session and reports whether it was registered.
func (e *Endpoint) release(s *session) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := strings.ToLower(s.match.ID)
	if e.sessions[key] != s {
		return false
	}
	delete(e.sessions, key)
	if s.running {
		s.expiry.Stop()
	}
	return true
}

// find returns the session of an id, in any case: some servers send START as it is and later messages in upper case.
func (e *Endpoint) find(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.sessions[strings.ToLower(id)]
	if s != nil && s.running {
		s.expiry.Reset(s.maxSilence())
	}
	return s
}

// occupancy returns the number of matches and the status.
func (e *Endpoint) occupancy() (matches int, status string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	matches, status = e.running(), availableStatus
	switch {
	case e.closing:
		status = closingStatus
	case matches >= e.capacity():
		status = busyStatus
	}
	return matches, status
}

// status returns the status for INFO.
func (e *Endpoint) status() string {
	if _, status := e.occupancy(); status == availableStatus {
		return availableStatus
	}
	return busyStatus
}

// finish refuses new matches and ends the running matches: pending moves are answered immediately, all other matches
// are aborted.
func (e *Endpoint) finish() {
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	e.endAll(func(s *session) bool { return s.finishing() })
}

// Close aborts all matches.
func (e *Endpoint) Close() { e.endAll(func(*session) bool { return false }) }

// endAll aborts the matches except where keep is true.
func (e *Endpoint) endAll(keep func(*session) bool) {
	e.mu.Lock()
	all := slices.Collect(maps.Values(e.sessions))
	e.mu.Unlock()
	for _, s := range all {
		if !keep(s) {
			e.abandon(s, "the player is closing")
		}
	}
}
