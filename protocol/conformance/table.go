package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"stackmate/reasoner/prover"
)

// table is a match that the kit runs against a player. The kit plays all other roles and computes the legal moves
// from the rules.
type table struct {
	*trial
	id    string
	role  int
	at    *prover.Position
	joint []string // the last joint move; nil before the first
	// transform changes messages as some servers do; nil sends them unchanged.
	transform func(message string) string
	closed    bool // STOP or ABORT has been sent
}

// invitation is the content of a START message.
type invitation struct {
	rules     string
	role      int
	extra     string                      // appended after the clocks
	transform func(message string) string // see table
}

// begin sends a START, as known servers do, and expects any reply but busy: separate checks cover the word ready and
// the start clock. It ends a running match first.
func (t *trial) begin(i invitation) *table {
	return t.beginWith(i, t.StartClock+freeWait, wish{text: "any reply but busy", fault: func(x *exchange) string {
		if x.word() == "busy" {
			return "the reply is busy, though no match runs"
		}
		return ""
	}})
}

func (t *trial) beginWith(i invitation, limit time.Duration, reply wish) *table {
	t.matches++
	m := &table{trial: t, id: fmt.Sprintf("%s.%d", t.prefix, t.matches), role: i.role, transform: i.transform}
	if t.over() {
		return m
	}
	var err error
	if m.at, err = newPosition(t.ctx, i.rules); t.problem(err) {
		return m
	}
	message := fmt.Sprintf("( START %s %s (%s) %.0f %.0f%s)", m.id, m.at.Roles[i.role], flat(i.rules),
		t.StartClock.Seconds(), t.PlayClock.Seconds(), i.extra)
	if t.table != nil {
		t.free()
	}
	t.table = m
	t.ask(m.transformed(message), limit, reply)
	return m
}

// flat formats rules or a move as known servers do: on one line, without comments, with blanks around parentheses.
func flat(rules string) string {
	var b strings.Builder
	for line := range strings.Lines(rules) {
		line, _, _ = strings.Cut(line, ";")
		b.WriteString(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(line) + " ")
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// walk begins a match of the kit's game of simultaneous moves.
func (t *trial) walk() *table { return t.begin(invitation{rules: walkRules}) }

// text returns a message of the match with the last joint move.
func (m *table) text(command string) string {
	joint := "NIL"
	if m.joint != nil {
		joint = "(" + flat(strings.Join(m.joint, " ")) + " )"
	}
	return m.transformed(fmt.Sprintf("( %s %s %s )", command, m.id, joint))
}

func (m *table) transformed(message string) string {
	if m.transform == nil {
		return message
	}
	return m.transform(message)
}

// play sends PLAY and expects a legal move. It returns the move, or "".
func (m *table) play() string { return m.playText(m.text("PLAY")) }

func (m *table) playText(message string) string {
	if m.over() {
		return ""
	}
	legal, err := m.at.Legal(m.ctx, m.role, 0)
	if m.problem(err) {
		return ""
	}
	return moveIn(m.ask(message, m.PlayClock, moveOf(legal)))
}

// advance makes a joint move: own for the player, the first legal moves for all other roles.
func (m *table) advance(own string) {
	if m.over() {
		return
	}
	joint := make([]string, len(m.at.Roles))
	for role := range joint {
		legal, err := m.at.Legal(m.ctx, role, 0)
		if m.problem(err) {
			return
		}
		if joint[role] = legal[0]; role == m.role {
			joint[role] = own
		}
	}
	m.joint = joint
	m.problem(m.at.Advance(m.ctx, joint))
}

// replace advances with another move than the player's, as servers do after a late reply.
func (m *table) replace(own string) {
	if m.over() {
		return
	}
	legal, err := m.at.Legal(m.ctx, m.role, 0)
	if m.problem(err) {
		return
	}
	other := slices.IndexFunc(legal, func(move string) bool { return move != own })
	m.advance(legal[max(0, other)])
}

// turns plays n turns, or to the end of the match if that comes first.
func (m *table) turns(n int) {
	for range n {
		if m.ended() {
			return
		}
		m.advance(m.play())
	}
}

// maxTurns exceeds the length of all matches of the kit's games.
const maxTurns = 20

// whole plays to the end of the match and sends STOP.
func (m *table) whole() {
	m.turns(maxTurns)
	m.stop(anything)
}

// ended reports whether the match or the check has ended.
func (m *table) ended() bool {
	if m.over() {
		return true
	}
	end, err := m.at.IsOver(m.ctx)
	return m.problem(err) || end
}

// stop sends STOP with the last joint move.
func (m *table) stop(reply wish) {
	m.closed = true
	m.ask(m.text("STOP"), max(m.PlayClock, freeWait), reply)
}

// abort sends ABORT.
func (m *table) abort(limit time.Duration, reply wish) {
	m.closed = true
	m.ask(m.abortion(), limit, reply)
}

func (m *table) abortion() string { return m.transformed(fmt.Sprintf("( ABORT %s )", m.id)) }

// thinking sends PLAY and calls f while the player thinks.
func (m *table) thinking(f func()) {
	if m.over() {
		return
	}
	played := make(chan *exchange, 1)
	message := m.text("PLAY")
	toClose := m.toClose()
	go func() { played <- send(m.ctx, m.dial, m.PlayClock, toClose, post(message)) }()
	select {
	case x := <-played:
		m.skip("the player moved at once: %s", x)
		return
	case <-time.After(thinkTime):
	}
	f()
	m.all = append(m.all, <-played)
}

// thinkTime is the time after PLAY at which a player should still be thinking.
const thinkTime = 300 * time.Millisecond
