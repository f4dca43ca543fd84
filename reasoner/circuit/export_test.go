package circuit

import (
	"fmt"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// SharesTurns reports whether two roles of the game share a choice of moves.
func (g *Game) SharesTurns() bool {
	partners, _ := g.turnPartners()
	for r, partner := range partners {
		if r != partner {
			return true
		}
	}
	return false
}

// Verify returns an error for the first violated invariant of a game (see Game). Its cost is linear in nodes and operands.
func (g *Game) Verify() error {
	for _, check := range []func() error{g.verifyInputs, g.verifyGates, g.verifyOutputs, g.verifyLoops} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (g *Game) verifyInputs() error {
	inputs := g.inputs()
	for i, l := range inputs {
		if int(l.Node()) != i+1 || l.Complemented() {
			return fmt.Errorf("input %d is literal %d, want %d", i, l, 2*(i+1))
		}
	}
	for i := range int32(g.Net.Len()) {
		if isInput := i > 0 && int(i) <= len(inputs); isInput != (g.Net.Op(i) == logic.OpInput) {
			return fmt.Errorf("node %d of a network with %d inputs has operation %d", i, len(inputs), g.Net.Op(i))
		}
	}
	return nil
}

func (g *Game) verifyGates() error {
	n := g.Net
	for i := range int32(n.Len()) {
		operands := n.Operands(i)
		if n.Op(i) != logic.OpAnd {
			if len(operands) > 0 {
				return fmt.Errorf("node %d is not a gate, but has operands", i)
			}
			continue
		}
		if len(operands) < 2 {
			return fmt.Errorf("gate %d has %d operands", i, len(operands))
		}
		before := int32(0)
		for _, l := range operands {
			if l.Node() <= before || l.Node() >= i {
				return fmt.Errorf("gate %d has the operands %d, want ascending nodes below the gate", i, operands)
			}
			before = l.Node()
		}
		if twin, _ := n.Find(slices.Clone(operands)); twin.Node() != i {
			return fmt.Errorf("gate %d has the same operands as gate %d, %d", i, twin.Node(), operands)
		}
	}
	return nil
}
