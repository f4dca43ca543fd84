package endurance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"stackmate/internal/must"
	"stackmate/protocol/arena"
)

// crowd is a number of people on a page at one time.
type crowd struct {
	t       *testing.T
	url     string
	mu      sync.Mutex
	moves   map[window]int // shown on the board
	late    []time.Duration
	back    []time.Duration // from the start of a program to the board of a table that was open
	began   atomic.Int64    // when the program was started, in Unix nanoseconds
	faults  atomic.Int64
	refused atomic.Int64 // requests of a program that is away
	games   atomic.Int64
}

// window is a window of a browser in which one role of a table is played.
type window struct{ table, role string }

var pageAddress = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/`)

// TestACrowdedArenaLosesNoMove has people play at twenty tables, each role in a window of its own, and others watch and analyse among many
// records, while two tournaments are played, and kills the program at random moments: each window goes on at the turn that was on the
// board, every move is in one record, and every match of the tournaments has one complete record.
func TestACrowdedArenaLosesNoMove(t *testing.T) {
	begin(t)
	dir, listen := t.TempDir(), "127.0.0.1:0"
	archive(t, dir, either(100, 10_000))
	load, kills := lasting(t, 3*time.Second, 20*time.Second), repetitions(t, 3, 12)
	c := &crowd{t: t, moves: make(map[window]int)}
	var all sync.WaitGroup
	end := time.Now().Add(time.Duration(kills)*load + time.Hour)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var memory []int64
	var ended []pageContest
	for kill := range kills {
		c.began.Store(time.Now().UnixNano())
		p := start(t, "arena", "--listen", listen, "--player", "-", "--no-browser", "--records", dir)
		if address := awaitPage(t, p); kill == 0 {
			c.url, listen = address, strings.Trim(strings.TrimPrefix(address, "http://"), "/")
			for range tournaments {
				c.beginTournament()
			}
			for range 20 {
				all.Go(func() { c.play(ctx) })
			}
			for range either(10, 30) {
				all.Go(func() { c.follow(ctx, end, "standings", 100*time.Millisecond) })
			}
			for range either(3, 10) {
				all.Go(func() {
					c.follow(ctx, end, "analyse?game=goofspiel-6&seconds=5", either(100*time.Millisecond, 10*time.Second))
				})
			}
		}
		c.resumeTournaments()
		if kill == kills-1 {
			memory = held(t, p, time.Now().Add(load))
			ended = c.awaitTournaments()
			leave() // nothing is under way that the records do not have
			all.Wait()
		} else {
			time.Sleep(load/2 + rand.N(load/2))
		}
		p.kill()
	}
	c.report(memory)
	c.compare(dir)
	c.compareTournaments(dir, ended)
}

// tournaments is the number of tournaments that are played at one time.
const tournaments = 2

// pageContest is a tournament in the list of the page.
type pageContest struct {
	Run, State       string
	Matches, Planned int
}

// beginTournament begins a tournament of four matches a round.
func (c *crowd) beginTournament() {
	c.t.Helper()
	if !c.post("tournaments", map[string]any{
		"games": []string{"ticTacToe", "nim-3.4.5"}, "players": []string{"random", "legal"}, "rounds": either(20, 200), "openings": 2,
		"start_clock": 10, "play_clock": 2,
	}, nil) {
		c.t.Error("the page begins no tournament")
	}
}

// contests returns the tournaments of the page.
func (c *crowd) contests() []pageContest {
	var list struct{ Tournaments []pageContest }
	if answer, err := http.Get(c.url + "api/tournaments"); err == nil {
		_ = json.NewDecoder(answer.Body).Decode(&list)
		answer.Body.Close()
	}
	if len(list.Tournaments) != tournaments {
		c.t.Errorf("the page lists %+v, want %d tournaments", list.Tournaments, tournaments)
	}
	return list.Tournaments
}

// resumeTournaments resumes what the last kill interrupted.
func (c *crowd) resumeTournaments() {
	for _, x := range c.contests() {
		if x.State == "paused" {
			c.post("tournaments/"+x.Run+"/resume", struct{}{}, nil)
		}
	}
}

// awaitTournaments returns the tournaments when all have ended.
func (c *crowd) awaitTournaments() []pageContest {
	c.t.Helper()
	isOver := func(x pageContest) bool { return x.State == "ended" && x.Matches == x.Planned }
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		list := c.contests()
		if !slices.ContainsFunc(list, func(x pageContest) bool { return !isOver(x) }) {
			return list
		}
		if time.Since(began) > 5*time.Minute {
			c.t.Fatalf("the tournaments do not end: %+v", list)
		}
	}
}

// compareTournaments looks for one complete record of each match, among the records of all runs.
func (c *crowd) compareTournaments(dir string, list []pageContest) {
	all, _ := records(c.t, dir)
	for _, x := range list {
		complete := 0
		for name, r := range all {
			if strings.HasPrefix(name, x.Run+".") && r.Completed {
				complete++
			}
		}
		if complete != x.Planned {
			c.t.Errorf("tournament %s: %d complete records of %d matches", x.Run, complete, x.Planned)
		}
		c.t.Logf("tournament %s: %d matches", x.Run, complete)
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
		must.OK(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("old.%d.jsonl", i)), []byte(text), 0o600))
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

// event is an event of a table: a part of its record, or its seats.
type event struct {
	Match string
	Table string
	Turn  int
	Roles []string
	Moves [][]string
	Goals []int
	Over  bool
}

// play plays both sides of one game after another, the first legal move each time.
func (c *crowd) play(ctx context.Context) {
	for ctx.Err() == nil {
		var o struct {
			Table string
			Keys  map[string]string
		}
		if !c.post("tables", map[string]any{"game": "ticTacToe", "seats": []string{"person", "person"}}, &o) {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		var both sync.WaitGroup
		for role, key := range o.Keys {
			both.Go(func() {
				for over := false; !over && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) { // until the program is back
					over = c.sit(ctx, window{o.Table, role}, key)
				}
			})
		}
		both.Wait()
		c.games.Add(1)
	}
}

// sit plays in a window for as long as its stream lasts, and reports whether the game has ended.
func (c *crowd) sit(ctx context.Context, w window, key string) (over bool) {
	stream := c.open(ctx, "tables/"+w.table)
	if stream == nil {
		return false
	}
	defer stream.CloseNow()
	var roles []string
	moves, turn := 0, -1
	var chosen time.Time // when the move of this turn was chosen here
	for {
		kind, value := c.read(ctx, stream)
		var e event
		switch kind {
		case "":
			return false
		case "failed":
			c.fault("tables/"+w.table, value)
			return false
		case "part", "seats":
			must.OK(c.t, json.Unmarshal(value, &e))
		default:
			continue
		}
		switch {
		case e.Match != "":
			roles, moves = e.Roles, len(e.Moves)
		case e.Table == "":
			moves += len(e.Moves)
		}
		if e.Table == "" || e.Turn != moves {
			continue
		}
		if moves > turn {
			c.shown(w, moves, turn < 0, chosen)
		}
		if e.Goals != nil || e.Over {
			return true
		}
		if moves == turn {
			continue // chosen, and on its way
		}
		turn, chosen = moves, time.Time{}
		if len(roles) == 0 || roles[moves%len(roles)] != w.role {
			continue
		}
		time.Sleep(thought())
		chosen = time.Now()
		var legal struct{ Legal [][]struct{ Move string } }
		if answer, err := http.Get(c.url + "api/tables/" + w.table + "/legal"); err == nil {
			_ = json.NewDecoder(answer.Body).Decode(&legal)
			answer.Body.Close()
		}
		if r := slices.Index(roles, w.role); r < len(legal.Legal) && len(legal.Legal[r]) > 1 {
			c.post("tables/"+w.table+"/move", map[string]any{"role": w.role, "key": key, "turn": turn, "move": legal.Legal[r][0].Move}, nil)
		}
	}
}

// open opens a stream of the page, nil if the program is away.
func (c *crowd) open(ctx context.Context, path string) *websocket.Conn {
	stream, response, err := websocket.Dial(ctx, c.url+"api/"+path, nil)
	if err != nil {
		if response != nil {
			c.fault(path, fmt.Appendf(nil, "status %d", response.StatusCode))
		}
		return nil
	}
	stream.SetReadLimit(-1)
	return stream
}

// read reads an event of a stream. Its kind is "" after the last event.
func (c *crowd) read(ctx context.Context, stream *websocket.Conn) (kind string, value json.RawMessage) {
	_, text, err := stream.Read(ctx)
	if err != nil {
		return "", nil
	}
	if err := json.Unmarshal(text, &[]any{&kind, &value}); err != nil {
		c.t.Errorf("%v: %s", err, text)
	}
	return kind, value
}

// thought returns how long a person takes over a move: about a second.
func thought() time.Duration {
	mean := either(20*time.Millisecond, time.Second)
	return mean/2 + rand.N(mean)
}

// shown notes the moves on a board, and the time until they were there: of a move that was chosen in the window, or of a table that
// somebody comes back to.
func (c *crowd) shown(w window, moves int, comes bool, chosen time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.moves[w]
	switch {
	case moves < before:
		c.t.Errorf("%v: %d moves were on the board, now %d", w, before, moves)
	case comes && known:
		c.back = append(c.back, time.Since(time.Unix(0, c.began.Load())))
	case !chosen.IsZero():
		c.late = append(c.late, time.Since(chosen))
	}
	c.moves[w] = max(before, moves)
}

// post sends JSON; a refusal while the program lives is a fault.
func (c *crowd) post(path string, body, into any) bool {
	text, _ := json.Marshal(body)
	response, err := http.Post(c.url+"api/"+path, "application/json", bytes.NewReader(text))
	if err != nil {
		c.refused.Add(1)
		return false // it has been killed
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusConflict {
		return false // the move before is on its way
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		c.fault(path, fmt.Appendf(nil, "status %d, %s", response.StatusCode, text))
		return false
	}
	return into == nil || json.NewDecoder(response.Body).Decode(into) == nil
}

// faultsShown is how many refusals are told in full.
const faultsShown = 5

// fault counts a request that should have been answered.
func (c *crowd) fault(path string, why []byte) {
	if c.faults.Add(1) <= faultsShown {
		c.t.Logf("%s: %s", path, bytes.TrimSpace(why))
	}
}

// follow reads a stream to its end, again and again with a pause in between.
func (c *crowd) follow(ctx context.Context, end time.Time, path string, pause time.Duration) {
	for ; time.Now().Before(end) && ctx.Err() == nil; time.Sleep(pause/2 + rand.N(pause)) {
		stream := c.open(ctx, path)
		if stream == nil {
			continue
		}
		for kind := "x"; kind != "" && kind != "end"; {
			var why []byte
			if kind, why = c.read(ctx, stream); kind == "failed" {
				c.fault(path, why)
				break
			}
		}
		_ = stream.CloseNow()
	}
}

// maxAway is the time from a start of the program until the last window goes on.
const maxAway = 3 * time.Second

// Growth of memory after the first reading: garbage, and an entry in the list of records for each game.
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
	c.t.Logf("%d games ended, %d windows, from the choice to the board %v in the mean, %s; %d times back in a window after a start, %s; %d MB, then %d MB",
		c.games.Load(), len(c.moves), (sum / time.Duration(len(c.late))).Round(time.Microsecond), spread(c.late), len(c.back), spread(c.back), memory[1]>>20, memory[len(memory)-1]>>20)
	if len(c.back) == 0 {
		c.t.Error("nobody has come back to a table")
	} else if full() && slices.Max(c.back) > maxAway {
		c.t.Errorf("a window is back %v after a start, want at most %v", slices.Max(c.back), maxAway)
	}
}

// compare looks for the moves of each table in its records: each record continues the one before.
func (c *crowd) compare(records string) {
	for w, moves := range c.moves {
		table := w.table
		paths, err := filepath.Glob(filepath.Join(records, "page.ticTacToe."+table+"*.jsonl"))
		if err != nil {
			c.t.Fatal(err)
		}
		var all []*arena.Record
		for _, path := range paths {
			r, err := arena.ReadRecord(path)
			if err != nil {
				c.t.Errorf("%s: %v", path, err)
				continue
			}
			all = append(all, r)
		}
		slices.SortFunc(all, func(a, b *arena.Record) int { return len(a.Opening) - len(b.Opening) })
		var played [][]string
		for _, r := range all {
			if !slices.EqualFunc(r.Opening, played, slices.Equal) {
				c.t.Errorf("table %s: a record begins after %v, the one before ends with %v", table, r.Opening, played)
			}
			played = slices.Concat(r.Opening, r.Moves)
		}
		if len(played) < moves {
			c.t.Errorf("table %s: %d moves were on the board, the %d records have %d", table, moves, len(all), len(played))
		}
	}
}
