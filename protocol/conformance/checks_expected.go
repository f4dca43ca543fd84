package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// expectedChecks are the rules that most servers and players agree on.
var expectedChecks = []playerCheck{
	{
		name: "name", rule: "INFO tells the player's name.",
		source: "ggp-base: Scheduler.doSchedule tells players apart by the name in their replies to INFO",
		run: func(t *trial) {
			t.info(wish{"a pair (name ...)", func(x *exchange) string {
				if readInfo(x.body)["name"] == "" {
					return "there is no pair (name ...) in a list of pairs"
				}
				return ""
			}})
		},
	},
	{
		name: "ping", rule: "PING is answered by available.",
		source: "the protocol: older servers send PING for INFO",
		run: func(t *trial) {
			t.ask("( PING )", infoLimit, wish{"available, or ready", func(x *exchange) string {
				if x.word() == "ready" {
					return ""
				}
				return statusFault(x, "available")
			}})
		},
	},
	{
		name: "preview", rule: "PREVIEW is answered, and begins no match.",
		source: "ggp-base: GameServer.run sends PREVIEW in matches with a preview clock; PreviewRequestThread reads for that clock, then the record says TO",
		run: func(t *trial) {
			t.ask(fmt.Sprintf("( PREVIEW (%s) %.0f )", flat(sheet("turns")), t.StartClock.Seconds()), t.StartClock, anything)
			t.info(t.asUsual())
		},
	},
	{
		name: "case of heads", rule: "The heads of messages are understood in any case.",
		source: "the protocol: the head is case-insensitive; ggp-base: RequestFactory.create",
		run: func(t *trial) {
			t.ask("( iNfO )", infoLimit, t.asUsual())
			m := t.begin(invitation{rules: sheet("walk"), dress: strings.NewReplacer("START", "start").Replace})
			m.dress = strings.NewReplacer("PLAY", "Play", "STOP", "stop").Replace
			m.whole()
		},
	},
	{
		name: "white space", rule: "Blanks, tabs and line breaks may occur anywhere, or be missing beside parentheses.",
		source: "the protocol: they occur anywhere; ggp-base: SymbolFactory.preprocess",
		run: func(t *trial) {
			t.ask("(INFO)", infoLimit, t.asUsual())
			spread := strings.NewReplacer(" ", " \t\r\n ").Replace
			m := t.begin(invitation{rules: sheet("walk"), dress: spread})
			m.dress = spread
			m.whole()
		},
	},
	{
		name: "upper case", rule: "A match that is in upper case but for its id is played.",
		source: "GameController: RemotePlayer.gameStart and constructPlayOrStopMessage write rules, role and moves in upper case",
		run: func(t *trial) {
			m := t.begin(invitation{rules: strings.ToUpper(flat(sheet("walk")))})
			m.whole()
		},
	},
	{
		name: "upper-cased moves", rule: "Joint moves and ids in upper case are understood; the reply is spelled as in the rules of START.",
		source: "the protocol: a few servers send PLAY and STOP in upper case, START as it is",
		run: func(t *trial) {
			m := t.walk()
			m.dress = strings.ToUpper
			m.whole()
		},
	},
	{
		name: "first move", rule: "PLAY with any atom in place of the joint move is answered as with NIL.",
		source: "the protocol: any atom there means that no move has been made; ggp-base: RequestFactory.parseMoves",
		run: func(t *trial) {
			m := t.walk()
			m.playText(fmt.Sprintf("( PLAY %s none )", m.id))
		},
	},
	{
		name: "unknown match", rule: "PLAY, STOP and ABORT of a match that does not run are answered by busy.",
		source: "the protocol: busy; ggp-base: PlayRequest.process, StopRequest.process, AbortRequest.process",
		run: func(t *trial) {
			for _, m := range []string{"( PLAY nobody.1 NIL )", "( STOP nobody.1 NIL )", "( ABORT nobody.1 )"} {
				t.ask(m, infoLimit, word("busy"))
			}
		},
	},
	{
		name: "repeated message", rule: "A PLAY that is sent again, with a joint move that cannot have been made again, loses no position.",
		source: "the protocol: messages have no turn numbers, and a joint move that is not legal in the position can be noticed",
		run: func(t *trial) {
			m := t.walk()
			m.advance(m.play())
			m.play()
			m.advance(m.play()) // asked for again, in the same position
			m.turns(2)
		},
	},
	{
		name: "extra arguments", rule: "Arguments of START past the clocks are ignored.",
		source: "the protocol: extra arguments are ignored; ggp-base: RequestFactory.createStart",
		run: func(t *trial) {
			m := t.begin(invitation{rules: sheet("walk"), extra: " 7 (some thing)"})
			m.turns(1)
		},
	},
	{
		name: "large rules", rule: "Rules of 100 kB are read within the start clock.",
		source: "the largest rulesheets in use have nearly 100 kB",
		run: func(t *trial) {
			var b strings.Builder
			b.WriteString(sheet("walk"))
			for n := 0; b.Len() < 100_000; n++ {
				fmt.Fprintf(&b, "(known thing%d %d)\n", n, n)
			}
			m := t.begin(invitation{rules: b.String()})
			m.turns(2)
		},
	},
	{
		name: "info while thinking", rule: "INFO is answered at once while the player thinks.",
		source: "ggp-base: PlayerPresenceManager asks all players every second, in matches too, and shows those that are late as errors",
		run: func(t *trial) {
			m := t.hard()
			m.thinking(func() { t.info(anything) })
		},
	},
	{
		name: "abort while thinking", rule: "ABORT is answered at once while the player thinks, and another match can begin.",
		source: "ggp-base: GameServer.abort sends ABORT at any time, and reads for 1 s",
		run: func(t *trial) {
			m := t.hard()
			m.thinking(func() { m.abort(infoLimit, word("aborted")) })
			m = t.walk()
			m.turns(1)
		},
	},
	{
		name: "closing early", rule: "A server that gives up waiting for a reply does not disturb the match.",
		source: "ggp-base: RequestThread.run gives up at its clock, and GameServer.run goes on with another move",
		run: func(t *trial) {
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
		},
	},
	{
		name: "request in pieces", rule: "A request may arrive in pieces.",
		source: "ggp-base: HttpWriter.writeAsClient writes through a buffer, so that a long START leaves in pieces",
		run: func(t *trial) {
			t.expect(t.send(infoLimit, "POST / HT", "TP/1.0\r\nContent-Le", "ngth: 8\r\n", "\r\n", "( IN", "FO )"), t.asUsual())
		},
	},
	{
		name: "HTTP 1.1", rule: "Requests of HTTP 1.1 are answered like those of HTTP 1.0.",
		source: "the protocol: HTTP 1.0 or 1.1",
		run: func(t *trial) {
			t.expect(t.send(infoLimit, "POST / HTTP/1.1\r\nHost: "+t.address+"\r\nContent-Length: 8\r\n\r\n( INFO )"), t.asUsual())
		},
	},
	{
		name: "GET", rule: "A message may also come as the escaped path of a GET.",
		source: "the protocol: some clients send GET; ggp-base: HttpWriter.writeAsClientGET",
		run: func(t *trial) {
			t.expect(t.send(infoLimit, "GET /"+url.QueryEscape("( INFO )")+" HTTP/1.0\r\n\r\n"), t.asUsual())
		},
	},
	{
		name: "cross-origin headers", rule: "OPTIONS is answered, and every reply allows browsers to read it: Access-Control-Allow-Origin, -Methods, -Headers.",
		source: "the protocol: reply headers; ggp-base: HttpReader.readAsServer and HttpWriter.writeAsServer",
		run: func(t *trial) {
			x := t.send(infoLimit, "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nAccess-Control-Request-Method: POST\r\n\r\n")
			headers := wish{"the Access-Control-Allow headers", crossOrigin}
			t.expect(x, headers)
			t.info(headers)
		},
	},
	{
		name: "content type", rule: "Replies have the Content-Type text/acl.",
		source: "the protocol: reply headers",
		run: func(t *trial) {
			t.info(wish{"Content-Type: text/acl", func(x *exchange) string {
				if found := x.header.Get("Content-Type"); !strings.HasPrefix(found, "text/acl") {
					return "the header Content-Type is " + shown(found)
				}
				return ""
			}})
		},
	},
}

// crossOrigin tells which header is missing for browsers, or "".
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
