package arena

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
)

// Question is a position in which a player is asked for a move.
type Question struct {
	Match  string       // begins the id of the match that the player is told of
	Role   machine.Role // of the player
	Joints [][]string   // all joint moves so far
	State  machine.State
	Clock  time.Duration // for the answer, above 0
}

const (
	// preparing is the part of the clock in which a player of this program gets ready.
	preparing = 0.2
	// askGrace is how long past its clock an answer still counts.
	askGrace = time.Second
)

// Ask makes a player anew and asks it for one move, which need not be legal: so people can
// take moves back, and a player that hangs is left behind. A player in this program is told
// all that was played; one at an address, that a match begins in the position,
// with the clock once to start and once to play.
func (g *Manager) Ask(ctx context.Context, p Player, q Question) (move string, why *protocol.Explanation, err error) {
	m := protocol.Match{
		ID: SafeID(q.Match) + "." + rand.Text()[:8], Role: g.roles[q.Role], Game: g.game, Machine: g.machine, Log: g.log,
		Start: time.Now(), StartClock: q.Clock, PlayClock: q.Clock,
	}
	told := [][]gdl.Term{nil}
	var o opponent
	if p.New == nil {
		m.Game, err = g.begunAt(q.State)
		o = &remote{name: p.Name, url: p.URL, id: m.ID}
	} else {
		m.StartClock = time.Duration(preparing * float64(q.Clock))
		m.PlayClock -= m.StartClock
		for _, joint := range q.Joints {
			var terms []gdl.Term
			for _, text := range joint {
				t, _ := gdl.ParseTerm(text) // a text of the machine's
				terms = append(terms, t)
			}
			told = append(told, terms)
		}
		o, err = newLocal(p.New)
	}
	if err != nil {
		return "", nil, err
	}
	defer func() {
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		o.abort(wait)
	}()
	starting, cancel := context.WithTimeout(ctx, m.StartClock+askGrace)
	defer cancel()
	if err := startWhenFree(starting, o, m); err != nil && !errors.Is(err, protocol.ErrLate) {
		return "", nil, err
	}
	playing, cancel := context.WithTimeout(ctx, m.PlayClock+askGrace)
	defer cancel()
	reply, why, err := o.play(playing, told)
	if err != nil {
		return "", nil, err
	}
	term, err := protocol.ParseMove(reply)
	return term.String(), why, err
}

// askAgain is the time after which a busy player is told of the match again.
const askAgain = 500 * time.Millisecond

// startWhenFree tells a player of a match until it is not busy with another one.
func startWhenFree(ctx context.Context, o opponent, m protocol.Match) error {
	for {
		if err := o.start(ctx, m); !errors.Is(err, errBusy) || !sleep(ctx, askAgain) {
			return err
		}
	}
}
