package player

import (
	"context"
	"errors"
	"slices"
	"time"

	"stackmate/reasoner/machine"
)

// errNoMove says that nothing is known of where the match stands.
var errNoMove = errors.New("no legal move could be found in time")

// turn is one call of Play. It looks for ever better answers, and gives the best
// that there is when it is time.
type turn struct {
	*Player
	schedule
	heard int           // messages of the history
	delay time.Duration // from the arrival of the message to Play
}

// play returns the text of the move to make.
func (t *turn) play(ctx context.Context) (string, error) {
	thinking, cancel := context.WithDeadline(ctx, t.think)
	defer cancel()
	go t.margins.watch(thinking)
	t.desk.disturb()
	stand, err := t.where(ctx, thinking)
	if err != nil {
		return "", err
	}
	if stand.replaced {
		t.margins.replaced()
	}
	made := choice{verdict: verdict{by: byFallback}}
	text := stand.legal[0]
	switch {
	case stand.heard < t.heard:
		made.by = byOutdated
	case stand.all && len(stand.legal) == 1:
		made.by = byRules
	case stand.machine != nil:
		at := stand.position(t.match.self)
		at.give = t.give
		if c, err := t.desk.choose(thinking, at); err == nil && slices.Contains(at.legal, c.move) {
			made, text = c, at.machine.Names().MoveText(at.role, c.move)
		}
	}
	t.ponder(stand, made)
	t.report(stand, made, text, time.Now())
	return text, nil
}

// lateness is how long past its clock a move is still worth waiting for: some
// servers add a second, and others say that it was late, not that it was illegal.
const lateness = 500 * time.Millisecond

// where waits until a machine says where the match stands, or it is known that
// there is one move only. When the time for thinking is over, anything will do, and
// when the clock is, in the end, the legal moves of an earlier position.
func (t *turn) where(ctx, thinking context.Context) (*standing, error) {
	late := time.NewTimer(time.Until(t.last.Add(lateness)))
	defer late.Stop()
	over, ended := thinking.Done(), ctx.Done()
	for {
		s, changed := t.match.best(t.heard)
		if s != nil {
			switch {
			case s.over:
				return nil, ErrOver
			case len(s.legal) == 0:
				return nil, errors.New("the rules give us no legal move here")
			case s.machine != nil, s.all && len(s.legal) == 1, thinking.Err() != nil:
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

// outdated is what was known before the last messages.
func (t *turn) outdated() (*standing, error) {
	if s, _ := t.match.best(0); s != nil && len(s.legal) > 0 {
		return s, nil
	}
	return nil, errNoMove
}

// ponder lets the policy think on in the time of the others.
func (t *turn) ponder(stand *standing, made choice) {
	if t.options.Ponder && stand.machine != nil && made.by != byOutdated {
		t.desk.ponder(t.life, stand.position(t.match.self))
	}
}

// report takes the times into the margins, and writes the line of a move.
func (t *turn) report(stand *standing, made choice, text string, now time.Time) {
	if !now.Before(t.think) { // a move made before its time says nothing of delays at its end
		t.margins.moved(t.delay, now.Sub(t.think))
	}
	took := now.Sub(t.arrived)
	at := position{role: t.match.self}
	if stand.machine != nil {
		at = stand.position(t.match.self)
	}
	x := explain(at, made, text, took)
	t.explanation = x
	e := t.match.log.Info().Int("turn", stand.turn).Dur("clock", t.clock).Dur("took", took).
		Dur("margin", t.last.Sub(t.think)).Str("engine", engine(stand.machine)).Str("by", string(made.by))
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

// engine names what a machine runs on; nil is the rules themselves.
func engine(m machine.Machine) string {
	if m == nil {
		return "rules"
	}
	return m.Info().Engine
}
