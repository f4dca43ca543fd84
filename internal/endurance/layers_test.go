package endurance

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/protocol/wiretest"
)

// solving returns the command that solves a game by layers in a folder.
func solving(game, folder string, more ...string) []string {
	return append([]string{"solve", game, "--method", "layers", "--save", folder, "--json"}, more...)
}

// solvedByLayers waits for a command that solves a game, and returns the value and the certificate.
func solvedByLayers(t *testing.T, p *process) (value string, certificate map[string]any) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Minute):
		t.Fatalf("the search does not end:\n%s", tail(p.log))
	}
	var s map[string]any
	if err := json.Unmarshal(p.output(t), &s); err != nil || !p.cmd.ProcessState.Success() || s["proved"] != true {
		t.Fatalf("%v: not solved: %v\n%s", err, s, p.death())
	}
	certificate = make(map[string]any)
	for _, field := range []string{"certified", "exploitability", "proved_exploitability", "proved_bounds", "positions_checked"} {
		certificate[field] = s[field]
	}
	return fmt.Sprint(s["value"]), certificate
}

// inode identifies a file, also after replacement by a file with the same content.
type inode struct {
	os.FileInfo
	content string
}

// layersIn returns the finished files of a folder of layers.
func layersIn(t *testing.T, folder string) map[string]inode {
	t.Helper()
	files := make(map[string]inode)
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	for _, name := range names {
		info, e := os.Stat(name)
		content, e2 := os.ReadFile(name)
		if err = e; err == nil {
			err = e2
		}
		files[filepath.Base(name)] = inode{info, string(content)}
	}
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestAKilledSearchByLayersLosesOneLayerAtMost kills searches with -9 at random moments. The next search repeats no finished
// layer, and values, certificates and files equal the results of an undisturbed search.
func TestAKilledSearchByLayersLosesOneLayerAtMost(t *testing.T) {
	begin(t)
	const game = "goofspiel-7"
	whole := filepath.Join(t.TempDir(), "layers")
	value, certificate := solvedByLayers(t, start(t, solving(game, whole, "--certify")...))
	want := layersIn(t, whole)
	rng := rand.New(rand.NewPCG(1, 16))
	kept := 0
	for range repetitions(t, 4, 60) {
		folder := filepath.Join(t.TempDir(), "layers")
		p := start(t, solving(game, folder, "--threads", "1")...)
		// It is killed after a random number of files.
		after := 1 + rng.IntN(len(want)-2)
		for began := time.Now(); p.alive() && time.Since(began) < time.Minute; {
			if names, _ := filepath.Glob(filepath.Join(folder, "*")); len(names) >= after {
				break
			}
		}
		p.kill()
		before := layersIn(t, folder)
		v, c := solvedByLayers(t, start(t, solving(game, folder, "--resume", "--certify")...))
		if v != value || !maps.Equal(flat(c), flat(certificate)) {
			t.Errorf("value %s and certificate %v, want %s and %v", v, c, value, certificate)
		}
		got := layersIn(t, folder)
		for name, file := range want {
			if got[name].content != file.content {
				t.Errorf("%s differs", name)
			}
		}
		for name, file := range before {
			if _, finished := want[name]; !finished {
				continue
			}
			kept++
			if !os.SameFile(got[name].FileInfo, file.FileInfo) {
				t.Errorf("killed after %d of %d files, %s was made again", len(before), len(want), name)
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok && !strings.HasPrefix(name, ".") {
				t.Errorf("%s is left", name)
			}
		}
	}
	t.Logf("%d files kept", kept)
}

// flat returns the fields of an object as text.
func flat(object map[string]any) map[string]string {
	texts := make(map[string]string)
	for field, v := range object {
		texts[field] = fmt.Sprint(v)
	}
	return texts
}

// TestKilledWorkersLoseNoPartOfALayer solves a game with three workers that are killed with -9 at random moments, and then
// kills the search itself: the folder equals the folder of an undisturbed search.
func TestKilledWorkersLoseNoPartOfALayer(t *testing.T) {
	begin(t)
	game := either("goofspiel-9", "goofspiel-10")
	whole := filepath.Join(t.TempDir(), "layers")
	value, _ := solvedByLayers(t, start(t, solving(game, whole)...))
	want := layersIn(t, whole)

	ports := wiretest.FreePorts(t, 2)
	store := t.TempDir()
	var c crew
	c.add(func() *process { return startServer(t, member{"alone", ports[0], ports[1], nil, store}) })
	address := fmt.Sprint("nats://127.0.0.1:", ports[0])
	const workers = 3
	for range workers {
		c.add(func() *process { return start(t, "worker", "--nats", address, "--matches", "1") })
	}
	folder := filepath.Join(t.TempDir(), "layers")
	c.add(func() *process {
		time.Sleep(time.Second) // the server may not be there yet
		args := solving(game, folder, "--nats", address, "--threads", "1")
		if _, err := os.Stat(filepath.Join(folder, "layers.json")); err == nil {
			args = append(args, "--resume")
		}
		return start(t, args...)
	})
	search := 1 + workers
	rng := rand.New(rand.NewPCG(1, 17))
	killed := 0
	for k := range repetitions(t, 6, 60) {
		time.Sleep(time.Duration(rng.Int64N(int64(500 * time.Millisecond))))
		if !c.members[search].alive() && c.members[search].cmd.ProcessState.Success() {
			break
		}
		killed++
		if k%3 == 2 {
			c.restart(search)
		} else {
			c.restart(1 + rng.IntN(workers))
		}
		c.revive(search)
	}
	if v, _ := solvedByLayers(t, c.members[search]); v != value {
		t.Errorf("value %s, want %s", v, value)
	}
	got := layersIn(t, folder)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name].content != want[name].content {
			t.Errorf("%s differs", name)
		}
	}
	t.Logf("killed %d times", killed)
}
