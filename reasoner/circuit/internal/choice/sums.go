package choice

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// sumTree is a binary tree over numbers.
type sumTree struct {
	leaf        int
	head        logic.Lit   // of a leaf
	when        []logic.Lit // sorted: where one of them is false the number is 0
	most        int         // the number is not larger
	count       []logic.Lit // the number, where all of when are true
	left, right *sumTree
	onLeft      []logic.Lit // the number of left, where all of when are true
}

// addTrees returns the tree over two trees. Conditions common to both are left to the nodes above, so roles whose
// moves differ only in such conditions share the sums.
func (n gates) addTrees(left, right *sumTree) *sumTree {
	t := &sumTree{left: left, right: right, when: logic.Intersect(slices.Clone(left.when), right.when), most: left.most + right.most}
	t.onLeft = n.countUnder(left, t.when)
	t.count = n.add(t.onLeft, n.countUnder(right, t.when), logic.False)
	t.count = t.count[:min(len(t.count), bits.Len(uint(t.most)))]
	return t
}

// countUnder returns the number of a tree under the assumption that the conditions in when hold.
func (n gates) countUnder(t *sumTree, when []logic.Lit) []logic.Lit {
	rest := n.And(logic.Difference(t.when, when)...)
	if t.left == nil {
		rest = n.dropConditions(t.head, when)
	}
	digits := make([]logic.Lit, len(t.count))
	for i, d := range t.count {
		digits[i] = n.And(rest, d)
	}
	return digits
}

// balanced returns a balanced tree over trees.
func (n gates) balanced(trees []*sumTree) *sumTree {
	if len(trees) == 1 {
		return trees[0]
	}
	half := (len(trees) + 1) / 2
	return n.addTrees(n.balanced(trees[:half]), n.balanced(trees[half:]))
}

// treeByText returns a tree over first parts that agree in their first words; parts that agree in one more word
// share a subtree.
func (n gates) treeByText(p *Parts, leaves []*sumTree, parts []int32, words int) *sumTree {
	groups := make(map[int32][]int32) // by the next word
	var order []int32
	var trees []*sumTree
	for _, part := range parts {
		if len(p.Texts[part]) <= words {
			trees = append(trees, leaves[part])
			continue
		}
		w := p.Texts[part][words]
		if groups[w] == nil {
			order = append(order, w)
		}
		groups[w] = append(groups[w], part)
	}
	for _, w := range order {
		trees = append(trees, n.treeByText(p, leaves, groups[w], words+1))
	}
	return n.balanced(trees)
}

// pick descends the tree to the leaf of the target. chosen[leaf] is true for this leaf; rest is the remaining
// target there.
func (n gates) pick(t *sumTree, leaves int, target []logic.Lit) (chosen, rest []logic.Lit) {
	type step struct {
		at *sumTree
		on logic.Lit // the way leads here
	}
	chosen = make([]logic.Lit, leaves)
	level := []step{{t, logic.True}}
	for len(level) > 0 {
		var next []step
		var below []logic.Lit // the count of the left child on the path
		for _, s := range level {
			if s.at.left == nil {
				chosen[s.at.leaf] = s.on
				continue
			}
			for i, d := range s.at.onLeft {
				if i == len(below) {
					below = append(below, logic.False)
				}
				below[i] = n.Or(below[i], n.And(s.on, d))
			}
		}
		less, reduced := n.subtract(target, below)
		for _, s := range level {
			if s.at.left != nil {
				next = append(next, step{s.at.left, n.And(s.on, less)}, step{s.at.right, n.And(s.on, less.Not())})
			}
		}
		for i := range target {
			target[i] = n.Or(n.And(less, target[i]), n.And(less.Not(), reduced[i]))
		}
		level = next
	}
	return chosen, target
}

// drawLeaf draws one of the leaves in proportion to its number, and returns the rest of the target there.
func (n gates) drawLeaf(p *Parts, t *sumTree, leaves int) (chosen, rest []logic.Lit) {
	number := n.countUnder(t, nil)
	fraction := make([]logic.Lit, len(number)+choiceBits)
	for i := range fraction {
		fraction[i] = n.Input()
	}
	p.Random = append(p.Random, fraction...)
	return n.pick(t, leaves, n.draw(fraction, number))
}

// dropConditions removes the literals in when from a nested conjunction. It keeps subexpressions without such literals.
func (n gates) dropConditions(l logic.Lit, when []logic.Lit) logic.Lit {
	if whole := n.Conditions(l); len(logic.Difference(whole, when)) == len(whole) {
		return l
	}
	operands := n.Conjuncts(l)
	if len(operands) == 1 {
		return logic.True
	}
	rest := make([]logic.Lit, len(operands))
	for i, o := range slices.Clone(operands) {
		rest[i] = n.dropConditions(o, when)
	}
	return n.And(rest...)
}
