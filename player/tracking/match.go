// Package tracking finds out where a match stands from what a game server says of it: messages without numbers, which may
// come twice, late, never, or from another match. It follows the history by every source there is, from the rules alone at first
// and on machines as they are compiled, each in a goroutine of its own, and tells the best standing.
package tracking

import (
	"context"
	"slices"
	"sync"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// message is what one PLAY has told, and what was answered.
type message struct {
	joint []string // the joint move as text, one move per role; nil for NIL
	reply string   // our move; "" for none that could have counted
}

// isNIL tells whether the message says that nobody has moved yet.
func (m message) isNIL() bool { return m.joint == nil }

// source is where a standing comes from; a later one is better.
type source int

const (
	fromMoves    source = iota // a prover of the rules that legal moves depend on: it does not know the end
	fromRules                  // a prover: nothing is compiled
	fromFallback               // a machine for the meantime
	fromBest                   // the machine to play with
	sources
)

// Standing is where the match stands after some messages.
type Standing struct {
	Heard    int             // messages taken into account
	Turn     int             // joint moves made
	Over     bool            // the game has ended
	Legal    []string        // our legal moves, as far as known
	All      bool            // they are all
	Replaced bool            // by the last message the server has replaced our move
	Machine  machine.Machine // by which all this is known; nil for the rules alone

	at snapshot
}

// State is the position. There must be a machine.
func (s *Standing) State() machine.State { return machine.AppendState(nil, string(s.at)) }

// Match is what is known of one match: its messages in order of arrival, which only grow, and
// where it stands by every source there is. It is safe for concurrent use.
type Match struct {
	log   zerolog.Logger
	roles int
	self  machine.Role

	mu       sync.Mutex
	messages []message
	logged   int // messages that somebody has told the log what to make of
	stand    [sources]*Standing
	failed   [sources]error
	followed [sources]bool // from the beginning or since a machine came; also those that have failed
	changed  chan struct{} // closed when something above changes, and replaced
}

// New begins to track a match of so many roles, in which we are one.
func New(log zerolog.Logger, roles int, self machine.Role) *Match {
	return &Match{log: log, roles: roles, self: self, changed: make(chan struct{})}
}

// Hear adds what is new in told and returns how many messages there are now.
func (m *Match) Hear(told [][]gdl.Term) (count int) {
	m.change(func() {
		for n := len(m.messages); n < len(told); n++ {
			m.messages = append(m.messages, message{joint: texts(told[n])})
		}
		count = len(m.messages)
	})
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

// Answer takes note of the reply to the last message.
func (m *Match) Answer(move string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.messages); n > 0 {
		m.messages[n-1].reply = move
	}
}

// Best is the best standing after n messages, or nil, and a channel that is closed
// when there may be a better one.
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

// AwaitsBest tells whether the best machine to come is there, and will yet say where the match stands.
func (m *Match) AwaitsBest() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stand[fromBest] == nil && m.mayTell(fromBest)
}

// Faults are why there are no standings any more, by source; nil where there may be.
func (m *Match) Faults() []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.failed[:])
}

// change does f and lets everybody know.
func (m *Match) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	close(m.changed)
	m.changed = make(chan struct{})
}

// FollowRules follows the match by the rules alone, which can tell legal moves before anything is compiled. Provers of
// rules are made by prove.
func (m *Match) FollowRules(ctx context.Context, g *gdl.Game, prove func(*gdl.Game) Prover) {
	slice, _ := g.Slice("legal", "terminal") // goals are not asked for
	m.follow(ctx, fromRules, func() rulebook { return newUncompiled(prove(slice), g) }, nil)
	if moves, smaller := slice.Slice("legal"); smaller { // less to compute, where that is much
		m.follow(ctx, fromMoves, func() rulebook { return withoutEnd{newUncompiled(prove(moves), g)} }, nil)
	}
}

// FollowMachine follows the match on a machine: the best one to come, or one for the meantime.
func (m *Match) FollowMachine(ctx context.Context, on machine.Machine, best bool) {
	from := fromFallback
	if best {
		from = fromBest
	}
	m.follow(ctx, from, func() rulebook { return newCompiled(on) }, on)
}

// follow keeps up with the history by the rulebook that rules makes, in a goroutine
// of its own, until ctx is done. If the rulebook is a machine, of is that machine.
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
		guard.Log(m.log.Error(), err).Msg("the rules cannot be followed")
		m.change(func() { m.failed[from] = err })
	}()
}

// IsFollowed tells whether any source may still say where the match stands.
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

// mayTell tells whether a source is followed and has not failed.
func (m *Match) mayTell(from source) bool { return m.followed[from] && m.failed[from] == nil }

// follower derives standings from the history.
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

// news are all messages, whether no better source says where the match stands, and a channel that is closed
// when that may have changed.
func (f *follower) news() (told []message, needed bool, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for from := f.from + 1; from < sources; from++ {
		if f.stand[from] != nil && f.failed[from] == nil {
			return nil, false, f.changed
		}
	}
	return slices.Clone(f.messages), true, f.changed
}

// read reads the messages that are new and says where the match stands.
func (f *follower) read(ctx context.Context, told []message) error {
	for n := len(f.tracker.told) + 1; n <= len(told); n++ {
		if err := f.tracker.hear(ctx, told[:n]); err != nil {
			return err
		}
		if a := f.tracker.account; a.reading != asTold && f.isFirst(n-1) {
			f.log.Warn().Int("told", n).Strs("joint", told[n-1].joint).Int("turn", a.turn).Str("taken_for", string(a.reading)).
				Msg("a message that is not as expected")
		}
	}
	return f.publish(ctx)
}

// isFirst tells, once for each message, that nobody has spoken of message n yet.
func (m *Match) isFirst(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n < m.logged {
		return false
	}
	m.logged = n + 1
	return true
}

// publish says where the match stands. Without a machine one legal move comes
// first: all of them may take long.
func (f *follower) publish(ctx context.Context) error {
	t := f.tracker
	here := t.here()
	s := Standing{Heard: len(t.told), Turn: here.turn, at: here.at, Machine: f.machine, Replaced: here.reading == asReplaced}
	var err error
	if s.Over, err = t.isOver(ctx, here.at); err != nil {
		return err
	}
	if f.machine == nil && !s.Over {
		if s.Legal, err = t.rules.legal(ctx, here.at, t.self, 1); err != nil {
			return err
		}
		early := s
		f.change(func() { f.stand[f.from] = &early })
	}
	if s.All = true; !s.Over {
		if s.Legal, err = t.legal(ctx, here.at, t.self); err != nil {
			return err
		}
	}
	f.change(func() { f.stand[f.from] = &s })
	return nil
}
