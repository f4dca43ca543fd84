// Package player plays matches. It classifies the game, chooses the searches that fit, and owns the clock and
// the state of one match. It does not know the network protocol: its caller calls Start, Play, Stop and Abort.
//
// Package tracking follows the match in its own goroutines, by the rules alone at first and then on each
// compiled machine. Play asks it for the position and a legal move, and gives the policy the rest of the clock
// to find a better move (turn.go).
package player

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/player/tracking"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// Options configures New. The zero value is a good default.
type Options struct {
	Seed    uint64
	Threads int // searching goroutines at a time; 0 means GOMAXPROCS
	// MostThreads bounds the threads that a player's name may request; 0 means MaxThreads.
	MostThreads int
	Memory      int64 // bytes for compiling, machines, tables and trees of a match; 0 means DefaultMemory
	Ponder      bool  // learn or search during the opponents' time, too
	// Knowledge is a folder of trained evaluations with names by KnowledgeFile. An evaluation is read at the start of
	// a match and saved after training; "" means no folder.
	Knowledge string
	// Kernel is passed to reasoner.Options.
	Kernel string
	// Cache holds compiled circuits; nil means no cache.
	Cache *reasoner.Cache
	// MinMargin and MaxMargin bound the time kept in reserve of a play clock; 0 means the defaults.
	MinMargin, MaxMargin time.Duration
	// Margins holds measurements of clocks that several players share. It replaces MinMargin and MaxMargin;
	// nil means a new one for this player.
	Margins *Margins
}

// Match describes a match to play.
type Match struct {
	Game      *gdl.Game
	Role      string          // spelled as in the rules
	Machine   machine.Machine // compiled machine of the game, or nil
	PlayClock time.Duration   // 0 means no limit
	Log       zerolog.Logger  // carries the fields that identify the match
}

// DefaultMemory is the default of Options.Memory.
const DefaultMemory = 2 << 30

// ErrOver is returned by Play if the game is over.
var ErrOver = errors.New("the game is over")

// Player plays one match at a time. Its methods must not be called
// concurrently, except for Abort.
type Player struct {
	spec    spec
	options Options
	margins *Margins
	compile compiler
	prove   func(g *gdl.Game, memory int64) tracking.Prover // nil if there is no prover

	mu    sync.Mutex // guards abort, which other goroutines call
	abort context.CancelFunc

	life        context.Context // of the match, cancelled by abort
	clock       time.Duration   // for a move; 0 means no limit
	compilation compilation
	match       *tracking.Match
	role        machine.Role // role of this player
	log         zerolog.Logger
	worker      *worker
	rng         *machine.Rand // draws fallback moves
	self        string        // own role, as spelled in the rules
	explanation *Explanation  // of the last move
}

// New returns the player that a name describes (see Kinds). It returns an error for an unknown kind, option or value.
func New(name string, o Options) (*Player, error) {
	spec, err := parse(name)
	if err != nil {
		return nil, err
	}
	if most := cmp.Or(o.MostThreads, MaxThreads); spec.threads > most {
		return nil, fmt.Errorf("player %q: expected at most %d threads, found %d", name, most, spec.threads)
	}
	if spec.threads = cmp.Or(spec.threads, max(0, o.Threads)); spec.threads == 0 {
		spec.threads = runtime.GOMAXPROCS(0)
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Margins == nil {
		o.Margins = NewMargins(o.MinMargin, o.MaxMargin)
	}
	return &Player{spec: spec, options: o, margins: o.Margins, compile: compileGame, prove: proveGame, abort: func() {}}, nil
}

// Start prepares for a match until the end of the start clock, the deadline of ctx. A compilation
// that takes longer continues during the match, and Start returns nil. It returns an error for an
// unknown role, and if neither an engine nor a prover can follow the match.
func (p *Player) Start(ctx context.Context, m Match) error {
	p.end()
	self := slices.IndexFunc(m.Game.Roles, func(r gdl.Term) bool { return r.String() == m.Role })
	if self < 0 {
		return fmt.Errorf("unknown role %s: the roles of the game are %v", m.Role, m.Game.Roles)
	}
	ctx, cancel := beforeReady(ctx, time.Now())
	defer cancel()
	p.mu.Lock()
	p.life, p.abort = context.WithCancel(context.WithoutCancel(ctx))
	p.mu.Unlock()
	ctx, stop := p.untilAborted(ctx)
	defer stop()
	go p.margins.watch(ctx)
	p.clock, p.self, p.role, p.log, p.explanation = m.PlayClock, m.Role, machine.Role(self), m.Log, nil
	p.match = tracking.New(m.Log, len(m.Game.Roles), p.role)
	p.rng = machine.NewRand(p.options.Seed)
	memory := &memory{total: p.options.Memory}
	p.worker = newWorker(setting{
		spec: p.spec, seed: p.options.Seed, clock: m.PlayClock, ponders: p.options.Ponder, log: m.Log, memory: memory, margins: p.margins,
		knowledge: p.knowledge(m.Game),
	}, p.spec.kind.make)
	p.begin(ctx, m, memory)
	return p.prepare(ctx)
}

// begin starts the compilation and the tracking of the match.
func (p *Player) begin(ctx context.Context, m Match, memory *memory) {
	compile := p.compile
	if m.Machine != nil {
		compile = given(m.Machine)
	} else if p.prove != nil {
		p.match.FollowRules(p.life, m.Game, func(g *gdl.Game) tracking.Prover { return p.prove(g, memory.forProving()/2) })
	}
	o := reasoner.Options{Budget: compileBudget, Memory: memory.forCompiling(), Kernel: p.options.Kernel, Cache: p.options.Cache}
	life, match := p.life, p.match
	p.compilation = compile(life, m.Game, o, timeLeft(ctx, time.Now()), func(a reasoner.Attempt) {
		if a.Err != nil {
			guard.Log(m.Log.Warn(), a.Err).Str("engine", a.Engine).Msg("an engine cannot compile the rules")
			return
		}
		memory.addMachine(a.Machine)
		info := a.Machine.Info()
		m.Log.Info().Str("engine", info.Engine).Str("kernel", info.Kernel).Str("reason", info.Reason).Int("gates", info.Gates).Msg("machine")
		match.FollowMachine(life, a.Machine, a.Best)
	})
	memory.compiled = p.compilation.Done()
}

// prepare waits for the best machine until ctx is done and passes the remaining time to the policy, unless the role has no
// legal move. It returns an error if no source can follow the match.
func (p *Player) prepare(ctx context.Context) error {
	select {
	case <-p.compilation.Done():
	case <-ctx.Done():
	}
	for {
		s, changed := p.match.Best(0)
		isThere := s != nil && s.Machine != nil
		if isThere && (ctx.Err() != nil || !p.match.AwaitsBest()) {
			if len(s.Legal) > 0 {
				p.worker.begin(ctx, p.position(s))
			}
			return nil
		}
		if p.isLost() {
			return errors.Join(append(p.match.Faults(), p.compilation.Err())...)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if !isThere {
				p.log.Warn().Msg("the compilation has not finished at the end of the start clock; it continues during the match")
				return nil
			}
		}
	}
}

// position returns the position of a standing that has a machine.
func (p *Player) position(s *tracking.Standing) position {
	at := position{machine: s.Machine, state: s.State(), role: p.role}
	for _, text := range s.Legal {
		if m, ok := s.Machine.Names().Move(p.role, text); ok {
			at.legal = append(at.legal, m)
		}
	}
	return at
}

// isLost reports whether no source can determine the position any more.
func (p *Player) isLost() bool {
	select {
	case <-p.compilation.Done():
		return !p.match.IsFollowed()
	default:
		return false
	}
}

// Play returns the move to make. The history is all joint moves received so far, in order of arrival, nil for NIL;
// messages may be missing, late or repeated. The deadline of ctx is the end of the play clock. Play returns
// ErrOver if the game is over, and another error only if it finds no legal move.
func (p *Player) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	if p.match == nil {
		return gdl.Term{}, errors.New("PLAY before START: no match is running")
	}
	p.explanation = nil
	ctx, stop := p.untilAborted(ctx)
	defer stop()
	t := turn{Player: p, schedule: p.margins.scheduled(ctx, time.Now()), heard: p.match.Hear(told)}
	if deadline, ok := ctx.Deadline(); ok && p.clock > 0 {
		t.delay = max(0, p.clock-deadline.Sub(t.arrived))
	}
	move, err := t.play(ctx)
	if err != nil {
		return gdl.Term{}, err
	}
	p.match.Answer(move)
	return gdl.ParseTerm(move)
}

// Explain returns the explanation of the last move; nil before the first.
func (p *Player) Explain() *Explanation { return p.explanation }

// Stop ends the match.
func (p *Player) Stop([][]gdl.Term) { p.end() }

// Abort ends the match immediately. It may be called concurrently with all other methods.
func (p *Player) Abort() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.abort()
}

// end releases the match.
func (p *Player) end() {
	p.Abort()
	p.match, p.worker, p.compilation = nil, nil, nil
}

// untilAborted returns ctx, which Abort cancels, too.
func (p *Player) untilAborted(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(p.life, cancel)
	return ctx, func() { unhook(); cancel() }
}
