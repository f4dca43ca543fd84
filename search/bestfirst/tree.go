package bestfirst

import (
	"context"
	"errors"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/matrix"
)

// node is an expanded position. Joint move i·columns + j has the i-th move of the first player and the j-th of the second.
type node struct {
	state    machine.State
	moves    [2][]machine.Move
	elements []float64    // values of the joint moves for the first player
	closed   []bool       // by joint move: nothing below it is left to search
	open     int          // number of joint moves that are not closed
	kids     []edge       // by joint move; nil before the first descent
	mixes    [2][]float64 // strategies of the equilibrium
	value    float64
	depth    int // number of joint moves from the first root
}

// edge is a joint move of a node with a node of its successor.
type edge struct {
	to     *node // nil before the first descent
	visits int64 // number of descents
}

// place is a position, by its key, at a depth.
type place struct {
	position string
	depth    int
}

// nodeAt returns the node of a position at a depth: a known one, or a new one. Equal positions of equal depth share a node, so
// that the tree has no cycle. It returns an error for a position without an expansion.
func (s *Searcher) nodeAt(q machine.State, depth int) (*node, error) {
	at := place{q.Key(), depth}
	if n := s.nodes[at]; n != nil {
		return n, nil
	}
	n, err := s.newNode(q)
	if err != nil {
		return nil, err
	}
	n.depth, s.nodes[at] = depth, n
	return n, nil
}

// newNode expands a position and evaluates its successors.
func (s *Searcher) newNode(q machine.State) (*node, error) {
	e := &s.expansion
	if err := s.expander.Expand(e, q); err != nil {
		return nil, err
	}
	s.values = scratch.Resize(s.values, 2*e.Children)
	s.evaluator.Values(s.values, e.States)
	rows, columns := len(e.Moves[0]), len(e.Moves[1])
	moves, numbers := make([]machine.Move, rows+columns), make([]float64, e.Children+rows+columns)
	n := &node{state: append(machine.State(nil), q...), closed: make([]bool, e.Children)}
	for r, at := range []int{0, rows} {
		n.moves[r] = moves[at : at+copy(moves[at:], e.Moves[r])]
		n.mixes[r] = numbers[e.Children+at:][:len(n.moves[r])]
	}
	n.elements = numbers[:e.Children]
	for c := range n.elements {
		values := s.values[2*c : 2*c+2]
		if n.closed[c] = e.Terminal[c]; n.closed[c] {
			for r, g := range e.ChildGoals(c) {
				values[r] = float64(search.Points(g))
			}
		} else {
			n.open++
		}
		n.elements[c] = values[0]
	}
	s.sum = s.values[0] + s.values[1]
	s.counters.Nodes++
	s.counters.Playouts += int64(e.Children)
	s.bytes += n.own()
	return n, s.solve(n)
}

// solve solves the matrix game of a node. After an error the node is as before.
func (s *Searcher) solve(n *node) error {
	s.counters.LPCalls++
	rows, columns := len(n.mixes[0]), len(n.mixes[1])
	s.mixes = scratch.Resize(s.mixes, rows+columns)
	value, err := s.engine.Nash(n.elements, rows, columns, s.mixes[:rows], s.mixes[rows:])
	if err == nil {
		n.value = value
		copy(n.mixes[0], s.mixes)
		copy(n.mixes[1], s.mixes[rows:])
	}
	return err
}

// descend adds a node below n, which has open joint moves, and updates the values on the path. Other paths to its nodes
// are updated by their next descents. A joint move whose successor has no expansion keeps its evaluation.
func (s *Searcher) descend(n *node) {
	if n.kids == nil {
		n.kids = make([]edge, len(n.elements))
		s.bytes += edgeBytes * int64(len(n.kids))
	}
	c := s.draw(n)
	kid, added := &n.kids[c], s.counters.Nodes
	kid.visits++
	if kid.to == nil {
		var err error
		kid.to, err = s.nodeAt(s.after(n, c), n.depth+1)
		switch {
		case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
			return
		case err != nil:
			n.close(c)
			return
		}
	}
	if kid.to.open > 0 && s.counters.Nodes == added {
		s.descend(kid.to)
	}
	if kid.to.open == 0 {
		n.close(c)
	}
	if before := n.elements[c]; before != kid.to.value {
		n.elements[c] = kid.to.value
		if s.solve(n) != nil {
			n.elements[c] = before // until the next descent
		}
	}
}

func (n *node) close(c int) {
	n.closed[c] = true
	n.open--
}

// after returns the position after a joint move.
func (s *Searcher) after(n *node, c int) machine.State {
	b, columns := s.batch, len(n.moves[1])
	b.Load(n.state, 1)
	machine.Prepare(b, 1)
	b.Choose(0, 0, n.moves[0][c/columns])
	b.Choose(0, 1, n.moves[1][c%columns])
	b.Advance(1)
	q := make(machine.State, len(n.state))
	b.Store(q, 1)
	return q
}

// openDraws is the number of joint moves that are drawn to find an open one.
const openDraws = 8

// draw draws an open joint move: by the equilibrium, or, after openDraws closed ones, at random.
func (s *Searcher) draw(n *node) int {
	for range openDraws {
		if c := s.move(n.mixes[0])*len(n.mixes[1]) + s.move(n.mixes[1]); !n.closed[c] {
			return c
		}
	}
	c := s.rng.Intn(len(n.closed))
	for n.closed[c] {
		c = (c + 1) % len(n.closed)
	}
	return c
}

// move draws the index of a move by a strategy and a share of uniform draws.
func (s *Searcher) move(mix []float64) int {
	if s.rng.Float64() < exploration {
		return s.rng.Intn(len(mix))
	}
	return matrix.Pick(mix, s.rng.Float64())
}

const (
	edgeBytes = 16
	header    = 384 // of a node, its slices and its entry in Searcher.nodes, with the waste of the allocator
	perChild  = 48  // of a successor, beside the position: in the node, and while it is made
)

// own returns the bytes of a node without its kids.
func (n *node) own() int64 {
	return header + 8*int64(2*len(n.state)+len(n.elements)+len(n.mixes[0])+len(n.mixes[1])) + int64(len(n.closed)) + 4*int64(len(n.moves[0])+len(n.moves[1]))
}

// keep adds n and all nodes below it to the nodes of the searcher.
func (s *Searcher) keep(n *node) {
	at := place{n.state.Key(), n.depth}
	if s.nodes[at] != nil {
		return
	}
	s.nodes[at] = n
	s.bytes += n.own() + edgeBytes*int64(len(n.kids))
	for _, kid := range n.kids {
		if kid.to != nil {
			s.keep(kid.to)
		}
	}
}
