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
)

// enumerate makes the layers that are missing, the last of which is empty.
func (g *game) enumerate() error {
	if d := len(g.layers) - 1; d >= 0 && g.layers[d].len() == 0 {
		return nil
	}
	g.findGroups()
	if len(g.layers) == 0 {
		root := g.newSample()
		root.states = slices.Clone(g.root)
		p := g.guess(root)
		key, _ := p.pack(g.root)
		key, _ = p.represent(key)
		g.layers = []*layer{{parts: []*part{{packing: p, keys: []uint64{key}, count: 1}}}}
		if err := g.keep(0); err != nil {
			return err
		}
	}
	for {
		d := len(g.layers) - 1
		last := g.layers[d]
		switch {
		case last.len() == 0:
			return nil
		case d == maxLayers:
			return errTooDeep
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

// A layer is made anew, with a guess from a larger sample, where more of its positions than this do not fit the packing.
// That depends on the layer alone, not on the order in which its positions come.
const (
	oddShare = 1. / 64
	maxOdd   = 1 << 20
	maxGuess = 1 << 20 // positions in a sample
)

var fewOdd = 1 << 12 // but in tests

var (
	// errOdd is why.
	errOdd = errors.New("no packing was found that fits the positions of a layer")
	// errWide is why some games have no layers.
	errWide = errors.New("the positions of a layer do not fit into 64 bits")
)

// advance makes the layer after layer d.
func (g *game) advance(d int) (*layer, error) {
	for most := maxSample / 2; ; most *= 4 {
		if err := g.recall(d, false); err != nil {
			return nil, err
		}
		s, err := g.sample(g.layers[d], most)
		if err != nil {
			return nil, err
		}
		if g.config.Elsewhere != nil {
			g.forget(-1, -1)
		}
		p := g.guess(s)
		if p.width > 64 {
			return nil, errWide
		}
		c := &collector{packing: p}
		err = g.each(d+1, g.layers[d].len(), func(ctx context.Context, w *worker, first, last int) error {
			if w == nil {
				return g.childrenElsewhere(ctx, d, first, last, c)
			}
			return w.children(g.layers[d], first, last, c)
		})
		if err == nil && float64(c.misfits) > float64(fewOdd)+oddShare*float64(c.children) {
			err = errOdd
		}
		if err == nil {
			return g.collected(c, g.workers...)
		}
		if !errors.Is(err, errOdd) || most >= maxGuess {
			return nil, err
		}
		for _, w := range g.workers {
			w.keys.reset() // these are of the wrong packing
		}
	}
}

// sample are some of the children of a layer, evenly spread.
func (g *game) sample(l *layer, most int) (*sample, error) {
	s, w := g.newSample(), g.workers[0]
	step := max(batchPositions, l.len()*batchPositions/most)
	parents := min(l.len(), most)
	for first := 0; first < l.len() && s.len() < most; first += step {
		err := w.expand(l, first, min(first+batchPositions, l.len()), func(at int, e *machine.Expansion) error {
			every := max(1, e.Children*parents/most)
			for c := at % every; c < e.Children; c += every {
				if !e.Terminal[c] {
					s.states = append(s.states, e.Child(c)...)
				}
			}
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	if s.len() == 0 { // perhaps there are children all the same: then they are odd
		s.states = append(s.states, g.root...)
	}
	return s, nil
}

// collector makes a layer of positions that come in any order, again and again. It is safe for concurrent use.
type collector struct {
	packing *packing

	mu       sync.Mutex
	sets     [][]uint64 // of keys, ascending
	odd      []uint64   // positions that do not fit
	misfits  int        // children that do not fit: positions may be met again and again
	children int        // that were looked at
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

// note adds positions that do not fit, met so many times among so many children, and says if there are too many.
func (c *collector) note(odd []uint64, misfits, children int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.odd, c.misfits, c.children = append(c.odd, odd...), c.misfits+misfits, c.children+children
	if c.misfits > maxOdd {
		return errOdd
	}
	return nil
}

// bytes is the memory in use, in which sets that are merged are there twice.
func (c *collector) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := cap(c.odd)
	for _, s := range c.sets {
		n += 2 * cap(s)
	}
	return 8 * int64(n)
}

// collected is the layer that was collected. The packing of positions that do not fit the other one is guessed from all
// of them, so they fit.
func (g *game) collected(c *collector, by ...*worker) (*layer, error) {
	var all sync.WaitGroup
	for _, w := range by {
		all.Go(func() {
			c.insert(w.keys.flush())
			w.keys.reset()
		})
	}
	all.Wait()
	l := &layer{parts: []*part{{packing: c.packing, keys: union(c.sets)}}}
	if len(c.odd) > 0 {
		odd := (&sample{g.machine.Words(), c.odd}).distinct(g.symmetries)
		p := g.guess(odd)
		if p.width > 64 {
			return nil, errWide
		}
		others := buffer{room: odd.len()}
		for i := range odd.len() {
			key, _ := p.pack(odd.state(i))
			key, _ = p.represent(key)
			others.add(key)
		}
		l.parts = append(l.parts, &part{packing: p, keys: others.flush()})
	}
	for _, p := range l.parts {
		if p.count = len(p.keys); p.count > maxPart {
			return nil, fmt.Errorf("%w: a layer has more than %d positions", search.ErrMemory, maxPart)
		}
	}
	l.parts = slices.DeleteFunc(l.parts, func(p *part) bool { return p.count == 0 })
	return l, nil
}

// children adds the children of some positions of a layer, but for terminal ones.
func (w *worker) children(l *layer, first, last int, c *collector) error {
	var odd []uint64
	children, full := 0, false
	w.keys.room = w.game.bufferKeys()
	err := w.expand(l, first, last, func(_ int, e *machine.Expansion) error {
		children += e.Children
		for i := range e.Children {
			if e.Terminal[i] {
				if _, err := w.game.points(e.ChildGoals(i)); err != nil {
					return err
				}
				continue
			}
			key, ok := c.packing.pack(e.Child(i))
			if !ok {
				odd = append(odd, e.Child(i)...)
				continue
			}
			if key, _ = c.packing.represent(key); w.keys.add(key) {
				c.insert(w.keys.flush())
				full = true
			}
		}
		return nil
	})
	if err = cmp.Or(err, c.note(odd, len(odd)/w.game.machine.Words(), children)); err != nil || !full {
		return err
	}
	w.held.Store(w.keys.bytes())
	return w.game.charge(c.bytes())
}

// expand hands the expansions of some positions of a layer to visit, with their numbers.
func (w *worker) expand(l *layer, first, last int, visit func(at int, e *machine.Expansion) error) error {
	words, begin := w.game.machine.Words(), 0
	for _, p := range l.parts {
		for first < min(last, begin+p.count) {
			n := min(batchPositions, last-first, begin+p.count-first)
			w.states = w.states[:n*words]
			for i := range n {
				p.unpack(w.states[i*words:(i+1)*words], p.keys[first-begin+i])
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
			first += n
		}
		begin += p.count
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
		if l.len() != last.len() {
			continue
		}
		if err := g.recall(earlier, false); err != nil {
			return false, err
		}
		if l.digest(g.machine.Words()) == last.digest(g.machine.Words()) {
			return true, nil
		}
	}
	return false, nil
}
