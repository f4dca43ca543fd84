package arena

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/internal/must"
)

// An archive writes blanks inside of parentheses, times in milliseconds, and no roles.
const archived = `{"matchId":"base.ticTacToe.1325000000000","randomToken":"9a2b","startTime":1325000000000,
"gameMetaURL":"http://games.ggp.org/base/games/ticTacToe/v0/","isCompleted":true,"isAborted":false,
"states":["( ( cell 1 1 b ) ( control x ) )","( ( true ( cell 1 1 x ) ) ( control o ) )"],"moves":[["( mark 1 1 )","noop"]],
"stateTimes":[1325000000100,1325000004200],"errors":[["",""]],"goalValues":[100,0],"previewClock":-1,"startClock":30,"playClock":15,
"playerNamesFromHost":["alice",""],"isPlayerHuman":[true,false],"scrambled":false,"weight":1.0}`

func TestMatchesOfArchivesAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.json")
	must.OK(t, os.WriteFile(path, []byte(archived), 0o600))
	r := must.Get(ReadRecord(path))(t)
	if r.Game != "ticTacToe" || r.Moves[0][0] != "(mark 1 1)" || !slices.Equal(r.States[1], []string{"(cell 1 1 x)", "(control o)"}) ||
		!slices.Equal(r.Players, []string{"alice", "unknown"}) || !r.Completed || r.Goals[0] != 100 || r.PlayClock != 15 || r.StateTimes[1].Sub(r.StateTimes[0]) != 4100*time.Millisecond {
		t.Errorf("read as %+v", r)
	}
	// Ours reads the same after it went there and back.
	text, err := r.GGP(nil, func(p string) bool { return p == "alice" })
	if err != nil || !strings.Contains(string(text), `"isPlayerHuman":[true,false]`) {
		t.Fatalf("%s, %v", text, err)
	}
	again, err := readGGP(text)
	if err != nil || !slices.Equal(again.States[1], r.States[1]) || !slices.Equal(again.Moves[0], r.Moves[0]) || again.Game != r.Game || !again.StartTime.Equal(r.StartTime) {
		t.Errorf("again %+v, %v", again, err)
	}
}

func TestARecordMayHaveTheNameOfAFieldOfArchives(t *testing.T) {
	name := "matchId"
	own := &Record{
		Match: "m", Game: "g", Roles: []string{name, "b"}, Players: []string{name, "c"}, Moves: [][]string{{name, "a"}},
		States: [][]string{{name}, {name}}, Errors: [][]string{{"", ""}}, Goals: []int{50, 50}, Turns: 1, Completed: true,
	}
	r, err := DecodeRecord(strings.NewReader(asJSON(t, own)), "m.jsonl")
	if err != nil || !slices.Equal(r.Roles, own.Roles) || r.Unnamed {
		t.Errorf("%v: %+v", err, r)
	}
}

func TestFaultyMatchesOfArchivesAreExplained(t *testing.T) {
	for text, want := range map[string]string{
		`{"matchId":"m","moves":[["( mark"]]}`:             "move 1 of turn 1",
		`{"matchId":"m","states":["cell"]}`:                "state 1: expected a list of facts",
		`{"matchId":"m","moves":3}`:                        "moves",
		`{"matchId":"m","startTime":253402387200000}`:      "found 253402387200000",
		`{"matchId":"m","stateTimes":[0,-62199999999999]}`: "found -62199999999999",
	} {
		if _, err := readGGP([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// whole returns a match of matchingPennies as ggp-base writes it: its errors begin with those of START.
func whole(change func(*ggpMatch)) string {
	m := ggpMatch{
		MatchID: "m", StartTime: 1325000000000, GameMetaURL: ggpGames + "matchingPennies/v1/", IsCompleted: true,
		States: []string{"( ( step 1 ) )", "( done )"}, Moves: [][]string{{"heads", "tails"}}, Errors: [][]string{{"", "TO"}, {"IL ( x )", ""}},
		Goals: []int{0, 100}, Preview: -1, StartClock: 30, PlayClock: 15, Scrambled: true,
	}
	change(&m)
	text, _ := json.Marshal(m)
	return string(text)
}

func TestMatchesOfArchivesTakeTheRolesOfTheRules(t *testing.T) {
	for name, c := range map[string]struct {
		change         func(*ggpMatch)
		roles, players []string
		errors         []int
		fault          string
	}{
		"errors of the start": {func(*ggpMatch) {}, []string{"row", "column"}, []string{"unknown", "unknown"}, []int{1, 1}, ""},
		"a name is missing":   {func(m *ggpMatch) { m.Players = []string{"", "bob"} }, []string{"row", "column"}, []string{"unknown", "bob"}, []int{1, 1}, ""},
		"one role": {
			func(m *ggpMatch) { m.Moves, m.Errors, m.Goals = [][]string{{"heads"}}, nil, []int{100} },
			[]string{"row"},
			[]string{"unknown"},
			[]int{0},
			"",
		},
		"three roles": {
			func(m *ggpMatch) { m.Moves, m.Errors, m.Goals = [][]string{{"a", "b", "c"}}, nil, []int{1, 2, 3} },
			[]string{"a", "random", "c"},
			[]string{"unknown", Chance, "unknown"},
			[]int{0, 0, 0},
			"",
		},
		"aborted at the end": {func(m *ggpMatch) { m.IsAborted = true }, []string{"row", "column"}, []string{"unknown", "unknown"}, []int{1, 1}, ""},
		"aborted at the start": {
			func(m *ggpMatch) {
				m.IsAborted, m.Moves, m.Errors, m.Goals, m.States = true, nil, nil, nil, m.States[:1]
			},
			[]string{"row", "column"},
			[]string{"unknown", "unknown"},
			[]int{0, 0},
			"",
		},
		"other roles": {func(*ggpMatch) {}, []string{"row"}, nil, nil, "recorded moves or goals of 2 roles"},
	} {
		t.Run(name, func(t *testing.T) {
			r := must.Get(DecodeRecord(strings.NewReader(whole(c.change)), "m.json"))(t)
			err := r.Name(c.roles)
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("error %v, want %q", err, c.fault)
				}
				return
			}
			s := r.Counted()
			if err != nil || r.Consistent() != nil || !slices.Equal(r.Roles, c.roles) || !slices.Equal(s.Players, c.players) || !slices.Equal(s.Errors, c.errors) {
				t.Errorf("%v, %v: %+v", err, r.Consistent(), s)
			}
			if r.Aborted == r.Completed || r.Aborted && len(r.Goals) > 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}
