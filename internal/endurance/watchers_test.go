package endurance

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"stackmate/internal/must"
)

// mostSent bounds the bytes that fifty watchers of chess receive in three minutes, a move a second at each table.
const mostSent = 60e6

// TestWatchersReceiveLittle has fifty people watch thirty tables of chess, a move a second at each.
func TestWatchersReceiveLittle(t *testing.T) {
	begin(t)
	p := start(t, "arena", "--listen", "127.0.0.1:0", "--player", "-", "--no-browser", "--records", t.TempDir())
	c := &crowd{t: t, url: awaitPage(t, p)}
	const tables, watchers = 30, 50
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var all sync.WaitGroup
	var sent, moves atomic.Int64
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return counted{conn, &sent}, err
	}}}
	var opened [tables]struct {
		Table string
		Keys  map[string]string
	}
	for i := range opened {
		if !c.post("tables", map[string]any{"game": "chess", "seats": []string{"person", "person"}}, &opened[i]) {
			t.Fatal("a table is not opened")
		}
	}
	length := lasting(t, 5*time.Second, 3*time.Minute)
	end := time.Now().Add(length)
	for i := range watchers {
		stream, _ := must.Get2(websocket.Dial(ctx, c.url+"api/tables/"+opened[i%tables].Table, &websocket.DialOptions{HTTPClient: client}))(t)
		stream.SetReadLimit(-1)
		all.Go(func() {
			for kind := "x"; kind != ""; {
				kind, _ = c.read(ctx, stream)
			}
		})
	}
	for _, o := range opened {
		all.Go(func() {
			for ; time.Now().Before(end); time.Sleep(time.Second/2 + rand.N(time.Second)) {
				if c.move(o.Table, o.Keys) {
					moves.Add(1)
				}
			}
		})
	}
	memory := held(t, p, end)
	leave()
	all.Wait()
	t.Logf("%d moves in %v, %.1f MB sent to %d watchers of %d tables", moves.Load(), length, float64(sent.Load())/1e6, watchers, tables)
	if most := mostSent * float64(length) / float64(3*time.Minute); float64(sent.Load()) > most+watchers*30e3 || moves.Load() == 0 {
		t.Errorf("want at most %.1f MB", most/1e6)
	}
	if grown := memory[len(memory)-1] - memory[1]; grown > maxGarbage {
		t.Errorf("the memory has grown by %d MB", grown>>20)
	}
}

// move makes a random legal move at a table, and reports whether there is one.
func (c *crowd) move(table string, keys map[string]string) bool {
	var now struct {
		Turn  int
		Legal [][]struct{ Move string }
	}
	answer, err := http.Get(c.url + "api/tables/" + table + "/legal")
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	if json.NewDecoder(answer.Body).Decode(&now) != nil {
		return false
	}
	for r, role := range []string{"white", "black"} {
		if r < len(now.Legal) && len(now.Legal[r]) > 1 {
			move := now.Legal[r][rand.N(len(now.Legal[r]))].Move
			return c.post("tables/"+table+"/move", map[string]any{"role": role, "key": keys[role], "turn": now.Turn, "move": move}, nil)
		}
	}
	return false
}

// counted is a connection that counts the bytes it receives.
type counted struct {
	net.Conn
	received *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Add(int64(n))
	return n, err
}
