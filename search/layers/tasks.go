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

// Work on a layer is divided into tasks, which helpers in other processes do. They share the folder: a helper reads
// the layers from there, and leaves a file beside them, named after the task. Who has submitted the tasks
// merges the children:
//
//	forward   positions from First to Last of layer N → (N+1).positions.First: a layer with their children
//	backward  the same → N.values.First: their values, which stay
//
// A task may be done again, by anybody: it leaves the same file.

// Task is a part of the work on a layer.
type Task struct {
	Layer    int          `json:"layer"`
	First    int          `json:"first"`              // of its positions, in the order of the file
	Last     int          `json:"last"`               // not included
	Sum      int64        `json:"sum"`                // of goals, and 1, where values are wanted
	Children *layerHeader `json:"children,omitempty"` // how they are packed; nil if values are wanted
}

// Done says how a task went.
type Done struct {
	Misfits []machine.State `json:"misfits,omitempty"` // some children that do not fit the packing
	Games   int64           `json:"games"`             // matrix games solved
	Sum     int64           `json:"sum,omitempty"`     // of the goals that were met, and 1; 0 if there were none
	Spent   time.Duration   `json:"spent"`             // on these
}

// maxTasks are submitted at a time: more helpers have nothing to do.
const maxTasks = 64

// file is where a task leaves the children. What is there follows from the task.
func (t Task) file(g *game) string {
	text, _ := json.Marshal(t) // it can be
	return g.path(t.Layer+1, fmt.Sprintf("positions.%d-%08x", t.First, crc32.Checksum(text, checksums)))
}

// childrenElsewhere has the children of some positions of layer d added.
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
		c.note(q)
	}
	return g.charge(c.bytes())
}

// Helper does tasks of one game, several at a time. It is safe for concurrent use.
type Helper struct{ *readers }

// NewHelper makes a helper for the layers in a folder, those of the machine of a game whose rules have the digest given,
// that takes up to maxBytes of memory. It does as many tasks at a time as there are threads.
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

// Do does a task. The error wraps fs.ErrNotExist where the folder does not show the layers (yet).
func (h *Helper) Do(ctx context.Context, t Task) (done Done, err error) {
	load := func(int) error { return h.load(t.Layer, t.Children == nil) }
	err = h.do(load, func(w *worker) error {
		if g := w.game; !g.holds(t.Layer, false) || t.Children == nil && !g.holds(t.Layer+1, true) {
			return absent(t.Layer)
		}
		w.begin(ctx)
		done, err = w.do(t)
		return err
	})
	return done, err
}

// do does a task, for which the layers are in memory.
func (w *worker) do(t Task) (Done, error) {
	g := w.game
	l := g.layers[t.Layer]
	if t.Sum > 0 {
		if err := g.agree(t.Sum); err != nil {
			return Done{}, err
		}
	}
	if t.First < 0 || t.First > t.Last || t.Last > l.count {
		return Done{}, fmt.Errorf("expected positions of a layer of %d, found %d to %d", l.count, t.First, t.Last)
	}
	if t.Children == nil {
		return w.settle(t.Layer, t.First, make([]float64, t.Last-t.First))
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

// load has layer d in memory, and the next one where its values are wanted.
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
		return g.hold(d, d+1)
	}
	g.forget(d, d)
	return g.recall(d, false)
}

// holds tells whether layer d is in memory, and ready for look-ups where that is wanted.
func (g *game) holds(d int, values bool) bool {
	if d < 0 || d >= len(g.layers) {
		return false
	}
	l := g.layers[d]
	return l.count == 0 || l.keys != nil && (!values || l.starts != nil && l.values != nil)
}
