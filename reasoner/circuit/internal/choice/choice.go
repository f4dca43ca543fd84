// Package choice splits each move of a large move table into two parts, and chooses random moves part by part, as
// gates over random inputs. It depends only on logic networks and the texts of moves.
//
//	Tables, Best   partitions of a move table into first and second parts (partition.go)
//	Parts          the table in parts: a move is legal if the head of its first part and its own tail are true
//	Union          the disjunction of given moves, over the parts (union.go)
//	Choose         the parts of a random legal move
//	ChooseTurn     one choice for two roles that take turns (turns.go)
//
// Algorithm of Choose. Numbers are lists of literals, the least significant digit first.
//
//  1. Count the legal tails of each first part with a true head, and add the counts in a binary tree. Conditions
//     common to the heads below a node are applied only above this node.
//  2. Draw the target t = floor(u·n / 2^k), where u is a random k-bit fraction and n the number of legal moves. As in
//     kernel/choose.go, the probabilities of moves have a relative error of at most 2^-choiceBits.
//  3. Descend the tree: to the left child if t is less than its count, otherwise to the right child, with t reduced by
//     this count. The nodes of a level share one comparison, since exactly one node of it is on the path. The leaf is
//     the first part of the move; the remaining t is the number of the move among the moves with this part.
//  4. Find the legal second parts of this first part, and draw from them in the same way.
//
// Invariants: no two moves have both parts in common. The numbers of targets of any two legal moves differ by at most
// one, for every partition.
//
// Cost in gates of three inputs: 2 a move for the counts and 1 for step 4, less the logic that moves share; some 20 a
// first part and some 12 a second part. Tables that are mostly free products have a cheaper choice (rectangles.go).
//
// Reference: proportional sampling by a tree of partial sums (Wong and Easton, "An efficient method for weighted
// sampling without replacement", 1980).
package choice

import "stackmate/reasoner/circuit/logic"

// gates adds arithmetic to a network.
type gates struct{ *logic.Network }

// choiceBits is the number of random bits beyond the binary digits of the number of moves, as in kernel/choose.go.
const choiceBits = 14

// Choose adds to the network the choice of a random legal move of p. It sets p.Random, new inputs, and p.Chosen.
func Choose(net *logic.Network, p *Parts) { p.Chosen = gates{net}.chooseMove(p, [][]logic.Lit{p.Head}) }

// chooseMove returns the parts of a random legal move. heads has the heads by role and first part; one of the
// roles is to move.
func (n gates) chooseMove(p *Parts, heads [][]logic.Lit) [2][]logic.Lit {
	if list := n.rectangles(p, heads); list != nil {
		return n.chooseRectangle(p, list)
	}
	leaves := make([]*sumTree, len(p.FirstMoves))
	all := make([]int32, len(p.FirstMoves))
	for part, moves := range p.FirstMoves {
		var tails []logic.Lit
		for _, m := range moves {
			if p.Tail[m] != logic.False {
				tails = append(tails, p.Tail[m])
			}
		}
		leaves[part] = &sumTree{leaf: part, when: n.Conditions(p.Head[part]), head: p.Head[part], most: len(tails), count: n.count(tails)}
		all[part] = int32(part)
	}
	tree := n.treeByText(p, leaves, all, 0)
	first, target := n.drawLeaf(p, tree, len(leaves))
	union := newUnion(n, p, first)
	seconds := make([]*sumTree, len(p.SecondMoves))
	for part, moves := range p.SecondMoves {
		seconds[part] = &sumTree{leaf: part, head: logic.True, most: 1, count: []logic.Lit{union.legal(moves)}}
	}
	second, _ := n.pick(n.balanced(seconds), len(seconds), target)
	return [2][]logic.Lit{first, second}
}

// legal returns the condition that one of the moves, which share their second part, is legal with the chosen first
// part.
func (u *Union) legal(moves []int32) logic.Lit {
	firsts := make(map[logic.Lit][]int32) // by tail
	var tails []logic.Lit
	for _, m := range moves {
		l := u.parts.Tail[m]
		if l == logic.False {
			continue
		}
		if firsts[l] == nil {
			tails = append(tails, l)
		}
		firsts[l] = append(firsts[l], u.parts.Pair[m][0])
	}
	acc := logic.False
	for _, l := range tails {
		acc = u.net.Or(acc, u.net.And(l, u.anyOf(firsts[l], noneFree)))
	}
	return acc
}
