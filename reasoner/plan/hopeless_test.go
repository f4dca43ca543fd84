package plan

import (
	"testing"

	"stackmate/reasoner/machine"
)

func TestAPositionWithoutABetterGoalIsHopeless(t *testing.T) {
	known := newTree(machine.State{1})
	known.add(machine.State{0}, none, machine.NoMove)
	known.add(machine.State{1}, 0, 0)
	q := &planning{patterns: []*pattern{{positions: known, bestGoal: []int32{50, 70}, leastGoal: 50}}}
	for goal, want := range map[int32][2]bool{machine.NoGoal: {false, false}, 49: {false, false}, 50: {true, false}, 70: {true, true}} {
		q.plan.Goal = goal
		if got := [2]bool{q.isHopeless(machine.State{0}), q.isHopeless(machine.State{1})}; got != want {
			t.Errorf("with a goal of %d: %v, want %v", goal, got, want)
		}
	}
}
