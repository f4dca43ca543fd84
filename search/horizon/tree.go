package horizon

import (
	"context"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/matrix"
)

// Tree is a prototype of a best-first search with equilibria.
type Tree struct {
	Evaluator Evaluator
	Explore   float64
	lp        matrix.Native
	x         *play.Expander
	values    []float64
	rng       *machine.Rand
	nodes     int64
}

type node struct {
	e       play.Expansion
	entries []float64
	kids    []*node
	known   []bool // the entry is exact
	open    int    // entries that are not exact
	x, y    []float64
	value   float64
}

// Search implements search.Searcher.
func (t *Tree) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	if t.x == nil {
		t.x = play.NewExpander(m)
	}
	t.nodes, t.rng = 0, machine.NewRand(lim.Seed)
	root, err := t.expand(q)
	if err != nil {
		return search.Result{}, err
	}
	for root.open > 0 && (lim.MaxNodes == 0 || t.nodes < lim.MaxNodes) && ctx.Err() == nil {
		if err := t.descend(root); err != nil {
			return search.Result{}, err
		}
	}
	v, d := root.value, 1e-3
	if root.open == 0 {
		d = 0
	}
	r := search.Result{Values: []search.Interval{{Lower: v - d, Upper: v + d}, {Lower: 100 - v - d, Upper: 100 - v + d}}, Strategies: make([][]search.Weighted, 2)}
	r.Nodes = t.nodes
	for role, p := range [][]float64{root.x, root.y} {
		for i, w := range p {
			if w > 0 {
				r.Strategies[role] = append(r.Strategies[role], search.Weighted{Move: root.e.Moves[role][i], Probability: w})
			}
		}
	}
	return r, nil
}

func (t *Tree) expand(q machine.State) (*node, error) {
	n := &node{}
	if err := t.x.Expand(&n.e, q); err != nil {
		return nil, err
	}
	c := n.e.Children
	t.nodes++
	n.entries, n.known = make([]float64, c), make([]bool, c)
	t.values = scratch.Resize(t.values, 2*c)
	t.Evaluator.Values(t.values, n.e.States)
	for i := range c {
		if n.entries[i] = t.values[2*i]; n.e.Terminal[i] {
			n.entries[i], n.known[i] = float64(search.Points(n.e.ChildGoals(i)[0])), true
		} else {
			n.open++
		}
	}
	n.x, n.y = make([]float64, len(n.e.Moves[0])), make([]float64, len(n.e.Moves[1]))
	return n, t.solve(n)
}

func (t *Tree) solve(n *node) (err error) {
	n.value, err = t.lp.Nash(n.entries, len(n.x), len(n.y), n.x, n.y)
	return err
}

// descend expands a leaf below n and backs up.
func (t *Tree) descend(n *node) error {
	c := -1
	for range 8 {
		k := t.draw(n.x)*len(n.y) + t.draw(n.y)
		if !n.known[k] {
			c = k
			break
		}
	}
	if c < 0 { // the first open entry from a random one on
		for c = t.rng.Intn(len(n.known)); n.known[c]; c = (c + 1) % len(n.known) {
		}
	}
	if n.kids == nil {
		n.kids = make([]*node, len(n.entries))
	}
	kid := n.kids[c]
	if kid == nil {
		k, err := t.expand(n.e.Child(c))
		if err != nil {
			return err
		}
		kid, n.kids[c] = k, k
	} else if err := t.descend(kid); err != nil {
		return err
	}
	if kid.open == 0 {
		n.known[c] = true
		n.open--
		n.kids[c] = nil
	}
	if n.entries[c] == kid.value {
		return nil
	}
	n.entries[c] = kid.value
	return t.solve(n)
}

func (t *Tree) draw(p []float64) int {
	if len(p) == 1 {
		return 0
	}
	if t.rng.Float64() < t.Explore {
		return t.rng.Intn(len(p))
	}
	point, at := t.rng.Float64(), 0
	for i, w := range p {
		if w > 0 {
			at = i
		}
		if point -= w; point < 0 {
			break
		}
	}
	return at
}
