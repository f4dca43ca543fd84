// Package tracking reconstructs the position of a match from the messages of a game server. Messages have no numbers.
// They may come twice, late, never, or from another match. Each source follows the history in its own goroutine: a
// prover at first, then machines as they are compiled. The best source gives the standing.
package tracking

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// message is the joint move of a PLAY message and the reply to it.
type message struct {
	joint []string // joint move as text, one move per role; nil for NIL
	reply string   // own move; "" for no reply in time
}

// isNIL reports whether the message says that no move has been made.
func (m message) isNIL() bool { return m.joint == nil }

// source is the origin of a standing, in rising quality.
type source int

const (
	fromMoves    source = iota // a prover of the legal rules alone: it does not know terminal positions
	fromRules                  // a prover; no compilation needed
	fromFallback               // the first machine
	fromBest                   // the best machine
	sources
)

// patience is the time after a message in which a better source may read it alone.
const patience = 100 * time.Millisecond

// Standing is the state of the match after a number of messages.
type Standing struct {
	Heard    int             // number of messages read
	Turn     int             // number of joint moves made
	Over     bool            // the game has ended
	Legal    []string        // own legal moves; a part of them unless All
	All      bool            // Legal is complete
	Replaced bool            // the last message shows that the server has replaced the own move
	Machine  machine.Machine // machine of the source; nil for a prover

	at snapshot
}

// State returns the position. The standing must have a machine.
func (s *Standing) State() machine.State { return machine.AppendState(nil, string(s.at)) }

// Match holds the messages of a match in order of arrival, an append-only list, and the standing of each source.
// It is safe for concurrent use.
type Match struct {
	log   zerolog.Logger
	roles int
	self  machine.Role

	mu       sync.Mutex
	messages []message
	arrived  time.Time // of the last message
	logged   int       // number of messages whose reading is logged
	stand    [sources]*Standing
	failed   [sources]error
	followed [sources]bool // true once a source has begun, also after it has failed
	changed  chan struct{} // closed and replaced with each change of the fields above
}

// New returns a match with a number of roles; self is the own role.
func New(log zerolog.Logger, roles int, self machine.Role) *Match {
	return &Match{log: log, roles: roles, self: self, changed: make(chan struct{})}
}

// Hear appends the new messages of told, the whole history, and returns the number of messages.
func (m *Match) Hear(told [][]gdl.Term) (count int) {
	m.change(func() {
		for n := len(m.messages); n < len(told); n++ {
			m.messages = append(m.messages, message{joint: texts(told[n])})
		}
		m.arrived = time.Now()
		count = len(m.messages)
	})
	time.AfterFunc(patience, func() { m.change(func() {}) })
	return count
}

func texts(joint []gdl.Term) []string {
	if joint == nil {
		return nil
	}
	out := make([]string, len(joint))
	for r, t := range joint {
		out[r] = t.String()
	}
	return out
}

// Answer records the reply to the last message.
func (m *Match) Answer(move string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.messages); n > 0 {
		m.messages[n-1].reply = move
	}
}

// Best returns the best standing after at least n messages, or nil, and a channel that is closed with the next change.
func (m *Match) Best(n int) (*Standing, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for from := sources - 1; from >= 0; from-- {
		if s := m.stand[from]; s != nil && s.Heard >= n && m.failed[from] == nil {
			return s, m.changed
		}
	}
	return nil, m.changed
}

// AwaitsBest reports whether the best machine is followed but has no standing yet.
func (m *Match) AwaitsBest() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stand[fromBest] == nil && m.mayTell(fromBest)
}

// Faults returns the errors of failed sources, by source; nil stands for a source that has not failed.
func (m *Match) Faults() []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.failed[:])
}

// change calls f under the lock and closes the channel of changes.
func (m *Match) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	close(m.changed)
	m.changed = make(chan struct{})
}

// FollowRules starts to follow the match by provers, which know legal moves before a machine is compiled. Function prove
// returns a prover of a set of rules.
func (m *Match) FollowRules(ctx context.Context, g *gdl.Game, prove func(*gdl.Game) Prover) {
	slice, _ := g.Slice("legal", "terminal") // goal rules are not needed
	m.follow(ctx, fromRules, func() rulebook { return newUncompiled(prove(slice), g) }, nil)
	if moves, smaller := slice.Slice("legal"); smaller { // an additional prover of the legal rules alone, which is faster
		m.follow(ctx, fromMoves, func() rulebook { return withoutEnd{newUncompiled(prove(moves), g)} }, nil)
	}
}

// FollowMachine starts to follow the match on a machine; best marks the best machine.
func (m *Match) FollowMachine(ctx context.Context, on machine.Machine, best bool) {
	from := fromFallback
	if best {
		from = fromBest
	}
	m.follow(ctx, from, func() rulebook { return newCompiled(on) }, on)
}

// follow reads the history in a new goroutine until ctx is done, with the rulebook that rules returns. Machine of is
// the machine of this rulebook, or nil.
func (m *Match) follow(ctx context.Context, from source, rules func() rulebook, of machine.Machine) {
	f := &follower{Match: m, from: from, machine: of}
	m.change(func() { m.followed[from] = true })
	go func() {
		err := guard.Do(func() error {
			f.tracker = newTracker(rules(), m.roles, int(m.self))
			return f.run(ctx)
		})
		if err == nil || ctx.Err() != nil {
			return
		}
		guard.Log(m.log.Error(), err).Msg("the match cannot be followed by this source")
		m.change(func() { m.failed[from] = err })
	}()
}

// IsFollowed reports whether any source may still give a standing.
func (m *Match) IsFollowed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for from := range sources {
		if m.mayTell(from) {
			return true
		}
	}
	return false
}

// mayTell reports whether a source is followed and has not failed.
func (m *Match) mayTell(from source) bool { return m.followed[from] && m.failed[from] == nil }

// follower derives the standings of a source from the history.
type follower struct {
	*Match
	from    source
	machine machine.Machine
	tracker *tracker
}

func (f *follower) run(ctx context.Context) error {
	if err := f.tracker.begin(ctx); err != nil {
		return err
	}
	for heard := -1; ; {
		told, needed, changed := f.news()
		if needed && len(told) > heard {
			if err := f.read(ctx, told); err != nil {
				return err
			}
			heard = len(told)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// news returns all messages, whether the source must read them, and a channel that is closed with the next change. A better
// source with a standing reads new messages alone for the time patience.
func (f *follower) news() (told []message, needed bool, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for from := f.from + 1; from < sources; from++ {
		s := f.stand[from]
		if s != nil && f.failed[from] == nil && (s.Heard == len(f.messages) || time.Since(f.arrived) < patience) {
			return nil, false, f.changed
		}
	}
	return slices.Clone(f.messages), true, f.changed
}

// read reads new messages and publishes the standing.
func (f *follower) read(ctx context.Context, told []message) error {
	for n := len(f.tracker.told) + 1; n <= len(told); n++ {
		if err := f.tracker.hear(ctx, told[:n]); err != nil {
			return err
		}
		if a := f.tracker.account; a.reading != asTold && f.isFirst(n-1) {
			f.log.Warn().Int("told", n).Strs("joint", told[n-1].joint).Int("turn", a.turn).Str("taken_for", string(a.reading)).
				Msg("unexpected message")
		}
	}
	return f.publish(ctx)
}

// isFirst reports whether no source has logged message n yet, and marks it as logged.
func (m *Match) isFirst(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n < m.logged {
		return false
	}
	m.logged = n + 1
	return true
}

// publish publishes the standing. The standing of a prover has one legal move at first: the list of all legal moves may
// take long.
func (f *follower) publish(ctx context.Context) error {
	t := f.tracker
	here := t.answerFrom()
	s := Standing{Heard: len(t.told), Turn: here.turn, at: here.at, Machine: f.machine, Replaced: here.reading == asReplaced}
	var err error
	if s.Over, err = t.isOver(ctx, here.at); err != nil {
		return err
	}
	switch {
	case s.Over:
		s.All = true
	case f.machine != nil:
		s.All = true
		s.Legal, err = t.legal(ctx, here.at, t.self)
	default:
		s.Legal, err = t.rules.legal(ctx, here.at, t.self, 1)
	}
	if err != nil {
		return err
	}
	f.change(func() { f.stand[f.from] = &s })
	if s.All {
		return nil
	}
	return f.complete(ctx, s)
}

// complete publishes a standing with all legal moves, unless the list fails or f.news has more to read first.
func (f *follower) complete(ctx context.Context, s Standing) error {
	listing, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		for {
			told, needed, changed := f.news()
			if !needed || len(told) > s.Heard {
				return
			}
			select {
			case <-changed:
			case <-listing.Done():
				return
			}
		}
	}()
	list, err := f.tracker.legal(listing, s.at, f.tracker.self)
	if err != nil {
		if listing.Err() == nil {
			f.log.Warn().Err(err).Msg("the legal moves cannot be listed: only one is known")
		}
		return ctx.Err()
	}
	s.Legal, s.All = list, true
	f.change(func() { f.stand[f.from] = &s })
	return nil
}
