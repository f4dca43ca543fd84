package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// playerChecks are all rules for players, in the order in which they are checked.
var playerChecks = slices.Concat(messageChecks, matchChecks, clockChecks, wireChecks)

// status is what a reply to INFO or PING says, in lower case: "available", "busy",
// or "" if it says nothing. Players answer with a list of pairs or with the status
// alone.
func status(x *exchange) string {
	words := strings.FieldsFunc(x.word(), func(c rune) bool { return strings.ContainsRune("() \t\r\n", c) })
	for i, w := range words {
		if w == "status" && i+1 < len(words) {
			words = words[i+1 : i+2]
			break
		}
	}
	switch {
	case len(words) != 1:
		return ""
	case words[0] == "ready":
		return "available"
	}
	return words[0]
}

// messageChecks are the rules on single messages, outside of matches.
var messageChecks = []playerCheck{
	{"info", "INFO is answered by the name and the status, available, within a second.", func(t *trial) {
		t.ask("( INFO )", infoLimit, "((name ...) (status available))", func(x *exchange) bool {
			return status(x) == "available" && strings.HasPrefix(x.word(), "((") && strings.Contains(x.word(), "(name ")
		})
	}},
	{"ping", "PING, which older servers send, is answered by available.", func(t *trial) {
		t.ask("( PING )", infoLimit, "available", says("available", "ready"))
	}},
	{"preview", "PREVIEW is answered and begins no match.", func(t *trial) {
		t.ask(fmt.Sprintf("( PREVIEW (%s\n) 1 )", sheet("turns")), t.StartClock, "a reply", func(x *exchange) bool {
			return x.word() != ""
		})
		t.available()
	}},
	{"case of the head", "The head of a message is understood in any case.", func(t *trial) {
		for _, head := range []string{"info", "Info", "iNfO"} {
			t.ask("( "+head+" )", infoLimit, "a status that is available", func(x *exchange) bool { return status(x) == "available" })
		}
	}},
	{"white space", "Blanks, tabs and line breaks may occur anywhere, or be missing beside parentheses.", func(t *trial) {
		for _, message := range []string{"(INFO)", "\r\n (\t INFO\r\n\r\n) \n", "\ufeff( INFO )"} {
			t.ask(message, infoLimit, "a status that is available", func(x *exchange) bool { return status(x) == "available" })
		}
	}},
	{"unknown match", "PLAY, STOP and ABORT of a match that does not run are answered by busy.", func(t *trial) {
		for _, m := range []string{"( PLAY nobody.1 NIL )", "( STOP nobody.1 NIL )", "( ABORT nobody.1 )"} {
			t.ask(m, infoLimit, "busy", says("busy"))
		}
		t.available()
	}},
	{"nonsense", "What is no message is refused with HTTP status 400 and one line that says why.", func(t *trial) {
		for _, m := range []string{"", "hello", "(", ")", "( INFO", "( FLY m.1 )", "( START m.1 )", "( PLAY )", "( PLAY m.1", "\x00\xff\x7f"} {
			t.refused(m)
		}
		t.available()
	}},
	{"broken rules", "A START whose rules or role make no sense is refused likewise, and begins no match.", func(t *trial) {
		for _, m := range []string{
			"( START m.1 Left ((role Left) (<= (p ?x) (q ?y))) 5 5 )",
			"( START m.1 Left () 5 5 )",
			fmt.Sprintf("( START m.1 Nobody (%s\n) 5 5 )", sheet("walk")),
			fmt.Sprintf("( START m.1 Left (%s\n) soon 5 )", sheet("walk")),
		} {
			t.refused(m)
		}
		t.available()
	}},
	{"deep nesting", "A message of a hundred thousand parentheses is refused likewise, or with 413, and survived.", func(t *trial) {
		const depth = 100_000
		t.refused(strings.Repeat("(", depth), 413)
		t.refused("( PLAY m.1 ("+strings.Repeat("(f ", depth)+strings.Repeat(")", depth)+") )", 413)
		t.available()
	}},
}

// refused expects a message to be answered with status 400, or one of the others
// that may be, and one line.
func (t *trial) refused(message string, others ...int) {
	if t.over() {
		return
	}
	const expected = "status 400 and one line that says why"
	x := t.send(t.PlayClock, post(message))
	line := strings.TrimSpace(x.body)
	if x.status != 400 && !slices.Contains(others, x.status) || line == "" || strings.ContainsAny(line, "\r\n") || x.late() {
		t.fail(x, expected)
		return
	}
	t.show(x, expected)
}
