package arena

import (
	"context"
	"net/http/httptest"
	"testing"

	"stackmate/gdl"
	"stackmate/protocol"
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
type fake = wiretest.Fake[protocol.Match]

// serve runs an endpoint on a free port and returns its URL.
func serve(t *testing.T, newAgent protocol.NewAgent) string {
	t.Helper()
	server := httptest.NewServer(protocol.NewEndpoint("Tester", newAgent, zlog))
	t.Cleanup(server.Close)
	return server.URL
}

func always(a protocol.Agent) protocol.NewAgent { return func() protocol.Agent { return a } }

// saying returns an agent that always makes the same move.
func saying(move gdl.Term) *fake {
	return &fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) { return move, nil }}
}

// drifter plays uniformly random legal moves and checks the messages it gets.
type drifter struct{ *wiretest.Drifter }

func (d drifter) Start(_ context.Context, m protocol.Match) error {
	d.Sit(m.Role)
	return nil
}

// drifters makes agents that play at random on m, in any match of its game.
func drifters(t testing.TB, m machine.Machine) protocol.NewAgent {
	next := wiretest.Drifters(t, m)
	return func() protocol.Agent { return drifter{next()} }
}
