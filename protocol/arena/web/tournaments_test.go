package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
)

// hall serves a page whose tournaments are held by sloths, which take a time for each move.
func hall(t *testing.T, after time.Duration) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all *distributed.Tournaments
	_, url = page(t, after, func(c *Config) {
		c.Parameters = []arena.Parameter{{Name: "haste", Unit: "moves", Start: 5, Low: 1, High: 10}}
		c.Tunable = []string{"sloth"}
		player := c.Player
		w := &distributed.Worker{Log: c.Log, Player: func(spec string, _ uint64) (arena.Player, error) {
			kind, _, _ := strings.Cut(spec, ":")
			return player(kind)
		}}
		all = distributed.NewTournaments(ctx, c.Archive, func(ctx context.Context, q *queue.Queue) error {
			return q.Work(ctx, 1, func(ctx context.Context, t queue.Task) ([]byte, error) { return w.Do(ctx, q, t) })
		}, c.Log)
		c.Tournaments, c.Player = all, func(spec string) (arena.Player, error) {
			kind, _, _ := strings.Cut(spec, ":")
			return player(kind)
		}
	})
	t.Cleanup(func() { cancel(); all.Wait() })
	return url
}

// programView is the list of tournaments as a page reads it.
type programView struct {
	Tournaments []struct {
		Run, Kind, State, Reason string
		Games, Players           []string
		Matches, Planned, Rounds int
		Gauntlet                 bool
		StartClock               float64 `json:"start_clock"`
	}
	Parameters []arena.Parameter
	Tunable    []string
	Error      string
}

func TestTournamentsAreBegunPausedAndEndedInThePage(t *testing.T) {
	url := hall(t, 10*time.Millisecond) + "/api/tournaments"
	var all programView
	if status := ask(t, url, nil, &all); status != http.StatusOK || len(all.Tournaments) != 0 || len(all.Parameters) != 1 || !slices.Equal(all.Tunable, []string{"sloth"}) {
		t.Fatalf("%d: %+v", status, all)
	}
	wish := map[string]any{"games": []string{"ticTacToe"}, "players": []string{"sloth", "sloth", "sloth"}, "rounds": 50, "gauntlet": true, "start_clock": 10, "play_clock": 2.5}
	var begun struct{ Run, Error string }
	if status := ask(t, url, wish, &begun); status != http.StatusOK || begun.Run == "" {
		t.Fatalf("%d: %s", status, begun.Error)
	}
	becomes := func(state string, matches int) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
			all = programView{}
			ask(t, url, nil, &all)
			if all.Tournaments[0].State == state && all.Tournaments[0].Matches >= matches {
				return
			}
			if time.Since(began) > time.Minute {
				t.Fatalf("%+v, want %s with %d matches", all.Tournaments, state, matches)
			}
		}
	}
	becomes("playing", 2)
	if got := all.Tournaments[0]; got.Run != begun.Run || got.Planned != 200 || got.Rounds != 50 || !got.Gauntlet || got.StartClock != 10 || len(got.Players) != 3 {
		t.Errorf("%+v", got)
	}
	var standing standings
	if next := events(t, strings.TrimSuffix(url, "tournaments")+"standings?tournament="+begun.Run); !next(&standing) || standing.State != "playing" || standing.Planned != 200 || standing.Matches < 2 {
		t.Errorf("standings %+v", standing)
	}
	act := func(act string, want int) {
		t.Helper()
		var answer struct{ Error string }
		if status := ask(t, url+"/"+begun.Run+"/"+act, struct{}{}, &answer); status != want {
			t.Errorf("%s: %d %s, want %d", act, status, answer.Error, want)
		}
	}
	act("resume", http.StatusConflict)
	act("forget", http.StatusNotFound)
	act("pause", http.StatusOK)
	becomes("paused", 2)
	act("pause", http.StatusConflict)
	act("resume", http.StatusOK)
	becomes("playing", all.Tournaments[0].Matches+1)
	act("end", http.StatusOK)
	becomes("ended", 3)
	act("resume", http.StatusConflict)
	begun.Run = "nobody"
	act("end", http.StatusNotFound)
}

func TestParametersAreTunedInThePage(t *testing.T) {
	url := hall(t, 0)
	wish := map[string]any{
		"games": []string{"ticTacToe"}, "players": []string{"sloth"}, "rounds": 2, "start_clock": 10, "play_clock": 10,
		"tuning": map[string]any{"pairs": 1, "parameters": []map[string]any{{"name": "haste", "low": 4}}},
	}
	var begun struct{ Run, Error string }
	if ask(t, url+"/api/tournaments", wish, &begun); begun.Run == "" {
		t.Fatal(begun.Error)
	}
	next := events(t, url+"/api/standings?tournament="+begun.Run)
	var got standings
	for got.State != distributed.Ended {
		if got = (standings{}); !next(&got) {
			t.Fatal("the standings do not change")
		}
	}
	if c := got.Tuning; c == nil || len(c.Course) != 3 || c.Parameters[0].Low != 4 || c.Parameters[0].High != 10 || !strings.HasPrefix(c.Player, "sloth:haste=") || got.Kind != "tuning" {
		t.Errorf("%+v", got)
	}
}

func TestTournamentsThatCannotBeAreExplained(t *testing.T) {
	url := hall(t, 0) + "/api/tournaments"
	good := map[string]any{"games": []string{"ticTacToe"}, "players": []string{"sloth", "sloth"}, "rounds": 1, "start_clock": 1, "play_clock": 1}
	for want, change := range map[string]map[string]any{
		"clocks above 0":           {"play_clock": 0},
		"openings of up to":        {"openings": 101},
		"nobody is called mystic":  {"players": []string{"sloth", "mystic"}},
		"noSuchGame":               {"games": []string{"noSuchGame"}},
		"a game and a round":       {"games": []string{}},
		"needs 2 players, found 1": {"players": []string{"sloth"}},
		"elo0 < elo1":              {"test": arena.SPRT{}},
		"at most 100000 matches":   {"rounds": 60_000},
		`no parameter "speed"`:     {"players": []string{"sloth"}, "tuning": map[string]any{"pairs": 1, "parameters": []any{map[string]any{"name": "speed"}}}},
		"bounds of haste":          {"players": []string{"sloth"}, "tuning": map[string]any{"pairs": 1, "parameters": []any{map[string]any{"name": "haste", "low": 0}}}},
		"expected JSON":            {"rounds": "many"},
	} {
		wish := make(map[string]any)
		for _, from := range []map[string]any{good, change} {
			for k, v := range from {
				wish[k] = v
			}
		}
		var answer struct{ Error string }
		if status := ask(t, url, wish, &answer); status/100 != 4 || !strings.Contains(answer.Error, want) {
			t.Errorf("%d: %s, want %s", status, answer.Error, want)
		}
	}
	var all programView
	if ask(t, url, nil, &all); len(all.Tournaments) != 0 {
		t.Errorf("%+v has been begun", all.Tournaments)
	}
	_, without := page(t, 0, nil)
	if status := ask(t, without+"/api/tournaments", nil, nil); status != http.StatusNotFound {
		t.Errorf("a page without tournaments: %d", status)
	}
}
