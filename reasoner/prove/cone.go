package prove

import (
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Cones computes cones of influence: the nodes of a network that signals depend on.
type Cones struct {
	net  *logic.Network
	seen marks
}

// NewCones returns the Cones of a network.
func NewCones(net *logic.Network) *Cones { return &Cones{net: net} }

// Nodes returns the nodes that signals depend on, ascending, without the constant; false if there are more than
// limit. It does not follow definitions of loop variables.
func (c *Cones) Nodes(limit int, signals ...logic.Lit) (nodes []int32, ok bool) {
	c.seen.clear()
	c.seen.add(0)
	push := func(l logic.Lit) {
		if c.seen.add(l.Node()) {
			nodes = append(nodes, l.Node())
		}
	}
	for _, l := range signals {
		push(l)
	}
	for at := 0; at < len(nodes); at++ {
		if len(nodes) > limit {
			return nil, false
		}
		for _, o := range c.net.Operands(nodes[at]) {
			push(o)
		}
	}
	slices.Sort(nodes)
	return nodes, true
}

// marks is a set of small numbers that is cleared in constant time.
type marks struct {
	epoch int32
	added []int32 // by number: the epoch in which it was added, plus 1
}

func (m *marks) clear() { m.epoch++ }

func (m *marks) has(i int32) bool { return int(i) < len(m.added) && m.added[i] == m.epoch+1 }

// add adds a number and reports whether it is new.
func (m *marks) add(i int32) bool {
	for len(m.added) <= int(i) {
		m.added = append(m.added, 0)
	}
	was := m.added[i] == m.epoch+1
	m.added[i] = m.epoch + 1
	return !was
}
