package conformance

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
)

// robustChecks are the rules on hostile and broken senders, the most severe last. No known server sends such
// messages.
var robustChecks = []playerCheck{
	{"illegal joint move", "The match survives a PLAY with an impossible joint move, and goes on from the next valid one.", func(t *trial) {
		m := t.walk()
		m.advance(m.play())
		if !t.over() {
			t.send(t.PlayClock, post(fmt.Sprintf("( PLAY %s ((Fly Away) (Go Bee Bee)) )", m.id)))
		}
		m.turns(2)
	}},
	{"nonsense", "Invalid messages are refused with HTTP status 400 or 413 and one line with the reason.", func(t *trial) {
		for _, m := range []string{"", "hello", "(", ")", "( INFO", "( FLY m.1 )", "( START m.1 )", "( PLAY )", "( PLAY m.1", "\x00\xff\x7f"} {
			t.ask(m, t.PlayClock, refusal)
		}
		t.info(t.asUsual())
	}},
	{"broken rules", "A START with invalid rules, role or clock is refused likewise, and begins no match.", func(t *trial) {
		for _, rest := range []string{
			"Left ((role Left) (<= (p ?x) (q ?y))) 5 5 )", "Left () 5 5 )",
			"Nobody (" + flat(walkRules) + ") 5 5 )", "Left (" + flat(walkRules) + ") soon 5 )",
		} {
			t.matches++
			m := &table{trial: t, id: fmt.Sprintf("%s.%d", t.prefix, t.matches)}
			if !t.over() {
				t.table = m // the player may have begun it
				t.ask("( START "+m.id+" "+rest, t.PlayClock, refusal)
			}
		}
		t.info(t.asUsual())
	}},
	{"half-sent requests", "Senders that never finish their requests hold up neither INFO nor a match.", func(t *trial) {
		m := t.walk()
		if t.over() {
			return
		}
		hang, err := halfSend(t.ctx, t.dial, 40, "POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n( INF")
		defer hang()
		if err != nil {
			t.skip("the half-sent requests could not be sent: %v", err)
		}
		t.info(anything)
		m.whole()
	}},
	{"deep nesting", "A message of a hundred thousand parentheses is refused likewise, and the player survives it.", func(t *trial) {
		const depth = 100_000
		t.ask(strings.Repeat("(", depth), t.PlayClock, refusal)
		t.ask("( PLAY m.1 ("+strings.Repeat("(f ", depth)+strings.Repeat(")", depth)+") )", t.PlayClock, refusal)
		t.info(t.asUsual())
	}},
}

// refusal is the wish for the reply to an invalid message.
var refusal = wish{text: "status 400 or 413 and one line with the reason", statuses: []int{400, 413}, fault: func(x *exchange) string {
	if line := strings.TrimSpace(x.body); line == "" || strings.ContainsAny(line, "\r\n") {
		return "the reply is not one line"
	}
	return ""
}}

// halfSend opens n connections and sends the beginning of a request on each. The function closeAll closes them.
func halfSend(ctx context.Context, dial dialer, n int, half string) (closeAll func(), err error) {
	var open []net.Conn
	closeAll = func() {
		for _, c := range open {
			_ = c.Close()
		}
	}
	for range n {
		c, err := dial(ctx)
		if err != nil {
			return closeAll, err
		}
		open = append(open, c)
		if _, err := io.WriteString(c, half); err != nil {
			return closeAll, err
		}
	}
	return closeAll, nil
}
