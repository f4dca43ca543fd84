package layers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/matrix"
)

// Work on a layer is divided into tasks for helpers in other processes, which share the folder. A helper
// reads the layers from the folder and writes a result file named after the task. The submitting process
// merges the children:
//
//	forward   positions First to Last of layer N → (N+1).positions.First: a layer with
//	          their children
//	backward  the same → N.values.First: their values, which are kept
//
// Tasks are idempotent: a repeated task writes the same file.

// Task is a part of the work on a layer.
type Task struct {
	Layer    int          `json:"layer"`
	First    int          `json:"first"`              // index of its first position, in the order of the file
	Last     int          `json:"last"`               // exclusive
	Sum      int64        `json:"sum"`                // constant sum of the goals, plus 1, if values are requested
	Children *layerHeader `json:"children,omitempty"` // packing of the children; nil if values are requested
}

// Done is the result of a task.
type Done struct {
	Misfits []machine.State `json:"misfits,omitempty"` // a sample of the children that do not fit the packing
	Games   int64           `json:"games"`             // matrix games solved
	Sum     int64           `json:"sum,omitempty"`     // sum of the goals in terminal positions, plus 1; 0 without terminal positions
	Spent   time.Duration   `json:"spent"`             // time on matrix games
}

// maxTasks is the number of submitted tasks, and so the number of useful helpers.
const maxTasks = 64

// file returns the result file of the task. Its content is determined by the task.
func (t Task) file(g *game) string {
	text, _ := json.Marshal(t) // cannot fail
	return g.path(t.Layer+1, fmt.Sprintf("positions.%d-%08x", t.First, crc32.Checksum(text, checksums)))
}

// childrenElsewhere has a helper expand some positions of layer d, and adds their children.
func (g *game) childrenElsewhere(ctx context.Context, d, first, last int, c *collector) error {
	t := Task{Layer: d, First: first, Last: last, Children: newHeader(c.packing)}
	done, err := g.config.Elsewhere(ctx, t)
	if err != nil {
		return err
	}
	l, err := g.header(t.file(g))
	if err == nil {
		err = loadKeys(t.file(g), l)
	}
	if err = errors.Join(err, os.Remove(t.file(g))); err != nil {
		return err
	}
	c.insert(l.keys)
	for _, q := range done.Misfits {
		if len(q) != len(g.root) {
			return errDamage
		}
		c.addMisfit(q)
	}
	return g.charge(c.bytes())
}

// Helper executes tasks of one game, several at a time. It is safe for concurrent use.
type Helper struct{ *readers }

// NewHelper returns a helper for the layers in a folder. m is the machine of a game with the given digest
// of its rules. The helper uses at most maxBytes of memory and executes as many tasks at a time as there
// are threads.
func NewHelper(folder string, m machine.Machine, rules string, engine func() (matrix.Engine, error), threads int, maxBytes int64) (*Helper, error) {
	s := New(Config{Threads: threads, Engine: engine, Folder: folder, Label: book.Label{Rules: rules}})
	g, err := newGame(m, m.Initial(), s.config)
	if err != nil {
		return nil, err
	}
	g.begin(context.Background(), search.Limits{MaxBytes: maxBytes})
	if err := g.readHead(); err != nil {
		return nil, err
	}
	return &Helper{newReaders(g)}, nil
}

// Do executes a task. The error wraps fs.ErrNotExist if the folder does not (yet) show the layers.
func (h *Helper) Do(ctx context.Context, t Task) (done Done, err error) {
	load := func(int) error { return h.load(t.Layer, t.Children == nil) }
	err = h.run(load, func(w *worker) error {
		if g := w.game; !g.isLoaded(t.Layer, false) || t.Children == nil && !g.isLoaded(t.Layer+1, true) {
			return absent(t.Layer)
		}
		w.begin(ctx)
		done, err = w.doTask(t)
		return err
	})
	return done, err
}

// doTask executes a task with loaded layers.
func (w *worker) doTask(t Task) (Done, error) {
	g := w.game
	l := g.layers[t.Layer]
	if t.Sum > 0 {
		if err := g.Sum.Merge(t.Sum); err != nil {
			return Done{}, err
		}
	}
	if t.First < 0 || t.First > t.Last || t.Last > l.count {
		return Done{}, fmt.Errorf("expected a range of positions within a layer of %d, found %d to %d", l.count, t.First, t.Last)
	}
	if t.Children == nil {
		return w.solveBlock(t.Layer, t.First, make([]float64, t.Last-t.First))
	}
	p, err := g.packing(t.Children)
	if err != nil {
		return Done{}, err
	}
	c := &collector{packing: p}
	err = w.children(l, t.First, t.Last, c)
	var children *layer
	if err == nil {
		children, err = c.layer(w)
	}
	if err == nil {
		err = g.save(t.file(g), children)
	}
	return Done{Misfits: c.misfits}, err
}

// load loads layer d and, if values are requested, the next one.
func (h *Helper) load(d int, values bool) error {
	g := h.game
	for n := len(g.layers); n <= d || values && n == d+1; n++ {
		l, err := g.header(g.path(n, "positions"))
		if err != nil {
			return err
		}
		g.layers = append(g.layers, l)
	}
	if values {
		return g.loadPair(d, d+1)
	}
	g.unloadExcept(d, d)
	return g.ensureLoaded(d, false)
}

// isLoaded reports whether layer d is in memory, including its values and its index if values is set.
func (g *game) isLoaded(d int, values bool) bool {
	if d < 0 || d >= len(g.layers) {
		return false
	}
	l := g.layers[d]
	return l.count == 0 || l.keys != nil && (!values || l.starts != nil && l.values != nil)
}
