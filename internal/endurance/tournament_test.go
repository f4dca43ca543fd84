package endurance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/protocol/wiretest"
)

// standings are the part of a tournament's results that the tests read.
type standings struct {
	Results []struct {
		Match   string
		Players []string
		Goals   []int
		Turns   int
		Aborted bool
	}
	Standings []struct {
		Player  string
		Matches int
		Points  int
	}
}

// TestAKilledTournamentIsTheSameInTheEnd kills a tournament with -9 at random moments, with its workers and the server of its
// queue, which are in the same process, and resumes it: no match is lost or counted twice, and the standings equal the
// standings of an undisturbed tournament.
func TestAKilledTournamentIsTheSameInTheEnd(t *testing.T) {
	begin(t)
	kills := repetitions(t, 3, 30)
	rounds := either("10", "125") // of four matches
	plan := []string{
		"tournament", "ticTacToe", "nim-3.4.5", "--players", "random,legal", "--rounds", rounds, "--openings", "2",
		"--matches", "2", "--seed", "11", "--json",
	}
	undisturbed := outcomeOf(t, start(t, plan...))
	dir := filepath.Join(t.TempDir(), "records")
	p := start(t, append(slices.Clone(plan), "--record", dir)...)
	await(t, p, filepath.Join(dir, "queue", "tournament.json"))
	rng := rand.New(rand.NewPCG(1, 15))
	killed := 0
	for range kills {
		time.Sleep(time.Duration(rng.Int64N(int64(400 * time.Millisecond))))
		if p.alive() {
			killed++
		}
		p.kill()
		p = start(t, "tournament", "--resume", "--record", dir, "--matches", "2", "--json")
	}
	got := outcomeOf(t, p)
	sameOutcome(t, got, undisturbed, dir)
	t.Logf("%d matches, killed %d times", len(got.Results), killed)
}

// TestATournamentOfThePageIsTheSameInTheEnd begins a tournament in the page, and kills the page with -9 at random moments; a
// restart resumes the tournament.
func TestATournamentOfThePageIsTheSameInTheEnd(t *testing.T) {
	begin(t)
	kills := repetitions(t, 3, 30)
	rounds := either(10, 125) // of four matches
	undisturbed := outcomeOf(t, start(t, "tournament", "ticTacToe", "nim-3.4.5", "--players", "random,legal", "--rounds", fmt.Sprint(rounds),
		"--openings", "2", "--matches", "2", "--seed", "11", "--json"))
	dir := filepath.Join(t.TempDir(), "records")
	port := wiretest.FreePorts(t, 1)[0]
	page := fmt.Sprintf("http://127.0.0.1:%d/api/tournaments", port)
	open := func() *process {
		return start(t, "arena", "--no-browser", "--player", "-", "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--records", dir)
	}
	p := open()
	type list struct{ Tournaments []struct{ Run, State string } }
	ask := func(path, body string, into any) (ok bool) {
		ask := http.Get
		if body != "" {
			ask = func(url string) (*http.Response, error) {
				return http.Post(url, "application/json", strings.NewReader(body))
			}
		}
		reply, err := ask(page + path)
		if err != nil {
			return false
		}
		defer reply.Body.Close()
		return json.NewDecoder(reply.Body).Decode(into) == nil && reply.StatusCode == http.StatusOK
	}
	// now is the state of the tournament, once the page is open.
	now := func() (run, state string) {
		for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
			var l list
			if !ask("", "", &l) {
				continue
			}
			if len(l.Tournaments) == 1 {
				return l.Tournaments[0].Run, l.Tournaments[0].State
			}
			ask("", fmt.Sprintf(`{"games": ["ticTacToe", "nim-3.4.5"], "players": ["random", "legal"], "rounds": %d, "openings": 2,
				"start_clock": 10, "play_clock": 2, "seed": 11}`, rounds), new(struct{}))
		}
		t.Fatal("the page does not open:\n", tail(p.log))
		return "", ""
	}
	rng := rand.New(rand.NewPCG(1, 15))
	killed := 0
	for k := 0; ; k++ {
		run, state := now()
		if state == "ended" {
			break
		}
		if state == "paused" {
			ask("/"+run+"/resume", "{}", new(struct{}))
		}
		time.Sleep(time.Duration(rng.Int64N(int64(300 * time.Millisecond))))
		if k < kills {
			killed++
			p.kill()
			p = open()
		}
	}
	p.kill()
	got := outcomeOf(t, start(t, "tournament", "--resume", "--record", dir, "--json"))
	sameOutcome(t, got, undisturbed, dir)
	t.Logf("%d matches, killed %d times", len(got.Results), killed)
}

// sameOutcome reports whether a tournament with its records in a folder, each match once, had the outcome of an undisturbed
// tournament.
func sameOutcome(t *testing.T, got, undisturbed standings, dir string) {
	t.Helper()
	if len(got.Results) != len(undisturbed.Results) {
		t.Fatalf("%d matches, undisturbed %d", len(got.Results), len(undisturbed.Results))
	}
	for i, r := range got.Results {
		want := undisturbed.Results[i]
		if r.Aborted || !slices.Equal(r.Players, want.Players) || !slices.Equal(r.Goals, want.Goals) || r.Turns != want.Turns {
			t.Errorf("match %d: %+v, undisturbed %+v", i, r, want)
		}
	}
	if !slices.Equal(got.Standings, undisturbed.Standings) {
		t.Errorf("standings %+v, undisturbed %+v", got.Standings, undisturbed.Standings)
	}
	all, _ := records(t, dir)
	complete := 0
	for _, r := range all {
		if r.Completed {
			complete++
		}
	}
	if complete != len(got.Results) {
		t.Errorf("%d complete records of %d matches", complete, len(got.Results))
	}
}

// outcomeOf waits for the end of a tournament.
func outcomeOf(t *testing.T, p *process) standings {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Minute):
		t.Fatalf("the tournament does not end:\n%s", tail(p.log))
	}
	var s standings
	if err := json.Unmarshal(p.output(t), &s); err != nil {
		t.Fatalf("%v:\n%s", err, tail(p.log))
	}
	return s
}

// await waits until a process has made a file.
func await(t *testing.T, p *process, path string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if !p.alive() || time.Since(began) > time.Minute {
			t.Fatalf("there is no %s:\n%s", path, tail(p.log))
		}
	}
}
