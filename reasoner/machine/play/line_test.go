package play_test

import (
	"slices"
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

func TestALineLeadsToItsOutcome(t *testing.T) {
	tree := toys.Tree{Roles: []string{"a", "b"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}}, {Goals: []int32{30, 70}}, {Moves: []int{1, 2}, Kids: []int{1, 3}}, {Goals: []int32{80, 20}},
	}}
	for _, c := range []struct {
		from  uint64
		line  [][]machine.Move
		goals []int32 // nil before the end
	}{
		{0, [][]machine.Move{{1, 0}, {0, 1}}, []int32{80, 20}},
		{0, [][]machine.Move{{0, 0}}, []int32{30, 70}},
		{2, [][]machine.Move{{0, 0}}, []int32{30, 70}},
		{0, [][]machine.Move{{1, 0}}, nil},
		{3, nil, []int32{80, 20}},
	} {
		goals, over := play.Outcome(tree.Machine(), machine.State{c.from}, c.line)
		if over != (c.goals != nil) || over && !slices.Equal(goals, c.goals) {
			t.Errorf("from %d by %v: goals %v, over %t, want %v", c.from, c.line, goals, over, c.goals)
		}
	}
}
