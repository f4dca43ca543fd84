package cli

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackmate/internal/must"
	"stackmate/protocol/arena"
)

func TestServeListensOnThisMachineUnlessToldOtherwise(t *testing.T) {
	execute(t, "serve", "--help").expect(t, statusFine, `--listen="127.0.0.1:9147"`)
}

func TestServeRefusesFlagsThatCannotBeMeant(t *testing.T) {
	for _, c := range []struct {
		flag, value, want string
		status            int
	}{
		{"--matches", "0", "--matches: expected at least 1, found 0", statusUsage},
		{"--max-message", "0", "--max-message: expected 1 to 1024 MiB, found 0", statusUsage},
		{"--allow", "192.0.2.0/24,here", `--allow: expected an address or a network such as 192.0.2.0/24, found "here"`, statusUsage},
		{"--allow", "192.0.2.0/33", `found "192.0.2.0/33"`, statusUsage},
		{"--pprof", "6060", "--pprof: expected an address such as localhost:6060", statusUsage},
		{"--pprof", "0.0.0.0:0", "--pprof: expected an address of this machine alone", statusUsage},
		{"--record", filepath.Join(file(t, "file", ""), "folder"), "--record: ", statusUsage},
		{"--listen", "nowhere:port", "cannot listen on nowhere:port", statusBad},
	} {
		execute(t, "serve", c.flag, c.value).expect(t, c.status, c.want)
	}
	execute(t, "serve", "--margin-min", "2s", "--margin-max", "1s").
		expect(t, statusUsage, "--margin-min: expected at most --margin-max, 1s, found 2s")
}

func TestServePlaysSeveralMatchesAndRecordsThem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "said")
	address := serve(t, "--matches", "2", "--record", dir, "--allow", "192.0.2.1,2001:db8::/32", "--pprof", "localhost:0")
	start := "( START ID you (" + coin + ") 2 1 )"
	for _, c := range [][2]string{
		{strings.Replace(start, "ID", "m.1", 1), "ready"},
		{strings.Replace(start, "ID", "m.2", 1), "ready"},
		{strings.Replace(start, "ID", "m.3", 1), "busy"},
		{"(ABORT m.1)", "aborted"},
		{"(ABORT m.2)", "aborted"},
	} {
		if status, reply := say(t, address, c[0]); status != http.StatusOK || reply != c[1] {
			t.Errorf("%.20s: %d %q, want %q", c[0], status, reply, c[1])
		}
	}
	if _, reply := say(t, address, "( INFO )"); !strings.HasPrefix(reply, "((name Tester) (status ") || !strings.Contains(reply, "(version ") {
		t.Errorf("INFO: %q", reply)
	}
	kept := func() (n int) {
		list, _ := arena.ReadArchive(dir).List()
		for _, r := range list {
			if r.Aborted && r.Reason == "aborted by the manager" {
				n++
			}
		}
		return n
	}
	for range 1000 { // they are written behind the matches
		if kept() == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if kept() != 2 {
		t.Errorf("%d records, want 2", kept())
	}
	for path, want := range map[string]string{"/metrics": `stackmate_requests_total{command="START",status="200"} 3`, "/healthz": `"version":"` + version() + `"`} {
		r := must.Get(http.Get("http://" + address + path))(t)
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, no %s", path, err, want)
		}
	}
}

// serve starts a player on a free port and returns its address. It ends with the
// test, which then sees that it ended well.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var out, faults lockedBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--name", "Tester"}, args...), &out, &faults)
	}()
	t.Cleanup(func() {
		cancel()
		if status := <-ended; status != statusFine {
			t.Errorf("serve ended with status %d: %s", status, faults.String())
		}
	})
	return awaitAddress(t, `"address":"(\S+?)","name":"Tester"`, &faults)
}

// say sends a message to a player and returns status and reply.
func say(t *testing.T, address, message string) (int, string) {
	t.Helper()
	r := must.Get(http.Post("http://"+address, "text/acl", strings.NewReader(message)))(t)
	defer r.Body.Close()
	text := must.Get(io.ReadAll(r.Body))(t)
	return r.StatusCode, string(text)
}

func TestServeSurvivesNonsense(t *testing.T) {
	address := serve(t)
	for _, message := range []string{
		"", "(", "hello", "( START )", "( START m x (nonsense", "( START m x ((role x)) 10 10 )", "( PLAY )", "\x00\xff",
	} {
		if status, reply := say(t, address, message); status != http.StatusBadRequest || reply == "" {
			t.Errorf("%q: status %d, reply %q", message, status, reply)
		}
	}
	if status, reply := say(t, address, "( INFO )"); status != http.StatusOK || !strings.Contains(reply, "Tester") {
		t.Errorf("status %d, reply %q", status, reply)
	}
	execute(t, "serve", "--listen", address).expect(t, statusBad, "in use")
}

func TestServedPlayersFinishAMatch(t *testing.T) {
	players := "http://" + serve(t) + ",http://" + serve(t)
	o := execute(t, "match", "biddingTicTacToe-1", "--players", players, "--start-clock", "20", "--play-clock", "20", "--json")
	o.expect(t, statusFine)
	for _, errors := range o.objects(t)[0]["errors"].([]any) {
		if errors != 0.0 {
			t.Errorf("errors in %s", o.out)
		}
	}
}
