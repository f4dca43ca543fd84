package protocol

import (
	"context"
	"testing"

	"stackmate/protocol/wiretest"
	"stackmate/reasoner/machine"

	"github.com/rs/zerolog"
)

// Shared by the tests of both sides of the wire.
const choosing = wiretest.Choosing

var (
	term    = wiretest.Term
	game    = wiretest.Game
	compile = wiretest.Compile
)

// zlog discards everything.
var zlog = zerolog.Nop()

// fake is an agent made of functions.
type fake = wiretest.Fake[Match]

var _ Agent = (*fake)(nil)

func always(a Agent) NewAgent { return func() Agent { return a } }

// drifter plays uniformly random legal moves and checks the messages it gets.
type drifter struct{ *wiretest.Drifter }

func (d drifter) Start(_ context.Context, m Match) error {
	d.Sit(m.Role)
	return nil
}

// drifters makes agents that play at random on m, in any match of its game.
func drifters(t testing.TB, m machine.Machine) NewAgent {
	next := wiretest.Drifters(t, m)
	return func() Agent { return drifter{next()} }
}
