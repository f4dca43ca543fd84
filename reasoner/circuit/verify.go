package circuit

import (
	"errors"
	"fmt"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// verifyOutputs checks the number and the range of outputs and definitions, and that all outputs but the next signals
// depend on fluents only.
func (g *Game) verifyOutputs() error {
	if len(g.Next) != len(g.Fluents) {
		return fmt.Errorf("%d next signals of %d fluents", len(g.Next), len(g.Fluents))
	}
	sameLength := func(a, b []logic.Lit) bool { return len(a) == len(b) }
	if !slices.EqualFunc(g.Legal, g.Does, sameLength) || g.Policy != nil && !slices.EqualFunc(g.Policy, g.Does, sameLength) {
		return errors.New("the legal signals or the policy do not have one signal for each move")
	}
	for _, p := range g.split {
		if len(p.Head) != len(p.First) || len(p.Tail) != len(p.Pair) {
			return errors.New("split moves do not have one head for each first part and one tail for each move")
		}
	}
	for _, goal := range g.Goals {
		if goal.Role < 0 || int(goal.Role) >= len(g.Does) || goal.Value < machine.NoGoal || goal.Value > machine.MaxGoal {
			return fmt.Errorf("role %d of %d has goal %d", goal.Role, len(g.Does), goal.Value)
		}
	}
	last := logic.Lit(2*g.Net.Len() - 1)
	var roots []logic.Lit
	var err error
	g.forEachOutput(func(l *logic.Lit) {
		if roots = append(roots, *l); *l < 0 || *l > last {
			err = fmt.Errorf("an output is literal %d of a network of %d nodes", *l, g.Net.Len())
		}
	})
	if err != nil {
		return err
	}
	for v, def := range g.Net.Definitions() {
		if g.Net.Op(v) != logic.OpLoop || def < 0 || def > last {
			return fmt.Errorf("literal %d defines node %d, which has operation %d", def, v, g.Net.Op(v))
		}
	}
	position := g.Net.Cone(roots[len(g.Next):])
	for _, l := range g.inputs()[len(g.Fluents):] {
		if position[l.Node()] {
			return fmt.Errorf("legal, terminal or a goal depends on move %d", l.Node())
		}
	}
	return nil
}

// verifyLoops checks each strongly connected component. Its nodes are marked as growing or shrinking with the
// variables, which grow. The component is monotone if no edge contradicts the marks.
func (g *Game) verifyLoops() error {
	live := g.live()
	for i := range int32(g.Net.Len()) {
		if _, ok := g.Net.Definitions()[i]; live[i] && g.Net.Op(i) == logic.OpLoop && !ok {
			return fmt.Errorf("loop variable %d has no definition", i)
		}
	}
	if len(g.Net.Definitions()) == 0 {
		return nil
	}
	var roots []logic.Lit
	g.forEachOutput(func(l *logic.Lit) { roots = append(roots, *l) })
	for _, component := range components(g.Net, roots, live) {
		if err := verifyMonotone(g.Net, component); err != nil {
			return err
		}
	}
	return nil
}

func verifyMonotone(n *logic.Network, component []int32) error {
	const unknown, grows, shrinks = 0, 1, 2
	slices.Sort(component)
	mark := make(map[int32]int, len(component))
	for _, i := range component {
		mark[i] = unknown
		if n.Op(i) == logic.OpLoop {
			mark[i] = grows
		}
	}
	for _, i := range component { // operands first; variables are marked already
		for _, l := range n.Operands(i) {
			m, inside := mark[l.Node()]
			if !inside {
				continue
			}
			if l.Complemented() {
				m = grows + shrinks - m
			}
			if mark[i] != unknown && mark[i] != m {
				return fmt.Errorf("gate %d is not monotone in the loop variables that it depends on", i)
			}
			mark[i] = m
		}
	}
	for _, i := range component {
		if n.Op(i) != logic.OpLoop {
			continue
		}
		def := n.Definition(i)
		if m, inside := mark[def.Node()]; inside && (m == grows) == def.Complemented() {
			return fmt.Errorf("the definition of loop variable %d is not monotone in the variable", i)
		}
	}
	return nil
}
