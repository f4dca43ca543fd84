package conformance

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
)

// robustChecks are the rules on hostile and broken senders, the worst at the end. No
// server in use sends any of it.
var robustChecks = []playerCheck{
	{
		name: "illegal joint move", rule: "A PLAY with a joint move that nobody can have made is survived; the next true one counts.",
		source: "the protocol: a joint move that is not legal can be noticed and survived",
		run: func(t *trial) {
			m := t.walk()
			m.advance(m.play())
			if !t.over() {
				t.send(t.PlayClock, post(fmt.Sprintf("( PLAY %s ((Fly Away) (Go Bee Bee)) )", m.id)))
			}
			m.turns(2)
		},
	},
	{
		name: "parallel messages", rule: "Twenty INFO at once are all answered within a second, also in a match.",
		source: "good manners: whoever reaches the player can ask",
		run: func(t *trial) {
			t.walk()
			if t.over() {
				return
			}
			replies := make([]*exchange, 20)
			var all sync.WaitGroup
			for i := range replies {
				all.Go(func() { replies[i] = t.status() })
			}
			all.Wait()
			for _, x := range replies {
				t.expect(x, anything)
			}
		},
	},
	{
		name: "nonsense", rule: "What is no message is refused with HTTP status 400 and one line that says why.",
		source: "the protocol: status 400 with a one-line reason; never silence, never a crash",
		run: func(t *trial) {
			for _, m := range []string{"", "hello", "(", ")", "( INFO", "( FLY m.1 )", "( START m.1 )", "( PLAY )", "( PLAY m.1", "\x00\xff\x7f"} {
				t.refused(m)
			}
			t.info(t.asUsual())
		},
	},
	{
		name: "broken rules", rule: "A START whose rules or role make no sense is refused likewise, and begins no match.",
		source: "the protocol: nonsense",
		run: func(t *trial) {
			for _, rest := range []string{
				"Left ((role Left) (<= (p ?x) (q ?y))) 5 5 )", "Left () 5 5 )",
				"Nobody (" + flat(sheet("walk")) + ") 5 5 )", "Left (" + flat(sheet("walk")) + ") soon 5 )",
			} {
				t.matches++
				m := &table{trial: t, id: fmt.Sprintf("%s.%d", t.prefix, t.matches)}
				if !t.over() {
					t.table = m // there may be one
					t.refused("( START " + m.id + " " + rest)
				}
			}
			t.info(t.asUsual())
		},
	},
	{
		name: "broken connections", rule: "Connections that are closed in the middle of a request change nothing.",
		source: "good manners: networks and senders fail",
		run: func(t *trial) {
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
		},
	},
	{
		name: "half-sent requests", rule: "Senders that never finish their requests hold up neither INFO nor a match.",
		source: "good manners: whoever reaches the player can do so",
		run: func(t *trial) {
			m := t.walk()
			if t.over() {
				return
			}
			hang, err := halfSend(t.ctx, t.address, 40, "POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n( INF")
			defer hang()
			if err != nil {
				t.skip("the half-sent requests could not be sent: %v", err)
			}
			t.info(anything)
			m.whole()
		},
	},
	{
		name: "deep nesting", rule: "A message of a hundred thousand parentheses is refused with status 400 or 413, and survived.",
		source: "the protocol: nonsense, never a crash",
		run: func(t *trial) {
			const depth = 100_000
			t.refused(strings.Repeat("(", depth), 413)
			t.refused("( PLAY m.1 ("+strings.Repeat("(f ", depth)+strings.Repeat(")", depth)+") )", 413)
			t.info(t.asUsual())
		},
	},
}

// refused expects a message to be answered with status 400, or one of the others
// that may be, and one line.
func (t *trial) refused(message string, others ...int) {
	if t.over() {
		return
	}
	const expected = "status 400 and one line that says why"
	x := send(t.ctx, t.address, t.PlayClock, post(message))
	switch line := strings.TrimSpace(x.body); {
	case x.status == 0:
		t.fail(x, expected, fmt.Sprintf("there is no reply: %v", x.err))
	case x.status != 400 && !slices.Contains(others, x.status):
		t.fail(x, expected, fmt.Sprintf("the HTTP status is %d", x.status))
	case line == "" || strings.ContainsAny(line, "\r\n"):
		t.fail(x, expected, "the reply is not one line")
	case x.took > x.limit:
		t.fail(x, expected, fmt.Sprintf("the reply took longer than %v", x.limit))
	default:
		t.show(x, expected)
	}
}

// halfSend opens connections and sends the beginning of a request on each. Close
// ends them all.
func halfSend(ctx context.Context, address string, n int, half string) (closeAll func(), err error) {
	var open []net.Conn
	closeAll = func() {
		for _, c := range open {
			_ = c.Close()
		}
	}
	for range n {
		c, err := (&net.Dialer{Timeout: connectLimit}).DialContext(ctx, "tcp", address)
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
