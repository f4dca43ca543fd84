package plan

import (
	"math"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/prove"
)

// ternary computes signals of a game in 64 lanes where not all inputs are known (Jephson,
// McQuarrie and Vogelsberg 1969): by node, in which lanes it may be true and in which it may be
// false. What may be both is not known.
type ternary struct {
	net         *logic.Network
	cones       *prove.Cones
	true, false []uint64
}

// newTernary begins with nothing known.
func newTernary(net *logic.Network) *ternary {
	t := &ternary{net: net, cones: prove.NewCones(net), true: make([]uint64, net.Len()), false: make([]uint64, net.Len())}
	for i := range t.true {
		t.true[i], t.false[i] = ^uint64(0), ^uint64(0)
	}
	t.true[0] = 0
	return t
}

// set makes an input known in all lanes: true in those.
func (t *ternary) set(input logic.Lit, lanes uint64) {
	t.true[input.Node()], t.false[input.Node()] = lanes, ^lanes
}

// forget makes an input unknown.
func (t *ternary) setUnknown(input logic.Lit) {
	t.true[input.Node()], t.false[input.Node()] = ^uint64(0), ^uint64(0)
}

// may are the lanes in which a signal may be true.
func (t *ternary) possible(l logic.Lit) uint64 {
	if l.Complemented() {
		return t.false[l.Node()]
	}
	return t.true[l.Node()]
}

// run computes gates, which are in the order of the network.
func (t *ternary) run(gates []int32) {
	for _, i := range gates {
		all, none := ^uint64(0), uint64(0)
		for _, o := range t.net.Operands(i) {
			all &= t.possible(o)
			none |= t.possible(o.Not())
		}
		t.true[i], t.false[i] = all, none
	}
}

// gates are those that signals depend on, in the order of the network.
func (t *ternary) gates(signals ...logic.Lit) []int32 {
	nodes, _ := t.cones.Nodes(math.MaxInt, signals...)
	return slices.DeleteFunc(nodes, func(i int32) bool { return t.net.Op(i) != logic.OpAnd })
}
