package arena

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/protocol"

	"github.com/google/go-cmp/cmp"
)

// TestAnEndpointRecordsWhatTheManagerDoes holds a match with an endpoint that records it: both records are equal.
func TestAnEndpointRecordsWhatTheManagerDoes(t *testing.T) {
	m := builtIn(t, "ticTacToe")
	archive := ReadArchive(t.TempDir())
	e := protocol.NewEndpoint("Tester", drifters(t, m.machine), zlog)
	e.Record = archive.Witness
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	want := playMatch(t, m, quick, Player{Name: "here", New: drifters(t, m.machine)}, at("there", server.URL))
	var list []*Record
	for began := time.Now(); len(list) == 0 || !list[0].Ended(); time.Sleep(10 * time.Millisecond) {
		var err error
		if list, err = archive.List(); err != nil || time.Since(began) > time.Minute {
			t.Fatalf("%d records: %v", len(list), err)
		}
	}
	id := list[0].Match
	got := must.Get(archive.Read(id))(t)
	type story struct {
		Rules         string
		Roles         []string
		Moves, States [][]string
		Goals         []int
		Completed     bool
	}
	of := func(r *Record) story {
		var states [][]string
		for _, s := range r.States {
			states = append(states, slices.Sorted(slices.Values(s)))
		}
		return story{Rules: r.Rules, Roles: r.Roles, Moves: r.Moves, States: states, Goals: r.Goals, Completed: r.Completed}
	}
	if diff := cmp.Diff(of(want), of(got)); diff != "" {
		t.Errorf("(-manager +endpoint):\n%s", diff)
	}
	if got.Game != want.Match || got.Players[0] != elsewhere || got.Players[1] != servedHere {
		t.Errorf("%s played by %v", got.Game, got.Players)
	}
	if s := list[0].Summary; s == nil || !slices.Equal(s.Goals, want.Goals) {
		t.Errorf("summary %+v", s)
	}
	if text, err := archive.Rulesheet(got.Rules); err != nil || !strings.Contains(text, "(role x)") {
		t.Errorf("rules %q, %v", text, err)
	}
	clean(t, got)
	verify(t, m, got)
	var parts Record
	for part, err := range archive.Follow(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		parts.Append(part)
	}
	if diff := cmp.Diff(of(got), of(&parts)); diff != "" {
		t.Errorf("followed:\n%s", diff)
	}
}

// TestAWitnessTellsWhatItsManagerDid plays messages, each a joint move and its answer.
func TestAWitnessTellsWhatItsManagerDid(t *testing.T) {
	const both = `(role a) (role b) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
		(<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r)) (<= (legal b (at ?n)) (true (step ?n)))
		(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 3))) (goal a 100) (goal b 0)`
	game, _ := must.Get2(gdl.Load(context.Background(), "both.kif", []byte(both)))(t)
	term := func(text string) gdl.Term { term, _ := gdl.ParseTerm(text); return term }
	joint := func(moves ...string) (list []gdl.Term) {
		for _, m := range moves {
			list = append(list, term(m))
		}
		return list
	}
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	told := func(second int, command protocol.Command, moves ...string) protocol.Note {
		return protocol.Note{At: began.Add(time.Duration(second) * time.Second), Command: command, Joint: joint(moves...)}
	}
	answer := func(asked, second int, move string) protocol.Note {
		return protocol.Note{Asked: began.Add(time.Duration(asked) * time.Second), At: began.Add(time.Duration(second) * time.Second), Move: term(move)}
	}
	why := answer(0, 1, "go")
	why.Why = &protocol.Explanation{Move: "go"}
	for name, c := range map[string]struct {
		notes        []protocol.Note
		moves        int
		faults       []string // of the first move
		completed    bool
		reason       string
		explanations bool
	}{
		"to the end": {
			notes: []protocol.Note{
				told(0, protocol.Play), why, told(2, protocol.Play, "go", "(at 0)"), answer(2, 3, "go"), told(4, protocol.Play, "go", "go"),
				told(5, protocol.Stop, "go", "go"),
			},
			moves: 3, completed: true, explanations: true,
		},
		"told again": {
			notes: []protocol.Note{told(0, protocol.Play), told(1, protocol.Play, "go", "(at 0)"), told(2, protocol.Play, "go", "(at 0)"), told(3, protocol.Stop)},
			moves: 1, faults: []string{TimedOut, ""}, reason: "stopped before a terminal position",
		},
		"foreign, and told again after the end": {
			notes: []protocol.Note{
				told(0, protocol.Play), told(2, protocol.Play, "nonsense", "go"), answer(0, 1, "go"), answer(2, 3, "stay"), told(4, protocol.Play, "go", "(at 0)"),
				told(5, protocol.Play, "go", "(at 2)"), told(6, protocol.Play, "go", "go"), told(7, protocol.Play, "go", "go"), told(8, protocol.Play, "go", "go"),
				told(9, protocol.Stop, "go", "go"),
			},
			moves: 3, faults: []string{"", ""}, completed: true,
		},
		"answered after the next PLAY": {
			notes: []protocol.Note{
				told(0, protocol.Play), told(1, protocol.Play, "stay", "go"), answer(0, 2, "go"), answer(1, 3, "go"), told(4, protocol.Play, "go", "go"), told(5, protocol.Stop),
			},
			moves: 2, faults: []string{TimedOut, ""}, reason: "stopped before a terminal position",
		},
		"another move in its place": {
			notes: []protocol.Note{told(0, protocol.Play), answer(0, 1, "stay"), told(2, protocol.Play, "go", "go"), {Command: protocol.Abort, Reason: "given up"}},
			moves: 1, faults: []string{Illegal + "stay", ""}, reason: "given up",
		},
		"late": {
			notes: []protocol.Note{told(0, protocol.Play), answer(0, 20, "stay"), told(21, protocol.Play, "go", "go"), told(22, protocol.Stop)},
			moves: 1, faults: []string{TimedOut, ""}, reason: "stopped before a terminal position",
		},
		"no answer": {
			notes: []protocol.Note{told(0, protocol.Play), {Asked: began, Err: errors.New("broken")}, told(2, protocol.Play, "go", "go"), told(3, protocol.Stop)},
			moves: 1, faults: []string{Unreadable, ""}, reason: "stopped before a terminal position",
		},
		"not a move of each role": {
			notes: []protocol.Note{told(0, protocol.Play), told(1, protocol.Play, "go"), told(2, protocol.Stop)}, reason: "stopped before a terminal position",
		},
	} {
		t.Run(name, func(t *testing.T) {
			archive := ReadArchive(t.TempDir())
			keep, err := archive.Witness(protocol.Match{ID: "m/1", Role: "a", Game: game, Start: began, PlayClock: 10 * time.Second})
			for _, n := range c.notes {
				if err == nil {
					err = keep(n)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			r := must.Get(archive.Read("20260102T030405.000-m_1"))(t)
			if len(r.Moves) != c.moves || len(r.States) != c.moves+1 || r.Completed != c.completed || r.Aborted == c.completed || r.Reason != c.reason {
				t.Errorf("%+v", r)
			}
			if c.faults != nil && !slices.Equal(r.Errors[0], c.faults) {
				t.Errorf("faults %q", r.Errors[0])
			}
			if c.completed && !slices.Equal(r.Goals, []int{100, 0}) {
				t.Errorf("goals %v", r.Goals)
			}
			if c.explanations && (r.Explanations[0][0] == nil || r.ReplyTimes[0][0] != 1) {
				t.Errorf("%+v", r)
			}
		})
	}
}
