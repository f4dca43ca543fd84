package conformance

import (
	"fmt"
	"sync"
)

// clockChecks are the rules on what must be quick, and on thinking in time.
var clockChecks = []playerCheck{
	{"play clock", "Every move of a game that takes thought comes within the play clock.", func(t *trial) {
		m := t.hard()
		m.turns(3)
	}},
	{"info while thinking", "INFO is answered at once, by busy, while the player thinks.", func(t *trial) {
		m := t.hard()
		var info *exchange
		m.thinking(func() { info = t.send(infoLimit, post("( INFO )")) })
		if info != nil {
			t.expect(info, "a status that is busy", func(x *exchange) bool { return status(x) == "busy" })
		}
	}},
	{"start while thinking", "START of another match is answered by busy at once while the player thinks.", func(t *trial) {
		m := t.hard()
		m.thinking(func() {
			t.ask(fmt.Sprintf("( START %s.other Left (%s\n) 5 5 )", t.prefix, sheet("walk")), infoLimit, "busy", says("busy"))
		})
	}},
	{"abort while thinking", "ABORT is answered at once while the player thinks, and another match can begin.", func(t *trial) {
		m := t.hard()
		m.thinking(func() { m.abort() })
		t.available()
		m = t.walk()
		m.turns(1)
	}},
	{"parallel messages", "Twenty INFO at once are all answered within a second, also in a match.", func(t *trial) {
		t.walk()
		if t.over() {
			return
		}
		replies := make([]*exchange, 20)
		var all sync.WaitGroup
		for i := range replies {
			all.Go(func() { replies[i] = send(t.ctx, t.address, infoLimit, post("( INFO )")) })
		}
		all.Wait()
		for _, x := range replies {
			t.expect(x, "a status that is busy", func(x *exchange) bool { return status(x) == "busy" })
		}
	}},
	{"half-sent requests", "Senders that never finish their requests hold up neither INFO nor a match.", func(t *trial) {
		m := t.walk()
		if t.over() {
			return
		}
		hang, err := halfSend(t.ctx, t.address, 40, "POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n( INF")
		defer hang()
		if err != nil {
			t.skip("the half-sent requests could not be sent: %v", err)
		}
		t.busy()
		m.turns(maxTurns)
		m.stop()
	}},
	{"broken connections", "Connections that are closed in the middle of a request change nothing.", func(t *trial) {
		m := t.walk()
		for _, half := range []string{"", "POST", "POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n( PLAY " + m.id + " ((Fl"} {
			if t.over() {
				return
			}
			hang, err := halfSend(t.ctx, t.address, 3, half)
			hang()
			t.problem(err)
		}
		m.turns(2)
	}},
	{"closing early", "A server that gives up waiting for a reply does not disturb the match.", func(t *trial) {
		m := t.walk()
		if t.over() {
			return
		}
		hang, err := halfSend(t.ctx, t.address, 1, post(m.text("PLAY")))
		hang()
		if err != nil {
			t.skip("the request could not be sent: %v", err)
		}
		sleep(t.ctx, t.PlayClock)
		m.replace("")
		m.turns(2)
	}},
}

// hard begins a match of the game that takes thought, in the role that moves first.
func (t *trial) hard() *table {
	if t.Hard == "" {
		t.skip("there are no rules of a game that takes thought")
	}
	return t.begin(invitation{rules: t.Hard})
}
