package prove

import (
	"slices"
	"testing"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

func TestTheClockHasTheFluentsThatNoMoveChanges(t *testing.T) {
	names := &machine.Names{
		Roles: []string{"x"}, Fluents: []string{"turnX", "turnO", "begun", "played", "echo"}, Moves: [][]string{{"a", "b"}},
	}
	initial := names.NewState()
	initial.Set(0)
	g := circuit.NewGame(names, initial)
	f := g.Fluents
	played := g.Net.Or(f[3], g.Does[0][1])
	g.Next = []logic.Lit{f[1], f[0], logic.True, played, f[3]}
	inv, fluents := clock(g)
	if !slices.Equal(fluents, []int32{0, 1, 2}) {
		t.Errorf("the clock has fluents %v, expected turnX, turnO and begun", fluents)
	}
	if want := []logic.Lit{literal(2)}; !slices.Equal(inv.lasting, want) {
		t.Errorf("literals %v last, expected %v", inv.lasting, want)
	}
	if len(inv.groups) != 1 || !slices.Equal(inv.groups[0], []int32{0, 1}) {
		t.Errorf("groups %v, expected turnX and turnO", inv.groups)
	}
	for _, state := range []struct {
		fluents []int
		holds   bool
	}{{[]int{0}, true}, {[]int{1, 2, 3}, true}, {[]int{1, 3}, false}, {[]int{0, 1, 2}, false}, {[]int{2}, false}} {
		s := names.NewState()
		for _, f := range state.fluents {
			s.Set(f)
		}
		if inv.Holds(s) != state.holds {
			t.Errorf("fluents %v: expected %v", state.fluents, state.holds)
		}
	}
}
