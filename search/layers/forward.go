package layers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/table"
)

// enumerate builds the missing layers, up to an empty one.
func (g *game) enumerate() error {
	if d := len(g.layers) - 1; d >= 0 && g.layers[d].count == 0 {
		return nil
	}
	g.findGroups()
	if len(g.layers) == 0 {
		p, err := g.guess(sample{g.root})
		if err != nil {
			return err
		}
		key, _ := p.pack(g.root)
		key, _ = p.represent(key)
		g.layers = []*layer{{packing: p, keys: []uint64{key}, count: 1}}
		if err := g.saveLayer(0); err != nil {
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
		if err := g.ensureLoaded(d, false); err != nil {
			return err
		}
		if repeats, err := g.repeats(); err != nil || repeats {
			return cmp.Or(err, errRepeats)
		}
		g.unloadExcept(d, d)
		next, err := g.advance(d)
		if err != nil {
			return err
		}
		g.layers = append(g.layers, next)
		if err := g.saveLayer(d + 1); err != nil {
			return err
		}
	}
}

// If positions of a layer do not fit the packing, the layer is rebuilt with a packing from the sample plus
// these misfits. The result depends on the layer alone, not on the order of its positions.
const (
	maxMisfits = 1 << 10 // stored misfits
	guesses    = 16      // one mostly suffices, three are rare
)

// errMisfits is the error if no packing fits a layer.
var errMisfits = errors.New("no packing fits the positions of a layer")

// advance builds the layer after layer d.
func (g *game) advance(d int) (*layer, error) {
	s, err := g.sample(g.layers[d])
	if g.config.Elsewhere != nil {
		g.unloadExcept(-1, -1)
	}
	for try := 0; err == nil && try < guesses; try++ {
		var p *packing
		if p, err = g.guess(s); err != nil {
			return nil, err
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
			w.keys.reset() // keys of the wrong packing
		}
		s = append(s, c.misfits...)
	}
	return nil, cmp.Or(err, errMisfits)
}

// sample returns an evenly spread sample of the children of a layer.
func (g *game) sample(l *layer) (s sample, err error) {
	w := g.workers[0]
	most := maxSample / 2
	step := max(batchPositions, l.count*batchPositions/most)
	parents := min(l.count, most)
	for first := 0; first < l.count && len(s) < most; first += step {
		err := w.expand(l, first, min(first+batchPositions, l.count), func(at int, e *play.Expansion) error {
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
	if len(s) == 0 { // any children then count as misfits
		s = append(s, g.root)
	}
	return s, nil
}

// collector builds a layer from positions in any order, with duplicates. It is safe for concurrent use.
type collector struct {
	packing *packing

	mu      sync.Mutex
	sets    [][]uint64      // of keys, ascending
	misfits []machine.State // positions that do not fit, the first ones by hash
}

// insert adds a set of keys. It merges sets of similar length, so each key is merged a logarithmic number
// of times.
func (c *collector) insert(set []uint64) {
	for other := set; len(other) > 0; {
		if other = c.exchange(set); len(other) > 0 {
			set = merge(other, set)
		}
	}
}

// exchange removes and returns a set of a length similar to set. If there is none, it adds set and returns
// nil.
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

// addMisfit adds a position that does not fit the packing.
func (c *collector) addMisfit(q machine.State) {
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

// bytes returns the memory in use; a merger needs its sets twice.
func (c *collector) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, s := range c.sets {
		n += 2 * cap(s)
	}
	return 8 * int64(n)
}

// layer returns the collected layer, including the keys buffered by workers.
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

// children adds the nonterminal children of some positions of a layer.
func (w *worker) children(l *layer, first, last int, c *collector) error {
	full := false
	w.keys.room = w.game.bufferKeys()
	err := w.expand(l, first, last, func(_ int, e *play.Expansion) error {
		for i := range e.Children {
			if e.Terminal[i] {
				if _, err := w.game.points(e.ChildGoals(i)); err != nil {
					return err
				}
				continue
			}
			key, ok := c.packing.pack(e.Child(i))
			if !ok {
				c.addMisfit(e.Child(i))
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

// expand calls visit with the expansions of some positions of a layer, and their indices.
func (w *worker) expand(l *layer, first, last int, visit func(at int, e *play.Expansion) error) error {
	words := len(w.game.machine.Initial())
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

// lost returns the error of an incomplete expansion.
func lost(e *play.Expansion) error {
	if e.Lost {
		return machine.ErrLost
	}
	return nil
}

// repeats reports whether the last layer equals an earlier one. Then all further layers repeat, and none
// is the last.
func (g *game) repeats() (bool, error) {
	d := len(g.layers) - 1
	last := g.layers[d]
	for earlier, l := range g.layers[:d] {
		if l.count != last.count {
			continue
		}
		if err := g.ensureLoaded(earlier, false); err != nil {
			return false, err
		}
		if l.digest() == last.digest() {
			return true, nil
		}
	}
	return false, nil
}
