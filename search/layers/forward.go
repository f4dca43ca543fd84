package layers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// enumerate makes the layers that are missing, the last of which is empty.
func (g *game) enumerate() error {
	if d := len(g.layers) - 1; d >= 0 && g.layers[d].count == 0 {
		return nil
	}
	g.findGroups()
	if len(g.layers) == 0 {
		p := g.guess(sample{g.root})
		key, _ := p.pack(g.root)
		key, _ = p.represent(key)
		g.layers = []*layer{{packing: p, keys: []uint64{key}, count: 1}}
		if err := g.keep(0); err != nil {
			return err
		}
	}
	for {
		d := len(g.layers) - 1
		last := g.layers[d]
		switch {
		case last.count == 0:
			return nil
		case d == maxLayers:
			return errTooDeep
		}
		if err := g.recall(d, false); err != nil {
			return err
		}
		if repeats, err := g.repeats(); err != nil || repeats {
			return cmp.Or(err, errRepeats)
		}
		g.forget(d, d)
		next, err := g.advance(d)
		if err != nil {
			return err
		}
		g.layers = append(g.layers, next)
		if err := g.keep(d + 1); err != nil {
			return err
		}
	}
}

// A layer is made anew, with another guess, where some of its positions do not fit the packing: those that are known of them
// join the sample. All of that depends on the layer alone, not on the order in which its positions come.
const (
	maxMisfits = 1 << 10 // that are known
	guesses    = 16      // mostly one is enough, and three are many
)

var (
	// errMisfits is why some layers are not made.
	errMisfits = errors.New("no packing was found that fits the positions of a layer")
	// errWide is why some games have no layers.
	errWide = errors.New("the positions of a layer do not fit into 64 bits")
)

// advance makes the layer after layer d.
func (g *game) advance(d int) (*layer, error) {
	s, err := g.sample(g.layers[d])
	if g.config.Elsewhere != nil {
		g.forget(-1, -1)
	}
	for try := 0; err == nil && try < guesses; try++ {
		p := g.guess(s)
		if p.width > 64 {
			return nil, errWide
		}
		c := &collector{packing: p}
		err = g.each(d+1, g.layers[d].count, func(ctx context.Context, w *worker, first, last int) error {
			if w == nil {
				return g.childrenElsewhere(ctx, d, first, last, c)
			}
			return w.children(g.layers[d], first, last, c)
		})
		if err == nil && len(c.misfits) == 0 {
			return c.layer(g.workers...)
		}
		for _, w := range g.workers {
			w.keys.reset() // these are of the wrong packing
		}
		s = append(s, c.misfits...)
	}
	return nil, cmp.Or(err, errMisfits)
}

// sample are some of the children of a layer, evenly spread.
func (g *game) sample(l *layer) (s sample, err error) {
	w := g.workers[0]
	most := maxSample / 2
	step := max(batchPositions, l.count*batchPositions/most)
	parents := min(l.count, most)
	for first := 0; first < l.count && len(s) < most; first += step {
		err := w.expand(l, first, min(first+batchPositions, l.count), func(at int, e *machine.Expansion) error {
			every := max(1, e.Children*parents/most)
			for c := at % every; c < e.Children; c += every {
				if !e.Terminal[c] {
					s = append(s, slices.Clone(e.Child(c)))
				}
			}
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	if len(s) == 0 { // perhaps there are children all the same: then they do not fit
		s = append(s, g.root)
	}
	return s, nil
}

// collector makes a layer of positions that come in any order, again and again. It is safe for concurrent use.
type collector struct {
	packing *packing

	mu      sync.Mutex
	sets    [][]uint64      // of keys, ascending
	misfits []machine.State // positions that do not fit, by hash, of many the first ones
}

// insert adds a set of keys, which it merges with others of similar length, so that each key is merged a logarithmic
// number of times.
func (c *collector) insert(set []uint64) {
	for other := set; len(other) > 0; {
		if other = c.exchange(set); len(other) > 0 {
			set = merge(other, set)
		}
	}
}

// exchange takes out a set whose length is similar to that of the one given or, if there is none, adds this one.
func (c *collector) exchange(set []uint64) []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.sets, func(s []uint64) bool { return len(s) < 2*len(set) && len(set) < 2*len(s) })
	if i < 0 {
		c.sets = append(c.sets, set)
		return nil
	}
	other := c.sets[i]
	c.sets = slices.Delete(c.sets, i, i+1)
	return other
}

// note adds a position that does not fit.
func (c *collector) note(q machine.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, known := slices.BinarySearchFunc(c.misfits, q, func(a, b machine.State) int {
		return cmp.Or(cmp.Compare(table.Hash(a), table.Hash(b)), slices.Compare(a, b))
	})
	if !known && at < maxMisfits {
		c.misfits = slices.Insert(c.misfits, at, slices.Clone(q))
		c.misfits = c.misfits[:min(len(c.misfits), maxMisfits)]
	}
}

// bytes is the memory in use, in which sets that are merged are there twice.
func (c *collector) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, s := range c.sets {
		n += 2 * cap(s)
	}
	return 8 * int64(n)
}

// layer is the layer that was collected, with the keys that workers hold.
func (c *collector) layer(by ...*worker) (*layer, error) {
	var all sync.WaitGroup
	for _, w := range by {
		all.Go(func() {
			c.insert(w.keys.flush())
			w.keys.reset()
		})
	}
	all.Wait()
	l := &layer{packing: c.packing, keys: union(c.sets)}
	if l.count = len(l.keys); l.count > maxLayer {
		return nil, fmt.Errorf("%w: a layer has more than %d positions", search.ErrMemory, maxLayer)
	}
	return l, nil
}

// children adds the children of some positions of a layer, but for terminal ones.
func (w *worker) children(l *layer, first, last int, c *collector) error {
	full := false
	w.keys.room = w.game.bufferKeys()
	err := w.expand(l, first, last, func(_ int, e *machine.Expansion) error {
		for i := range e.Children {
			if e.Terminal[i] {
				if _, err := w.game.points(e.ChildGoals(i)); err != nil {
					return err
				}
				continue
			}
			key, ok := c.packing.pack(e.Child(i))
			if !ok {
				c.note(e.Child(i))
				continue
			}
			if key, _ = c.packing.represent(key); w.keys.add(key) {
				c.insert(w.keys.flush())
				full = true
			}
		}
		return nil
	})
	if err != nil || !full {
		return err
	}
	w.held.Store(w.keys.bytes())
	return w.game.charge(c.bytes())
}

// expand hands the expansions of some positions of a layer to visit, with their numbers.
func (w *worker) expand(l *layer, first, last int, visit func(at int, e *machine.Expansion) error) error {
	words := w.game.machine.Words()
	for ; first < last; first += batchPositions {
		n := min(batchPositions, last-first)
		w.states = w.states[:n*words]
		for i := range n {
			l.unpack(w.states[i*words:(i+1)*words], l.keys[first+i])
		}
		w.expander.ExpandMany(w.dst[:n], w.states)
		for i := range n {
			e := &w.dst[i]
			if err := cmp.Or(e.Err, lost(e)); err != nil {
				return err
			}
			if err := visit(first+i, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// lost is the error of an expansion of which not everything is known.
func lost(e *machine.Expansion) error {
	if e.Lost {
		return machine.ErrLost
	}
	return nil
}

// repeats tells whether the last layer is equal to an earlier one: then so are those that follow, and none is
// the last.
func (g *game) repeats() (bool, error) {
	d := len(g.layers) - 1
	last := g.layers[d]
	for earlier, l := range g.layers[:d] {
		if l.count != last.count {
			continue
		}
		if err := g.recall(earlier, false); err != nil {
			return false, err
		}
		if l.digest() == last.digest() {
			return true, nil
		}
	}
	return false, nil
}
