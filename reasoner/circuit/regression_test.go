package circuit

import (
	"fmt"
	"testing"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
	"stackmate/reasoner/machine"
)

// The game ends when all cells are filled, a condition wider than wideCondition. After the move into the last cell, a
// threat has no effect.
func TestAThreatAfterTheEndOfTheGameIsIgnored(t *testing.T) {
	const cells = wideCondition + 2
	names := &machine.Names{Roles: []string{"x", "o"}, Moves: [][]string{{"fill", "wait"}, {"wait"}}, Fluents: []string{"threat"}}
	for i := range cells {
		names.Fluents = append(names.Fluents, fmt.Sprintf("filled%d", i))
	}
	g := NewGame(names, names.NewState())
	threat, filled := g.Fluents[0], g.Fluents[1:]
	g.Next = append(g.Next, g.Fluents...)
	g.Next[cells] = g.Net.Or(filled[cells-1], g.Does[0][0])
	g.Terminal = g.Net.And(filled...)
	g.Legal = [][]logic.Lit{{filled[cells-1].Not(), logic.True}, {logic.True}}
	r := g.newRegression([]logic.Lit{threat, g.Terminal}, false, nil)
	asked := false
	r.assumeMove(0, 0, func([]logic.Lit) {
		asked = true
		continues := r.holdsAndContinues(r.valueAfter(threat))
		for open := range cells {
			input := map[int32]bool{threat.Node(): true}
			for i, l := range filled {
				input[l.Node()] = i != open && i < cells-1
			}
			value := logictest.Evaluate(g.Net, input)
			if got, want := value[continues.Node()] != continues.Complemented(), open < cells-1; got != want {
				t.Errorf("cell %d is empty before the move: the threat counts: %v, want %v", open, got, want)
			}
		}
	})
	if !asked {
		t.Error("assumeMove has not called its function")
	}
}
