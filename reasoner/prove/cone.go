package prove

import (
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Cones finds what signals of a network depend on.
type Cones struct {
	net  *logic.Network
	seen marks
}

// NewCones prepares to ask about signals of a network.
func NewCones(net *logic.Network) *Cones { return &Cones{net: net} }

// Of lists the nodes that signals depend on, ascending, without the constant; false if they are
// more than limit. Definitions of loop variables are not followed.
func (c *Cones) Of(limit int, signals ...logic.Lit) (nodes []int32, ok bool) {
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

// marks are a set of small numbers that is soon empty again.
type marks struct {
	time int32
	at   []int32 // by number: one more than the time when it was added
}

func (m *marks) clear() { m.time++ }

func (m *marks) has(i int32) bool { return int(i) < len(m.at) && m.at[i] == m.time+1 }

// add adds a number, and tells whether it is new.
func (m *marks) add(i int32) bool {
	for len(m.at) <= int(i) {
		m.at = append(m.at, 0)
	}
	was := m.at[i] == m.time+1
	m.at[i] = m.time + 1
	return !was
}
