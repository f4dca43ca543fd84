package conformance

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/games"
	"stackmate/internal/must"
	"stackmate/player"
	"stackmate/protocol"
	"stackmate/protocol/wiretest"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"

	"github.com/rs/zerolog"
)

// pass is the time of a pass of a laborious machine on the clock of a bubble.
const pass = 10 * time.Millisecond

// laborious is a machine whose passes take time on the clock of a bubble: a search with a deadline does the same work
// there on a fast and on a busy processor.
type laborious struct{ machine.Machine }

func (m laborious) NewBatch() machine.Batch       { return laboriousBatch{m.Machine.NewBatch()} }
func (m laborious) NewNarrowBatch() machine.Batch { return laboriousBatch{m.Machine.NewNarrowBatch()} }
func (m laborious) Unwrap() machine.Machine       { return m.Machine }

// Decisive implements facts.Deciding.
func (m laborious) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	if decisive := facts.Decisive(ctx, m.Machine, atOnce); decisive != nil {
		return laborious{decisive}
	}
	return nil
}

type laboriousBatch struct{ machine.Batch }

func (b laboriousBatch) Unwrap() machine.Batch { return b.Batch }

func (b laboriousBatch) Evaluate(n int) {
	time.Sleep(pass)
	b.Batch.Evaluate(n)
}

func (b laboriousBatch) Prepare(n int) {
	time.Sleep(pass)
	machine.Prepare(b.Batch, n)
}

func (b laboriousBatch) Advance(n int) {
	time.Sleep(pass)
	b.Batch.Advance(n)
}

// ours is the program's player on laborious machines.
type ours struct{ *player.Player }

func (o ours) Start(ctx context.Context, m protocol.Match) error {
	compiled, err := reasoner.New(ctx, m.Game, reasoner.Options{})
	if err != nil {
		return err
	}
	return o.Player.Start(ctx, player.Match{Game: m.Game, Role: m.Role, Machine: laborious{compiled}, PlayClock: m.PlayClock, Log: m.Log})
}

func TestOurPlayerKeepsTheRulesOfTheProtocol(t *testing.T) {
	_, hard := must.Get2(games.Source("breakthrough-6x6"))(t)
	synctest.Test(t, func(t *testing.T) {
		ours := protocol.NewEndpoint("Ours", func() protocol.Agent {
			p := must.Get(player.New("stackmate", player.Options{Threads: 1, Ponder: true}))(t)
			t.Cleanup(func() { // some checks leave their match
				p.Abort()
				time.Sleep(time.Second)
			})
			return ours{p}
		}, zerolog.Nop())
		for _, r := range checkOver(t, string(hard), wiretest.NewWire(), ours, 2*time.Second) {
			if r.Verdict != Pass {
				t.Errorf("%+v", r)
			}
		}
	})
}
