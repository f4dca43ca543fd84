package layers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"

	"stackmate/search/exact"
)

// induce solves all layers, from the last one on.
func (g *game) induce() error {
	for d := len(g.layers) - 1; d >= 0; d-- {
		l := g.layers[d]
		if l.solved {
			continue
		}
		if err := g.solveLayer(d); err != nil {
			return err
		}
		l.solved = true
		if err := g.sync(g.valueFiles(d)...); err != nil {
			return err
		}
	}
	return nil
}

// solveLayer solves the positions of layer d from the values of the next layer, except blocks whose values
// are in the folder. The last layer is empty.
func (g *game) solveLayer(d int) error {
	if d == len(g.layers)-1 {
		return nil
	}
	l := g.layers[d]
	var values []float64
	if g.config.Elsewhere != nil {
		g.unloadExcept(-1, -1)
	} else if err := g.loadPair(d, d+1); err != nil {
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
			done, err = w.solveBlock(d, first, values[first:last])
		case !known:
			done, err = g.config.Elsewhere(ctx, Task{Layer: d, First: first, Last: last, Sum: g.Sum.Code()})
			if err == nil && done.Sum > 0 {
				err = g.Sum.Merge(done.Sum)
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

// loadPair loads the keys of layer d, and the next layer for look-ups. It unloads all other layers.
func (g *game) loadPair(d, next int) error {
	g.unloadExcept(d, next)
	if err := g.ensureLoaded(d, false); err != nil {
		return err
	}
	return g.ensureLoaded(next, true)
}

// solveBlock solves a block of layer d and writes its values to the folder, unless the folder contains
// them.
func (w *worker) solveBlock(d, first int, values []float64) (Done, error) {
	g := w.game
	if g.config.Folder != "" {
		if err := loadValues(g.valueFile(d, first), values); !errors.Is(err, fs.ErrNotExist) {
			return Done{}, err
		}
	}
	w.games, w.spent = 0, 0
	w.drop()
	err := w.expand(g.layers[d], first, first+len(values), func(at int, e *play.Expansion) (err error) {
		values[at-first], err = w.value(e, g.layers[d+1], nil, nil)
		return err
	})
	if err == nil && g.config.Folder != "" {
		err = write(g.valueFile(d, first), func(out io.Writer) error { return writeWords(out, values) })
	}
	return Done{Games: w.games, Spent: w.spent, Sum: w.game.Sum.Code()}, err
}

// sampleGames is the sampling interval of matrix games whose solution time is measured.
const sampleGames = 64

// value returns the value of an expansion whose children are in layer next. It writes the strategies of
// the players to x and y unless they are nil.
func (w *worker) value(e *play.Expansion, next *layer, x, y []float64) (float64, error) {
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
		return exact.Snap(v), err
	}
	started := time.Now()
	v, err := w.lp.Nash(w.matrix, m, n, x, y)
	w.spent += sampleGames * time.Since(started)
	return exact.Snap(v), err
}

// fill writes the m×n payoff matrix of an expansion, whose children are in layer next, to w.matrix.
func (w *worker) fill(e *play.Expansion, next *layer) (m, n int, err error) {
	g := w.game
	m, n = e.Choices(g.First), e.Choices(g.Other)
	w.matrix = scratch.Resize(w.matrix, m*n)
	if e.Children == m*n && (n == 1 || g.Other > g.First) { // children are cells
		for c := range w.matrix {
			if w.matrix[c], err = g.child(e, c, next); err != nil {
				return m, n, err
			}
		}
		return m, n, nil
	}
	clear(w.matrix)
	rowStep, columnStep := e.Step(g.First), e.Step(g.Other)
	for c := range e.Children {
		v, err := g.child(e, c, next)
		if err != nil {
			return m, n, err
		}
		w.matrix[c/rowStep%m*n+c/columnStep%n] += v
	}
	chances := float64(e.Children / (m * n))
	for i, v := range w.matrix {
		w.matrix[i] = exact.Snap(v / chances)
	}
	return m, n, nil
}

// child returns the value of child c of an expansion.
func (g *game) child(e *play.Expansion, c int, next *layer) (float64, error) {
	if e.Terminal[c] {
		return g.points(e.ChildGoals(c))
	}
	v, ok := g.lookUp(next, e.Child(c))
	if !ok {
		return 0, fmt.Errorf("position not found in its layer: %v", g.machine.Names().AppendFluents(nil, e.Child(c)))
	}
	return v, nil
}

// lookUp returns the value of position q in a layer. The packing may lack symmetries of the game: the
// layer may then contain only an image of q, so lookUp tries all images.
func (g *game) lookUp(l *layer, q machine.State) (v float64, ok bool) {
	at, exchanged := l.find(q)
	for i := 0; i < len(g.symmetries) && at < 0; i++ {
		y := &g.symmetries[i]
		at, exchanged = l.find(y.apply(q))
		exchanged = exchanged != y.exchanges
	}
	switch {
	case at < 0:
		return 0, false
	case exchanged:
		sum, _ := g.Sum.Known()
		return sum - l.values[at], true
	}
	return l.values[at], true
}
