package layers

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/book"
)

// solveInFolder solves a game and returns its value and the files of the folder.
func solveInFolder(t *testing.T, m machine.Machine, c Config) (float64, map[string]string) {
	t.Helper()
	c.Label = book.Label{Rules: "digest"}
	r, err := New(c).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || !r.Solved() {
		t.Fatalf("%v, %v", r, err)
	}
	files := make(map[string]string)
	entries, err := os.ReadDir(c.Folder)
	for _, e := range entries {
		var data []byte
		data, err = os.ReadFile(filepath.Join(c.Folder, e.Name()))
		files[e.Name()] = string(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Values[0].Lower, files
}

// team are helpers that take tasks in turn. Some die of a task, which the next one gets; some repeat a finished task.
type team struct {
	folder  string
	machine machine.Machine
	mu      sync.Mutex
	helpers []*Helper // nil until the folder is there
	tasks   atomic.Int64
}

func (h *team) do(ctx context.Context, task Task) (Done, error) {
	n := int(h.tasks.Add(1))
	if n%5 == 0 {
		dead, cancel := context.WithCancel(ctx)
		cancel()
		helper, err := h.helper(n)
		if err != nil {
			return Done{}, err
		}
		_, _ = helper.Do(dead, task) // it may have got as far as the file
		n++
	}
	helper, err := h.helper(n)
	if err != nil {
		return Done{}, err
	}
	if n%7 == 0 {
		if done, err := helper.Do(ctx, task); err != nil {
			return done, err
		}
	}
	return helper.Do(ctx, task)
}

func (h *team) helper(n int) (helper *Helper, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := &h.helpers[n%len(h.helpers)]
	if *at == nil {
		*at, err = NewHelper(h.folder, h.machine, "digest", nil, 2, 0)
	}
	return *at, err
}

func TestHelpersMakeTheSameFiles(t *testing.T) {
	defer func(n int) { minBlock = n }(minBlock)
	minBlock = exhaustive.Choose(200, 2000)
	small := []string{"goofspiel-6", "pig-8-2"}
	for _, game := range exhaustive.Choose(small, []string{"goofspiel-7", "biddingTicTacToe-2", "pig-8-2"}) {
		m := gamestest.Machine(t, game)
		value, want := solveInFolder(t, m, Config{Threads: 1, Folder: t.TempDir()})
		for _, helpers := range []int{1, 3} {
			h := team{folder: t.TempDir(), machine: m, helpers: make([]*Helper, helpers)}
			v, got := solveInFolder(t, m, Config{Threads: 1, Folder: h.folder, Elsewhere: h.do})
			if v != value || h.tasks.Load() < 10 {
				t.Errorf("%s with %d helpers: value %v after %d tasks, want %v", game, helpers, v, h.tasks.Load(), value)
			}
			if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
				t.Errorf("%s with %d helpers: files %v", game, helpers, names)
			}
			for name, content := range want {
				if got[name] != content {
					t.Errorf("%s with %d helpers: %s differs", game, helpers, name)
				}
			}
		}
	}
}

func TestBlocksAreAllPositionsOnceTheLargeOnesFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1<<28).Draw(t, "positions")
		starts := blocks(n)
		if starts[len(starts)-1] != n || n > 0 && starts[0] != 0 {
			t.Fatalf("%d positions are divided at %v", n, starts)
		}
		last := maxBlock
		for i := range len(starts) - 1 {
			size := starts[i+1] - starts[i]
			if size <= 0 || size > last {
				t.Fatalf("block %d has %d positions after one of %d", i, size, last)
			}
			last = size
		}
	})
}

// Of a layer that was interrupted only the blocks are solved that are not there.
func TestBlocksThatAreSolvedAreNotSolvedAgain(t *testing.T) {
	defer func(n int) { minBlock = n }(minBlock)
	minBlock = 50
	m := gamestest.Machine(t, "goofspiel-6")
	folder := t.TempDir()
	_, want := solveInFolder(t, m, Config{Threads: 1, Folder: folder})
	s := must.Get(Open(folder, m, "digest", 0))(t)
	d := slices.IndexFunc(s.game.layers, func(l *layer) bool { return len(blocks(l.count)) > 4 })
	starts := blocks(s.game.layers[d].count)
	missing := starts[2] - starts[1]
	for _, l := range s.game.layers[:d] {
		missing += l.count // their values belong to an unfinished layer
	}
	must.OK(t, os.Remove(s.game.valueFile(d, starts[1])))
	if _, err := Open(folder, m, "digest", 0); err == nil {
		t.Error("a folder in which a block is missing is a solution")
	}
	c := Config{Threads: 2, Folder: folder, Resume: true, Label: book.Label{Rules: "digest"}}
	r, err := New(c).Search(t.Context(), m, m.Initial(), search.Limits{})
	if err != nil || r.Nodes != int64(missing) {
		t.Errorf("%d positions were solved, want %d: %v", r.Nodes, missing, err)
	}
	if _, got := solveInFolder(t, m, c); !maps.Equal(got, want) {
		t.Error("the files are not what they were")
	}
}

// A guess from a small sample does not fit all positions of a layer: the layer is packed again with another guess, by any worker.
func TestPositionsThatDoNotFitAreSolvedAllTheSame(t *testing.T) {
	defer func(sample, block int) { maxSample, minBlock = sample, block }(maxSample, minBlock)
	m := gamestest.Machine(t, "goofspiel-6")
	minBlock = 500
	solve := func() (float64, map[string]string, int64) {
		h := team{folder: t.TempDir(), machine: m, helpers: make([]*Helper, 2)}
		v, files := solveInFolder(t, m, Config{Threads: 1, Folder: h.folder, Elsewhere: h.do})
		return v, files, h.tasks.Load()
	}
	value, _, tasks := solve()
	maxSample = 64
	v, got, more := solve()
	if v != value || more <= tasks {
		t.Errorf("value %v with %d tasks, want %v with more than %d", v, more, value, tasks)
	}
	if v, want := solveInFolder(t, m, Config{Threads: 2, Folder: t.TempDir()}); v != value || !maps.Equal(got, want) {
		t.Errorf("value %v without helpers, want %v and the same files", v, value)
	}
}

func TestAHelperThatDoesNotSeeTheLayersSaysSo(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-4")
	folder := t.TempDir()
	if _, err := NewHelper(folder, m, "digest", nil, 1, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: error %v", err)
	}
	solveInFolder(t, m, Config{Threads: 1, Folder: folder})
	if _, err := NewHelper(folder, m, "other digest", nil, 1, 0); err == nil {
		t.Error("layers of other rules are taken")
	}
	h := must.Get(NewHelper(folder, m, "digest", nil, 1, 0))(t)
	if _, err := h.Do(t.Context(), Task{Layer: 99, Last: 1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a layer that is not there: error %v", err)
	}
	if _, err := h.Do(t.Context(), Task{Last: 2}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("positions that are not there: error %v", err)
	}
}
