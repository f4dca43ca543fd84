package endurance

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stackmate/internal/corpus"
)

// soakGames are the built-in games of the soak: turns, bids, simultaneous moves.
var soakGames = []string{"ticTacToe", "biddingTicTacToe-3", "connectFour-5x4", "goofspiel-5"}

// soakGame is a game, as a GAME of the command line and as text.
type soakGame struct{ name, argument, rules string }

// soakPairs is the number of pairs of players that play at a time in full: one more
// than a game server would have on such a machine, to be done in an hour.
const soakPairs = 2

// soakClock is the play clock. The manager waits for a second more; a reply that
// comes then is late all the same.
const soakClock = time.Second

// soakLate is the share of late moves that is tolerated.
const soakLate = 0.001

// lost matches log lines about joint moves that the player did not understand.
var lost = regexp.MustCompile(`(?i)panic|unknown match|not terminal|another match|older message|repeated|never arrived|cannot be read|begins again`)

// TestManyMatchesWithoutAnError plays matches with a play clock of a second between
// two players over HTTP, while other processes want all cores.
func TestManyMatchesWithoutAnError(t *testing.T) {
	begin(t)
	matches := repetitions(t, 2, 1000)
	keepBusy(t, either(1, 4))
	var games []soakGame
	for _, name := range soakGames {
		games = append(games, soakGame{name, name, builtIn(t, name)})
	}
	if full() {
		games = append(games, shortGames(t)...)
	} else {
		games = games[:2]
	}
	s := &soak{late: make(map[string]int), moves: make(map[string]int), faults: make(map[string]int)}
	jobs := make(chan int, matches)
	for k := range matches {
		jobs <- k
	}
	close(jobs)
	t.Run("players", func(t *testing.T) {
		for pair := range either(1, soakPairs) {
			t.Run(fmt.Sprint(pair), func(t *testing.T) {
				t.Parallel()
				one, two := serve(t), serve(t)
				for k := range jobs {
					s.match(t, one, two, games[k%len(games)], k)
				}
				s.look(t, one)
				s.look(t, two)
			})
		}
	})
	s.judge(t)
}

// soak counts events by game.
type soak struct {
	mu          sync.Mutex
	matches     int
	moves, late map[string]int
	faults      map[string]int  // forbidden events, by kind
	unready     int             // players not ready in time
	times       []time.Duration // of all replies
}

// match holds one match, the two players in turns as the first, and counts.
func (s *soak) match(t *testing.T, one, two *player, game soakGame, k int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "records")
	urls := []string{"http://" + one.address, "http://" + two.address}
	if k%2 == 1 {
		slices.Reverse(urls)
	}
	manager := start(t, "match", game.argument, "--players", strings.Join(urls, ","), "--start-clock", "3", "--play-clock", fmt.Sprint(soakClock.Seconds()),
		"--seed", fmt.Sprint(k+1), "--record", dir, "--json")
	select {
	case <-manager.ended:
	case <-time.After(20 * time.Minute):
		t.Fatalf("%s: the match does not end", game.name)
	}
	all, _ := records(t, dir)
	judge := mustReferee(t, game.rules, 1)
	for _, r := range all {
		if err := judge.replay(t.Context(), r); err != nil {
			t.Errorf("%s: the record of match %d: %v", game.name, k, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.matches++
	if len(all) != 1 {
		s.faults[game.name+": no record"]++
	}
	for _, r := range all {
		s.count(game.name, r)
	}
	var result struct{ Errors []int }
	if json.Unmarshal(manager.output(t), &result) != nil {
		s.faults[game.name+": no result"]++
	}
}

// count adds a record up.
func (s *soak) count(name string, r record) {
	if !r.Completed {
		s.faults[name+": aborted: "+r.Reason]++
	}
	for _, e := range r.StartErrors {
		switch {
		case e == "TO":
			s.unready++
		case e != "":
			s.faults[name+": START "+e]++
		}
	}
	for k, turn := range r.Errors {
		for role, e := range turn {
			s.moves[name]++
			took := time.Duration(r.ReplyTimes[k][role] * float64(time.Second))
			s.times = append(s.times, took)
			switch {
			case e == "TO" || e == "" && took > soakClock:
				s.late[name]++
			case e != "":
				s.faults[name+": "+e]++
			}
		}
	}
}

// look reads the log of a player for lost positions and errors.
func (s *soak) look(t *testing.T, p *player) {
	t.Helper()
	if !p.alive() {
		t.Error(p.death())
	}
	logged, first := p.logged(t)
	t.Logf("logged by a player: %s", listed(logged))
	s.mu.Lock()
	defer s.mu.Unlock()
	for message, n := range logged {
		if lost.MatchString(message) || !strings.HasPrefix(message, "warn: ") {
			s.faults["logged: "+message] += n
			t.Errorf("logged by a player %d times: %.1000s", n, first[message])
		}
	}
}

// judge reports the counts and compares them with the goals.
func (s *soak) judge(t *testing.T) {
	t.Helper()
	moves, missed := 0, 0
	for name, n := range s.moves {
		moves += n
		missed += s.late[name]
	}
	t.Logf("%d matches, %d moves (%s), replies %s, %d late (%s), %d players not ready in time; faults: %s",
		s.matches, moves, listed(s.moves), spread(s.times), missed, listed(s.late), s.unready, listed(s.faults))
	if len(s.faults) > 0 {
		t.Errorf("faults: %s", listed(s.faults))
	}
	if full() && float64(missed) > soakLate*float64(moves) {
		t.Errorf("%d of %d moves are late", missed, moves)
	}
}

// shortGames returns rulesheets of the corpus for two players whose matches are short.
func shortGames(t *testing.T) []soakGame {
	t.Helper()
	const most = 8
	const turns = 14
	var found []soakGame
	for k, sheet := range shuffled(t) {
		rules := string(corpus.Source(t, sheet.Name))
		if len(rules) > 8<<10 || len(found) == most {
			continue
		}
		r, err := newReferee(t.Context(), rules, time.Second, uint64(k))
		if err != nil || len(r.roles) != 2 || slices.Contains(r.roles, "random") {
			continue
		}
		if n, err := r.length(t.Context(), turns); err == nil && n > 2 && n <= turns {
			found = append(found, soakGame{sheet.Name, sheet.Path, rules})
		}
	}
	return found
}
