package layers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"sync/atomic"
	"time"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
)

// Values lie on a grid of 2⁻³⁰ goal points, as those of package simultaneous do, so that values that are equal by the rules are
// equal as numbers.
const grid = 1.0 / (1 << 30)

func snap(v float64) float64 { return math.RoundToEven(v/grid) * grid }

// induce solves all layers, from the last one on.
func (g *game) induce() error {
	for d := len(g.layers) - 1; d >= 0; d-- {
		l := g.layers[d]
		if l.solved {
			continue
		}
		if err := g.settle(d); err != nil {
			return err
		}
		l.solved = true
		if err := g.sync(g.valueFiles(d)...); err != nil {
			return err
		}
	}
	return nil
}

// settle solves the positions of layer d from the values of the next one, but for those whose values are in the folder. The
// last layer is empty.
func (g *game) settle(d int) error {
	if d == len(g.layers)-1 {
		return nil
	}
	l := g.layers[d]
	var values []float64
	if g.config.Elsewhere != nil {
		g.forget(-1, -1)
	} else if err := g.hold(d, d+1); err != nil {
		return err
	} else {
		values = make([]float64, l.count)
	}
	var positions, games, spent atomic.Int64
	err := g.each(d, l.count, func(ctx context.Context, w *worker, first, last int) (err error) {
		var done Done
		known := g.config.Folder != "" && exists(g.valueFile(d, first))
		switch {
		case w != nil:
			done, err = w.settle(d, first, values[first:last])
		case !known:
			done, err = g.config.Elsewhere(ctx, Task{Layer: d, First: first, Last: last, Sum: g.sum.Load()})
			if err == nil && done.Sum > 0 {
				err = g.agree(done.Sum)
			}
		}
		if err == nil && !known {
			positions.Add(int64(last - first))
		}
		games.Add(done.Games)
		spent.Add(int64(done.Spent))
		return err
	})
	g.counters.Nodes += positions.Load()
	g.counters.LPCalls += games.Load()
	g.counters.LPTime += time.Duration(spent.Load()) / time.Duration(len(g.workers))
	if err != nil {
		return err
	}
	l.values = values
	return g.charge(0)
}

// hold has the keys of layer d in memory and the next one ready for look-ups, and leaves the others to the folder.
func (g *game) hold(d, next int) error {
	g.forget(d, next)
	if err := g.recall(d, false); err != nil {
		return err
	}
	return g.recall(next, true)
}

// settle solves a block of layer d, and leaves its values in the folder, unless they are there.
func (w *worker) settle(d, first int, values []float64) (Done, error) {
	g := w.game
	if g.config.Folder != "" {
		if err := loadValues(g.valueFile(d, first), values); !errors.Is(err, fs.ErrNotExist) {
			return Done{}, err
		}
	}
	w.games, w.spent = 0, 0
	w.drop()
	err := w.expand(g.layers[d], first, first+len(values), func(at int, e *machine.Expansion) (err error) {
		values[at-first], err = w.value(e, g.layers[d+1], nil, nil)
		return err
	})
	if err == nil && g.config.Folder != "" {
		err = write(g.valueFile(d, first), func(out io.Writer) error { return writeWords(out, values) })
	}
	return Done{Games: w.games, Spent: w.spent, Sum: w.game.sum.Load()}, err
}

// sampleGames: of so many matrix games the time of one is taken, on behalf of all.
const sampleGames = 64

// value is what an expansion is worth, whose children are in layer next. It writes the strategies of both players
// where they are not nil.
func (w *worker) value(e *machine.Expansion, next *layer, x, y []float64) (float64, error) {
	m, n, err := w.fill(e, next)
	if err != nil {
		return 0, err
	}
	if m == 1 && n == 1 && x == nil {
		return w.matrix[0], nil
	}
	w.games++
	if w.games%sampleGames != 0 {
		v, err := w.lp.Nash(w.matrix, m, n, x, y)
		return snap(v), err
	}
	started := time.Now()
	v, err := w.lp.Nash(w.matrix, m, n, x, y)
	w.spent += sampleGames * time.Since(started)
	return snap(v), err
}

// fill writes the m×n matrix of an expansion, whose children are in layer next, into w.matrix.
func (w *worker) fill(e *machine.Expansion, next *layer) (m, n int, err error) {
	g := w.game
	m, n = e.Choices(g.first), e.Choices(g.other)
	w.matrix = scratch.Resize(w.matrix, m*n)
	if e.Children == m*n && (n == 1 || g.other > g.first) { // children are cells
		for c := range w.matrix {
			if w.matrix[c], err = g.child(e, c, next); err != nil {
				return m, n, err
			}
		}
		return m, n, nil
	}
	clear(w.matrix)
	rowStep, columnStep := e.Step(g.first), e.Step(g.other)
	for c := range e.Children {
		v, err := g.child(e, c, next)
		if err != nil {
			return m, n, err
		}
		w.matrix[c/rowStep%m*n+c/columnStep%n] += v
	}
	chances := float64(e.Children / (m * n))
	for i, v := range w.matrix {
		w.matrix[i] = snap(v / chances)
	}
	return m, n, nil
}

// child is what child c of an expansion is worth.
func (g *game) child(e *machine.Expansion, c int, next *layer) (float64, error) {
	if e.Terminal[c] {
		return g.points(e.ChildGoals(c))
	}
	v, ok := g.lookUp(next, e.Child(c))
	if !ok {
		return 0, fmt.Errorf("a position is in no layer: %v", g.machine.Names().AppendFluents(nil, e.Child(c)))
	}
	return v, nil
}

// lookUp is the value of position q in a layer. It looks for images of q, too: the packing need not know all
// symmetries, so that of positions that come after one for which another one stands only images may be there.
func (g *game) lookUp(l *layer, q machine.State) (v float64, ok bool) {
	at, exchanged := l.find(q)
	for i := 0; i < len(g.symmetries) && at < 0; i++ {
		y := &g.symmetries[i]
		at, exchanged = l.find(y.of(q))
		exchanged = exchanged != y.exchanges
	}
	switch {
	case at < 0:
		return 0, false
	case exchanged:
		return float64(g.sum.Load()-1) - l.values[at], true
	}
	return l.values[at], true
}
