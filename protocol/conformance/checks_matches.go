package conformance

import (
	"fmt"
	"strings"
)

// matchChecks are the rules on the course of a match.
var matchChecks = []playerCheck{
	{"start", "START is answered by ready before the end of the start clock; the player is busy then.", func(t *trial) {
		t.walk()
		t.busy()
	}},
	{"busy while busy", "While a match runs, another START is answered by busy, and the match goes on.", func(t *trial) {
		m := t.walk()
		m.turns(1)
		t.ask(fmt.Sprintf("( START %s.other Left (%s\n) 5 5 )", t.prefix, sheet("walk")), t.StartClock, "busy", says("busy"))
		m.turns(1)
	}},
	{"first move", "PLAY with NIL, or any other atom, is answered by a legal move.", func(t *trial) {
		for _, atom := range []string{"NIL", "nil", "none"} {
			m := t.walk()
			m.playText(fmt.Sprintf("( PLAY %s %s )", m.id, atom))
			m.abort()
		}
	}},
	{"whole match", "Every PLAY with the joint move before is answered by a move that is legal then; STOP by done.", func(t *trial) {
		for role := range 2 {
			m := t.begin(invitation{rules: sheet("walk"), role: role})
			m.turns(maxTurns)
			m.stop()
		}
		t.available()
	}},
	{"turns", "Who is not on turn answers with the only legal move.", func(t *trial) {
		for role := range 2 {
			m := t.begin(invitation{rules: sheet("turns"), role: role})
			m.turns(maxTurns)
			m.stop()
		}
	}},
	{"replaced move", "The player goes on from the joint move that it is told, also where that has another move than its own.", func(t *trial) {
		m := t.walk()
		for range 3 {
			m.replace(m.play())
		}
		m.play()
	}},
	{"repeated message", "A PLAY that is sent again, with a joint move that cannot have been made again, loses no position.", func(t *trial) {
		m := t.walk()
		m.advance(m.play())
		m.play()
		m.advance(m.play()) // asked for again, in the same position
		m.turns(2)
	}},
	{"illegal joint move", "A PLAY with a joint move that nobody can have made is survived; the next true one counts.", func(t *trial) {
		m := t.walk()
		m.advance(m.play())
		if !t.over() {
			t.send(t.PlayClock, post(fmt.Sprintf("( PLAY %s ((Fly Away) (Go Bee Bee)) )", m.id)))
		}
		m.turns(2)
	}},
	{"stop with NIL", "STOP with NIL, sent where the first position is terminal, is answered by done.", func(t *trial) {
		m := t.walk()
		m.stop()
		t.available()
	}},
	{"abort", "ABORT is answered by aborted; the player is available then.", func(t *trial) {
		m := t.walk()
		m.turns(2)
		m.abort()
		t.available()
	}},
	{"again", "After STOP and after ABORT, another match can begin.", func(t *trial) {
		m := t.walk()
		m.turns(1)
		m.abort()
		m = t.walk()
		m.turns(maxTurns)
		m.stop()
		m = t.walk()
		m.turns(1)
	}},
	{"case of heads", "Heads of START, PLAY, STOP and ABORT are understood in any case.", func(t *trial) {
		m := t.begin(invitation{rules: sheet("walk"), transform: func(s string) string { return strings.Replace(s, "START", "start", 1) }})
		m.transform = strings.NewReplacer("PLAY", "play", "STOP", "Stop").Replace
		m.turns(maxTurns)
		m.stop()
		m = t.walk()
		m.transform = strings.NewReplacer("PLAY", "Play", "ABORT", "abort").Replace
		m.turns(1)
		m.abort()
	}},
	{"upper-cased moves", "Joint moves and ids in upper case are understood; the reply is spelled as in the rules of START.", func(t *trial) {
		m := t.walk()
		m.transform = strings.ToUpper
		m.turns(maxTurns)
		m.stop()
	}},
	{"upper case", "A match that is in upper case throughout is played in upper case.", func(t *trial) {
		m := t.begin(invitation{rules: strings.ToUpper(sheet("walk")), transform: strings.ToUpper})
		m.transform = strings.ToUpper
		m.turns(maxTurns)
		m.stop()
	}},
	{"white space in matches", "Tabs, line breaks and doubled blanks in START, PLAY and STOP change nothing.", func(t *trial) {
		spread := func(s string) string { return strings.ReplaceAll(s, " ", " \t\r\n ") }
		m := t.begin(invitation{rules: uncommented(sheet("walk")), transform: spread})
		m.transform = spread
		m.turns(maxTurns)
		m.stop()
	}},
	{"rules with comments", "Comments, CR LF, blank lines and a byte order mark in START are no part of the rules.", func(t *trial) {
		for _, rules := range []string{
			sheet("walk") + "\n; a last comment with ) and (\n",
			strings.ReplaceAll(sheet("walk"), "\n", "\r\n"),
			"\r\n\r\n" + sheet("walk"),
		} {
			m := t.begin(invitation{rules: rules})
			m.turns(1)
			m.abort()
		}
		m := t.begin(invitation{rules: sheet("walk"), transform: func(s string) string { return "\ufeff" + s }})
		m.turns(1)
	}},
	{"rules without line breaks", "Rules may stand on one line.", func(t *trial) {
		m := t.begin(invitation{rules: strings.Join(strings.Fields(uncommented(sheet("walk"))), " ")})
		m.turns(2)
	}},
	{"extra arguments", "Arguments of START past the clocks are ignored.", func(t *trial) {
		m := t.begin(invitation{rules: sheet("walk"), extra: " 7 (some thing)"})
		m.turns(1)
	}},
	{"large rules", "Rules of a quarter of a megabyte are read within the start clock.", func(t *trial) {
		var b strings.Builder
		b.WriteString(sheet("walk"))
		for n := 0; b.Len() < 256<<10; n++ {
			fmt.Fprintf(&b, "(known thing%d %d)\n", n, n)
		}
		m := t.begin(invitation{rules: b.String()})
		m.turns(2)
	}},
}

// maxTurns is more than any match of the kit's own games takes.
const maxTurns = 20

// uncommented takes the comments out of a rulesheet.
func uncommented(rules string) string {
	var b strings.Builder
	for line := range strings.Lines(rules) {
		line, _, _ = strings.Cut(line, ";")
		b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}
