package endurance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowd is what happens on a page at one time.
type crowd struct {
	t       *testing.T
	url     string
	mu      sync.Mutex
	moves   map[string]int // shown on the board, by table
	late    []time.Duration
	faults  atomic.Int64
	refused atomic.Int64 // analyses: so many are made at a time
	games   atomic.Int64
}

var pageAddress = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/`)

// TestACrowdedArenaLosesNoMove has many people play, watch and analyse among many records, and kills the
// program: every move that was on a board is in a record.
func TestACrowdedArenaLosesNoMove(t *testing.T) {
	begin(t)
	records := t.TempDir()
	archive(t, records, either(100, 10_000))
	load := lasting(t, 3*time.Second, 3*time.Minute)
	for range repetitions(t, 1, 2) {
		p := start(t, "arena", "--listen", "127.0.0.1:0", "--player", "-", "--no-browser", "--records", records)
		c := &crowd{t: t, url: awaitPage(t, p), moves: make(map[string]int)}
		var all sync.WaitGroup
		killed := time.Now().Add(load)
		end := killed.Add(time.Minute) // it finds them at play
		for range either(5, 50) {
			all.Go(func() { c.play(end) })
		}
		for i := range either(20, 200) {
			all.Go(func() { c.follow(end, []string{"standings", "tables"}[i%2], 100*time.Millisecond) })
		}
		for range either(3, 20) {
			all.Go(func() { c.follow(end, "analyse?game=goofspiel-6&seconds=5", either(100*time.Millisecond, time.Minute)) })
		}
		memory := held(t, p, killed)
		p.kill()
		all.Wait()
		c.report(memory)
		c.compare(records)
	}
}

// held reads the memory of the program at equal times until an end.
func held(t *testing.T, p *process, end time.Time) []int64 {
	t.Helper()
	const times = 6
	var memory []int64
	for every, i := time.Until(end)/times, times; i >= 0; i-- {
		time.Sleep(time.Until(end.Add(-time.Duration(i) * every)))
		memory = append(memory, p.resident(t, "VmRSS"))
		t.Logf("%v before the end: %d MB", (time.Duration(i) * every).Round(time.Second), memory[len(memory)-1]>>20)
	}
	return memory
}

// archive fills a folder with records of one match.
func archive(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		text := fmt.Sprintf(`{"match":"old.%d","game":"nim-3.4","roles":["first","second"],"players":["a","b"],"start_time":"2026-01-01T00:00:00Z"}
{"states":[["(x)"]],"start_errors":["",""]}
{"goals":[100,0],"completed":true,"result":{"match":"old.%[1]d","game":"nim-3.4","players":["a","b"],"goals":[100,0],"turns":0,"errors":[0,0],"late":[0,0],"illegal":[0,0],"failed":[0,0],"slowest":[0,0]}}
`, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("old.%d.jsonl", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func awaitPage(t *testing.T, p *process) string {
	t.Helper()
	for began := time.Now(); p.alive() && time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(p.out)
		if found := pageAddress.Find(text); found != nil {
			return string(found)
		}
	}
	t.Fatal("the page is not served")
	return ""
}

// tableView is what a person needs of a table.
type tableView struct {
	Table    string
	Moves    [][]string
	Position struct {
		Roles []string
		Legal [][]struct{ Move string }
		Goals []int
	}
}

// play plays both sides of one game after another, the first legal move each time.
func (c *crowd) play(end time.Time) {
	for time.Now().Before(end) {
		var o struct {
			Table string
			Keys  map[string]string
		}
		if !c.post("tables", map[string]any{"game": "ticTacToe", "seats": []string{"person", "person"}}, &o) {
			return
		}
		response, err := http.Get(c.url + "api/tables/" + o.Table)
		if err != nil {
			return
		}
		asked, turn := time.Now(), -1
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			var v tableView
			text, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: {"))
			if !ok || json.Unmarshal(append([]byte("{"), text...), &v) != nil {
				continue
			}
			if len(v.Moves) > turn {
				c.shown(o.Table, len(v.Moves), time.Since(asked))
			}
			if v.Position.Goals != nil || v.Position.Legal == nil {
				c.games.Add(1)
				break
			}
			if len(v.Moves) == turn {
				continue // chosen, and on its way
			}
			time.Sleep(thought())
			turn, asked = len(v.Moves), time.Now()
			for r, role := range v.Position.Roles {
				if len(v.Position.Legal[r]) > 1 {
					c.post("tables/"+o.Table+"/move", map[string]any{"role": role, "key": o.Keys[role], "turn": turn, "move": v.Position.Legal[r][0].Move}, nil)
				}
			}
		}
		response.Body.Close()
	}
}

// thought is how long a person takes over a move: about a second.
func thought() time.Duration {
	mean := either(20*time.Millisecond, time.Second)
	return mean/2 + rand.N(mean)
}

// shown notes what is on a board, and how long it took to get there.
func (c *crowd) shown(table string, moves int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.moves[table] = max(c.moves[table], moves); moves > 0 {
		c.late = append(c.late, took)
	}
}

// post sends JSON; a refusal while the program lives is a fault.
func (c *crowd) post(path string, body, into any) bool {
	text, _ := json.Marshal(body)
	response, err := http.Post(c.url+"api/"+path, "application/json", bytes.NewReader(text))
	if err != nil {
		return false // it has been killed
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		c.fault(path, response)
		return false
	}
	return into == nil || json.NewDecoder(response.Body).Decode(into) == nil
}

// faultsShown is how many refusals are told in full.
const faultsShown = 5

// fault counts a request that should have been answered.
func (c *crowd) fault(path string, response *http.Response) {
	if c.faults.Add(1) <= faultsShown {
		text, _ := io.ReadAll(response.Body)
		c.t.Logf("%s: status %d, %s", path, response.StatusCode, bytes.TrimSpace(text))
	}
}

// follow reads a stream to its end, again and again with a pause in between.
func (c *crowd) follow(end time.Time, path string, pause time.Duration) {
	for ; time.Now().Before(end); time.Sleep(pause/2 + rand.N(pause)) {
		response, err := http.Get(c.url + "api/" + path)
		if err != nil {
			return
		}
		switch {
		case response.StatusCode == http.StatusServiceUnavailable && strings.HasPrefix(path, "analyse"):
			c.refused.Add(1)
		case response.StatusCode != http.StatusOK:
			c.fault(path, response)
		}
		_, _ = io.Copy(io.Discard, response.Body) // it is killed in the middle
		response.Body.Close()
	}
}

// What memory may grow by after the first of the readings: garbage, and an entry in the list of records for each game.
const (
	maxGarbage = 64 << 20
	maxPerGame = 4 << 10
)

func (c *crowd) report(memory []int64) {
	if grown := memory[len(memory)-1] - memory[1]; grown > maxGarbage+maxPerGame*c.games.Load() {
		c.t.Errorf("the memory has grown by %d MB in %d games", grown>>20, c.games.Load())
	}
	sum := time.Duration(0)
	for _, d := range c.late {
		sum += d
	}
	if len(c.late) == 0 || c.faults.Load() > 0 {
		c.t.Errorf("%d moves were played, %d requests failed", len(c.late), c.faults.Load())
		return
	}
	c.t.Logf("%d games ended, %d tables, from the choice to the board %v in the mean, %s; %d analyses refused; %d MB, then %d MB",
		c.games.Load(), len(c.moves), (sum / time.Duration(len(c.late))).Round(time.Microsecond), spread(c.late), c.refused.Load(), memory[1]>>20, memory[len(memory)-1]>>20)
}

// compare looks for the moves in the records.
func (c *crowd) compare(records string) {
	for table, moves := range c.moves {
		found := 0
		text, err := os.ReadFile(filepath.Join(records, "page.ticTacToe."+table+".jsonl"))
		if err == nil {
			found = strings.Count(string(text), `{"moves":`)
		}
		if found < moves {
			c.t.Errorf("table %s: %d moves were on the board, the record has %d (%v)", table, moves, found, err)
		}
	}
}
