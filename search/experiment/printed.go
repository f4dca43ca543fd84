package experiment

import "stackmate/search"

// Bounded Alpha-Beta as printed (Algorithm 1 of the paper), on trees given node by node: chance with any
// probabilities, values and leaves of any kind. The experiments of the paper measure this algorithm. It
// has no tables, ordering or machines; sequential.Literal expands the same nodes where both apply.
//
// Cost: an expansion per node, no allocation once the plies have grown.

// kind is the kind of a node.
type kind int

const (
	leafNode kind = iota
	maxNode
	minNode
	chanceNode
)

// tree is a game tree of nodes N (Definition 1 of the paper).
type tree[N any] interface {
	// kindOf returns the kind of a node, and its value if it is a leaf.
	kindOf(n N) (kind, float64)
	// children appends the children of an inner node.
	children(dst []N, n N) []N
	// weight returns the probability π of child i of a chance node with `of` children.
	weight(n N, i, of int) float64
}

// printed is the state of a search.
type printed[N any] struct {
	tree    tree[N]
	goals   search.Interval // v_min, v_max
	epsilon float64
	limit   int64 // expansions after which the search is given up; 0: no limit

	expansions int64 // of inner nodes
	plies      [][]N
	actions    []search.Interval // values of the searched children of the root
}

// search returns [L, U] of node n at the given ply, in the window (α, β), with U − L ≤ ε if the value is
// inside the window.
func (s *printed[N]) search(n N, ply int, alpha, beta float64) search.Interval {
	kind, value := s.tree.kindOf(n)
	if kind == leafNode {
		return search.Exact(value)
	}
	s.expansions++
	if len(s.plies) == ply {
		s.plies = append(s.plies, nil)
	}
	s.plies[ply] = s.tree.children(s.plies[ply][:0], n)
	b := s.goals
	other := s.goals.Lower // bestU; for MIN bestL
	if kind == minNode {
		other = s.goals.Upper
	}
	for i, child := range s.plies[ply] { // deeper plies use other slices
		a, z, weight := alpha, beta, 1.0
		if kind == chanceNode { // lines 9 and 10, with the child's bounds at [v_min, v_max]
			weight = s.tree.weight(n, i, len(s.plies[ply]))
			a = max(s.goals.Lower, (alpha-b.Upper)/weight+s.goals.Upper)
			z = min(s.goals.Upper, (beta-b.Lower)/weight+s.goals.Lower)
		}
		c := s.search(child, ply+1, a, z)
		if ply == 0 {
			s.actions = append(s.actions, c)
		}
		switch kind {
		case maxNode:
			other, b.Lower = max(other, c.Upper), max(b.Lower, c.Lower)
		case minNode:
			other, b.Upper = min(other, c.Lower), min(b.Upper, c.Upper)
		default:
			b.Lower += weight * (c.Lower - s.goals.Lower)
			b.Upper -= weight * (s.goals.Upper - c.Upper)
		}
		alpha, beta = max(alpha, b.Lower), min(beta, b.Upper)
		if beta <= alpha+s.epsilon && i+1 < len(s.plies[ply]) || s.limit > 0 && s.expansions >= s.limit {
			return b
		}
	}
	switch kind {
	case maxNode:
		b.Upper = other
	case minNode:
		b.Lower = other
	}
	return b
}

// root returns [L, U] of the root.
func (s *printed[N]) root(n N) search.Interval {
	return s.search(n, 0, s.goals.Lower, s.goals.Upper)
}
