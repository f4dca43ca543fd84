package layers

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

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
		if err := g.recall(d, false); err != nil {
			return err
		}
		if repeats, err := g.repeats(); err != nil || repeats {
			return cmp.Or(err, errRepeats)
		}
		g.forget(d, d)
		next, err := g.advance(last)
		if err != nil {
			return err
		}
		g.layers = append(g.layers, next)
		if err := g.keep(d + 1); err != nil {
			return err
		}
	}
}

// A layer is made anew, with another guess, where more of its positions than this do not fit
// the packing.
const (
	oddShare = 1. / 64
	fewOdd   = 1 << 12
	guesses  = 16 // mostly one is enough, and three are many
)

var (
	// errOdd is why.
	errOdd = errors.New("no packing was found that fits the positions of a layer")
	// errWide is why some games have no layers.
	errWide = errors.New("the positions of a layer do not fit into 64 bits")
)

// advance makes the layer after l.
func (g *game) advance(l *layer) (*layer, error) {
	s, err := g.sample(l)
	for try := 0; err == nil; try++ {
		p := g.guess(s)
		if p.width > 64 {
			return nil, errWide
		}
		c := g.newCollector(p)
		if err = g.children(l, c); err == nil {
			return c.layer(g)
		}
		if errors.Is(err, errOdd) && try < guesses {
			s.extend(c.odd, maxSample/4)
			err = nil
		}
	}
	return nil, err
}

// sample are some of the children of a layer, evenly spread.
func (g *game) sample(l *layer) (*sample, error) {
	s, w := g.newSample(), g.workers[0]
	const most, batches = maxSample / 2, 64
	for _, p := range l.parts {
		step := max(batchPositions, p.count/batches)
		parents := min(p.count, batches*batchPositions)
		for first := 0; first < p.count && s.len() < most; first += step {
			err := w.expand(p, first, min(first+batchPositions, p.count), func(at int, e *machine.Expansion) error {
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
	}
	if s.len() == 0 { // perhaps there are children all the same: then they are odd
		s.states = append(s.states, g.root...)
	}
	return s, nil
}

// collector makes a layer of positions that come in any order, again and again.
type collector struct {
	packing *packing
	keys    []*runs    // by worker
	odd     [][]uint64 // by worker: positions that do not fit

	added, misfits atomic.Int64
}

func (g *game) newCollector(p *packing) *collector {
	c := &collector{packing: p, odd: make([][]uint64, len(g.workers))}
	for range g.workers {
		c.keys = append(c.keys, &runs{room: g.bufferKeys()})
	}
	return c
}

// bytes is the memory in use.
func (c *collector) bytes(worker int) int64 {
	return c.keys[worker].bytes() + 8*int64(cap(c.odd[worker]))
}

// add adds a position on behalf of a worker; full tells that memory may have been taken.
func (c *collector) add(worker int, q machine.State) (full bool) {
	key, ok := c.packing.pack(q)
	if ok {
		key, _ = c.packing.represent(key)
		return c.keys[worker].add(key)
	}
	c.misfits.Add(1)
	c.odd[worker] = append(c.odd[worker], q...)
	return false
}

// layer is what was added. The packing of positions that do not fit the other one is guessed from all of
// them, so they fit.
func (c *collector) layer(g *game) (*layer, error) {
	l := &layer{parts: []*part{{packing: c.packing, keys: union(c.keys)}}}
	if odd := g.newSample(); c.misfits.Load() > 0 {
		odd.extend(c.odd, int(c.misfits.Load()))
		p := g.guess(odd)
		if p.width > 64 {
			return nil, errWide
		}
		others := &runs{room: odd.len()}
		for i := range odd.len() {
			key, _ := p.pack(odd.state(i))
			key, _ = p.represent(key)
			others.add(key)
		}
		l.parts = append(l.parts, &part{packing: p, keys: union([]*runs{others})})
	}
	for _, p := range l.parts {
		if p.count = len(p.keys); p.count > maxPart {
			return nil, fmt.Errorf("%w: a layer has more than %d positions", search.ErrMemory, maxPart)
		}
	}
	l.parts = slices.DeleteFunc(l.parts, func(p *part) bool { return p.count == 0 })
	return l, nil
}

// children adds all children of a layer, but for terminal ones.
func (g *game) children(l *layer, c *collector) error {
	for _, p := range l.parts {
		err := g.each(len(g.layers), p.count, func(w *worker, first, last int) error {
			full := false
			err := w.expand(p, first, last, func(_ int, e *machine.Expansion) error {
				for i := range e.Children {
					if !e.Terminal[i] {
						full = c.add(w.number, e.Child(i)) || full
					} else if _, err := g.points(e.ChildGoals(i)); err != nil {
						return err
					}
				}
				c.added.Add(int64(e.Children))
				return nil
			})
			switch {
			case err != nil:
				return err
			case float64(c.misfits.Load()) > fewOdd+oddShare*float64(c.added.Load()):
				return errOdd
			case full:
				return g.take(w, c.bytes(w.number))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// expand hands the expansions of some positions of a part to visit, with their numbers.
func (w *worker) expand(p *part, first, last int, visit func(at int, e *machine.Expansion) error) error {
	words := w.game.machine.Words()
	for ; first < last; first += batchPositions {
		n := min(batchPositions, last-first)
		w.states = w.states[:n*words]
		for i := range n {
			p.unpack(w.states[i*words:(i+1)*words], p.keys[first+i])
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
