package reasoner_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// cached is a cache in a folder of a test that keeps whatever is compiled.
type cached struct {
	*reasoner.Cache
	dir      string
	warnings []string
}

func newCached(t *testing.T, limit int64) *cached {
	c := &cached{dir: t.TempDir()}
	var err error
	if c.Cache, err = reasoner.OpenCache(c.dir, func(err error) { c.warnings = append(c.warnings, err.Error()) }); err != nil {
		t.Fatal(err)
	}
	c.KeepAll(limit)
	return c
}

// make compiles a game and tells whether its circuit came from the cache.
func (c *cached) make(t *testing.T, g *gdl.Game, o reasoner.Options) (m machine.Machine, found bool) {
	t.Helper()
	o.Cache = c.Cache
	m, err := reasoner.New(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	return m, m.Info().Stages[0].Name == "cache"
}

func (c *cached) files(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.dir, "*.circuit"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// playedOn plays random matches: equal machines give equal numbers.
func playedOn(m machine.Machine) [3]int64 {
	p := machine.NewPlayouts(m, m.Initial(), 1)
	for range 30 {
		p.Step()
	}
	return [3]int64{p.States, p.Ended, p.Faulty}
}

func TestKeptCircuitsAreTheSameMachine(t *testing.T) {
	for _, name := range []string{"connectFour-4x4", "goofspiel-4", "hex-4x4", "pig-10-6"} {
		c := newCached(t, 1<<20)
		g := gamestest.Rules(t, name)
		first, _ := c.make(t, g, reasoner.Options{})
		second, found := c.make(t, g, reasoner.Options{})
		if !found || len(c.files(t)) != 1 {
			t.Fatalf("%s: the circuit was not kept", name)
		}
		if playedOn(first) != playedOn(second) || len(first.Symmetries()) != len(second.Symmetries()) {
			t.Errorf("%s: the circuit that was kept plays otherwise", name)
		}
		if _, found := c.make(t, g, reasoner.Options{Engine: "circuit", Memory: 1 << 30}); !found {
			t.Errorf("%s: another memory or a named engine needs another file", name)
		}
		if _, found := c.make(t, g, reasoner.Options{Without: []string{"factor"}}); found {
			t.Errorf("%s: a circuit with all passes is taken for one without some", name)
		}
		if other, found := c.make(t, gamestest.Rules(t, "nim-1.2"), reasoner.Options{}); found || len(other.Names().Fluents) == len(first.Names().Fluents) {
			t.Errorf("%s: other rules have the same file", name)
		}
		if len(c.warnings) > 0 {
			t.Errorf("%s: %q", name, c.warnings)
		}
	}
}

// Whatever happens to a file, the game is compiled, with a warning, and kept anew.
func TestDamagedAndForeignFilesAreCompiledAnew(t *testing.T) {
	c := newCached(t, 1<<20)
	g := gamestest.Rules(t, "ticTacToe")
	m, _ := c.make(t, g, reasoner.Options{})
	want, path := playedOn(m), c.files(t)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	flip := func(from, to int) []byte {
		data := bytes.Clone(whole)
		data[from+rng.IntN(to-from)] ^= 1 << rng.IntN(8)
		return data
	}
	n := len(whole)
	files := map[string][]byte{
		"empty": {}, "one byte": whole[:1], "half": whole[:n/2], "a byte less": whole[:n-1], "a byte more": append(bytes.Clone(whole), 0),
		"zeros": make([]byte, n), "text": []byte(strings.Repeat("not a circuit ", 100)),
		"magic": flip(0, 18), "version": flip(18, 50), "key": flip(50, 82), "kind": flip(82, 83), "sum": flip(n-32, n),
	}
	for i := range 10 {
		files["content "+string(rune('0'+i))] = flip(83+(n-115)*i/10, 83+(n-115)*(i+1)/10)
	}
	for what, data := range files {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c.warnings = nil
		m, found := c.make(t, g, reasoner.Options{})
		if found || len(c.warnings) != 1 || !strings.Contains(c.warnings[0], path) {
			t.Errorf("%s: taken from the file: %v; warnings %q", what, found, c.warnings)
		}
		if playedOn(m) != want {
			t.Errorf("%s: another game", what)
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, whole) {
			t.Errorf("%s: the file was not replaced (%v)", what, err)
		}
	}
}

func TestCircuitsOfOtherVersionsAreCompiledAnew(t *testing.T) {
	c := newCached(t, 1<<20)
	g := gamestest.Rules(t, "ticTacToe")
	c.make(t, g, reasoner.Options{})
	c.SetVersion([32]byte{1}, nil)
	if _, found := c.make(t, g, reasoner.Options{}); found || len(c.warnings) != 1 || !strings.Contains(c.warnings[0], "version") {
		t.Errorf("taken from the file: %v; warnings %q", found, c.warnings)
	}
	if _, found := c.make(t, g, reasoner.Options{}); !found {
		t.Error("the circuit of this version was not kept")
	}
	c.SetVersion([32]byte{}, errors.New("no version"))
	if _, found := c.make(t, g, reasoner.Options{}); found {
		t.Error("a circuit was taken although the version is not known")
	}
}

// A file that is whole but makes no sense is an error of decoding, and no panic.
func TestFilesWithWrongContentAreCompiledAnew(t *testing.T) {
	c := newCached(t, 1<<20)
	g := gamestest.Rules(t, "ticTacToe")
	c.make(t, g, reasoner.Options{})
	path := c.files(t)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		data := bytes.Clone(whole)
		data[83+rng.IntN(len(data)-115)] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(path, reasoner.Resum(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, _ := c.make(t, g, reasoner.Options{}); m.Info().Engine != "circuit" {
			t.Error("there is no circuit")
		}
	}
}

// What was refused for lack of memory is refused at once, unless there is more of it.
func TestRefusalsAreKept(t *testing.T) {
	c := newCached(t, 1<<20)
	g := gamestest.Rules(t, "connectFour")
	little := reasoner.Options{Engine: "circuit", Memory: 1 << 16, Cache: c.Cache}
	_, first := reasoner.New(t.Context(), g, little)
	_, second := reasoner.New(t.Context(), g, little)
	if first == nil || second == nil || first.Error() != second.Error() || len(c.files(t)) != 1 {
		t.Errorf("%v and then %v, %d files", first, second, len(c.files(t)))
	}
	if _, found := c.make(t, g, reasoner.Options{}); found {
		t.Error("a refusal is a circuit")
	}
	if _, found := c.make(t, g, reasoner.Options{}); !found {
		t.Error("the circuit has not replaced the refusal")
	}
}

// The folder is bounded: what was not used for the longest time goes first, and files of
// others stay.
func TestTheCacheIsBounded(t *testing.T) {
	c := newCached(t, 10<<10)
	other := filepath.Join(c.dir, "other.txt")
	if err := os.WriteFile(other, make([]byte, 128<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{"ticTacToe", "connectFour-4x4", "goofspiel-4", "nim-2.3.4", "hex-4x4", "connectFour-5x4", "hex-3x3", "goofspiel-5", "nim-3.4.5"}
	for range 4 {
		for _, name := range names {
			c.make(t, gamestest.Rules(t, name), reasoner.Options{})
			c.make(t, gamestest.Rules(t, names[0]), reasoner.Options{})
		}
	}
	var sum int64
	for _, file := range c.files(t) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	if n := len(c.files(t)); sum > 10<<10 || n < 2 || n == len(names) {
		t.Errorf("%d files of %d bytes", n, sum)
	}
	if _, found := c.make(t, gamestest.Rules(t, names[0]), reasoner.Options{}); !found {
		t.Error("the circuit that is used all the time is gone")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}
