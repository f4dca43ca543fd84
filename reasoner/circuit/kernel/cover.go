package kernel

import (
	"math"
	"slices"
)

// The first half of a translation: straight code as a list of gates of two, three or four inputs.
//
// Algorithm: value numbering gives every gate of two operands a node; gates of more operands are chains.
// Every row that is read before it is written has a node for its initial content. Then, in program order, a
// node takes in each operand without other uses, as long as no more leaves remain than a gate may have. The
// result is a cover by fan-out-free cones with any function (multiplexers and parities too). A node that is
// taken in is never computed, so its leaves must still be available when the cone is computed: no computed
// node before may overwrite the row of a leaf. Cost: linear in operands.
//
// The truth table of a node has the bit 8a + 4b + 2c + d for the values of its leaves; it does not depend on
// missing leaves.

// mostLeaves is the maximal number of leaves of a cone.
const mostLeaves = 4

// leafTables are the truth tables of the leaves themselves.
var leafTables = [mostLeaves]uint16{0xff00, 0xf0f0, 0xcccc, 0xaaaa}

// never is the position of an event that does not happen.
const never = math.MaxInt32

// node is a value: the initial content of a row, or a gate.
type node struct {
	leaf   [mostLeaves]int32 // nodes, different from each other
	leaves int8              // 0 for the initial content of a row
	table  uint16
	list   int32 // index in cover.lists of the operands of a gate that is left whole, or -1
	home   int32 // row of its value; -1 inside a chain
	killed int32 // the node that overwrites the row, or never
	gate   int32 // number of its gate in the program
	uses   int32 // number of uses by needed nodes
	kept   bool  // the row must hold it in the end
	inside bool  // taken into another node

	// For the choice of registers: the next gates that use the value and its leaves.
	first int32
	next  [mostLeaves]int32
}

// operands are the operands of a gate that is not decomposed.
type operands struct {
	op    Op
	pos   int
	nodes []int32
}

// cover is the translation of straight code into cones.
type cover struct {
	nodes []node
	lists []operands
	// Limits of cones: the number of leaves, and the known functions. Gates of more operands are left whole
	// if known is not nil.
	leaves int8
	known  []form
	row    []int32 // by row: the node that it holds now, -1 if the row has not appeared
	seen   []int32 // the rows that have appeared
	gates  int32
}

// reset covers straight code. The final contents of observed rows are kept.
func (c *cover) reset(code []int32, observed []bool) {
	c.nodes, c.lists, c.gates = slices.Grow(c.nodes[:0], countNodes(code)+len(observed)), c.lists[:0], 0
	for len(c.row) < len(observed) {
		c.row = append(c.row, -1)
	}
	for len(code) > 0 {
		op, pos, neg, count := Op(code[0]), int(code[1]), int(code[2]), int(code[3])
		code = code[Header:]
		for range count {
			c.gate(op, code[1:1+pos+neg], pos, code[0])
			code = code[1+pos+neg:]
		}
	}
	for _, r := range c.seen {
		if n := &c.nodes[c.row[r]]; observed[r] && n.isGate() {
			n.kept = true
		}
		c.row[r] = -1
	}
	c.seen = c.seen[:0]
	c.countUses()
	for i := range c.nodes {
		if n := &c.nodes[i]; n.uses > 0 || n.kept {
			c.takeIn(int32(i))
		}
	}
	c.findUses()
}

// countNodes returns the number of nodes of the gates in code.
func countNodes(code []int32) int {
	nodes := 0
	for len(code) > 0 {
		operands, count := int(code[1]+code[2]), int(code[3])
		nodes += max(1, operands-1) * count
		code = code[Header+(1+operands)*count:]
	}
	return nodes
}

// current returns the node that a row holds.
func (c *cover) current(row int32) int32 {
	if c.row[row] < 0 {
		c.define(node{list: -1, home: row, killed: never, gate: -1})
	}
	return c.row[row]
}

// define adds a node. If the node has a row, it replaces the row's current node.
func (c *cover) define(n node) int32 {
	i := int32(len(c.nodes))
	c.nodes = append(c.nodes, n)
	if n.home < 0 {
		return i
	}
	if old := c.row[n.home]; old >= 0 {
		c.nodes[old].killed = i
	} else {
		c.seen = append(c.seen, n.home)
	}
	c.row[n.home] = i
	return i
}

// gate adds the nodes of a gate.
func (c *cover) gate(op Op, operands []int32, pos int, to int32) {
	if c.known != nil && len(operands) > int(c.leaves) {
		c.define(node{list: c.whole(op, operands, pos), home: to, killed: never, gate: c.gates})
		c.gates++
		return
	}
	value := node{list: -1, leaves: 1, table: leafTables[0], leaf: [mostLeaves]int32{c.current(operands[0])}}
	if pos == 0 {
		value.table = ^value.table
	}
	value.home, value.killed, value.gate = -1, never, c.gates
	for k := 1; k < len(operands); k++ {
		if k > 1 {
			value = node{list: -1, leaves: 1, table: leafTables[0], leaf: [mostLeaves]int32{c.define(value)}, home: -1, killed: never, gate: c.gates}
		}
		table := leafTables[1]
		operand := c.current(operands[k])
		if operand == value.leaf[0] {
			table = leafTables[0]
		} else {
			value.leaf[1], value.leaves = operand, 2
		}
		if k >= pos {
			table = ^table
		}
		if op == And {
			value.table &= table
		} else {
			value.table |= table
		}
	}
	value.home = to
	c.define(value)
	c.gates++
}

// whole returns the index of a new operand list for a gate that is not decomposed.
func (c *cover) whole(op Op, rows []int32, pos int) int32 {
	nodes := make([]int32, len(rows))
	for k, r := range rows {
		nodes[k] = c.current(r)
	}
	c.lists = append(c.lists, operands{op, pos, nodes})
	return int32(len(c.lists) - 1)
}

// operands returns the operand nodes of a node.
func (c *cover) operands(n *node) []int32 {
	if n.list >= 0 {
		return c.lists[n.list].nodes
	}
	return n.leaf[:n.leaves]
}

// countUses counts the uses of nodes by needed nodes.
func (c *cover) countUses() {
	for i := len(c.nodes) - 1; i >= 0; i-- {
		if n := &c.nodes[i]; n.uses > 0 || n.kept {
			for _, l := range c.operands(n) {
				c.nodes[l].uses++
			}
		}
	}
}

// takeIn merges operands of node i into its cone where possible.
func (c *cover) takeIn(i int32) {
	n := &c.nodes[i]
	for k := 0; k < int(n.leaves); k++ {
		l := n.leaf[k]
		if m := &c.nodes[l]; m.leaves == 0 || m.uses > 1 || m.kept || !c.reaches(l, i) {
			continue
		}
		if joined, ok := c.join(n, k); ok && c.allows(&joined) {
			c.nodes[l].inside = true
			for _, x := range c.nodes[l].leaf[:c.nodes[l].leaves] {
				if slices.Contains(n.leaf[:n.leaves], x) {
					c.nodes[x].uses-- // one use instead of two
				}
			}
			n.leaf, n.leaves, n.table = joined.leaf, joined.leaves, joined.table
			k = -1 // from the beginning: earlier leaves may fit now
		}
	}
}

// reaches reports whether the leaves of node l are still available at node i.
func (c *cover) reaches(l, i int32) bool {
	for _, x := range c.nodes[l].leaf[:c.nodes[l].leaves] {
		n := &c.nodes[x]
		if n.home < 0 && n.gate != c.nodes[i].gate {
			return false
		}
		k := n.killed
		for k < i && (k == l || c.nodes[k].inside) {
			k = c.nodes[k].killed
		}
		if k < i {
			return false
		}
	}
	return true
}

// allows reports whether a cone may have the function of n.
func (c *cover) allows(n *node) bool { return c.known == nil || c.known[n.table].ok }

// join returns node n with its k-th leaf replaced by the leaves of that node; ok is false if there are too many
// leaves.
func (c *cover) join(n *node, k int) (joined node, ok bool) {
	inner := &c.nodes[n.leaf[k]]
	var place [2][mostLeaves]int // in joined, of the leaves of n and of inner
	add := func(leaf int32) int {
		for at, l := range joined.leaf[:min(joined.leaves, mostLeaves)] {
			if l == leaf {
				return at
			}
		}
		if joined.leaves < mostLeaves {
			joined.leaf[joined.leaves] = leaf
		}
		joined.leaves++
		return min(int(joined.leaves), mostLeaves) - 1
	}
	for at, l := range n.leaf[:n.leaves] {
		if at != k {
			place[0][at] = add(l)
		}
	}
	for at, l := range inner.leaf[:inner.leaves] {
		place[1][at] = add(l)
	}
	if joined.leaves > min(c.leaves, mostLeaves) {
		return joined, false
	}
	value := substitute(inner.table, place[1], inner.leaves)
	var tables [mostLeaves]uint16
	for at := range tables {
		tables[at] = leafTables[place[0][at]]
	}
	tables[k] = value
	joined.table = compose(n.table, tables)
	return joined, true
}

// substitute returns a truth table with its leaves moved to other positions.
func substitute(table uint16, place [mostLeaves]int, leaves int8) uint16 {
	var tables [mostLeaves]uint16
	for k := range leaves {
		tables[k] = leafTables[place[k]]
	}
	return compose(table, tables)
}

// compose returns the truth table of a function of functions.
func compose(table uint16, of [mostLeaves]uint16) uint16 {
	out := uint16(0)
	for i := range 1 << mostLeaves {
		if table>>i&1 != 0 {
			term := ^uint16(0)
			for k, t := range of {
				if i>>(mostLeaves-1-k)&1 == 0 {
					t = ^t
				}
				term &= t
			}
			out |= term
		}
	}
	return out
}

// computed reports whether code is generated for the node.
func (n *node) computed() bool { return n.isGate() && !n.inside && (n.uses > 0 || n.kept) }

func (n *node) isGate() bool { return n.leaves > 0 || n.list >= 0 }

// findUses finds the next use of each value.
func (c *cover) findUses() {
	for i := range c.nodes {
		c.nodes[i].first = never
	}
	for i := len(c.nodes) - 1; i >= 0; i-- {
		n := &c.nodes[i]
		if !n.computed() {
			continue
		}
		for k, l := range n.leaf[:n.leaves] {
			n.next[k] = c.nodes[l].first
			c.nodes[l].first = int32(i)
		}
	}
}

// observedRows marks the rows that are read after a program has run: by the caller, by the choice of moves,
// or by code that reads a row before it writes it.
func observedRows(e *Executable, image *Image) []bool {
	observed := make([]bool, e.rows)
	for _, r := range image.Read {
		observed[r] = true
	}
	for _, m := range image.Moves {
		for _, r := range m.Legal {
			observed[r] = true
		}
		if t := m.Turns; t != nil {
			for _, r := range t.Legal {
				observed[r] = true
			}
			for _, w := range t.Waits {
				observed[w[1]] = true
			}
		}
	}
	for r := range image.Fluents.Count {
		observed[image.Fluents.First+r] = true
	}
	written := make([]int32, e.rows) // the number of the last segment that writes a row
	segment := int32(0)
	for _, program := range e.programs {
		for _, s := range program {
			segment++
			for _, v := range s.Vars {
				observed[v] = true
			}
			for code := s.Code; len(code) > 0; {
				width, count := 1+int(code[1]+code[2]), int(code[3])
				code = code[Header:]
				for range count {
					for _, r := range code[1:width] {
						observed[r] = observed[r] || written[r] != segment
					}
					written[code[0]] = segment
					code = code[width:]
				}
			}
		}
	}
	return observed
}
