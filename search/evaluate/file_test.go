package evaluate

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
)

// named identifies a game by a word. Its canonical names begin with a sign.
type named string

func (n named) Rules() string        { return string(n) }
func (named) Own(text string) string { return strings.TrimPrefix(text, "~") }
func (named) Canonical(text string) string {
	if text == "" {
		return ""
	}
	return "~" + text
}

func loaded(t *testing.T, path string, rules Rules, m machine.Machine, c Config) *Learner {
	t.Helper()
	l, err := Load(path, rules, m, c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// unpacked returns the JSON object of a file.
func unpacked(t *testing.T, file []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func TestWhatWasLearntIsTheSameWhenLoaded(t *testing.T) {
	l := trained(t, "ticTacToe", 1, 500)
	l.progress.Positions = firstGrowth
	l.Learn(t.Context(), 500)
	path := filepath.Join(t.TempDir(), "learnt")
	if err := l.Save(path, named("rules")); err != nil {
		t.Fatal(err)
	}
	m := l.games.machine
	again := loaded(t, path, named("rules"), m, Config{Seed: 2, ConstantSum: true})
	states := randomStates(m, machine.NewRand(1), 50)
	a, b := make([]float64, 100), make([]float64, 100)
	l.Evaluation().Values(a, states)
	again.Evaluation().Values(b, states)
	if !slices.Equal(a, b) {
		t.Error("positions are worth something else when loaded")
	}
	if n := len(again.trainer.blocks); n != 2 {
		t.Errorf("%d blocks when loaded, want 2", n)
	}
	if a, b := l.Progress().Correlation, again.Progress().Correlation; a == 0 || a != b {
		t.Errorf("a correlation of %v with outcomes, when loaded %v", a, b)
	}
	games := again.Progress().Games
	again.Learn(t.Context(), 300)
	if games != l.Progress().Games || again.Progress().Games < games+300 {
		t.Errorf("%d games before it was saved, %d when loaded, %d after more", l.Progress().Games, games, again.Progress().Games)
	}
}

func TestTheRateOfLearningFallsAndStaysDownWhenLoaded(t *testing.T) {
	l := trained(t, "ticTacToe", 1, 100)
	l.trainer.steps = 3 * constantSteps
	if rate := l.trainer.rate(); math.Abs(rate-learningRate/2) > learningRate/1000 {
		t.Errorf("rate %v, want half of %v", rate, learningRate)
	}
	l.progress.Positions = 3 * constantSteps * batchSize / fits
	path := filepath.Join(t.TempDir(), "learnt")
	if err := l.Save(path, named("rules")); err != nil {
		t.Fatal(err)
	}
	again := loaded(t, path, named("rules"), l.games.machine, Config{Seed: 2, ConstantSum: true})
	if rate := again.trainer.rate(); rate != l.trainer.rate() {
		t.Errorf("rate %v when loaded, want %v", rate, l.trainer.rate())
	}
}

func TestAFullDiskIsToldOnce(t *testing.T) {
	err := trained(t, "ticTacToe", 1, 100).Save("/dev/full", named("rules"))
	if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), syscall.ENOSPC.Error()) != 1 || strings.Count(err.Error(), "/dev/full") != 1 {
		t.Errorf("found %v", err)
	}
}

func TestBadFilesAreRefusedWithAReason(t *testing.T) {
	l := trained(t, "ticTacToe", 1, 10)
	path := filepath.Join(t.TempDir(), "learnt")
	if err := l.Save(path, named("rules")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := func(old, new string) []byte {
		plain := unpacked(t, whole)
		if !strings.Contains(plain, old) {
			t.Fatal("no", old)
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, strings.Replace(plain, old, new, 1))
		_ = w.Close()
		return b.Bytes()
	}
	first, second := l.games.machine.Names().Fluents[0], l.games.machine.Names().Fluents[1]
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 4
	for name, c := range map[string]struct {
		content []byte
		damaged bool // of use to nobody
		reason  string
	}{
		"empty":           {nil, true, "not an evaluation"},
		"no such file":    {[]byte("(role x)"), true, "not an evaluation"},
		"cut off":         {whole[:len(whole)/2], true, "unexpected EOF"},
		"a bit flipped":   {flipped, true, "damaged"},
		"other rules":     {text(`"rules":"rules"`, `"rules":"others"`), true, "not the rules of the game"},
		"a later version": {text(`"version":8`, `"version":9`), false, "version 9"},
		"an old version":  {text(`"version":8`, `"version":7`), true, "version 7"},
		"another fluent":  {text(`"~`+first+`"`, `"~(cell 9 9 b)"`), false, "(cell 9 9 b)"},
		"the same twice":  {text(`"~`+first+`"`, `"~`+second+`"`), false, second},
		"another view":    {text(`"mirrored":true`, `"mirrored":false`), false, "do not fit"},
		"fewer outputs":   {text(`"outputs":1`, `"outputs":0`), false, "do not fit"},
		"a huge weight":   {text(`"bias":[`, `"bias":[1e30,`), false, "do not fit"},
		"an infinite sum": {text(`"sum":`, `"sum":1e300,"odd":`), true, "no numbers"},
		"no weights":      {text(`"weights":[[`, `"weights":[[],[`), false, "do not fit"},
	} {
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, named("rules"), l.games.machine, Config{ConstantSum: true}); err == nil || !strings.Contains(err.Error(), c.reason) || errors.Is(err, ErrDamaged) != c.damaged {
			t.Errorf("%s: error %v, want one that says %q; of use to nobody: %t", name, err, c.reason, c.damaged)
		}
	}
	if _, err := Load(path+"not", named("rules"), l.games.machine, Config{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Load(t.TempDir(), named("rules"), l.games.machine, Config{}); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("a folder: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	m := gamestest.Machine(f, "ticTacToe")
	f.Add([]byte(`{"format":"stackmate evaluation","version":8,"rules":"rules","outputs":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(text)
		_ = w.Close()
		s, err := read(&b)
		if err != nil {
			return
		}
		l := learner(t, m, Config{ConstantSum: true})
		_ = l.restore(s, named("rules"))
	})
}
