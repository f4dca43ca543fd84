package protocol

import (
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func joint(t testing.TB, moves ...string) []gdl.Term {
	var terms []gdl.Term
	for _, m := range moves {
		terms = append(terms, term(t, m))
	}
	return terms
}

// sameTerm compares terms without their positions.
var sameTerm = cmp.Comparer(gdl.Term.Equal)

func TestMessagesAreReadAsServersSendThem(t *testing.T) {
	for text, want := range map[string]Message{
		"(INFO)":           {Command: Info},
		"\ufeff(Info)":     {Command: Info},
		"( info )\r\n":     {Command: Info},
		"\t(Ping 12 (x) )": {Command: Ping},
		"( PREVIEW ((role a)) 1 )": {
			Command: Preview, Rules: "(role a)", StartClock: time.Second,
		},
		"( START m.1 robot ((role robot)\n (init (p)) ; a comment )\n) 30 10 )": {
			Command: Start, ID: "m.1", Role: "robot", Rules: "(role robot)\n (init (p)) ; a comment )\n",
			StartClock: 30 * time.Second, PlayClock: 10 * time.Second,
		},
		"(start M (p 1) () 0 0.5 extra (more))": {
			Command: Start, ID: "M", Role: "(p 1)", PlayClock: 500 * time.Millisecond,
		},
		"( PLAY m.1 NIL )": {Command: Play, ID: "m.1"},
		"(play m.1 none)":  {Command: Play, ID: "m.1"},
		"( PLAY m.1 (( mark 1\t1 )\r\nnoop) )": {
			Command: Play, ID: "m.1", Joint: joint(t, "(mark 1 1)", "noop"),
		},
		"(PLAY m.1((a)f(g(h)x))ignored)": {
			Command: Play, ID: "m.1", Joint: joint(t, "a", "f", "(g h x)"),
		},
		"(PLAY m.1 0)":     {Command: Play, ID: "m.1"},
		"(STOP m.1 (a b))": {Command: Stop, ID: "m.1", Joint: joint(t, "a", "b")},
		"(STOP m.1 nil)":   {Command: Stop, ID: "m.1"},
		"(PLAY m 3 (move 1) ((seen 2) a))": {
			Command: Play, ID: "m", Seen: &Seen{3, joint(t, "(move 1)")[0], joint(t, "(seen 2)", "a")},
		},
		"(PLAY m 0 nil nil)":   {Command: Play, ID: "m", Seen: &Seen{}},
		"(STOP m 7 noop ())":   {Command: Stop, ID: "m", Seen: &Seen{7, joint(t, "noop")[0], nil}},
		"; hello\n(ABORT m.1)": {Command: Abort, ID: "m.1"},
	} {
		got, err := ParseMessage(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got, sameTerm); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestNonsenseIsExplained(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "expected one message",
		"INFO":                           "expected one message",
		"(INFO) (INFO)":                  "expected one message",
		"()":                             "found an empty message",
		"(INFO":                          "the message ends with 1 open parentheses",
		"(INFO))":                        "found an unmatched closing parenthesis",
		"(HELLO world)":                  "unknown command",
		"((INFO))":                       "unknown command",
		"(START)":                        "found 0 arguments",
		"(START m r (rules) 1)":          "found 4 arguments",
		"(START (m) r ((role r)) 1 1)":   "expected the match id",
		"(START m ?r ((role r)) 1 1)":    "the role",
		"(START m r rules 1 1)":          "expected the rules in parentheses",
		"(START m r ((role r)) -1 1)":    "expected a clock from 0 to 604800 seconds, found -1",
		"(START m r ((role r)) 1 soon)":  "expected a clock from 0 to 604800 seconds, found soon",
		"(START m r ((role r)) NaN 1)":   "expected a clock from 0 to 604800 seconds, found NaN",
		"(START m r ((role r)) 1e300 1)": "expected a clock from 0 to 604800 seconds",
		"(PLAY)":                         "expected the match id",
		"(PLAY m)":                       "expected the joint move",
		"(PLAY m (a ?x))":                "variable",
		"(PLAY m (a ()))":                "the move ()",
		"(ABORT)":                        "expected the match id",
		"(PLAY m 3 noop)":                "expected the percepts",
		"(PLAY m 3 noop (a ?x))":         "variable",
		"start(m1,robot,[role(r)],10,5)": "found a message in infix form, start(...)",
		"info()":                         "found a message in infix form, info(...)",
		"(ABORT " + strings.Repeat("m", 100_000) + ")":                                                "expected symbols of at most 4096 bytes, found mmm",
		"(ABORT " + strings.Repeat("m", maxID+1) + ")":                                                "expected a match id of at most 256 bytes, found mmm",
		"(START m r (" + strings.Repeat("(", maxNesting) + strings.Repeat(")", maxNesting) + ") 1 1)": "expected at most 1024 nested parentheses",
		"(PREVIEW rules 1)": "expected (PREVIEW (rules) clock)",
	} {
		_, err := ParseMessage(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", text, err, want)
		}
	}
}

func TestFormsThatNobodyLooksAtTakeNoMemory(t *testing.T) {
	forms, err := split(strings.Repeat("a ", 1<<20), maxArgs)
	if err != nil || len(forms) != maxArgs || cap(forms) > 2*maxArgs {
		t.Errorf("%d forms kept in %d places, %v; want %d", len(forms), cap(forms), err, maxArgs)
	}
}

// messages generates messages of all kinds.
var messages = rapid.Custom(func(t *rapid.T) Message {
	symbol := rapid.StringMatching(`[a-z][a-z0-9.+-]{0,5}`)
	move := rapid.Custom(func(t *rapid.T) gdl.Term {
		m := gdl.Term{Name: symbol.Draw(t, "functor")}
		for _, a := range rapid.SliceOfN(symbol, 0, 3).Draw(t, "args") {
			m.Kind = gdl.Compound
			m.Args = append(m.Args, gdl.Term{Name: a})
		}
		return m
	})
	clock := rapid.Map(rapid.IntRange(0, 1e6), func(ms int) time.Duration { return time.Duration(ms) * time.Millisecond })
	m := Message{
		Command: rapid.SampledFrom([]Command{Info, Ping, Preview, Start, Play, Stop, Abort}).Draw(t, "command"),
	}
	switch m.Command {
	case Preview:
		m.Rules, m.StartClock = "(role x)\n", clock.Draw(t, "preview clock")
	case Start:
		m.ID, m.Role, m.Rules = symbol.Draw(t, "id"), move.Draw(t, "role").String(), "(role x) ; )\n"
		m.StartClock, m.PlayClock = clock.Draw(t, "start clock"), clock.Draw(t, "play clock")
	case Play, Stop:
		m.ID = symbol.Draw(t, "id")
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 1:
			m.Joint = rapid.SliceOfN(move, 1, 4).Draw(t, "joint")
		case 2:
			m.Seen = &Seen{Turn: rapid.IntRange(0, 9).Draw(t, "turn")}
		case 3:
			m.Seen = &Seen{rapid.IntRange(1, 9).Draw(t, "turn"), move.Draw(t, "previous move"), rapid.SliceOfN(move, 1, 3).Draw(t, "percepts")}
		}
	case Abort:
		m.ID = symbol.Draw(t, "id")
	}
	return m
})

func TestAMessageIsReadAsItIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := messages.Draw(t, "message")
		got, err := ParseMessage(m.String())
		if err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		got.Rules, m.Rules = strings.TrimSpace(got.Rules), strings.TrimSpace(m.Rules)
		if diff := cmp.Diff(m, got, sameTerm); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", m, diff)
		}
	})
}

func FuzzMessage(f *testing.F) {
	exhaustive.NotUnderRace(f, "parses on one goroutine")
	for _, seed := range []string{
		"(INFO)", "( START m r ((role r)(<= terminal (true (p)))) 30 10 )", "(PLAY m (a (b 1)))",
		"(PLAY m 2 (move 1) nil)", "(STOP m NIL)", "; (\n(abort m)", "(PREVIEW () 1)", "(", ")", "(PLAY m (\x00))",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMessage(text)
		if err != nil {
			if line := oneLine(err); strings.ContainsAny(line, "\r\n") || len(line) > maxReason+3 {
				t.Fatalf("the reason is no short line: %q", line)
			}
			return
		}
		again, err := ParseMessage(m.String())
		if err != nil {
			t.Fatalf("%q was read, but its own text %q is not: %v", text, m.String(), err)
		}
		m.Rules, again.Rules = "", ""
		if !cmp.Equal(m, again, sameTerm) && m.StartClock%time.Microsecond == 0 && m.PlayClock%time.Microsecond == 0 {
			t.Fatalf("%q changes when written: %v, then %v", text, m, again)
		}
	})
}

func BenchmarkParseMessageStart(b *testing.B) {
	text := "( START m.1 robot (" + strings.Repeat("(<= (next (cell ?x ?y)) (true (cell ?x ?y)))\n", 20000) + ") 30 10 )"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		must.Get(ParseMessage(text))(b)
	}
}
