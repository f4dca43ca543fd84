// Package logic holds Boolean networks: conjunctions of literals, built once each, with inputs
// and with loops whose values are least fixpoints. It rebuilds them over other inputs, and tells
// what literals imply at sight. It knows nothing of games.
package logic

import (
	"math/bits"
	"slices"
)

// Lit is a node of a Network, or its complement: 2*node, plus 1 if complemented.
// Node 0 is the constant false.
type Lit int32

// The constants.
const (
	False Lit = 0
	True  Lit = 1
)

// Constant is a value as a literal.
func Constant(value bool) Lit {
	if value {
		return True
	}
	return False
}

// Not is the complement of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Node is the node that l speaks of.
func (l Lit) Node() int32 { return int32(l >> 1) }

// Complemented tells whether l is the complement of its node.
func (l Lit) Complemented() bool { return l&1 != 0 }

// Op is the operation of a node.
type Op uint8

// The operations. With complemented literals, And covers or, nand and nor too.
const (
	OpConst Op = iota
	OpInput    // a fluent or a move: set from outside
	OpLoop     // a variable of a Loop: its value is a least fixpoint
	OpAnd      // the conjunction of two or more literals
)

// Network is a Boolean network. Nodes are numbered so that the operands of a
// node have smaller numbers; only the definition of an OpLoop variable refers
// forward, and it is monotone in the variables that depend on it in turn: their
// values are the least solution of all definitions. Equal nodes are built once
// (structural hashing), and constants are folded while building.
type Network struct {
	op    []Op
	start []int32 // operands of node i: fan[start[i]:start[i+1]]
	fan   []Lit
	def   map[int32]Lit // definitions of the OpLoop nodes

	table   []slot // open addressing over gates; nil where none was added since decoding
	used    int    // entries of the table
	scratch []Lit
	flipped []Lit
}

// slot is an entry of the table: a gate, 0 for none, and the hash of its operands, so that
// few gates are looked at that are not looked for.
type slot struct {
	node int32
	hash uint32
}

// NewNetwork returns a network with the constant alone.
func NewNetwork() *Network {
	return &Network{
		op:    []Op{OpConst},
		start: []int32{0, 0},
		def:   make(map[int32]Lit),
		table: make([]slot, 1<<10),
	}
}

// Len is the number of nodes, the constant and the inputs included.
func (n *Network) Len() int { return len(n.op) }

// Operations is the number of operands of all nodes.
func (n *Network) Operations() int { return len(n.fan) }

// Operands are the operands of a node. The slice aliases the network.
func (n *Network) Operands(node int32) []Lit { return n.fan[n.start[node]:n.start[node+1]] }

// Op is the operation of a node.
func (n *Network) Op(node int32) Op { return n.op[node] }

// Input adds a node whose value is set from outside.
func (n *Network) Input() Lit { return n.leaf(OpInput) }

// LoopVar adds a variable that a later call of Define defines.
func (n *Network) LoopVar() Lit { return n.leaf(OpLoop) }

// Define gives the variable v its definition.
func (n *Network) Define(v, def Lit) { n.def[v.Node()] = def }

// Definition is that of an OpLoop node.
func (n *Network) Definition(node int32) Lit { return n.def[node] }

// Definitions are those of all loop variables, by node. The map is the network's own.
func (n *Network) Definitions() map[int32]Lit { return n.def }

// Uses counts, by node, how often it is an operand or a definition.
func (n *Network) Uses() []int32 {
	uses := make([]int32, n.Len())
	for _, l := range n.fan {
		uses[l.Node()]++
	}
	for _, def := range n.def {
		uses[def.Node()]++
	}
	return uses
}

func (n *Network) leaf(op Op) Lit {
	n.op = append(n.op, op)
	n.start = append(n.start, int32(len(n.fan)))
	return Lit(len(n.op)-1) << 1
}

// And is the conjunction of the literals; true if there are none.
func (n *Network) And(lits ...Lit) Lit {
	s := append(n.scratch[:0], lits...)
	n.scratch = s
	slices.Sort(s)
	out := s[:0]
	for _, l := range s {
		switch {
		case l == False:
			return False
		case l == True:
		case len(out) > 0 && l == out[len(out)-1]:
		case len(out) > 0 && l == out[len(out)-1].Not():
			return False
		default:
			out = append(out, l)
		}
	}
	switch len(out) {
	case 0:
		return True
	case 1:
		return out[0]
	}
	return n.and(out)
}

// Or is the disjunction of the literals; false if there are none.
func (n *Network) Or(lits ...Lit) Lit {
	n.flipped = n.flipped[:0]
	for _, l := range lits {
		n.flipped = append(n.flipped, l.Not())
	}
	return n.And(n.flipped...).Not()
}

// If is a where a condition holds, and b elsewhere.
func (n *Network) Mux(condition, a, b Lit) Lit {
	if a == b {
		return a
	}
	return n.Or(n.And(condition, a), n.And(condition.Not(), b))
}

// Several is true where two of the literals or more are.
func (n *Network) AtLeastTwo(lits ...Lit) Lit {
	any, two := False, False
	for _, l := range lits {
		two = n.Or(two, n.And(any, l))
		any = n.Or(any, l)
	}
	return two
}

// and finds or adds the node with these operands, which are sorted.
func (n *Network) and(operands []Lit) Lit {
	if 4*n.used >= 3*len(n.table) {
		n.grow()
	}
	at := n.probe(operands)
	if at.node == 0 {
		at.node = n.add(operands)
	}
	return Lit(at.node) << 1
}

func (n *Network) add(operands []Lit) int32 {
	n.used++
	n.op = append(n.op, OpAnd)
	n.fan = append(n.fan, operands...)
	n.start = append(n.start, int32(len(n.fan)))
	return int32(len(n.op) - 1)
}

// Append adds a gate with sorted operands, whether or not there is an equal one: so networks
// are read that were written down.
func (n *Network) Append(operands ...Lit) {
	n.add(operands)
	n.table = nil // made when a gate is looked for
}

// Find is the gate with these operands, which it sorts; false if there is none.
func (n *Network) Find(operands []Lit) (Lit, bool) {
	if n.table == nil {
		n.grow()
	}
	slices.Sort(operands)
	node := n.probe(operands).node
	return Lit(node) << 1, node != 0
}

// probe is the slot in the table of the node with these operands, or the slot where it
// belongs, without the node.
func (n *Network) probe(operands []Lit) *slot {
	mask := uint32(len(n.table) - 1)
	hash := Hash(operands)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch p := &n.table[at]; {
		case p.node == 0:
			p.hash = hash
			return p
		case p.hash == hash && slices.Equal(n.Operands(p.node), operands):
			return p
		}
	}
}

// grow makes the table twice as large as it must be.
func (n *Network) grow() {
	old := n.table
	n.table = make([]slot, 1<<bits.Len(uint(2*n.used)))
	for _, p := range old {
		if p.node != 0 {
			n.put(p)
		}
	}
	if old == nil {
		for i, op := range n.op {
			if op == OpAnd {
				n.put(slot{int32(i), Hash(n.Operands(int32(i)))})
			}
		}
	}
}

// put adds an entry to the table that has room for it.
func (n *Network) put(p slot) {
	mask := uint32(len(n.table) - 1)
	at := p.hash & mask
	for n.table[at].node != 0 {
		at = (at + 1) & mask
	}
	n.table[at] = p
}

// Reserve makes room for so many nodes and operands.
func (n *Network) Reserve(nodes, operands int) {
	n.op, n.start, n.fan = slices.Grow(n.op, nodes), slices.Grow(n.start, nodes), slices.Grow(n.fan, operands)
	if size := 1 << bits.Len(uint(4*nodes/3)); n.used == 0 && size > len(n.table) {
		n.table = make([]slot, size)
	}
}

// Hash is a hash of literals.
func Hash(operands []Lit) uint32 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, l := range operands {
		h = (bits.RotateLeft64(h, 5) ^ uint64(uint32(l))) * 0xff51afd7ed558ccd
	}
	return uint32(h>>32) ^ uint32(h)
}

// Gates counts the two-input gates that the network amounts to: a node with k
// operands is k-1 gates.
func (n *Network) Gates() int {
	gates := 0
	for i := range n.op {
		if k := len(n.Operands(int32(i))); k > 1 {
			gates += k - 1
		}
	}
	return gates
}

// Depth is the largest number of gates on a path from an input to a node, loops
// counted once.
func (n *Network) Depth() int {
	depth := make([]int, n.Len())
	deepest := 0
	for i := range depth {
		for _, l := range n.Operands(int32(i)) {
			depth[i] = max(depth[i], depth[l.Node()]+1)
		}
		deepest = max(deepest, depth[i])
	}
	return deepest
}

// Dependencies are the literals that the value of a node is computed from.
func (n *Network) Dependencies(i int32) []Lit {
	if n.op[i] == OpLoop {
		return []Lit{n.def[i]}
	}
	return n.Operands(i)
}

// Cone marks the nodes that the roots depend on.
func (n *Network) Cone(roots []Lit) []bool {
	live := make([]bool, n.Len())
	var stack []int32
	push := func(l Lit) {
		if i := l.Node(); !live[i] {
			live[i] = true
			stack = append(stack, i)
		}
	}
	for _, l := range roots {
		push(l)
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, l := range n.Operands(i) {
			push(l)
		}
		if n.op[i] == OpLoop {
			push(n.def[i])
		}
	}
	return live
}
