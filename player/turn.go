package player

import (
	"context"
	"errors"
	"slices"
	"time"

	"stackmate/player/tracking"
	"stackmate/reasoner/machine"
)

// errNoMove is returned if no position is known.
var errNoMove = errors.New("no legal move found in time: the position of the match is unknown")

// turn is one call of Play. It improves its answer until its deadline and returns the best move found.
type turn struct {
	*Player
	schedule
	heard int           // number of messages in the history
	delay time.Duration // from the arrival of the message to Play
}

// play returns the text of the move to make.
func (t *turn) play(ctx context.Context) (string, error) {
	thinking, cancel := context.WithDeadline(ctx, t.think)
	defer cancel()
	go t.margins.watch(thinking)
	t.worker.interrupt()
	stand, err := t.where(ctx, thinking)
	if err != nil {
		return "", err
	}
	if stand.Replaced {
		t.margins.replaced()
	}
	made := choice{verdict: verdict{by: byFallback}}
	text := stand.Legal[t.rng.Intn(len(stand.Legal))] // random: the order of the rules carries no meaning
	switch {
	case stand.Heard < t.heard:
		made.by = byOutdated
	case stand.All && len(stand.Legal) == 1:
		made.by = byRules
	case stand.Machine != nil:
		at := t.position(stand)
		at.give = t.give
		if c, err := t.worker.choose(thinking, at); err == nil && slices.Contains(at.legal, c.move) {
			made, text = c, at.machine.Names().MoveText(at.role, c.move)
		} else if m, ok := t.worker.experience.favouriteAt(at); ok {
			made.why, text = "the search has not returned: its preferred move", at.machine.Names().MoveText(at.role, m)
		}
	}
	t.ponder(stand, made)
	t.report(stand, made, text, time.Now())
	return text, nil
}

// lateness is the time for which a move is still useful after its clock: some servers add a second, and others
// report a late move instead of an illegal one.
const lateness = 500 * time.Millisecond

// where waits until a machine knows the position, or only one move is legal. After the thinking time it accepts
// any standing. At the end of the clock it falls back to the legal moves of an earlier position.
func (t *turn) where(ctx, thinking context.Context) (*tracking.Standing, error) {
	late := time.NewTimer(time.Until(t.last.Add(lateness)))
	defer late.Stop()
	over, ended := thinking.Done(), ctx.Done()
	for {
		s, changed := t.match.Best(t.heard)
		if s != nil {
			switch {
			case s.Over:
				return nil, ErrOver
			case len(s.Legal) == 0:
				return nil, errors.New("the rules give this role no legal move in a position that is not terminal")
			case s.Machine != nil, s.All && len(s.Legal) == 1, thinking.Err() != nil:
				return s, nil
			}
		}
		if t.isLost() {
			return nil, errNoMove
		}
		select {
		case <-changed:
		case <-over:
			over = nil
		case <-ended:
			if ended = nil; !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return t.outdated()
			}
		case <-t.life.Done():
			return t.outdated()
		case <-late.C:
			return t.outdated()
		}
	}
}

// outdated returns the best standing before the last messages.
func (t *turn) outdated() (*tracking.Standing, error) {
	if s, _ := t.match.Best(0); s != nil && len(s.Legal) > 0 {
		return s, nil
	}
	return nil, errNoMove
}

// ponder lets the policy search in the opponents' time.
func (t *turn) ponder(stand *tracking.Standing, made choice) {
	if t.options.Ponder && stand.Machine != nil && made.by != byOutdated {
		t.worker.ponder(t.life, t.position(stand))
	}
}

// report updates the margins with the times of this move, stores the explanation and logs the move.
func (t *turn) report(stand *tracking.Standing, made choice, text string, now time.Time) {
	if !now.Before(t.think) { // an early move gives no measurement of delays
		t.margins.moved(t.delay, now.Sub(t.think))
	}
	took := now.Sub(t.arrived)
	at := position{role: t.role}
	if stand.Machine != nil {
		at = t.position(stand)
	}
	x := explain(at, made, text, took)
	t.explanation = x
	e := t.log.Info().Int("turn", stand.Turn).Dur("clock", t.clock).Dur("took", took).
		Dur("margin", t.last.Sub(t.think)).Str("engine", engine(stand.Machine)).Str("by", x.By)
	e = e.Str("why", x.Why)
	if i := slices.IndexFunc(x.Values, func(v Value) bool { return v.Role == t.self }); i >= 0 {
		v := x.Values[i]
		kind := "estimated"
		if v.Proved && v.Lower == v.Upper {
			kind = "proved"
		}
		e = e.Float64("value", v.Estimate).Str("kind", kind)
	}
	if made.result != nil {
		e = e.Int64("nodes", x.Nodes).Int64("playouts_per_second", int64(x.Playouts)).
			Str("strategy", x.strategyText()).Str("line", x.lineText())
	}
	e.Str("move", text).Msg("move")
}

// engine returns the name of a machine's engine; nil stands for the rules alone.
func engine(m machine.Machine) string {
	if m == nil {
		return "rules"
	}
	return m.Info().Engine
}
