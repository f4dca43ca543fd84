package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"stackmate/protocol"
)

// expectedChecks are the rules that most servers and players agree on.
var expectedChecks = []playerCheck{
	{"name", "The reply to INFO has the player's name.", func(t *trial) {
		t.info(wish{text: "a pair (name ...)", fault: func(x *exchange) string {
			if readInfo(x.body)["name"] == "" {
				return "there is no pair (name ...) in a list of pairs"
			}
			return ""
		}})
	}},
	{"start clock", "START is answered before the end of the start clock.", func(t *trial) {
		t.beginWith(invitation{rules: walkRules}, t.StartClock, anything)
	}},
	{"ping", "PING is answered by available.", func(t *trial) {
		t.ask("( PING )", infoLimit, wish{text: "available, or ready", fault: func(x *exchange) string {
			if x.word() == "ready" {
				return ""
			}
			return statusFault(x, "available")
		}})
	}},
	{"preview", "PREVIEW is answered, and begins no match.", func(t *trial) {
		t.ask(fmt.Sprintf("( PREVIEW (%s) %.0f )", flat(turnsRules), t.StartClock.Seconds()), t.StartClock, anything)
		t.info(t.asUsual())
	}},
	{"case of heads", "The heads of messages are understood in any case.", func(t *trial) {
		t.ask("( iNfO )", infoLimit, t.asUsual())
		heads := strings.NewReplacer("START", "start", "PLAY", "Play", "STOP", "stop").Replace
		t.begin(invitation{rules: walkRules, transform: heads}).whole()
	}},
	{"white space", "Blanks, tabs and line breaks may occur anywhere, or be missing beside parentheses.", func(t *trial) {
		t.ask("(INFO)", infoLimit, t.asUsual())
		spread := strings.NewReplacer(" ", " \t\r\n ").Replace
		t.begin(invitation{rules: walkRules, transform: spread}).whole()
	}},
	{"upper case", "A match that is in upper case but for its id is played.", func(t *trial) {
		t.begin(invitation{rules: strings.ToUpper(flat(walkRules))}).whole()
	}},
	{"upper-cased moves", "Joint moves and ids in upper case are understood; the reply is spelled as in the rules of START.", func(t *trial) {
		m := t.walk()
		m.transform = strings.ToUpper
		m.whole()
	}},
	{"first move", "PLAY with any atom in place of the joint move is answered as with NIL.", func(t *trial) {
		m := t.walk()
		m.playText(fmt.Sprintf("( PLAY %s none )", m.id))
	}},
	{"unknown match", "PLAY, STOP and ABORT of a match that does not run are answered by busy.", func(t *trial) {
		for _, m := range []string{"( PLAY nobody.1 NIL )", "( STOP nobody.1 NIL )", "( ABORT nobody.1 )"} {
			t.ask(m, infoLimit, word("busy"))
		}
	}},
	{"repeated message", "After a repeated PLAY, whose joint move is not legal any more, the player still knows the position.", func(t *trial) {
		m := t.walk()
		m.advance(m.play())
		m.play()
		m.advance(m.play()) // the kit asks again in the same position
		m.turns(2)
	}},
	{"extra arguments", "Arguments of START past the clocks are ignored.", func(t *trial) {
		t.begin(invitation{rules: walkRules, extra: " 7 (some thing)"}).turns(1)
	}},
	{"large rules", "Rules of 100 kB are read within the start clock.", func(t *trial) {
		var b strings.Builder
		b.WriteString(walkRules)
		for n := 0; b.Len() < 100_000; n++ {
			fmt.Fprintf(&b, "(known thing%d %d)\n", n, n)
		}
		t.beginWith(invitation{rules: b.String()}, t.StartClock, anything).turns(2)
	}},
	{"info while thinking", "INFO is answered at once while the player thinks.", func(t *trial) {
		m := t.hard()
		m.thinking(func() { t.info(anything) })
	}},
	{"abort while thinking", "ABORT is answered at once while the player thinks, and another match can begin.", func(t *trial) {
		m := t.hard()
		m.thinking(func() { m.abort(infoLimit, word("aborted")) })
		m = t.walk()
		m.turns(1)
	}},
	{"closing early", "A server that gives up waiting for a reply does not disturb the match.", func(t *trial) {
		m := t.walk()
		if t.over() {
			return
		}
		hang, err := halfSend(t.ctx, t.dial, 1, post(m.text("PLAY")))
		hang()
		if err != nil {
			t.skip("the request could not be sent: %v", err)
		}
		protocol.Sleep(t.ctx, t.PlayClock)
		m.replace("")
		m.turns(2)
	}},
	{"request in pieces", "A request may arrive in pieces.", func(t *trial) {
		t.expect(t.send(infoLimit, "POST / HT", "TP/1.0\r\nContent-Le", "ngth: 8\r\n", "\r\n", "( IN", "FO )"), t.asUsual())
	}},
	{"HTTP 1.1", "Requests of HTTP 1.1 are answered like those of HTTP 1.0.", func(t *trial) {
		t.expect(t.send(infoLimit, "POST / HTTP/1.1\r\nHost: "+t.address+"\r\nContent-Length: 8\r\n\r\n( INFO )"), t.asUsual())
	}},
	{"GET", "INFO may also come as the escaped path of a GET.", func(t *trial) {
		t.expect(t.send(infoLimit, "GET /"+url.QueryEscape("( INFO )")+" HTTP/1.0\r\n\r\n"), t.asUsual())
	}},
	{"cross-origin headers", "OPTIONS is answered, and every reply allows browsers to read it: Access-Control-Allow-Origin, -Methods, -Headers.", func(t *trial) {
		x := t.send(infoLimit, "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nAccess-Control-Request-Method: POST\r\n\r\n")
		headers := wish{text: "the Access-Control-Allow headers", fault: crossOrigin}
		t.expect(x, headers)
		t.info(headers)
	}},
}

// crossOrigin returns a text about a missing header for browsers, or "".
func crossOrigin(x *exchange) string {
	for _, want := range [][2]string{
		{"Access-Control-Allow-Origin", "*"},
		{"Access-Control-Allow-Methods", http.MethodPost},
		{"Access-Control-Allow-Headers", "Content-Type"},
	} {
		if found := x.header.Get(want[0]); !strings.Contains(strings.ToLower(found), strings.ToLower(want[1])) {
			return fmt.Sprintf("the header %s is %s instead of %s", want[0], shown(found), want[1])
		}
	}
	return ""
}
