package web

import (
	"context"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
)

// somebody is a person in a match.
type somebody struct {
	*table
	role machine.Role
}

var _ protocol.Agent = (*somebody)(nil)

// Start implements protocol.Agent.
func (*somebody) Start(context.Context, protocol.Match) error { return nil }

// Play implements protocol.Agent. It returns as soon as all people at the table have chosen.
func (p *somebody) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	if p.Limit > 0 {
		_ = p.change(func() error { p.seats[p.role].asked = len(p.joints) == len(told)-1; return nil })
	}
	for {
		p.mu.Lock()
		choice, sealed, changed := p.seats[p.role].choice, p.sealed && len(p.joints) == len(told)-1, p.changed
		p.mu.Unlock()
		switch {
		case !sealed:
		case choice == "":
			return gdl.Term{}, protocol.ErrLate
		default:
			return gdl.ParseTerm(choice)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return gdl.Term{}, ctx.Err()
		}
	}
}

// Stop implements protocol.Agent.
func (*somebody) Stop([][]gdl.Term) {}

// Abort implements protocol.Agent.
func (*somebody) Abort() {}

const (
	// preparing is the part of the clock in which a player gets ready for its move.
	preparing = 0.2
	// thinkingGrace is how long past its clock an answer still counts.
	thinkingGrace = time.Second
)

// thinker is a player of this program in a match. It is made anew for each move, so that no more
// players need memory than think at a time, and one that hangs is left behind; its clock begins when
// there is room for it.
type thinker struct {
	*table
	role     machine.Role
	newAgent protocol.NewAgent
	match    protocol.Match
	why      *protocol.Explanation
}

var (
	_ protocol.Agent     = (*thinker)(nil)
	_ protocol.Explainer = (*thinker)(nil)
)

// Start implements protocol.Agent.
func (p *thinker) Start(_ context.Context, m protocol.Match) error { p.match = m; return nil }

// Play implements protocol.Agent.
func (p *thinker) Play(ctx context.Context, told [][]gdl.Term) (move gdl.Term, err error) {
	leave, err := p.thinking.enter(ctx, nil)
	if err != nil {
		return gdl.Term{}, err
	}
	defer leave()
	seat, err := protocol.NewSeat(p.newAgent)
	if err != nil {
		return gdl.Term{}, err
	}
	defer seat.Abort()
	m, clock := p.match, seconds(p.Clock)
	m.StartClock = time.Duration(preparing * float64(clock))
	m.Start, m.PlayClock = time.Now(), clock-m.StartClock
	starting, cancel := context.WithTimeout(ctx, m.StartClock+thinkingGrace)
	defer cancel()
	if err := seat.Start(starting, ctx, m); err != nil && starting.Err() == nil {
		return gdl.Term{}, err
	}
	playing, cancel := context.WithTimeout(ctx, m.PlayClock)
	defer cancel()
	waiting, cancel := context.WithTimeout(ctx, m.PlayClock+thinkingGrace)
	defer cancel()
	move, p.why, err = seat.Play(waiting, playing, func() [][]gdl.Term { return told })
	return move, p.chose(err)
}

// chose shows that the player has chosen.
func (p *thinker) chose(err error) error {
	if err == nil {
		_ = p.change(func() error { p.seats[p.role].chosen = true; return nil })
	}
	return err
}

// Explain implements protocol.Explainer.
func (p *thinker) Explain() *protocol.Explanation { return p.why }

// Stop implements protocol.Agent.
func (*thinker) Stop([][]gdl.Term) {}

// Abort implements protocol.Agent.
func (*thinker) Abort() {}
