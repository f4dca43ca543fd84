package circuit

import "math/bits"

// Random legal moves, for all lanes together, as more gates of the network.
//
// For each role, a binary tree over its move table counts the legal moves: every
// node holds the number of legal moves below it as a bit-sliced integer (one
// literal per binary digit). A per-lane target is drawn uniformly from [0, n),
// n the count at the root, and the tree is descended: where the target is less
// than the left child's count go left, else subtract that count and go right.
// The leaf reached is the move. Per move that is about a dozen gates, whatever
// the lanes, and the vector kernels evaluate them like any other.
//
// The target is floor(u·n / 2^k) for a random k-bit fraction u, computed by
// shifting and adding. A move's probability is off by at most 2^-choiceBits of
// itself.

// choiceBits is the number of random bits beyond those that count the moves.
const choiceBits = 14

// choice adds the networks that choose a random legal move for every role. It
// returns the random inputs, and by role and move the literal that is true in
// the lanes where that move was chosen. In a lane where a role has no legal move
// nothing is chosen for it.
func (g *Game) choice() (random []Lit, chosen [][]Lit) {
	for _, legal := range g.Legal {
		row := make([]Lit, len(legal))
		c := chooser{net: g.Net, chosen: row}
		root := c.count(legal, 0)
		k := bits.Len(uint(len(legal))) + choiceBits
		if len(root.digits) == 1 {
			k = 0 // at most one move is ever legal: no choice
		}
		fraction := make([]Lit, k)
		for i := range fraction {
			fraction[i] = g.Net.Input()
		}
		random = append(random, fraction...)
		c.descend(root, c.scale(root.digits, fraction), True)
		chosen = append(chosen, row)
	}
	return random, chosen
}

// chooser builds the choice of one role.
type chooser struct {
	net    *Network
	chosen []Lit
}

// counter is a node of the tree over moves first..first+len-1: digits is the
// number of legal moves among them, least significant digit first.
type counter struct {
	digits      []Lit
	left, right *counter
	move        int // of a leaf
}

func (c *chooser) count(legal []Lit, first int) *counter {
	if len(legal) <= 1 {
		t := &counter{move: first, digits: []Lit{False}}
		if len(legal) == 1 {
			t.digits[0] = legal[0]
		}
		return t
	}
	half := len(legal) / 2
	t := &counter{left: c.count(legal[:half], first), right: c.count(legal[half:], first+half)}
	t.digits = c.add(t.left.digits, t.right.digits)
	return t
}

// add is the sum of two bit-sliced numbers, without leading constant zeros.
func (c *chooser) add(a, b []Lit) []Lit {
	var sum []Lit
	carry := False
	for i := range max(len(a), len(b)) {
		x, y := digit(a, i), digit(b, i)
		sum = append(sum, c.net.Xor(x, y, carry))
		carry = c.net.Maj(x, y, carry)
	}
	sum = append(sum, carry)
	for len(sum) > 1 && sum[len(sum)-1] == False {
		sum = sum[:len(sum)-1]
	}
	return sum
}

func digit(a []Lit, i int) Lit {
	if i < len(a) {
		return a[i]
	}
	return False
}

// scale is floor(n·u / 2^k), u being the k-digit fraction: from the least
// significant digit of u on, add n if the digit is set, then halve.
func (c *chooser) scale(n, fraction []Lit) []Lit {
	acc := make([]Lit, len(n))
	addend := make([]Lit, len(n))
	for _, u := range fraction {
		for i, d := range n {
			addend[i] = c.net.And(d, u)
		}
		sum := c.add(acc, addend)
		for i := range acc {
			acc[i] = digit(sum, i+1)
		}
	}
	return acc
}

// descend marks the move that target selects below t in the lanes of active. In
// those lanes target is less than the count of t.
func (c *chooser) descend(t *counter, target []Lit, active Lit) {
	if t.left == nil {
		if t.move < len(c.chosen) {
			c.chosen[t.move] = c.net.And(active, t.digits[0])
		}
		return
	}
	// difference = target - left count; a borrow at the end means target is less.
	borrow := False
	difference := make([]Lit, len(target))
	for i := range target {
		x, y := target[i], digit(t.left.digits, i)
		difference[i] = c.net.Xor(x, y, borrow)
		borrow = c.net.Maj(x.Not(), y, borrow)
	}
	less := borrow
	if n := len(target); n < len(t.left.digits) {
		less = c.net.Or(less, c.net.Or(t.left.digits[n:]...))
	}
	left := target[:min(len(target), len(t.left.digits))]
	right := difference[:min(len(target), len(t.right.digits))]
	c.descend(t.left, left, c.net.And(active, less))
	c.descend(t.right, right, c.net.And(active, less.Not()))
}
