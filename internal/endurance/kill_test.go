package endurance

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// yes is a rulesheet in which every player can say yes at every turn, so that a
// player needs to know nothing.
const yes = `(role left) (role right) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(legal left yes) (legal right yes)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3)))
(goal left 50) (goal right 50)`

// yesSayer is a player of that game, at a URL. It writes down which matches it
// has seen begin.
type yesSayer struct {
	url   string
	mu    sync.Mutex
	begun []string // match ids in order
}

func newYesSayer(t testing.TB) *yesSayer {
	t.Helper()
	y := &yesSayer{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		fields := strings.Fields(strings.Trim(string(text), "( )"))
		switch {
		case len(fields) < 2:
			fmt.Fprint(w, "((name yes) (status available))")
		case fields[0] == "START":
			y.mu.Lock()
			y.begun = append(y.begun, fields[1])
			y.mu.Unlock()
			fmt.Fprint(w, "ready")
		case fields[0] == "PLAY":
			fmt.Fprint(w, "yes")
		default:
			fmt.Fprint(w, "done")
		}
	}))
	t.Cleanup(server.Close)
	y.url = server.URL
	return y
}

// finished lists the matches that must be on record: another has begun after them.
func (y *yesSayer) finished() []string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.Clone(y.begun[:max(0, len(y.begun)-1)])
}

// TestAKilledManagerLosesNoFinishedMatch kills managers with -9 at random moments:
// every record is whole, and every match is on record after which another began.
func TestAKilledManagerLosesNoFinishedMatch(t *testing.T) {
	begin(t)
	for name, args := range map[string][]string{
		"match":      {"match", "--count", "100000"},
		"tournament": {"tournament", "--rounds", "100000"},
	} {
		t.Run(name, func(t *testing.T) {
			kills := repetitions(t, 3, 30)
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			finished, left := 0, 0
			for range kills {
				one, two := newYesSayer(t), newYesSayer(t)
				dir := filepath.Join(t.TempDir(), "records")
				p := start(t, slices.Concat(args[:1], []string{save(t, yes)}, args[1:],
					[]string{"--players", one.url + "," + two.url, "--record", dir})...)
				for began := time.Now(); len(one.finished()) == 0 && p.alive() && time.Since(began) < time.Minute; {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Duration(rng.Int64N(int64(300 * time.Millisecond))))
				p.kill()
				all, hidden := records(t, dir)
				left += hidden
				must := one.finished()
				finished += len(must)
				if len(must) == 0 {
					t.Errorf("no match was finished:\n%s", tail(p.log))
				}
				for _, id := range must {
					if r, ok := all[id]; !ok || !r.Completed {
						t.Errorf("match %s was finished and is not on record (%d finished, %d records)", id, len(must), len(all))
						break
					}
				}
			}
			t.Logf("%d kills of %s: %d finished matches, %d unfinished files left hidden", kills, name, finished, left)
		})
	}
}

// TestAKilledPlayerHarmsNoRecord kills a player with -9 at random moments of a series: the manager completes the series,
// and all records of the manager and of the player are whole.
func TestAKilledPlayerHarmsNoRecord(t *testing.T) {
	begin(t)
	kills := repetitions(t, 2, 30)
	rng := rand.New(rand.NewPCG(1, 9))
	matches, unfinished, turns := 0, 0, 0
	for range kills {
		own := filepath.Join(t.TempDir(), "own")
		victim := serve(t, "--record", own)
		dir := filepath.Join(t.TempDir(), "records")
		manager := start(t, "match", "connectFour-5x4", "--count", "3", "--players", "http://"+victim.address+",random",
			"--start-clock", "1", "--play-clock", "1", "--record", dir)
		for began := time.Now(); written(own) == 0 && time.Since(began) < time.Minute; { // the match has begun then
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(either(2*time.Second, 6*time.Second)))))
		victim.kill()
		select {
		case <-manager.ended:
		case <-time.After(2 * time.Minute):
			t.Fatalf("the manager does not end:\n%s", tail(manager.log))
		}
		all, left := records(t, dir)
		if len(all) != 3 || left != 0 {
			t.Errorf("%d records and %d unfinished files of 3 matches", len(all), left)
		}
		for id, r := range all {
			matches++
			if !r.Completed {
				unfinished++
			}
			if r.Completed == r.Aborted || len(r.Moves) != len(r.Errors) {
				t.Errorf("the record of %s contradicts itself: %+v", id, r)
			}
		}
		kept, _ := records(t, own)
		if len(kept) == 0 {
			t.Error("nothing of what the player recorded is left")
		}
		for _, r := range kept {
			turns += len(r.Moves)
		}
	}
	t.Logf("%d kills of a player: %d records, %d of matches that could not go on; it has recorded %d turns itself", kills, matches, unfinished, turns)
}

// written returns how many bytes the records of a folder hold.
func written(dir string) (size int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	return size
}
