// Package player plays matches: it finds out what kind of game it has been
// dealt, decides which searches to run on it, and owns the clock and the state
// of one match. It must not know where messages come from or go to; whoever
// does calls Start, Play, Stop and Abort.
//
// A match is followed by goroutines of their own, from the rules alone and then
// on every machine that compiling brings (package tracking). Play asks them
// where the match stands, which gives a legal move, and has the policy look for
// a better one as long as the clock lets it (turn.go).
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

// Options steer New. The zero value is right for nearly everyone.
type Options struct {
	Seed    uint64
	Threads int // searching goroutines at a time; 0 means GOMAXPROCS
	// MostThreads is how many threads the name of a player may ask for; 0 means MaxThreads.
	MostThreads int
	Memory      int64 // bytes for compiling, machines, tables and trees of a match; 0 means DefaultMemory
	Ponder      bool  // go on thinking between the calls of Play
	// Knowledge is a folder of weights, named by KnowledgeFile, which are read at the start of a match and
	// saved while it lasts; "" means none.
	Knowledge string
	// Kernel is that of reasoner.Options.
	Kernel string
	// Cache is where circuits are kept; nil means nowhere.
	Cache *reasoner.Cache
	// MinMargin and MaxMargin bound the time kept in reserve of a play clock; 0
	// means the defaults.
	MinMargin, MaxMargin time.Duration
	// Margins is the experience with clocks that players share, instead of those
	// bounds; nil means none.
	Margins *Margins
}

// Match is the match that a player is to play.
type Match struct {
	Game      *gdl.Game
	Role      string          // spelled as in the rules
	Machine   machine.Machine // of the same game, if somebody has compiled it; else nil
	PlayClock time.Duration   // 0 means no limit
	Log       zerolog.Logger  // carries what identifies the match
}

// DefaultMemory is the default of Options.Memory.
const DefaultMemory = 2 << 30

// ErrOver is the error of Play where the game is over.
var ErrOver = errors.New("the game is over")

// Player plays one match at a time. Its methods must not be called
// concurrently, except for Abort.
type Player struct {
	spec    spec
	options Options
	margins *Margins
	compile compiler
	prove   func(g *gdl.Game, memory int64) tracking.Prover // nil if there is none

	mu    sync.Mutex // guards abort, which other goroutines call
	abort context.CancelFunc

	life        context.Context // of the match, ended by abort
	clock       time.Duration   // for a move; 0 means no limit
	compilation compilation
	match       *tracking.Match
	role        machine.Role // ours
	log         zerolog.Logger
	desk        *desk
	rng         *machine.Rand // draws moves where nothing is known
	self        string        // our role, as spelled in the rules
	explanation *Explanation  // of the last move
}

// New makes the player of a name (see Kinds).
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

// Start prepares for a match. The deadline of ctx is the end of the start clock.
// Where compiling takes longer than that, it goes on behind the match, and Start
// returns nil all the same.
func (p *Player) Start(ctx context.Context, m Match) error {
	p.end()
	self := slices.IndexFunc(m.Game.Roles, func(r gdl.Term) bool { return r.String() == m.Role })
	if self < 0 {
		return fmt.Errorf("the game has no role %s; its roles are %v", m.Role, m.Game.Roles)
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
	p.desk = newDesk(setting{
		spec: p.spec, seed: p.options.Seed, clock: m.PlayClock, log: m.Log, memory: memory, margins: p.margins, knowledge: p.knowledge(m.Game),
	}, p.spec.kind.make)
	p.begin(ctx, m, memory)
	return p.prepare(ctx)
}

// begin starts to compile, and to follow the match by the rules alone.
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
			guard.Log(m.Log.Warn(), a.Err).Str("engine", a.Engine).Msg("the rules are not compiled")
			return
		}
		memory.machine(a.Machine)
		info := a.Machine.Info()
		m.Log.Info().Str("engine", info.Engine).Str("kernel", info.Kernel).Str("reason", info.Reason).Int("gates", info.Gates).Msg("machine")
		match.FollowMachine(life, a.Machine, a.Best)
	})
	memory.compiled = p.compilation.Done()
}

// prepare waits for the best machine as long as ctx allows and gives the rest of
// the time to the policy. It is an error if there is no way to follow the match.
func (p *Player) prepare(ctx context.Context) error {
	select {
	case <-p.compilation.Done():
	case <-ctx.Done():
	}
	for {
		s, changed := p.match.Best(0)
		isThere := s != nil && s.Machine != nil
		if isThere && (ctx.Err() != nil || !p.match.AwaitsBest()) {
			p.desk.begin(ctx, p.position(s))
			return nil
		}
		if p.isLost() {
			return errors.Join(append(p.match.Faults(), p.compilation.Err())...)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if !isThere {
				p.log.Warn().Msg("the rules are still being compiled at the end of the start clock")
				return nil
			}
		}
	}
}

// position is a standing as policies want it. It must have a machine.
func (p *Player) position(s *tracking.Standing) position {
	at := position{machine: s.Machine, state: s.State(), role: p.role}
	for _, text := range s.Legal {
		if m, ok := s.Machine.Names().Move(p.role, text); ok {
			at.legal = append(at.legal, m)
		}
	}
	return at
}

// isLost tells whether nothing will ever say where the match stands.
func (p *Player) isLost() bool {
	select {
	case <-p.compilation.Done():
		return !p.match.IsFollowed()
	default:
		return false
	}
}

// Play returns the move to make. It is told all joint moves so far, in order of
// arrival, nil for NIL, and makes sense of them. The deadline of ctx is the end of
// the play clock. The error is ErrOver where the game is over; otherwise there is
// one only if no legal move could be found at all.
func (p *Player) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	if p.match == nil {
		return gdl.Term{}, errors.New("PLAY without a match")
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

// Explain says why the last move was made; nil before the first.
func (p *Player) Explain() *Explanation { return p.explanation }

// Stop ends the match.
func (p *Player) Stop([][]gdl.Term) { p.end() }

// Abort ends the match at once. It may be called at any time.
func (p *Player) Abort() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.abort()
}

// end gives up all that belongs to a match.
func (p *Player) end() {
	p.Abort()
	p.match, p.desk, p.compilation = nil, nil, nil
}

// untilAborted is ctx, ended by Abort too.
func (p *Player) untilAborted(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(p.life, cancel)
	return ctx, func() { unhook(); cancel() }
}
