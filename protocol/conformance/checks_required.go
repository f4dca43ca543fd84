package conformance

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// requiredChecks are the rules that a match needs. The rules on every reply come last:
// they look at all replies so far.
var requiredChecks = []playerCheck{
	{
		name: "info", rule: "INFO is answered within a second by a status, which is available.",
		source: "ggp-base: PlayerPresence.updateInfo reads for 1 s; Scheduler.canSchedule begins no match unless the status is available",
		run:    func(t *trial) { t.info(available) },
	},
	{
		name: "start", rule: "START is answered by ready before the end of the start clock.",
		source: "the protocol: ready; ggp-base: StartRequestThread reads for the start clock, then the record says TO",
		run:    func(t *trial) { t.beginWith(invitation{rules: sheet("walk")}, word("ready")) },
	},
	{
		name: "busy", rule: "In a match, INFO does not say available.",
		source: "ggp-base: Scheduler.canSchedule gives whoever says available another match",
		run: func(t *trial) {
			t.walk()
			t.info(elsewhere)
		},
	},
	{
		name: "busy while busy", rule: "In a match, START of another one is answered by busy, and the match goes on.",
		source: "the protocol: busy while a match runs; ggp-base: StartRequest.process",
		run: func(t *trial) {
			m := t.walk()
			m.turns(1)
			t.ask(fmt.Sprintf("( START %s.other Left (%s) 5 5)", t.prefix, flat(sheet("walk"))), t.StartClock, word("busy"))
			m.turns(1)
		},
	},
	{
		name: "whole match", rule: "Every PLAY, with NIL or the joint move before, is answered by one legal move, spelled as in the rules.",
		source: "ggp-base: PlayRequestThread.handleResponse replaces what is none of the legal moves, compared with regard to case",
		run: func(t *trial) {
			for role := range 2 {
				t.begin(invitation{rules: sheet("walk"), role: role}).whole()
			}
		},
	},
	{
		name: "turns", rule: "Who is not on turn answers with the only legal move.",
		source: "ggp-base: GameServer.sendPlayRequests asks every role on every turn",
		run: func(t *trial) {
			for role := range 2 {
				t.begin(invitation{rules: sheet("turns"), role: role}).whole()
			}
		},
	},
	{
		name: "replaced move", rule: "The player goes on from the joint move that it is told, also where that has another move than its own.",
		source: "ggp-base: PlayRequestThread begins with a random legal move, which stands where no legal one comes in time",
		run: func(t *trial) {
			m := t.walk()
			for range 3 {
				m.replace(m.play())
			}
			m.play()
		},
	},
	{
		name: "play clock", rule: "Every move of a game that takes thought comes within the play clock.",
		source: "ggp-base: PlayRequestThread reads for the play clock and 1 s, then a random move is made; other servers allow less",
		run:    func(t *trial) { t.hard().turns(3) },
	},
	{
		name: "stop", rule: "STOP is answered by done, and the player is available soon after.",
		source: "the protocol: done; ggp-base: StopRequestThread forgives a late reply, Scheduler.canSchedule waits for available",
		run: func(t *trial) {
			m := t.walk()
			m.turns(maxTurns)
			m.stop(word("done"))
			t.released()
		},
	},
	{
		name: "stop with NIL", rule: "STOP with NIL, sent where the first position is terminal, is answered, and the player is available soon after.",
		source: "ggp-base: RequestBuilder.getStopRequest writes NIL where no move has been made",
		run: func(t *trial) {
			t.walk().stop(anything)
			t.released()
		},
	},
	{
		name: "abort", rule: "ABORT between two moves is answered by aborted, and the player is available soon after.",
		source: "the protocol: aborted; ggp-base: AbortRequestThread forgives a late reply, Scheduler.canSchedule waits for available",
		run: func(t *trial) {
			m := t.walk()
			m.turns(2)
			m.abort(freeWait, word("aborted"))
			t.released()
		},
	},
	{
		name: "content length", rule: "A reply that announces its length has as many bytes.",
		source: "ggp-base: HttpReader.readContentFromPOST reads exactly the Content-Length, and without one to the end of the stream",
		run: everyReply(func(x *exchange) string {
			found := x.header.Get("Content-Length")
			if n, err := strconv.Atoi(found); found != "" && (err != nil || n != len(x.body) || errors.Is(x.err, io.ErrUnexpectedEOF)) {
				return fmt.Sprintf("Content-Length is %s, and %d bytes came", shown(found), len(x.body))
			}
			return ""
		}),
	},
	{
		name: "no chunks", rule: "No reply is sent in chunks.",
		source: "ggp-base: HttpReader.readContentFromPOST takes the sizes of chunks for text",
		run: everyReply(func(x *exchange) string {
			if x.chunked {
				return "the header Transfer-Encoding is chunked"
			}
			return ""
		}),
	},
	{
		name: "end of stream", rule: "After the reply the player ends the connection.",
		source: "GameController: RemotePlayer.sendMsg reads to the end of the stream, whatever the header says",
		run: everyReply(func(x *exchange) string {
			if !x.ended {
				return fmt.Sprintf("the connection is open %v after the reply", closeLimit)
			}
			return ""
		}),
	},
	{
		name: "ASCII", rule: "Every reply is ASCII, without control characters but white space.",
		source: "ggp-base: HttpReader.readContentFromPOST counts Content-Length in characters, and waits for more where they are fewer than bytes",
		run: everyReply(func(x *exchange) string {
			for i, c := range []byte(x.body) {
				if c > '~' || c < ' ' && c != '\t' && c != '\r' && c != '\n' {
					return fmt.Sprintf("byte %d is 0x%02x", i, c)
				}
			}
			return ""
		}),
	},
}

// hard begins a match of the game that takes thought, in the role that moves first.
func (t *trial) hard() *table {
	if t.Hard == "" {
		t.skip("there are no rules of a game that takes thought")
	}
	return t.begin(invitation{rules: t.Hard})
}

// everyReply checks all replies so far with a function that tells how one differs from
// the rule, or "".
func everyReply(fault func(x *exchange) string) func(t *trial) {
	return func(t *trial) {
		seen := 0
		for _, x := range t.all {
			if x.status == 0 {
				continue
			}
			seen++
			if differs := fault(x); differs != "" {
				t.fail(x, t.result.Rule, differs)
				return
			}
		}
		if seen == 0 {
			t.skip("there was no reply")
		}
	}
}
