package experiment

import (
	"slices"

	"stackmate/search"
)

// Of the ratios of expansions in the paper's Figure 4 only those of the smallest trees come
// out here. The readings of its text that could explain the others, on trees of four
// moves at ε = 32: what counts as an expansion, how means are taken, how leaves are drawn,
// the order of children, and the rule of which the paper says that it bounds nothing.

const readingEpsilon = 32

// readings are those lines, by depth.
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
			add("best first", readingEpsilon, bounded{search: inOrder(t)})
		}
		add("naive rule", readingEpsilon, bounded{search: naively(t), unsound: true})
		add("ε = 64", 2*readingEpsilon, bounded{search: inTree(t)})
	}
	return slices.Concat(runs, readingsWithChance())
}

// readingsWithChance are those of Figure 6: with chance, counting leaves explains most. Eq. (26)
// allows to share tolerance out among the children of chance.
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

// countExpansions is what the paper says that it counts: nodes that are no leaves.
func countExpansions[N any](s *printed[N]) int64 { return s.expansions }

// countLeaves is the rest of the nodes.
func countLeaves[N any](s *printed[N]) int64 { return s.visits - s.expansions }

// againstMinimax compares with a search that prunes nothing.
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

// counting searches random trees in some way, and counts.
func counting(t *randomTrees, way printed[branch], count func(*printed[branch]) int64) searchOf {
	return func(seed uint64, epsilon float64) outcome {
		s := way
		s.tree, s.goals, s.epsilon = t, treeGoals, epsilon
		v := s.root(branch{seed: seed})
		return outcome{count(&s), v}
	}
}

// naively searches with the rule that prunes where β ≤ α + ε and returns a single value.
func naively(t *randomTrees) searchOf {
	return func(seed uint64, epsilon float64) outcome {
		s := printed[branch]{tree: t, goals: treeGoals, epsilon: epsilon}
		v := s.naive(branch{seed: seed}, 0, treeGoals.Lower, treeGoals.Upper)
		return outcome{s.expansions, search.Exact(v)}
	}
}

// naive is alpha-beta that prunes a node where β ≤ α + ε (the paper's Figure 1 with the
// naive rule): its value may be off by any multiple of ε (Figure 2).
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

// inOrder searches random trees whose children are in the best order, by their values.
func inOrder(t *randomTrees) searchOf {
	return func(seed uint64, epsilon float64) outcome {
		root := grown(t, branch{seed: seed})
		s := printed[*plant]{tree: plants{}, goals: treeGoals, epsilon: epsilon}
		v := s.root(root)
		return outcome{s.expansions, v}
	}
}

// plant is a node of a tree that is there as a whole, with its minimax value.
type plant struct {
	kind  kind
	value float64
	kids  []*plant
}

// grown is the tree below n, without chance, the best children first.
func grown(t *randomTrees, n branch) *plant {
	kind, value := t.look(n)
	p := &plant{kind: kind, value: value}
	if kind == leafNode {
		return p
	}
	for _, child := range t.children(nil, n) {
		p.kids = append(p.kids, grown(t, child))
	}
	slices.SortStableFunc(p.kids, func(a, b *plant) int {
		if kind == minNode {
			a, b = b, a
		}
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	p.value = p.kids[0].value
	return p
}

// plants is the tree of a plant.
type plants struct{}

// look implements tree.
func (plants) look(p *plant) (kind, float64) { return p.kind, p.value }

// children implements tree.
func (plants) children(dst []*plant, p *plant) []*plant { return append(dst, p.kids...) }

// weight implements tree.
func (plants) weight(_ *plant, _, of int) float64 { return 1 / float64(of) }
