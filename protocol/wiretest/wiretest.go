// Package wiretest provides a small game, agents and free ports for tests of the protocol and of the arena. It does
// not import protocol, whose tests use it.
package wiretest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/reference"
)

// Choosing is a small game of simultaneous moves with names in mixed case: two players say yes or no twice; Left wins
// if the last answers agree. No two names differ in case only.
const Choosing = `
(role Left) (role Right)
(answer (say Yes)) (answer (say No)) (answer pass)
(init (round 1))
(succ 1 2) (succ 2 3)
(<= (legal ?p ?a) (role ?p) (answer ?a))
(<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
(<= (next agreed) (does Left ?a) (does Right ?a))
(<= terminal (true (round 3)))
(<= (goal Left 100) (true agreed))
(<= (goal Left 0) (not (true agreed)))
(<= (goal Right 0) (true agreed))
(<= (goal Right 100) (not (true agreed)))
`

// Term parses a term.
func Term(t testing.TB, text string) gdl.Term {
	t.Helper()
	v := must.Get(gdl.ParseTerm(text))(t)
	return v
}

// Game parses rules.
func Game(t testing.TB, rules string) *gdl.Game {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte(rules)))(t)
	return g
}

// Compile returns the simplest machine of a game.
func Compile(t testing.TB, g *gdl.Game) machine.Machine {
	t.Helper()
	m := must.Get(reference.New(t.Context(), g))(t)
	return m
}

// Fake is an agent made of functions. A nil function does nothing; without OnPlay the move is pass. Match is
// protocol.Match.
type Fake[Match any] struct {
	OnStart func(ctx context.Context, m Match) error
	OnPlay  func(ctx context.Context, told [][]gdl.Term) (gdl.Term, error)
	OnStop  func(told [][]gdl.Term)
	OnAbort func()
}

// Start implements protocol.Agent.
func (f *Fake[Match]) Start(ctx context.Context, m Match) error {
	if f.OnStart == nil {
		return nil
	}
	return f.OnStart(ctx, m)
}

// Play implements protocol.Agent.
func (f *Fake[Match]) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	if f.OnPlay == nil {
		return gdl.Term{Name: "pass"}, nil
	}
	return f.OnPlay(ctx, told)
}

// Stop implements protocol.Agent.
func (f *Fake[Match]) Stop(told [][]gdl.Term) {
	if f.OnStop != nil {
		f.OnStop(told)
	}
}

// Abort implements protocol.Agent.
func (f *Fake[Match]) Abort() {
	if f.OnAbort != nil {
		f.OnAbort()
	}
}

// Drifter plays uniformly random legal moves and checks the joint moves it receives. With Sit for Start it is a
// protocol.Agent.
type Drifter struct {
	t     testing.TB
	at    *play.History
	role  machine.Role
	rng   *machine.Rand
	turns int // joint moves and NIL received
}

// NewDrifter returns a random player of m.
func NewDrifter(t testing.TB, m machine.Machine, seed uint64) *Drifter {
	return &Drifter{t: t, at: play.NewHistory(m, m.Initial()), rng: machine.NewRand(seed)}
}

// Drifters returns a constructor of random players of m, each with its own seed.
func Drifters(t testing.TB, m machine.Machine) func() *Drifter {
	var mu sync.Mutex
	seeds := machine.NewRand(1)
	return func() *Drifter {
		mu.Lock()
		defer mu.Unlock()
		return NewDrifter(t, m, seeds.Uint64())
	}
}

// Sit begins a match in a role.
func (d *Drifter) Sit(role string) {
	d.role, _ = d.at.Names.Role(role)
	d.turns = 0
}

// Play implements protocol.Agent.
func (d *Drifter) Play(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
	d.advance(told)
	legal := d.at.Legal(d.role)
	return gdl.ParseTerm(legal[d.rng.Intn(len(legal))])
}

// advance applies the new joint moves of told, one per turn; at first nil and the joint moves of the opening, if any.
func (d *Drifter) advance(told [][]gdl.Term) {
	if len(told) <= d.turns || told[0] != nil || d.turns > 0 && len(told) != d.turns+1 {
		d.t.Errorf("told %v after %d turns", told, d.turns)
	}
	for _, joint := range told[max(1, d.turns):] {
		var texts []string
		for _, t := range joint {
			texts = append(texts, t.String())
		}
		if err := d.at.Advance(texts); err != nil {
			d.t.Errorf("told %v: %v", joint, err)
			return
		}
	}
	d.turns = len(told)
}

// Stop implements protocol.Agent.
func (d *Drifter) Stop(told [][]gdl.Term) {
	d.advance(told)
	if !d.at.IsOver() {
		d.t.Error("stopped in a position that is not terminal")
	}
}

// Abort implements protocol.Agent.
func (d *Drifter) Abort() {}

// FreePorts returns unused local ports. They lie below the range of ephemeral ports, so that the system gives none
// away before its server listens.
func FreePorts(t testing.TB, n int) []int {
	t.Helper()
	const first, last = 20_000, 32_000
	var ports []int
	for port := first + rand.IntN((last-first)/2); len(ports) < n; port++ { // start at a random port, to avoid concurrent searches
		if port > last {
			t.Fatalf("%d free ports of %d", len(ports), n)
		}
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			continue
		}
		defer l.Close()
		ports = append(ports, port)
	}
	return ports
}
