package protocol

import (
	"context"
	"sync"
	"testing"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"

	"github.com/rs/zerolog"
)

// choosing is a small game of simultaneous moves with names in mixed case: two
// players say yes or no twice; Left wins if the last answers agree. Its names
// differ in more than case.
const choosing = `
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

// zlog discards everything.
var zlog = zerolog.Nop()

func game(t testing.TB, rules string) *gdl.Game {
	t.Helper()
	g, _, err := gdl.Load(t.Context(), "test", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func compile(t testing.TB, g *gdl.Game) machine.Machine {
	t.Helper()
	m, err := reference.New(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fake is an agent made of functions; those that are nil do nothing well.
type fake struct {
	onStart func(ctx context.Context, m Match) error
	onPlay  func(ctx context.Context, told [][]gdl.Term) (gdl.Term, error)
	onStop  func(told [][]gdl.Term)
	onAbort func()
}

var _ Agent = (*fake)(nil)

func (f *fake) Start(ctx context.Context, m Match) error {
	if f.onStart == nil {
		return nil
	}
	return f.onStart(ctx, m)
}

func (f *fake) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	if f.onPlay == nil {
		return gdl.Term{Name: "pass"}, nil
	}
	return f.onPlay(ctx, told)
}

func (f *fake) Stop(told [][]gdl.Term) {
	if f.onStop != nil {
		f.onStop(told)
	}
}

func (f *fake) Abort() {
	if f.onAbort != nil {
		f.onAbort()
	}
}

func always(a Agent) NewAgent { return func() Agent { return a } }

// drifter plays uniformly random legal moves and checks what it is told.
type drifter struct {
	t     testing.TB
	names *machine.Names
	batch machine.Batch
	role  machine.Role
	rng   *machine.Rand
	turns int // joint moves and NIL that it has been told
}

// drifters makes agents that play at random on m, in any match of its game.
func drifters(t testing.TB, m machine.Machine) NewAgent {
	var mu sync.Mutex
	seeds := machine.NewRand(1)
	return func() Agent {
		mu.Lock()
		defer mu.Unlock()
		return &drifter{t: t, names: m.Names(), batch: m.NewBatch(), rng: machine.NewRand(seeds.Uint64())}
	}
}

func (d *drifter) Start(_ context.Context, m Match) error {
	d.role, _ = d.names.Role(m.Role)
	d.turns = 0
	return nil
}

func (d *drifter) Play(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
	d.advance(told)
	d.batch.Evaluate(1)
	legal := d.batch.AppendLegal(nil, 0, d.role)
	text := d.names.Moves[d.role][legal[d.rng.Intn(len(legal))]]
	return gdl.ParseTerm(text)
}

// advance applies the last joint move, which must be the only new one, and nil
// exactly at the first turn.
func (d *drifter) advance(told [][]gdl.Term) {
	joint := told[len(told)-1]
	if len(told) != d.turns+1 || (d.turns == 0) != (joint == nil) {
		d.t.Errorf("told %v after %d turns", told, d.turns)
	}
	d.turns++
	d.batch.Evaluate(1)
	for r, t := range joint {
		move, ok := d.names.Move(machine.Role(r), t.String())
		if !ok {
			d.t.Errorf("told of a move %v of role %d", t, r)
			return
		}
		d.batch.Choose(0, machine.Role(r), move)
	}
	if joint != nil {
		d.batch.Advance(1)
	}
}

func (d *drifter) Stop(told [][]gdl.Term) {
	d.advance(told)
	d.batch.Evaluate(1)
	if d.batch.Terminal()[0]&1 == 0 {
		d.t.Error("stopped in a position that is not terminal")
	}
}

func (d *drifter) Abort() {}
