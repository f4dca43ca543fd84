package player

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner"
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

// standing is where the match stands after some messages.
type standing struct {
	heard    int      // messages taken into account
	turn     int      // joint moves made
	over     bool     // the game has ended
	legal    []string // our legal moves, as far as known
	all      bool     // they are all
	replaced bool     // by the last message the server has replaced our move

	at      snapshot
	machine machine.Machine // that at belongs to; nil for a prover
}

// position is the standing as policies want it. It must have a machine.
func (s *standing) position(self machine.Role) position {
	p := position{machine: s.machine, state: s.at.state(), role: self}
	for _, text := range s.legal {
		if m, ok := s.machine.Names().Move(self, text); ok {
			p.legal = append(p.legal, m)
		}
	}
	return p
}

// match is what is known of one match: its messages in order of arrival, which only grow, and
// where it stands by every source there is. It is safe for concurrent use.
type match struct {
	log   zerolog.Logger
	roles int
	self  machine.Role

	mu       sync.Mutex
	messages []message
	logged   int // messages that somebody has told the log what to make of
	stand    [sources]*standing
	failed   [sources]error
	follows  int           // sources that are followed and have not failed
	changed  chan struct{} // closed when something above changes, and replaced
}

func newMatch(log zerolog.Logger, roles int, self machine.Role) *match {
	return &match{log: log, roles: roles, self: self, changed: make(chan struct{})}
}

// hear adds what is new in told and returns how many messages there are now.
func (m *match) hear(told [][]gdl.Term) (count int) {
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

// answer takes note of the reply to the last message.
func (m *match) answer(move string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.messages); n > 0 {
		m.messages[n-1].reply = move
	}
}

// best is the best standing after n messages, or nil, and a channel that is closed
// when there may be a better one.
func (m *match) best(n int) (*standing, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for from := sources - 1; from >= 0; from-- {
		if s := m.stand[from]; s != nil && s.heard >= n && m.failed[from] == nil {
			return s, m.changed
		}
	}
	return nil, m.changed
}

// faults are why there are no standings any more, by source; nil where there may be.
func (m *match) faults() []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.failed[:])
}

// change does f and lets everybody know.
func (m *match) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	close(m.changed)
	m.changed = make(chan struct{})
}

// compiled takes over what came of compiling with one engine.
func (m *match) compiled(ctx context.Context, a reasoner.Attempt, memory *memory) {
	if a.Err != nil {
		fault(m.log.Warn(), a.Err).Str("engine", a.Engine).Msg("the rules are not compiled")
		return
	}
	from := fromFallback
	if a.Best {
		from = fromBest
	}
	memory.machine(a.Machine)
	info := a.Machine.Info()
	m.log.Info().Str("engine", info.Engine).Str("kernel", info.Kernel).Str("reason", info.Reason).Int("gates", info.Gates).Msg("machine")
	m.follow(ctx, from, func() rulebook { return newCompiled(a.Machine) }, a.Machine)
}

// follow keeps up with the history by the rulebook that rules makes, in a goroutine
// of its own, until ctx is done. If the rulebook is a machine, of is that machine.
func (m *match) follow(ctx context.Context, from source, rules func() rulebook, of machine.Machine) {
	f := &follower{match: m, from: from, machine: of}
	m.mu.Lock()
	m.follows++
	m.mu.Unlock()
	go func() {
		err := guard.Do(func() error {
			f.tracker = newTracker(rules(), m.roles, int(m.self))
			return f.run(ctx)
		})
		if err == nil || ctx.Err() != nil {
			return
		}
		fault(m.log.Error(), err).Msg("the rules cannot be followed")
		m.change(func() { m.failed[from], m.follows = err, m.follows-1 })
	}()
}

// isFollowed tells whether any source may still say where the match stands.
func (m *match) isFollowed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.follows > 0
}

// fault adds an error to a line, and where it happened if it is a panic.
func fault(e *zerolog.Event, err error) *zerolog.Event {
	var p *guard.Panic
	if errors.As(err, &p) {
		e = e.Bytes("stack", p.Stack)
	}
	return e.Err(err)
}

// follower derives standings from the history.
type follower struct {
	*match
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
func (m *match) isFirst(n int) bool {
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
	s := standing{heard: len(t.told), turn: here.turn, at: here.at, machine: f.machine, replaced: here.reading == asReplaced}
	var err error
	if s.over, err = t.isOver(ctx, here.at); err != nil {
		return err
	}
	if f.machine == nil && !s.over {
		if s.legal, err = t.rules.legal(ctx, here.at, t.self, 1); err != nil {
			return err
		}
		early := s
		f.change(func() { f.stand[f.from] = &early })
	}
	if s.all = true; !s.over {
		if s.legal, err = t.legal(ctx, here.at, t.self); err != nil {
			return err
		}
	}
	f.change(func() { f.stand[f.from] = &s })
	return nil
}
