// Package logic holds Boolean networks: conjunctions of literals with structural hashing, inputs, and loop variables
// with least-fixpoint values. It substitutes leaves of networks, and finds direct implications of literals. It depends
// on no package of games.
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

// Constant returns the literal of a truth value.
func Constant(value bool) Lit {
	if value {
		return True
	}
	return False
}

// Not returns the complement of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Node returns the node of l, complemented or not.
func (l Lit) Node() int32 { return int32(l >> 1) }

// Complemented reports whether l is the complement of its node.
func (l Lit) Complemented() bool { return l&1 != 0 }

// Op is the operation of a node.
type Op uint8

// The operations. And with complemented literals also expresses or, nand and nor.
const (
	opConst Op = iota
	OpInput    // a free variable, such as a fluent or a move
	OpLoop     // a variable with a recursive definition; its value is a least fixpoint
	OpAnd      // the conjunction of two or more literals
)

// Network is a Boolean network. The operands of a node have smaller numbers than the node. Only the definition of an
// OpLoop variable may refer to larger numbers; it is monotone in the variables of the same recursion. The values of
// loop variables are the least solution of all definitions. Structural hashing builds equal gates once, and building
// folds constants.
type Network struct {
	op    []Op
	start []int32 // operands of node i: fan[start[i]:start[i+1]]
	fan   []Lit
	def   map[int32]Lit // definitions of the OpLoop nodes

	table   []slot // open addressing over gates; nil after Append, until the next lookup
	used    int    // number of gates
	scratch []Lit
	flipped []Lit
}

// slot is an entry of the hash table: a gate (0: empty slot), and the hash of its operands. The hash spares most
// comparisons of operands.
type slot struct {
	node int32
	hash uint32
}

// NewNetwork returns a network that contains only the constant.
func NewNetwork() *Network {
	return &Network{
		op:    []Op{opConst},
		start: []int32{0, 0},
		def:   make(map[int32]Lit),
		table: make([]slot, 1<<10),
	}
}

// Len returns the number of nodes, including the constant and the inputs.
func (n *Network) Len() int { return len(n.op) }

// OperandCount returns the total number of operands.
func (n *Network) OperandCount() int { return len(n.fan) }

// Operands returns the operands of a node. The slice aliases the network.
func (n *Network) Operands(node int32) []Lit { return n.fan[n.start[node]:n.start[node+1]] }

// Op returns the operation of a node.
func (n *Network) Op(node int32) Op { return n.op[node] }

// Input adds a free variable.
func (n *Network) Input() Lit { return n.leaf(OpInput) }

// LoopVar adds a loop variable; Define must define it later.
func (n *Network) LoopVar() Lit { return n.leaf(OpLoop) }

// Define sets the definition of loop variable v.
func (n *Network) Define(v, def Lit) { n.def[v.Node()] = def }

// Definition returns the definition of an OpLoop node.
func (n *Network) Definition(node int32) Lit { return n.def[node] }

// Definitions returns the definitions of all loop variables, by node. The map aliases the network.
func (n *Network) Definitions() map[int32]Lit { return n.def }

// Uses returns, by node, its number of occurrences as an operand or a definition.
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

// And returns the conjunction of the literals; an empty conjunction is true.
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

// Or returns the disjunction of the literals; an empty disjunction is false.
func (n *Network) Or(lits ...Lit) Lit {
	n.flipped = n.flipped[:0]
	for _, l := range lits {
		n.flipped = append(n.flipped, l.Not())
	}
	return n.And(n.flipped...).Not()
}

// Mux returns a multiplexer: a if condition is true, otherwise b.
func (n *Network) Mux(condition, a, b Lit) Lit {
	if a == b {
		return a
	}
	return n.Or(n.And(condition, a), n.And(condition.Not(), b))
}

// AtLeastTwo returns the condition that at least two of the literals are true.
func (n *Network) AtLeastTwo(lits ...Lit) Lit {
	any, two := False, False
	for _, l := range lits {
		two = n.Or(two, n.And(any, l))
		any = n.Or(any, l)
	}
	return two
}

// and returns the gate with these sorted operands, and adds it if it is missing.
func (n *Network) and(operands []Lit) Lit {
	if 2*n.used >= len(n.table) {
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

// Append adds a gate with sorted operands without a search for an equal gate. Decoders use it.
func (n *Network) Append(operands ...Lit) {
	n.add(operands)
	n.table = nil // the next lookup rebuilds it
}

// Find returns the gate with these operands, or false if it does not exist. It sorts the operands.
func (n *Network) Find(operands []Lit) (Lit, bool) {
	if n.table == nil {
		n.grow()
	}
	slices.Sort(operands)
	node := n.probe(operands).node
	return Lit(node) << 1, node != 0
}

// nearSlots is the number of slots that a probe reads near the slot of the last operand before it continues at the slot
// of the hash. Gates made one after the other mostly have last operands made shortly before, so most probes hit the
// cache; the second part of the probe bounds the cost where many gates share their last operand. nearBits is the number
// of bits of the hash that spread gates with the same last operand.
const (
	nearSlots = 8
	nearBits  = 8
)

// probe returns the slot of the gate with these operands, or the empty slot for it with its hash set.
func (n *Network) probe(operands []Lit) *slot {
	mask := uint32(len(n.table) - 1)
	hash := Hash(operands)
	at := hash
	if last := operands[len(operands)-1].Node(); n.op[last] == OpAnd {
		at = uint32(last)<<1 + hash>>(32-nearBits)
	}
	for k := 0; ; k++ {
		if k == nearSlots {
			at = hash
		}
		switch p := &n.table[at&mask]; {
		case p.node == 0:
			p.hash = hash
			return p
		case p.hash == hash && slices.Equal(n.Operands(p.node), operands):
			return p
		}
		at++
	}
}

// grow doubles the table, or builds it if it is nil. Of equal gates it holds the first.
func (n *Network) grow() {
	n.table = make([]slot, 1<<bits.Len(uint(2*n.used)))
	for i, op := range n.op {
		if op == OpAnd {
			if at := n.probe(n.Operands(int32(i))); at.node == 0 {
				at.node = int32(i)
			}
		}
	}
}

// Reserve preallocates memory for additional nodes and operands.
func (n *Network) Reserve(nodes, operands int) {
	n.op, n.start, n.fan = slices.Grow(n.op, nodes), slices.Grow(n.start, nodes), slices.Grow(n.fan, operands)
	if size := 1 << bits.Len(uint(2*nodes)); n.used == 0 && size > len(n.table) {
		n.table = make([]slot, size)
	}
}

// Hash returns a hash of literals.
func Hash(operands []Lit) uint32 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, l := range operands {
		h = (bits.RotateLeft64(h, 5) ^ uint64(uint32(l))) * 0xff51afd7ed558ccd
	}
	return uint32(h>>32) ^ uint32(h)
}

// Gates returns the number of equivalent two-input gates: a node with k operands counts k-1.
func (n *Network) Gates() int {
	gates := 0
	for i := range n.op {
		if k := len(n.Operands(int32(i))); k > 1 {
			gates += k - 1
		}
	}
	return gates
}

// Depth returns the largest number of gates on a path from a leaf to a node. Definitions of loop variables are not
// followed.
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

// Dependencies returns the operands of a gate, or the definition of a loop variable.
func (n *Network) Dependencies(i int32) []Lit {
	if n.op[i] == OpLoop {
		return []Lit{n.def[i]}
	}
	return n.Operands(i)
}

// Cone marks the nodes that the roots depend on, directly or indirectly.
func (n *Network) Cone(roots []Lit) []bool {
	live := make([]bool, n.Len())
	var pending []int32 // marked nodes with operands that are not
	mark := func(list ...Lit) {
		for _, l := range list {
			if i := l.Node(); !live[i] {
				live[i], pending = true, append(pending, i)
			}
		}
	}
	for mark(roots...); len(pending) > 0; {
		i := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		mark(n.Dependencies(i)...)
	}
	return live
}
