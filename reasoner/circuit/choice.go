package circuit

import (
	"context"
	"math/bits"
	"slices"
)

// Random moves of tables with parts, as gates over random inputs. Numbers are lists of
// literals, the least significant digit first.
//
//  1. Count the legal tails of every first part, where its head is true, and add the
//     counts up in a binary tree. What the heads below a node have in common is taken
//     into account above it only.
//  2. Draw the target t = floor(u·n / 2^k), u a random k-bit fraction and n the number
//     of legal moves (as in kernel/choose.go: uniform but for a relative error of at
//     most 2^-choiceBits in the probability of a move).
//  3. Go down the tree: to the left where t is less than the count there, and else to
//     the right, with t less that count. All nodes of a level share one comparison,
//     since only one of them is on the way. The leaf is the first part of the move, and
//     what is left of t the number of the move among those with that part.
//  4. Find the legal second parts of that first part, and do the same with them.
//
// So every legal move has the same probability, whatever the partition. Cost in gates of
// three inputs: 2 a move for the counts and 1 for step 4, less what moves share; some 20
// a first part and some 12 a second part. Tables that are mostly free products have a
// choice that costs less (rectangles.go).

// choiceBits is the number of random bits beyond those that count the moves.
const choiceBits = 14

// withChoice rebuilds a game by the function and, with what chooses the parts of random
// moves. The inputs of random bits come after all others.
func withChoice(ctx context.Context, g *Game, and translation) *Game {
	shared := g.sharedChoices()
	h := g.rebuild(ctx, and)
	if h == g {
		return g
	}
	for r, p := range h.Parts {
		switch {
		case p == nil:
		case shared[r] != r:
			mine, _ := h.turn(shared[r], r)
			h.Net.chooseTurn(mine, h.Parts[shared[r]], p)
		case !slices.Contains(shared[r+1:], r):
			p.chosen = h.Net.chooseMove(p, [][]Lit{p.Head})
		}
	}
	return h
}

// chooseMove is the parts of a random legal move. The heads are those of the roles, by
// first part, one of which is to move.
func (n *Network) chooseMove(p *Parts, heads [][]Lit) [2][]Lit {
	if list := n.rectangles(p, heads); list != nil {
		return n.chooseRectangle(p, list)
	}
	leaves := make([]*sumTree, len(p.moves))
	all := make([]int32, len(p.moves))
	for part, moves := range p.moves {
		var tails []Lit
		for _, m := range moves {
			if p.Tail[m] != False {
				tails = append(tails, p.Tail[m])
			}
		}
		leaves[part] = &sumTree{leaf: part, when: n.conditions(p.Head[part]), head: p.Head[part], most: len(tails), count: n.count(tails)}
		all[part] = int32(part)
	}
	tree := n.treeByText(p, leaves, all, 0)
	first, target := n.drawLeaf(p, tree, len(leaves))
	union := newPartUnion(n, p, first)
	seconds := make([]*sumTree, len(p.second))
	for part, moves := range p.second {
		seconds[part] = &sumTree{leaf: part, head: True, most: 1, count: []Lit{union.legal(moves)}}
	}
	second, _ := n.pick(n.balanced(seconds), len(seconds), target)
	return [2][]Lit{first, second}
}

// drawLeaf draws one of so many leaves, each in proportion to its number, and what is
// left of the target there.
func (n *Network) drawLeaf(p *Parts, t *sumTree, leaves int) (chosen, left []Lit) {
	number := n.within(t, nil)
	fraction := make([]Lit, len(number)+choiceBits)
	for i := range fraction {
		fraction[i] = n.Input()
	}
	p.random = append(p.random, fraction...)
	return n.pick(t, leaves, n.draw(fraction, number))
}

// legal is true where one of the moves, which have the second part in common, is legal
// with the first part that is chosen.
func (u *partUnion) legal(moves []int32) Lit {
	firsts := make(map[Lit][]int32) // by tail
	var tails []Lit
	for _, m := range moves {
		l := u.parts.Tail[m]
		if l == False {
			continue
		}
		if firsts[l] == nil {
			tails = append(tails, l)
		}
		firsts[l] = append(firsts[l], u.parts.of[m][0])
	}
	acc := False
	for _, l := range tails {
		acc = u.net.Or(acc, u.net.And(l, u.of(firsts[l], nothing)))
	}
	return acc
}

// xor is true where one of two literals is.
func (n *Network) xor(a, b Lit) Lit { return n.Or(n.And(a, b.Not()), n.And(a.Not(), b)) }

// fullAdd adds three digits. Sum and carry have no gates in common, so that each is one
// gate of three inputs.
func (n *Network) fullAdd(a, b, c Lit) (sum, carry Lit) {
	return n.xor(n.xor(a, b), c), n.Or(n.And(a, b), n.And(c, n.Or(a, b)))
}

// add adds two numbers and a carry. Leading zeros are left out.
func (n *Network) add(a, b []Lit, carry Lit) []Lit {
	sum := make([]Lit, max(len(a), len(b))+1)
	for i := range sum[:len(sum)-1] {
		sum[i], carry = n.fullAdd(digit(a, i), digit(b, i), carry)
	}
	sum[len(sum)-1] = carry
	for len(sum) > 0 && sum[len(sum)-1] == False {
		sum = sum[:len(sum)-1]
	}
	return sum
}

func digit(number []Lit, i int) Lit {
	if i < len(number) {
		return number[i]
	}
	return False
}

// count is the number of literals that are true.
func (n *Network) count(lits []Lit) []Lit {
	if len(lits) == 0 {
		return nil
	}
	last := len(lits) - 1
	half := last / 2
	return n.add(n.count(lits[:half]), n.count(lits[half:last]), lits[last])
}

// sumTree is a binary tree over numbers.
type sumTree struct {
	leaf        int
	head        Lit   // of a leaf
	when        []Lit // sorted: where one of them is false the number is 0
	most        int   // the number is not larger
	count       []Lit // the number, where all of when are true
	left, right *sumTree
	onLeft      []Lit // the number of left, where all of when are true
}

// join is the tree over two. What is true of both is left to the nodes above: so roles
// whose moves differ in whose turn it is, and whose piece it is, share the sums.
func (n *Network) join(left, right *sumTree) *sumTree {
	t := &sumTree{left: left, right: right, when: intersect(slices.Clone(left.when), right.when), most: left.most + right.most}
	t.onLeft = n.within(left, t.when)
	t.count = n.add(t.onLeft, n.within(right, t.when), False)
	t.count = t.count[:min(len(t.count), bits.Len(uint(t.most)))]
	return t
}

// within is the number of a tree where the given ones of its conditions are true.
func (n *Network) within(t *sumTree, when []Lit) []Lit {
	rest := n.And(without(t.when, when)...)
	if t.left == nil {
		rest = n.less(t.head, when)
	}
	digits := make([]Lit, len(t.count))
	for i, d := range t.count {
		digits[i] = n.And(rest, d)
	}
	return digits
}

// less is a conjunction without some of what it implies; gates that imply none of that
// stay whole.
func (n *Network) less(l Lit, when []Lit) Lit {
	if whole := n.conditions(l); len(without(whole, when)) == len(whole) {
		return l
	}
	operands := n.conjuncts(l)
	if len(operands) == 1 {
		return True
	}
	rest := make([]Lit, len(operands))
	for i, o := range slices.Clone(operands) {
		rest[i] = n.less(o, when)
	}
	return n.And(rest...)
}

// balanced is a tree over trees.
func (n *Network) balanced(trees []*sumTree) *sumTree {
	if len(trees) == 1 {
		return trees[0]
	}
	half := (len(trees) + 1) / 2
	return n.join(n.balanced(trees[:half]), n.balanced(trees[half:]))
}

// treeByText is a tree over first parts whose texts agree in the first words: those that
// agree in one more stand together.
func (n *Network) treeByText(p *Parts, leaves []*sumTree, parts []int32, words int) *sumTree {
	groups := make(map[int32][]int32) // by the next word
	var order []int32
	var trees []*sumTree
	for _, part := range parts {
		if len(p.texts[part]) <= words {
			trees = append(trees, leaves[part])
			continue
		}
		w := p.texts[part][words]
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

// draw is floor(u·number / 2^k) for the k digits of the fraction u, the least significant
// first: add the number where the digit is set, then halve.
func (n *Network) draw(fraction, number []Lit) []Lit {
	var target []Lit
	for _, u := range fraction {
		part := make([]Lit, len(number))
		for i, d := range number {
			part[i] = n.And(u, d)
		}
		if target = n.add(target, part, False); len(target) > 0 {
			target = target[1:]
		}
	}
	return target
}

// pick goes down a tree over so many numbers: chosen is true of the one in which the
// target lies, and left what is left of the target there.
func (n *Network) pick(t *sumTree, leaves int, target []Lit) (chosen, left []Lit) {
	type step struct {
		at *sumTree
		on Lit // the way leads here
	}
	chosen = make([]Lit, leaves)
	level := []step{{t, True}}
	for len(level) > 0 {
		var next []step
		var below []Lit // the count on the left of where the way is
		for _, s := range level {
			if s.at.left == nil {
				chosen[s.at.leaf] = s.on
				continue
			}
			for i, d := range s.at.onLeft {
				if i == len(below) {
					below = append(below, False)
				}
				below[i] = n.Or(below[i], n.And(s.on, d))
			}
		}
		less, rest := n.subtract(target, below)
		for _, s := range level {
			if s.at.left != nil {
				next = append(next, step{s.at.left, n.And(s.on, less)}, step{s.at.right, n.And(s.on, less.Not())})
			}
		}
		for i := range target {
			target[i] = n.Or(n.And(less, target[i]), n.And(less.Not(), rest[i]))
		}
		level = next
	}
	return chosen, target
}

// subtract is a - b in as many digits as a, and whether a is less.
func (n *Network) subtract(a, b []Lit) (less Lit, rest []Lit) {
	rest = make([]Lit, len(a))
	less = False
	for i := range max(len(a), len(b)) {
		d, borrow := n.fullAdd(digit(a, i).Not(), digit(b, i), less)
		if i < len(a) {
			rest[i] = d.Not()
		}
		less = borrow
	}
	return less, rest
}
