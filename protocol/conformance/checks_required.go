package conformance

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// requiredChecks are the rules that a match needs. The rules on every reply come last: they check all replies so far.
var requiredChecks = []playerCheck{
	{"info", "INFO is answered within a second by a status, which is available.", func(t *trial) { t.info(available) }},
	{"start", "START is answered by ready, soon after the end of the start clock at the latest.", func(t *trial) {
		t.beginWith(invitation{rules: walkRules}, t.StartClock+freeWait, word("ready"))
	}},
	{"busy", "In a match, INFO does not say available.", func(t *trial) {
		t.walk()
		t.info(elsewhere)
	}},
	{"busy while busy", "In a match, START of another one is answered by busy, and the match goes on.", func(t *trial) {
		m := t.walk()
		m.turns(1)
		t.ask(fmt.Sprintf("( START %s.other Left (%s) 5 5)", t.prefix, flat(walkRules)), t.StartClock, word("busy"))
		m.turns(1)
	}},
	{"whole match", "Every PLAY, with NIL or the joint move before, is answered by one legal move, spelled as in the rules.", func(t *trial) {
		for role := range 2 {
			t.begin(invitation{rules: walkRules, role: role}).whole()
		}
	}},
	{"turns", "A player that is not on turn answers with its only legal move.", func(t *trial) {
		for role := range 2 {
			t.begin(invitation{rules: turnsRules, role: role}).whole()
		}
	}},
	{"replaced move", "The player goes on from the joint move of PLAY, even if its own move was replaced there.", func(t *trial) {
		m := t.walk()
		for range 3 {
			m.replace(m.play())
		}
		m.play()
	}},
	{"play clock", "Every move of a game that takes thought comes within the play clock.", func(t *trial) { t.hard().turns(3) }},
	{"stop", "STOP is answered by done, and the player is available soon after.", func(t *trial) {
		m := t.walk()
		m.turns(maxTurns)
		m.stop(word("done"))
		t.released()
	}},
	{"stop with NIL", "STOP with NIL, sent where the first position is terminal, is answered, and the player is available soon after.", func(t *trial) {
		t.walk().stop(anything)
		t.released()
	}},
	{"abort", "ABORT between two moves is answered by aborted, and the player is available soon after.", func(t *trial) {
		m := t.walk()
		m.turns(2)
		m.abort(freeWait, word("aborted"))
		t.released()
	}},
	{"content length", "A reply that announces its length has as many bytes.", everyReply(func(x *exchange) string {
		found := x.header.Get("Content-Length")
		if n, err := strconv.Atoi(found); found != "" && (err != nil || n != len(x.body) || errors.Is(x.err, io.ErrUnexpectedEOF)) {
			return fmt.Sprintf("Content-Length is %s, and %d bytes came", shown(found), len(x.body))
		}
		return ""
	})},
	{"no chunks", "No reply is sent in chunks.", everyReply(func(x *exchange) string {
		if x.chunked {
			return "the header Transfer-Encoding is chunked"
		}
		return ""
	})},
	{"end of stream", "After the reply the player ends the connection.", everyReply(func(x *exchange) string {
		if !x.ended {
			return fmt.Sprintf("the connection is open %v after the reply", closeLimit)
		}
		return ""
	})},
	{"ASCII", "Every reply is ASCII, without control characters other than white space.", everyReply(func(x *exchange) string {
		for i, c := range []byte(x.body) {
			if c > '~' || c < ' ' && c != '\t' && c != '\r' && c != '\n' {
				return fmt.Sprintf("byte %d is 0x%02x", i, c)
			}
		}
		return ""
	})},
}

// hard begins a match of the hard game, in the role that moves first.
func (t *trial) hard() *table {
	if t.Hard == "" {
		t.skip("no rules of a hard game were given")
	}
	return t.begin(invitation{rules: t.Hard})
}

// everyReply returns a check of all replies so far. The function fault returns the difference from the rule, or "".
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
