package conformance

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"stackmate/protocol"
)

// Player says how a player is checked.
type Player struct {
	URL        string        // http://host:port
	StartClock time.Duration // whole seconds
	PlayClock  time.Duration // whole seconds
	// Hard are the rules of a game over whose first move a player thinks for long,
	// with two roles of which the first moves first.
	Hard string
	// Level is the last one that is checked.
	Level Level
}

// Check runs the checks, one after another. The player must be available and have
// no other matches meanwhile. The error says why it could not be checked; with
// that of ctx, the report holds what was checked before.
func (p Player) Check(ctx context.Context) (*Report, error) {
	return p.check(ctx, upTo(p.Level, playerChecks, func(c leveled) Level { return c.level }))
}

func (p Player) check(ctx context.Context, checks []leveled) (*Report, error) {
	if err := protocol.CheckURL(p.URL); err != nil {
		return nil, err
	}
	u, _ := url.Parse(p.URL)
	address := u.Host
	if u.Port() == "" {
		address += ":80"
	}
	first := send(ctx, address, infoLimit, closeLimit, post("( INFO )"))
	switch {
	case len(first.raw) == 0 && first.err != nil:
		return nil, fmt.Errorf("%s cannot be checked: no reply to ( INFO ): %w", p.URL, first.err)
	case isBusy(first):
		return nil, fmt.Errorf("%s cannot be checked: it is busy", p.URL)
	}
	k := &kit{Player: p, address: address, usual: readInfo(first.body)["status"], prefix: fmt.Sprintf("check.%d", time.Now().Unix())}
	report := &Report{Subject: shown(p.URL)}
	for _, c := range checks {
		t := &trial{kit: k, ctx: ctx, result: Result{Check: c.name, Level: c.level, Rule: c.rule, Source: playerSources[c.name], Verdict: Pass}}
		t.enter()
		if !t.over() {
			c.run(t)
			t.leave()
		}
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		report.add(t.result)
	}
	return report, nil
}

// playerCheck is one rule for players, and the conversation that shows whether it
// is kept.
type playerCheck struct {
	name, rule string
	run        func(t *trial)
}

// leveled is a check with its level.
type leveled struct {
	playerCheck
	level Level
}

// playerChecks are all rules for players, in the order in which they are checked.
var playerChecks = slices.Concat(at(Required, requiredChecks), at(Expected, expectedChecks), at(Robust, robustChecks))

func at(l Level, checks []playerCheck) (all []leveled) {
	for _, c := range checks {
		all = append(all, leveled{c, l})
	}
	return all
}

// kit is what all checks of a player share.
type kit struct {
	Player
	address string
	prefix  string // of match ids
	usual   string // status before the checks
	matches int
	all     []*exchange // of messages that are no nonsense, for the rules on all replies
	dead    bool        // the player takes no connections any more
	blocked string      // why checks are not run any more: the player is dead, or not available
}

// trial is one check under way. After the first failure its methods do nothing, so
// that checks read as conversations.
type trial struct {
	*kit
	ctx    context.Context
	result Result
	table  *table // where a match runs
}

// over tells whether the check has been decided.
func (t *trial) over() bool { return t.result.Verdict != Pass || t.ctx.Err() != nil }

// fail ends the check: the exchange broke the rule.
func (t *trial) fail(x *exchange, expected, differs string) {
	if !t.over() {
		t.show(x, expected)
		t.result.Verdict, t.result.Reason = Fail, shown(differs)
	}
}

func (t *trial) show(x *exchange, expected string) {
	t.result.Sent, t.result.Expected, t.result.Got = shown(x.message), shown(expected), x.String()
}

// skip ends the check without a verdict.
func (t *trial) skip(format string, args ...any) {
	if !t.over() {
		t.result.Sent, t.result.Expected, t.result.Got = "", "", ""
		t.result.Verdict, t.result.Reason = NotRun, shown(fmt.Sprintf(format, args...))
	}
}

// problem ends the check if the kit itself has failed.
func (t *trial) problem(err error) bool {
	if err != nil {
		t.skip("the rules could not be followed: %v", err)
	}
	return err != nil
}

// send sends a request in pieces and keeps the exchange.
func (t *trial) send(limit time.Duration, pieces ...string) *exchange {
	x := send(t.ctx, t.address, limit, t.toClose(), pieces...)
	t.all = append(t.all, x)
	return x
}

// toClose is how long to wait for the end of a connection: not at all once the player is known
// to leave connections open.
func (t *trial) toClose() time.Duration {
	if slices.ContainsFunc(t.all, func(x *exchange) bool { return x.status != 0 && !x.ended }) {
		return 0
	}
	return closeLimit
}

// ask posts a message and expects a reply as wished, in time.
func (t *trial) ask(message string, limit time.Duration, reply wish) *exchange {
	if t.over() {
		return &exchange{}
	}
	return t.expect(t.send(limit, post(message)), reply)
}

// expect fails the check unless the exchange is a reply as wished, in time.
func (t *trial) expect(x *exchange, reply wish) *exchange {
	differs := ""
	switch {
	case x.status == 0 && x.err != nil:
		differs = "there is no reply: " + x.err.Error()
	case x.status != 200 && reply.statuses == nil, reply.statuses != nil && !slices.Contains(reply.statuses, x.status):
		differs = fmt.Sprintf("the HTTP status is %d", x.status)
	default:
		differs = reply.fault(x)
	}
	if differs == "" && x.took > x.limit {
		differs = fmt.Sprintf("the reply came %.2f s past its limit of %v", (x.took - x.limit).Seconds(), x.limit)
	}
	switch {
	case differs != "":
		t.fail(x, reply.text, differs)
	case !t.over():
		t.show(x, reply.text)
	}
	return x
}

// info asks for the status.
func (t *trial) info(reply wish) { t.ask("( INFO )", infoLimit, reply) }

// enter keeps a check from a player that is not there to be checked.
func (t *trial) enter() {
	if t.dead || t.blocked != "" && !t.free() {
		t.skip("%s", t.blocked)
	}
}

// leave ends the match that the check has left behind, if any, and waits until the
// player is available. A player that isn't fails the check, the first time.
func (t *trial) leave() {
	t.blocked = ""
	for began := time.Now(); !t.free() && t.ctx.Err() == nil; protocol.Sleep(t.ctx, settlePause) {
		wait := time.Since(began)
		switch {
		case t.dead:
			t.lose("the player has died: it takes no connections any more")
			t.blocked = "the player has died in the check of " + t.result.Check
			return
		case wait > max(t.StartClock, t.PlayClock)+freeWait:
			t.lose(fmt.Sprintf("the player is not available %.0f s later, after ABORT, STOP and INFO", wait.Seconds()))
			t.blocked = "the player has not been available since the check of " + t.result.Check
			return
		}
	}
}

// lose fails the check because of what became of the player.
func (t *trial) lose(reason string) {
	if t.result.Verdict == Fail {
		reason = t.result.Reason + "; " + reason
	}
	t.result.Verdict, t.result.Reason = Fail, reason
}

// free tells whether no match runs, and tries to end the one that the check has left
// behind.
func (t *trial) free() bool {
	m := t.table
	if m != nil {
		m.transform = nil
	}
	if m != nil && !m.closed {
		t.tell(m.abortion(), infoLimit)
		m.closed = true
	}
	x := t.status()
	if m != nil && isBusy(x) {
		t.tell(m.abortion(), infoLimit)
		t.tell(m.text("STOP"), t.PlayClock)
		x = t.status()
	}
	if x.unreachable {
		protocol.Sleep(t.ctx, connectLimit)
		x = t.status()
		t.dead = x.unreachable
	}
	if x.status == 0 || isBusy(x) {
		return false
	}
	t.table = nil
	return true
}

// tell sends a message whatever the check has come to, also when ctx has ended.
func (t *trial) tell(message string, limit time.Duration) *exchange {
	return send(context.WithoutCancel(t.ctx), t.address, limit, t.toClose(), post(message))
}

func (t *trial) status() *exchange { return t.tell("( INFO )", infoLimit) }

// released expects the player to be available soon after the end of a match.
func (t *trial) released() {
	x := t.status()
	for began := time.Now(); isBusy(x) && time.Since(began) < freeWait && !t.over(); x = t.status() {
		protocol.Sleep(t.ctx, settlePause)
	}
	if isBusy(x) {
		t.fail(x, available.text, fmt.Sprintf("the status is busy %v after the end of the match", freeWait))
	}
}

// freeWait is how long past its clocks a player may take to end a match and to become
// available: one champion collects garbage for 3 s. settlePause lies between two questions.
const (
	freeWait    = 5 * time.Second
	settlePause = 100 * time.Millisecond
)
