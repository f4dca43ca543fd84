package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
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
}

// Check runs all checks, one after another. The player must be available and have
// no other matches meanwhile. The error says why it could not be checked; with
// that of ctx, the report holds what was checked before.
func (p Player) Check(ctx context.Context) (*Report, error) { return p.check(ctx, playerChecks) }

func (p Player) check(ctx context.Context, checks []playerCheck) (*Report, error) {
	u, err := url.Parse(p.URL)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("expected a player's address such as http://localhost:9147, found %s", shown(p.URL))
	}
	address := u.Host
	if u.Port() == "" {
		address += ":80"
	}
	first := send(ctx, address, infoLimit, post("( INFO )"))
	switch {
	case len(first.raw) == 0 && first.err != nil:
		return nil, fmt.Errorf("%s cannot be checked: no reply to ( INFO ): %w", p.URL, first.err)
	case status(first) == "busy":
		return nil, fmt.Errorf("%s cannot be checked: it is busy", p.URL)
	}
	k := &kit{Player: p, address: address, prefix: fmt.Sprintf("check.%d", time.Now().Unix())}
	report := &Report{Subject: shown(p.URL)}
	for _, c := range checks {
		t := &trial{kit: k, ctx: ctx, result: Result{Check: c.name, Rule: c.rule, Verdict: Pass}}
		t.enter()
		c.run(t)
		t.leave()
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

// kit is what all checks of a player share.
type kit struct {
	Player
	address string
	prefix  string // of match ids
	matches int
	all     []*exchange // of messages that are no nonsense, for the rules on all replies
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
func (t *trial) fail(x *exchange, expected string) {
	if !t.over() {
		t.result.Verdict = Fail
		t.show(x, expected)
	}
}

func (t *trial) show(x *exchange, expected string) {
	t.result.Sent, t.result.Expected, t.result.Got = shown(x.message), shown(expected), x.String()
}

// skip ends the check without a verdict.
func (t *trial) skip(format string, args ...any) {
	if !t.over() {
		t.result = Result{
			Check: t.result.Check, Rule: t.result.Rule, Verdict: Skip,
			Reason: shown(fmt.Sprintf(format, args...)),
		}
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
	x := send(t.ctx, t.address, limit, pieces...)
	t.all = append(t.all, x)
	return x
}

// ask posts a message and expects a reply of which ok is true, in time.
func (t *trial) ask(message string, limit time.Duration, expected string, ok func(x *exchange) bool) *exchange {
	if t.over() {
		return &exchange{}
	}
	return t.expect(t.send(limit, post(message)), expected, ok)
}

// expect fails the check unless the exchange is a reply of which ok is true, in
// time.
func (t *trial) expect(x *exchange, expected string, ok func(x *exchange) bool) *exchange {
	switch {
	case t.over():
	case x.status != 200 || !ok(x):
		t.fail(x, expected)
	case !x.open() && x.late():
		t.fail(x, fmt.Sprintf("%s, within %v", expected, x.limit))
	default:
		t.show(x, expected)
	}
	return x
}

// says expects a word, in any case.
func says(words ...string) func(*exchange) bool {
	return func(x *exchange) bool {
		for _, w := range words {
			if x.word() == w {
				return true
			}
		}
		return false
	}
}

// available expects the player to be free for a match.
func (t *trial) available() {
	t.ask("( INFO )", infoLimit, "a status that is available", func(x *exchange) bool { return status(x) == "available" })
}

// busy expects the player to be in a match.
func (t *trial) busy() {
	t.ask("( INFO )", infoLimit, "a status that is busy", func(x *exchange) bool { return status(x) == "busy" })
}

// enter skips a check that no available player meets, because a check before has
// left it in a state that it does not leave.
func (t *trial) enter() {
	for range settleTries {
		x := send(t.ctx, t.address, infoLimit, post("( INFO )"))
		if x.status == 0 || status(x) != "busy" {
			return
		}
		sleep(t.ctx, settlePause)
	}
	t.skip("the player is still busy after the check before")
}

// leave ends the match that the check has left behind, if any.
func (t *trial) leave() {
	if t.table == nil {
		return
	}
	message := protocol.Message{Command: protocol.Abort, ID: t.table.id}.String()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), infoLimit+overtime)
	defer cancel()
	for range settleTries {
		if send(ctx, t.address, infoLimit, post(message)).status == http.StatusOK {
			break
		}
		sleep(ctx, settlePause)
	}
	t.table = nil
}

const (
	// settleTries and settlePause bound the wait for a player between two checks.
	settleTries = 10
	settlePause = 100 * time.Millisecond
)
