package endurance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/internal/must"
)

// contest is one match that the test manages by hand, against one player; the
// other roles move at random, and so does the player where it fails.
type contest struct {
	player    *player
	referee   *referee
	id        string
	self      int // the player's role
	rules     string
	playClock time.Duration
	patience  time.Duration // the wait for an answer past the clock
	told      string        // the joint move made last, NIL at first
}

// turn is the result of a PLAY.
type turn struct {
	reply
	legal, late bool
	expected    []string // the legal moves
}

func (t turn) String() string {
	return fmt.Sprintf("%v, legal: %v, late: %v, expected one of %.200q", t.reply, t.legal, t.late, t.expected)
}

// start sends START and waits for the clock, and a second or more, at most.
func (c *contest) start(t testing.TB, startClock time.Duration) reply {
	t.Helper()
	must.OK(t, c.referee.restart(t.Context()))
	c.told = "NIL"
	return c.player.send(startMessage(c.id, c.referee.roles[c.self], c.rules, startClock, c.playClock), startClock+either(leniency, time.Second))
}

func startMessage(id, role, rules string, startClock, playClock time.Duration) string {
	return fmt.Sprintf("(START %s %s (%s\n) %v %v)", id, role, rules, startClock.Seconds(), playClock.Seconds())
}

// play sends PLAY, judges the answer and makes the joint move.
func (c *contest) play(t testing.TB) turn {
	t.Helper()
	out := turn{reply: c.player.send(fmt.Sprintf("(PLAY %s %s)", c.id, c.told), c.playClock+c.patience)}
	out.late = out.took > c.playClock
	out.expected = c.referee.legal[c.self]
	out.legal = out.ok() && slices.Contains(out.expected, spaced(out.text))
	joint := c.referee.randomJoint()
	if out.legal && !out.late {
		joint[c.self] = spaced(out.text)
	}
	must.OK(t, c.referee.advance(t.Context(), joint))
	c.told = "(" + strings.Join(joint, " ") + ")"
	return out
}

// end sends STOP if the match is over, else ABORT.
func (c *contest) end() reply {
	if c.referee.over() {
		return c.player.send(fmt.Sprintf("(STOP %s %s)", c.id, c.told), c.playClock+either(leniency, time.Second))
	}
	return c.player.send(fmt.Sprintf("(ABORT %s)", c.id), either(leniency, serverPatience))
}
