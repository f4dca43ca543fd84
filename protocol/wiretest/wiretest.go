// Package wiretest holds a small game, agents and ports for the tests of both sides of the
// wire. It knows nothing of protocol, whose own tests use it.
package wiretest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
)

// Choosing is a small game of simultaneous moves with names in mixed case: two
// players say yes or no twice; Left wins if the last answers agree. Its names
// differ in more than case.
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

// Term reads a term.
func Term(t testing.TB, text string) gdl.Term {
	t.Helper()
	v, err := gdl.ParseTerm(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Game reads rules.
func Game(t testing.TB, rules string) *gdl.Game {
	t.Helper()
	g, _, err := gdl.Load(t.Context(), "test", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Compile makes the simplest machine of a game.
func Compile(t testing.TB, g *gdl.Game) machine.Machine {
	t.Helper()
	m, err := reference.New(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Fake is an agent made of functions; those that are nil do nothing well. Match is
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

// Drifter plays uniformly random legal moves and checks what it is told. With Sit for
// Start it is a protocol.Agent.
type Drifter struct {
	t     testing.TB
	at    *machine.History
	role  machine.Role
	rng   *machine.Rand
	turns int // joint moves and NIL that it has been told
}

// NewDrifter makes an agent that plays at random on m.
func NewDrifter(t testing.TB, m machine.Machine, seed uint64) *Drifter {
	return &Drifter{t: t, at: machine.NewHistory(m, m.Initial()), rng: machine.NewRand(seed)}
}

// Drifters makes agents that play at random on m, in any match of its game, each
// with a seed of its own.
func Drifters(t testing.TB, m machine.Machine) func() *Drifter {
	var mu sync.Mutex
	seeds := machine.NewRand(1)
	return func() *Drifter {
		mu.Lock()
		defer mu.Unlock()
		return NewDrifter(t, m, seeds.Uint64())
	}
}

// Sit says which role it plays, and that a match begins.
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

// advance applies what it has not been told before: one joint move at a time; at first nil, with the
// joint moves of the opening, if there is one.
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

// FreePorts are ports of this machine that nobody uses. They are below those that systems
// hand out to whoever asks for any: nobody gets one of them before its server listens.
func FreePorts(t testing.TB, n int) []int {
	t.Helper()
	const first, last = 20_000, 32_000
	var ports []int
	for port := first + rand.IntN((last-first)/2); len(ports) < n; port++ { // others who look for some begin elsewhere
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
