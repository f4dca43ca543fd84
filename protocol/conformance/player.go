package conformance

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"stackmate/protocol"
)

// Player holds the parameters of a check of a player.
type Player struct {
	URL        string        // http://host:port
	StartClock time.Duration // whole seconds
	PlayClock  time.Duration // whole seconds
	// Hard holds the rules of a game with two roles whose first move takes long thought; the first role moves first.
	Hard string
	// Level is the last level to check.
	Level Level
	dial  dialer // nil dials the URL
}

// Check runs the checks in sequence. The player must be available and have no other matches meanwhile. It returns an
// error if the player cannot be checked. If ctx ends, the report holds the checks so far.
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
	if p.dial == nil {
		p.dial = dialTCP(address)
	}
	first := send(ctx, p.dial, infoLimit, closeLimit, post("( INFO )"))
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

// playerCheck is a rule for players, and the conversation that tests it.
type playerCheck struct {
	name, rule string
	run        func(t *trial)
}

// leveled is a check with its level.
type leveled struct {
	playerCheck
	level Level
}

// playerChecks lists all rules for players, in order of the checks.
var playerChecks = slices.Concat(at(Required, requiredChecks), at(Expected, expectedChecks), at(Robust, robustChecks))

func at(l Level, checks []playerCheck) (all []leveled) {
	for _, c := range checks {
		all = append(all, leveled{c, l})
	}
	return all
}

// kit is the state shared by all checks of a player.
type kit struct {
	Player
	address string
	prefix  string // of match ids
	usual   string // status before the checks
	matches int
	all     []*exchange // valid messages, for the rules on all replies
	dead    bool        // the player refuses connections
	blocked string      // the reason for skipping checks: the player is dead or not available
}

// trial is the run of one check. After the first failure its methods do nothing, so that checks read as
// conversations.
type trial struct {
	*kit
	ctx    context.Context
	result Result
	table  *table // the running match, or nil
}

// over reports whether the verdict is known.
func (t *trial) over() bool { return t.result.Verdict != Pass || t.ctx.Err() != nil }

// fail ends the check: the exchange breaks the rule.
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

// problem ends the check, and reports true, if the kit itself has failed.
func (t *trial) problem(err error) bool {
	if err != nil {
		t.skip("the kit could not evaluate the rules: %v", err)
	}
	return err != nil
}

// send sends a request in pieces and records the exchange.
func (t *trial) send(limit time.Duration, pieces ...string) *exchange {
	x := send(t.ctx, t.dial, limit, t.toClose(), pieces...)
	t.all = append(t.all, x)
	return x
}

// toClose returns the time limit for the end of a connection: 0 once the player has left a connection open.
func (t *trial) toClose() time.Duration {
	if slices.ContainsFunc(t.all, func(x *exchange) bool { return x.status != 0 && !x.ended }) {
		return 0
	}
	return closeLimit
}

// ask posts a message and checks the reply against a wish and its time limit.
func (t *trial) ask(message string, limit time.Duration, reply wish) *exchange {
	if t.over() {
		return &exchange{}
	}
	return t.expect(t.send(limit, post(message)), reply)
}

// expect fails the check if the reply differs from the wish or is late.
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

// info sends INFO.
func (t *trial) info(reply wish) { t.ask("( INFO )", infoLimit, reply) }

// enter skips the check if the player is not available.
func (t *trial) enter() {
	if t.dead || t.blocked != "" && !t.free() {
		t.skip("%s", t.blocked)
	}
}

// leave ends the match that the check left running, and waits until the player is available. If it does not become
// available, the check fails and the next checks are skipped.
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

// lose fails the check because the player has died or stays busy.
func (t *trial) lose(reason string) {
	if t.result.Verdict == Fail {
		reason = t.result.Reason + "; " + reason
	}
	t.result.Verdict, t.result.Reason = Fail, reason
}

// free reports whether the player is available. It first tries to end the match that the check left running.
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

// tell sends a message regardless of the verdict, also after the end of ctx.
func (t *trial) tell(message string, limit time.Duration) *exchange {
	return send(context.WithoutCancel(t.ctx), t.dial, limit, t.toClose(), post(message))
}

func (t *trial) status() *exchange { return t.tell("( INFO )", infoLimit) }

// released checks that the player becomes available soon after a match.
func (t *trial) released() {
	x := t.status()
	for began := time.Now(); isBusy(x) && time.Since(began) < freeWait && !t.over(); x = t.status() {
		protocol.Sleep(t.ctx, settlePause)
	}
	if isBusy(x) {
		t.fail(x, available.text, fmt.Sprintf("the status is busy %v after the end of the match", freeWait))
	}
}

// freeWait is the time, past its clocks, in which a player must end a match and become available: one champion
// collects garbage for 3 s. settlePause is the time between two INFO messages.
const (
	freeWait    = 5 * time.Second
	settlePause = 100 * time.Millisecond
)
