// Package player plays matches: it finds out what kind of game it has been
// dealt, decides which searches to run on it, and owns the clock and the state
// of one match. It must not know where messages come from or go to; whoever
// does calls Start, Play, Stop and Abort.
package player

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Options steer New. The zero value is right for nearly everyone.
type Options struct {
	Seed    uint64
	Threads int   // searching goroutines at a time; 0 means GOMAXPROCS
	Memory  int64 // bytes for compiling, and again for tables and trees; 0 means DefaultMemory
	Ponder  bool  // go on thinking between the calls of Play
}

// Match is the match that a player is to play.
type Match struct {
	Game    *gdl.Game
	Role    string          // spelled as in the rules
	Machine machine.Machine // of the same game, if somebody has compiled it; else nil
	Log     zerolog.Logger  // carries what identifies the match
}

// DefaultMemory is the default of Options.Memory.
const DefaultMemory = 2 << 30

// Kinds are the names that New takes:
//
//	stackmate  exact and sampling searches side by side
//	mcts       the sampling search alone
//	legal      always the first legal move
//	random     a random legal move
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

var kinds = map[string]func(Options, zerolog.Logger) policy{
	"stackmate": func(o Options, log zerolog.Logger) policy { return newThinker(o, log, true) },
	"mcts":      func(o Options, log zerolog.Logger) policy { return newThinker(o, log, false) },
	"legal":     func(Options, zerolog.Logger) policy { return firstMove{} },
	"random":    func(o Options, _ zerolog.Logger) policy { return &randomMove{machine.NewRand(o.Seed)} },
}

// policy is how a kind of player decides. It belongs to one match.
type policy interface {
	// begin uses time between the start of a match and its first move.
	begin(ctx context.Context, at position)
	// choose returns one of the legal moves of the position before ctx is done.
	// There are at least two.
	choose(ctx context.Context, at position) machine.Move
	// rest uses the time until the next move: it returns when ctx is done.
	rest(ctx context.Context, at position)
}

// position is where the player has to move.
type position struct {
	machine machine.Machine
	state   machine.State
	role    machine.Role
	legal   []machine.Move // of role
}

// Player plays one match at a time. Its methods must not be called
// concurrently, except for Abort.
type Player struct {
	kind    string
	options Options
	log     zerolog.Logger
	compile compiler

	mu    sync.Mutex // guards abort, which other goroutines call
	abort context.CancelFunc

	life   context.Context // of the match, ended by abort
	forge  *forge
	match  *match
	policy policy
	rested chan struct{} // closed when the policy has stopped resting
	wake   context.CancelFunc
}

// New makes a player of one of Kinds.
func New(kind string, o Options) (*Player, error) {
	if kinds[kind] == nil {
		return nil, fmt.Errorf("no player %q: it is one of %s", kind, strings.Join(Kinds(), ", "))
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	return &Player{kind: kind, options: o, compile: compileGame, abort: func() {}}, nil
}

// Start prepares for a match. The deadline of ctx is the end of the start clock. Where compiling takes longer
// than that, it goes on behind the match, and Start returns nil all the same.
func (p *Player) Start(ctx context.Context, m Match) error {
	p.end()
	p.log = m.Log
	p.mu.Lock()
	p.life, p.abort = context.WithCancel(context.WithoutCancel(ctx))
	p.mu.Unlock()
	p.policy = kinds[p.kind](p.options, m.Log)
	p.match = &match{role: m.Role, log: m.Log}
	compile := p.compile
	if m.Machine != nil {
		compile = func(context.Context, *gdl.Game, string, int64) (machine.Machine, error) { return m.Machine, nil }
	}
	p.forge = newForge(p.life, compile, m.Game, p.options.Memory, patience(ctx, time.Now()))
	ctx, cancel := withMargin(ctx, time.Now(), readyMargin)
	defer cancel()
	ctx, stop := p.untilAborted(ctx)
	defer stop()
	if err := p.forge.wait(ctx, true); err != nil {
		return err
	}
	at, err := p.position()
	if err == nil {
		p.policy.begin(ctx, at)
	}
	if errors.Is(err, errNoMachine) {
		p.log.Warn().Msg("the rules are still being compiled at the end of the start clock")
		return nil
	}
	return err
}

// Play returns the move to make. It is told all joint moves so far, in order of
// arrival, nil for NIL. The deadline of ctx is the end of the play clock. A joint
// move that is not legal is logged and survived.
func (p *Player) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	if p.match == nil {
		return gdl.Term{}, errors.New("PLAY without a match")
	}
	p.disturb()
	ctx, cancel := withMargin(ctx, time.Now(), replyMargin)
	defer cancel()
	ctx, stop := p.untilAborted(ctx)
	defer stop()
	if err := p.forge.wait(ctx, false); err != nil {
		return gdl.Term{}, err
	}
	p.match.hear(told)
	at, err := p.position()
	if err != nil {
		return gdl.Term{}, err
	}
	move := at.legal[0]
	if len(at.legal) > 1 {
		move = p.policy.choose(ctx, at)
	}
	p.rest(at)
	text := at.machine.Names().Moves[at.role][move]
	p.log.Debug().Str("move", text).Int("turn", len(p.match.history)).Msg("move")
	return gdl.ParseTerm(text)
}

// Stop ends the match; told has its last joint move.
func (p *Player) Stop(told [][]gdl.Term) {
	p.disturb()
	if p.match != nil && p.forge.best() != nil {
		p.match.hear(told)
		if _, err := p.position(); err == nil {
			p.log.Warn().Msg("the match was stopped in a position that is not terminal")
		}
	}
	p.end()
}

// Abort ends the match at once. It may be called at any time.
func (p *Player) Abort() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.abort()
}

// end gives up all that belongs to a match.
func (p *Player) end() {
	p.disturb()
	p.Abort()
	p.match, p.policy, p.forge = nil, nil, nil
}

// untilAborted is ctx, ended by Abort too.
func (p *Player) untilAborted(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(p.life, cancel)
	return ctx, func() { unhook(); cancel() }
}

// position is where the match stands, on the best machine there is.
func (p *Player) position() (position, error) {
	m := p.forge.best()
	if m == nil {
		return position{}, errNoMachine
	}
	if err := p.match.adopt(m); err != nil {
		return position{}, err
	}
	return p.match.position()
}

// rest lets the policy think on until disturbed.
func (p *Player) rest(at position) {
	if !p.options.Ponder {
		return
	}
	ctx, cancel := context.WithCancel(p.life)
	done := make(chan struct{})
	p.wake, p.rested = cancel, done
	go func(policy policy) {
		defer close(done)
		policy.rest(ctx, at)
	}(p.policy)
}

func (p *Player) disturb() {
	if p.wake != nil {
		p.wake()
		<-p.rested
		p.wake = nil
	}
}
