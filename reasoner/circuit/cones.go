package circuit

import (
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Cones computes cones of influence: the nodes of a network that signals depend on.
type Cones struct {
	net  *logic.Network
	seen []bool // by node; all false between two calls of Nodes
}

// NewCones returns the Cones of a network.
func NewCones(net *logic.Network) *Cones { return &Cones{net: net} }

// Nodes returns the nodes that signals depend on, ascending, without the constant; false if there are more than
// limit. It does not follow definitions of loop variables.
func (c *Cones) Nodes(limit int, signals ...logic.Lit) (nodes []int32, ok bool) {
	if n := c.net.Len(); n > len(c.seen) {
		c.seen = append(c.seen, make([]bool, n-len(c.seen))...)
	}
	push := func(l logic.Lit) {
		if i := l.Node(); i > 0 && !c.seen[i] {
			c.seen[i] = true
			nodes = append(nodes, i)
		}
	}
	for _, l := range signals {
		push(l)
	}
	for at := 0; at < len(nodes) && len(nodes) <= limit; at++ {
		for _, o := range c.net.Operands(nodes[at]) {
			push(o)
		}
	}
	for _, i := range nodes {
		c.seen[i] = false
	}
	if len(nodes) > limit {
		return nil, false
	}
	slices.Sort(nodes)
	return nodes, true
}
