package circuit

import (
	"fmt"
	"strings"
	"testing"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

func TestDotDrawsEveryLiveSignalOnce(t *testing.T) {
	names := &machine.Names{Roles: []string{"r"}, Fluents: []string{"p", "(q 1)"}, Moves: [][]string{{"go", "stay"}}}
	g := NewGame(names, machine.State{1})
	both := g.Net.And(g.Fluents[0], g.Fluents[1].Not(), g.Does[0][0])
	g.Next = []logic.Lit{both, g.Fluents[0]}
	g.Legal = [][]logic.Lit{{logic.True, g.Fluents[1]}}
	g.Terminal = g.Fluents[1]
	var b strings.Builder
	if err := g.WriteDot(&b); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		`"(true p)"`: 1, `"(does r go)"`: 1, `"(does r stay)"`: 0, "label=and": 1, "style=dotted": 2,
		`"(next (q 1))" [shape`: 1, `"terminal" [shape`: 1, fmt.Sprintf("-> n%d ", both.Node()): 3,
	} {
		if got := strings.Count(b.String(), text); got != want {
			t.Errorf("%q occurs %d times, want %d, in\n%s", text, got, want, b.String())
		}
	}
}

func TestDotRefusesWhatCannotBeRead(t *testing.T) {
	var b strings.Builder
	if err := syntheticGame(20 * maxDotGates).WriteDot(&b); err == nil || b.Len() > 0 {
		t.Errorf("error %v, %d bytes written", err, b.Len())
	}
}
