package layers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// absent is the error if a layer is not in memory.
type absent int

func (d absent) Error() string { return fmt.Sprintf("layer %d is not in memory", int(d)) }

// errUnknown is the error for a position in no layer.
var errUnknown = errors.New("the position is in no layer")

// readers is a pool of workers that read layers concurrently. Layers are loaded under the write lock.
type readers struct {
	game *game
	free chan *worker
	mu   sync.RWMutex // read lock for reading layers, write lock for loading
}

func newReaders(g *game) *readers {
	r := &readers{game: g, free: make(chan *worker, len(g.workers))}
	for _, w := range g.workers {
		r.free <- w
	}
	return r
}

// run runs task on a free worker. It loads absent layers and retries.
func (r *readers) run(load func(d int) error, task func(w *worker) error) error {
	w := <-r.free
	defer func() { r.free <- w }()
	w.looked = w.looked[:0]
	for {
		r.mu.RLock()
		err := task(w)
		r.mu.RUnlock()
		var d absent
		if !errors.As(err, &d) {
			return err
		}
		r.mu.Lock()
		err = load(int(d)) // another goroutine may unload it before the retry
		r.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// Solution is the solved layers of a game. It is safe for concurrent use.
type Solution struct{ *readers }

var _ search.Valuer = (*Solution)(nil)

// At implements search.Solution.
func (s *Solution) At(_ context.Context, q machine.State) (claim search.Claim, err error) {
	err = s.run(s.load, func(w *worker) error {
		claim, err = w.claim(q)
		return err
	})
	return claim, err
}

// ValueAt implements search.Valuer.
func (s *Solution) ValueAt(_ context.Context, q machine.State) (v float64, err error) {
	err = s.run(s.load, func(w *worker) error {
		v, _, err = w.valueAt(q)
		return err
	})
	return v, err
}

// load loads layer d. If memory is short it unloads all layers except the neighbours, finally all except
// layer d-1, whose children are in layer d.
func (s *Solution) load(d int) error {
	const perPosition = 24 // key, value and index
	g := s.game
	if g.isLoaded(d, true) { // another goroutine has loaded it
		return nil
	}
	if need := perPosition * int64(g.layers[d].count); g.limits.MaxBytes > 0 && g.bytes()+need > g.limits.MaxBytes {
		g.unloadExcept(d-1, d+1)
	}
	err := g.ensureLoaded(d, true)
	if errors.Is(err, search.ErrMemory) {
		g.unloadExcept(d-1, d)
		err = g.ensureLoaded(d, true)
	}
	return err
}

// locate returns the layer of a position, or -1, and its value. It searches loaded layers first, then
// layers near the last hit.
func (w *worker) locate(q machine.State) (depth int, v float64, err error) {
	g := w.game
	n := len(g.layers)
	near := int(g.near.Load())
	for i := range n {
		d := (near + n - 1 + i) % n // a position, its children, the next position
		if !g.isLoaded(d, true) {
			continue
		}
		if v, ok := g.lookUp(g.layers[d], q); ok {
			g.near.Store(int64(d))
			return d, v, nil
		}
		w.looked = append(w.looked, d)
	}
	for i := range n {
		d := (near + i) % n
		if !g.isLoaded(d, true) && !slices.Contains(w.looked, d) && g.fits(g.layers[d], q) {
			return -1, 0, absent(d)
		}
	}
	return -1, 0, nil
}

// valueAt returns the value of a position that is terminal or in the layers. depth is its layer, or -1.
func (w *worker) valueAt(q machine.State) (v float64, depth int, err error) {
	if depth, v, err = w.locate(q); err != nil || depth >= 0 {
		return v, depth, err
	}
	if over, goals := w.expander.Look(q); over {
		v, err = w.game.points(goals)
		return v, -1, err
	}
	return 0, -1, fmt.Errorf("%w: %v", errUnknown, w.game.machine.Names().AppendFluents(nil, q))
}

// fits reports whether a layer may contain a position or an image of it, judged by the packing alone.
func (g *game) fits(l *layer, q machine.State) bool {
	packs := func(q machine.State) bool {
		_, ok := l.pack(q)
		return ok
	}
	return packs(q) || slices.ContainsFunc(g.symmetries, func(y symmetry) bool { return packs(y.apply(q)) })
}

// claim returns value and strategies of a position, and leaves its expansion in w.dst.
func (w *worker) claim(q machine.State) (search.Claim, error) {
	g := w.game
	v, d, err := w.valueAt(q)
	switch {
	case err != nil || d < 0:
		return search.Claim{Value: v}, err
	case !g.isLoaded(d+1, true):
		return search.Claim{}, absent(d + 1)
	}
	e := &w.dst[0]
	if err := w.expander.Expand(e, q); err != nil {
		return search.Claim{}, err
	}
	mixtures := make([][]float64, len(e.Moves))
	for r, moves := range e.Moves {
		mixtures[r] = make([]float64, len(moves))
	}
	var y []float64
	if g.Other != machine.NoRole {
		y = mixtures[g.Other]
	}
	_, err = w.value(e, g.layers[d+1], mixtures[g.First], y)
	claim := search.Claim{Value: v, Strategies: make([][]search.Weighted, len(e.Moves))}
	for r, mixture := range mixtures {
		for i, p := range mixture {
			if p > 0 {
				claim.Strategies[r] = append(claim.Strategies[r], search.Weighted{Move: e.Moves[r][i], Probability: p})
			}
		}
	}
	return claim, err
}
