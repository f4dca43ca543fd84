package experiment

import (
	"cmp"
	"slices"

	"stackmate/search"
)

// Of the ratios of expansions in the paper's Figure 4, only the ratios of the smallest trees are
// reproduced. These are readings of its text that could explain the others, on trees of four moves at
// ε = 32: the definition of an expansion, of means, of leaves, the order of children, and the rule that,
// according to the paper, bounds nothing.

const readingEpsilon = 32

// readings returns the lines of the table, by depth.
func readings() []run {
	const table = "Readings of Figure 4: 4 moves, ε = 32, by depth"
	var runs []run
	for _, depth := range []int{3, 5, 7, 9} {
		add := func(method string, epsilon float64, b bounded) {
			b.epsilon, b.safe = epsilon, new([]outcome)
			runs = append(runs, run{table: table, method: method, size: depth, special: &b, paper: figure4.at(depth, readingEpsilon)})
		}
		t := &randomTrees{branching: 4, depth: depth, leaf: whole}
		add("as printed", readingEpsilon, bounded{search: inTree(t)})
		add("ratio of means", readingEpsilon, bounded{search: inTree(t), sums: true})
		add("all nodes", readingEpsilon, bounded{search: counting(t, printed[branch]{}, func(s *printed[branch]) int64 { return s.visits })})
		add("leaves", readingEpsilon, bounded{search: counting(t, printed[branch]{}, countLeaves)})
		add("5 moves", readingEpsilon, bounded{search: inTree(&randomTrees{branching: 5, depth: depth, leaf: whole})})
		add("minimax as the base", readingEpsilon, bounded{search: againstMinimax(t)})
		add("real leaves", readingEpsilon, bounded{search: inTree(&randomTrees{branching: 4, depth: depth, leaf: fraction})})
		if depth < 9 { // else most of the time goes into ordering
			add("best first", readingEpsilon, bounded{search: inTree(inOrder{t})})
		}
		add("naive rule", readingEpsilon, bounded{search: naively(t), unsound: true})
		add("ε = 64", 2*readingEpsilon, bounded{search: inTree(t)})
	}
	return slices.Concat(runs, readingsWithChance())
}

// readingsWithChance returns the lines for Figure 6: with chance, counting leaves explains most of the
// difference. Eq. (26) permits sharing tolerance among the children of chance nodes.
func readingsWithChance() []run {
	trees := &randomTrees{branching: 4, depth: 4, chosen: babChosen, leaf: whole}
	game := copsAndRobber{depth: 3, chosen: babChosen}
	nearest := game
	nearest.least = true
	const tables = "Readings of Figure 6: "
	return slices.Concat(
		curve(tables+"leaves of random trees, by moves", 4, treeEpsilons, counting(trees, printed[branch]{}, countLeaves), figure6trees),
		curve(tables+"random trees, ε shared (Eq. 26), by moves", 4, treeEpsilons, counting(trees, printed[branch]{shared: true}, countExpansions), figure6trees),
		curve(tables+"leaves of cops and robber, by depth", 3, copsEpsilons, chasing(game, babObstacles, printed[chase]{}, countLeaves), figure6cops),
		curve(tables+"cops and robber, ε shared (Eq. 26), by depth", 3, copsEpsilons,
			chasing(game, babObstacles, printed[chase]{shared: true}, countExpansions), figure6cops),
		curve(tables+"leaves of cops and robber, least distance, by depth", 3, copsEpsilons,
			chasing(nearest, babObstacles, printed[chase]{}, countLeaves), figure6cops))
}

// countExpansions returns the count of the paper: inner nodes.
func countExpansions[N any](s *printed[N]) int64 { return s.expansions }

// countLeaves returns the number of leaves.
func countLeaves[N any](s *printed[N]) int64 { return s.visits - s.expansions }

// againstMinimax compares with minimax without pruning.
func againstMinimax(t *randomTrees) searchOf {
	pruned := inTree(t)
	return func(seed uint64, epsilon float64) outcome {
		found := pruned(seed, epsilon)
		if epsilon == 0 {
			found.count = 0
			for depth, nodes := 0, int64(1); depth < t.depth; depth, nodes = depth+1, nodes*int64(t.branching) {
				found.count += nodes
			}
		}
		return found
	}
}

// counting searches random trees with the options of a search, and counts nodes by count.
func counting(t tree[branch], way printed[branch], count func(*printed[branch]) int64) searchOf {
	return func(seed uint64, epsilon float64) outcome {
		s := way
		s.tree, s.goals, s.epsilon = t, treeGoals, epsilon
		v := s.root(branch{seed: seed})
		return outcome{count(&s), v}
	}
}

// naively searches with the naive rule, which prunes if β ≤ α + ε and returns a single value.
func naively(t *randomTrees) searchOf {
	return func(seed uint64, epsilon float64) outcome {
		s := printed[branch]{tree: t, goals: treeGoals, epsilon: epsilon}
		v := s.naive(branch{seed: seed}, 0, treeGoals.Lower, treeGoals.Upper)
		return outcome{s.expansions, search.Exact(v)}
	}
}

// naive returns the value of alpha-beta that prunes a node if β ≤ α + ε (the paper's Figure 1 with the
// naive rule). Its error may be any multiple of ε (Figure 2).
func (s *printed[N]) naive(n N, ply int, alpha, beta float64) float64 {
	kind, value := s.tree.look(n)
	if kind == leafNode {
		return value
	}
	s.expansions++
	if len(s.plies) == ply {
		s.plies = append(s.plies, nil)
	}
	s.plies[ply] = s.tree.children(s.plies[ply][:0], n)
	for i, child := range s.plies[ply] {
		v := s.naive(child, ply+1, alpha, beta)
		switch {
		case kind == maxNode && (i == 0 || v > value):
			value, alpha = v, max(alpha, v)
		case kind == minNode && (i == 0 || v < value):
			value, beta = v, min(beta, v)
		}
		if beta <= alpha+s.epsilon {
			break
		}
	}
	return value
}

// inOrder are random trees with children in the best order, by minimax values.
type inOrder struct{ *randomTrees }

// children implements tree.
func (t inOrder) children(dst []branch, n branch) []branch {
	kind, _ := t.look(n)
	first := len(dst)
	dst = t.randomTrees.children(dst, n)
	slices.SortStableFunc(dst[first:], func(a, b branch) int {
		if kind == minNode {
			a, b = b, a
		}
		return cmp.Compare(t.minimax(b), t.minimax(a))
	})
	return dst
}

// minimax returns the value of n, without chance.
func (t inOrder) minimax(n branch) float64 {
	kind, best := t.look(n)
	if kind == leafNode {
		return best
	}
	for i, child := range t.randomTrees.children(nil, n) {
		v := t.minimax(child)
		if i == 0 || (kind == maxNode) == (v > best) {
			best = v
		}
	}
	return best
}
