package experiment

import "math/bits"

// randomTrees are the first domain of the paper: trees of a fixed depth and branching factor, MAX and MIN
// alternating, leaves uniform integers from 0 to 100. Nodes are generated lazily.
type randomTrees struct {
	branching, depth int
	// chosen is the probability p of the chosen move; 0 means 1. Each other move is made with probability
	// (1 − p) / (b − 1).
	chosen float64
}

// branch is a node: its seed, its depth and, at a chance node, the number of the chosen move plus 1.
type branch struct {
	seed  uint64
	depth int
	move  int
}

// kindOf implements tree.
func (t *randomTrees) kindOf(n branch) (kind, float64) {
	switch {
	case n.move > 0:
		return chanceNode, 0
	case n.depth == t.depth:
		points, _ := bits.Mul64(mixed(n.seed, 0), 101)
		return leafNode, float64(points)
	case n.depth%2 == 0:
		return maxNode, 0
	}
	return minNode, 0
}

// children implements tree.
func (t *randomTrees) children(dst []branch, n branch) []branch {
	for m := range t.branching {
		if n.move == 0 && t.chosen > 0 {
			dst = append(dst, branch{n.seed, n.depth, m + 1})
		} else {
			dst = append(dst, branch{mixed(n.seed, m+1), n.depth + 1, 0})
		}
	}
	return dst
}

// weight implements tree.
func (t *randomTrees) weight(n branch, i, of int) float64 { return slip(t.chosen, n.move-1, i, of) }

// slip returns the probability of move i of `of` moves, if move wanted is chosen and is made with
// probability chosen.
func slip(chosen float64, wanted, i, of int) float64 {
	switch {
	case of == 1:
		return 1
	case i == wanted:
		return chosen
	}
	return (1 - chosen) / float64(of-1)
}

// mixed returns the seed of child i, by splitmix64.
func mixed(seed uint64, i int) uint64 {
	z := seed + uint64(i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
