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
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// cached is a cache in a folder of a test that keeps every circuit.
type cached struct {
	*reasoner.Cache
	dir      string
	warnings []string
}

func newCached(t *testing.T) *cached {
	c := &cached{dir: t.TempDir()}
	c.Cache = must.Get(reasoner.OpenCache(c.dir, func(err error) { c.warnings = append(c.warnings, err.Error()) }))(t)
	c.KeepAll()
	return c
}

// make compiles a game and reports whether its circuit came from the cache.
func (c *cached) make(t *testing.T, g *gdl.Game, o reasoner.Options) (m machine.Machine, found bool) {
	t.Helper()
	o.Cache = c.Cache
	m = must.Get(reasoner.New(t.Context(), g, o))(t)
	return m, m.Info().Stages[0].Name == "cache"
}

func (c *cached) files(t *testing.T) []string {
	t.Helper()
	return must.Get(filepath.Glob(filepath.Join(c.dir, "*", "*-d")))(t)
}

// playedOn plays random matches: equal machines give equal numbers.
func playedOn(m machine.Machine) [3]int64 {
	p := play.NewPlayouts(m, m.Initial(), 1)
	for range 30 {
		p.Step()
	}
	return [3]int64{p.States, p.Ended, p.Faulty}
}

func TestKeptCircuitsAreTheSameMachine(t *testing.T) {
	for _, name := range []string{"connectFour-4x4", "goofspiel-4", "hex-4x4", "pig-10-6"} {
		c := newCached(t)
		g := gamestest.Rules(t, name)
		first, _ := c.make(t, g, reasoner.Options{})
		second, found := c.make(t, g, reasoner.Options{})
		if !found || len(c.files(t)) != 1 {
			t.Fatalf("%s: the circuit was not kept", name)
		}
		if playedOn(first) != playedOn(second) || len(facts.Symmetries(first)) != len(facts.Symmetries(second)) {
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

// Damaged files are no circuits: the game is compiled, and kept anew.
func TestDamagedFilesAreCompiledAnew(t *testing.T) {
	c := newCached(t)
	g := gamestest.Rules(t, "ticTacToe")
	m, _ := c.make(t, g, reasoner.Options{})
	want, path := playedOn(m), c.files(t)[0]
	whole := must.Get(os.ReadFile(path))(t)
	rng := rand.New(rand.NewPCG(1, 2))
	n := len(whole)
	files := map[string][]byte{
		"empty": {}, "one byte": whole[:1], "half": whole[:n/2], "a byte less": whole[:n-1], "a byte more": append(bytes.Clone(whole), 0),
		"zeros": make([]byte, n), "text": []byte(strings.Repeat("not a circuit ", 100)),
	}
	for i := range 10 {
		files["content "+string(rune('0'+i))] = flipped(whole, n*i/10, n*(i+1)/10, rng)
	}
	for what, data := range files {
		must.OK(t, os.WriteFile(path, data, 0o600))
		m, found := c.make(t, g, reasoner.Options{})
		if found || playedOn(m) != want {
			t.Errorf("%s: taken from the file: %v", what, found)
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, whole) {
			t.Errorf("%s: the file was not replaced (%v)", what, err)
		}
	}
}

// flipped returns data with one bit of the bytes from … to-1 changed.
func flipped(data []byte, from, to int, rng *rand.Rand) []byte {
	data = bytes.Clone(data)
	data[from+rng.IntN(to-from)] ^= 1 << rng.IntN(8)
	return data
}

func TestCircuitsOfOtherVersionsAreCompiledAnew(t *testing.T) {
	c := newCached(t)
	g := gamestest.Rules(t, "ticTacToe")
	c.make(t, g, reasoner.Options{})
	c.SetVersion([32]byte{1}, nil)
	if _, found := c.make(t, g, reasoner.Options{}); found {
		t.Error("the circuit of another version was taken")
	}
	if _, found := c.make(t, g, reasoner.Options{}); !found {
		t.Error("the circuit of this version was not kept")
	}
	c.SetVersion([32]byte{}, errors.New("no version"))
	if _, found := c.make(t, g, reasoner.Options{}); found || len(c.warnings) != 1 {
		t.Errorf("a circuit was taken although the version is not known: %v; warnings %q", found, c.warnings)
	}
}

// A file that makes no sense is an error of decoding, and no panic.
func TestFilesWithWrongContentAreCompiledAnew(t *testing.T) {
	c := newCached(t)
	g := gamestest.Rules(t, "ticTacToe")
	m, _ := c.make(t, g, reasoner.Options{})
	whole := must.Get(os.ReadFile(c.files(t)[0]))(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		must.OK(t, c.Replace(g, reasoner.Options{}, flipped(whole, 0, len(whole), rng)))
		if again, _ := c.make(t, g, reasoner.Options{}); again.Info().Engine != m.Info().Engine {
			t.Error("there is no circuit")
		}
	}
	if len(c.warnings) == 0 {
		t.Error("no file is warned of")
	}
}

// A folder that cannot be written is warned of, and the game compiled.
func TestAFolderThatIsGoneIsWarnedOf(t *testing.T) {
	c := newCached(t)
	must.OK(t, os.RemoveAll(c.dir))
	if m, found := c.make(t, gamestest.Rules(t, "ticTacToe"), reasoner.Options{}); found || m.Info().Engine != "circuit" || len(c.warnings) != 1 {
		t.Errorf("engine %s, warnings %q", m.Info().Engine, c.warnings)
	}
}
