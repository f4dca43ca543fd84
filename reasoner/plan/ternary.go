package plan

import (
	"math"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
)

// ternary simulates a network in 64 lanes with unknown inputs (three-valued simulation: Jephson, McQuarrie and
// Vogelsberg 1969). It stores, by node, the lanes in which the node may be true and the lanes in which it may be
// false; a node that may be both is unknown.
type ternary struct {
	net         *logic.Network
	cones       *circuit.Cones
	true, false []uint64
}

// newTernary returns a simulation in which all inputs are unknown.
func newTernary(net *logic.Network) *ternary {
	t := &ternary{net: net, cones: circuit.NewCones(net), true: make([]uint64, net.Len()), false: make([]uint64, net.Len())}
	for i := range t.true {
		t.true[i], t.false[i] = ^uint64(0), ^uint64(0)
	}
	t.true[0] = 0
	return t
}

// set makes an input known in all lanes: true in the given lanes.
func (t *ternary) set(input logic.Lit, lanes uint64) {
	t.true[input.Node()], t.false[input.Node()] = lanes, ^lanes
}

// setUnknown makes an input unknown in all lanes.
func (t *ternary) setUnknown(input logic.Lit) {
	t.true[input.Node()], t.false[input.Node()] = ^uint64(0), ^uint64(0)
}

// possible returns the lanes in which a signal may be true.
func (t *ternary) possible(l logic.Lit) uint64 {
	if l.Complemented() {
		return t.false[l.Node()]
	}
	return t.true[l.Node()]
}

// run computes gates, which are in the order of the network.
func (t *ternary) run(gates []int32) {
	for _, i := range gates {
		mayAll, mayFail := ^uint64(0), uint64(0)
		for _, o := range t.net.Operands(i) {
			mayAll &= t.possible(o)
			mayFail |= t.possible(o.Not())
		}
		t.true[i], t.false[i] = mayAll, mayFail
	}
}

// gates returns the gates that signals depend on, in the order of the network.
func (t *ternary) gates(signals ...logic.Lit) []int32 {
	nodes, _ := t.cones.Nodes(math.MaxInt, signals...)
	return slices.DeleteFunc(nodes, func(i int32) bool { return t.net.Op(i) != logic.OpAnd })
}
