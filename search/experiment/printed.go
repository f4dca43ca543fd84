package experiment

import "stackmate/search"

// Bounded Alpha-Beta as printed (Algorithm 1 of the paper), on trees that are given node
// by node: chance with any probabilities, values and leaves of any kind. It is what the
// paper's experiments measure, and knows nothing of tables, ordering or machines;
// sequential.Literal expands the same nodes where both apply.
//
// Cost: an expansion per node, no allocation once the plies have grown.

// kind is what happens at a node of a tree.
type kind int

const (
	leafNode kind = iota
	maxNode
	minNode
	chanceNode
)

// tree is a game tree of nodes N (Definition 1 of the paper).
type tree[N any] interface {
	// look tells the kind of a node, and its value if it is a leaf.
	look(n N) (kind, float64)
	// children appends those of a node that is no leaf.
	children(dst []N, n N) []N
	// weight is the probability π of child i of the given number, of a chance node.
	weight(n N, i, of int) float64
}

// printed is one search.
type printed[N any] struct {
	tree    tree[N]
	goals   search.Interval // v_min, v_max
	epsilon float64
	// shared gives to the children of a chance node what those before them left of the
	// tolerance, by their probabilities (Eq. 26), not ε to each.
	shared bool
	limit  int64 // expansions after which the search is given up; 0 for none

	expansions, visits int64 // nodes that are no leaves, and all
	plies              [][]N
	actions            []search.Interval // of the children of the root that were searched
}

// search returns [L, U] of node n, a number of plies deep, in the window (α, β), with
// U − L ≤ ε where the value is inside.
func (s *printed[N]) search(n N, ply int, alpha, beta, epsilon float64) search.Interval {
	s.visits++
	kind, value := s.tree.look(n)
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
	left, rest := epsilon, 1.0           // of the tolerance and of the probability, for the children to come
	for i, child := range s.plies[ply] { // those of deeper plies are other slices
		a, z, weight, tolerance := alpha, beta, 1.0, epsilon
		if kind == chanceNode { // lines 9 and 10; nothing is known of the child yet
			weight = s.tree.weight(n, i, len(s.plies[ply]))
			a = max(s.goals.Lower, (alpha-b.Upper)/weight+s.goals.Upper)
			z = min(s.goals.Upper, (beta-b.Lower)/weight+s.goals.Lower)
			if s.shared {
				tolerance = max(0, left/rest)
			}
		}
		c := s.search(child, ply+1, a, z, tolerance)
		left, rest = left-weight*(c.Upper-c.Lower), rest-weight
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
		if beta <= alpha+epsilon && i+1 < len(s.plies[ply]) || s.limit > 0 && s.expansions >= s.limit {
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
	return s.search(n, 0, s.goals.Lower, s.goals.Upper, s.epsilon)
}
