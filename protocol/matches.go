package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"stackmate/internal/guard"
)

// What INFO tells, and /healthz.
const (
	availableStatus = "available"
	busyStatus      = "busy"
	closingStatus   = "closing" // of /healthz alone: INFO says busy
)

// answer finds the reply to a message.
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

// start begins a match if there is room for one.
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
		s.notes.take(Note{Command: Abort, Reason: "it could not begin"}) // where it was ended meanwhile
	}
	return err
}

// abandon ends a match without a word from its server.
func (e *Endpoint) abandon(s *session, why string) {
	if e.release(s) {
		s.log.Warn().Msg("the match is given up: " + why)
		s.drop("given up: " + why)
	}
}

// register makes the session known, so that it can be aborted while its rules are
// read. There must be room for its match.
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

// claim makes a session that has been registered a match, if there still is room:
// whose rules have been read first plays.
func (e *Endpoint) claim(s *session) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := strings.ToLower(s.match.ID)
	if e.sessions[key] != s {
		return false // aborted meanwhile
	}
	if e.closing || e.running() >= e.capacity() {
		delete(e.sessions, key)
		return false
	}
	s.running = true
	s.expiry = time.AfterFunc(s.maxSilence(), func() { e.abandon(s, "no message for too long") })
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

// release forgets the session, if it is known.
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

// find is the session of this id, in any case, since some servers send START as it
// is and later messages in upper case.
func (e *Endpoint) find(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.sessions[strings.ToLower(id)]
	if s != nil && s.running {
		s.expiry.Reset(s.maxSilence())
	}
	return s
}

// occupancy counts the matches and tells whether there is room for more.
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

// status is that of INFO.
func (e *Endpoint) status() string {
	if _, status := e.occupancy(); status == availableStatus {
		return availableStatus
	}
	return busyStatus
}

// finish lets no match begin any more and ends those that run: moves that are being
// thought about are answered at once, the other matches are aborted.
func (e *Endpoint) finish() {
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	e.endAll(func(s *session) bool { return s.finishing() })
}

// Close aborts all matches.
func (e *Endpoint) Close() { e.endAll(func(*session) bool { return false }) }

// endAll aborts the matches, but those to keep.
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
