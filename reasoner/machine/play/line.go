package play

import "stackmate/reasoner/machine"

// Step makes a legal joint move in the position of lane 0 of b. The next position is not evaluated.
func Step(b machine.Batch, joint []machine.Move) {
	b.Evaluate(1)
	for r, m := range joint {
		b.Choose(0, machine.Role(r), m)
	}
	b.Advance(1)
}

// Outcome makes the joint moves of a line from position q, each of them legal. It returns the goals of the roles after the last
// joint move, and whether the game is over.
func Outcome(m machine.Machine, q machine.State, line [][]machine.Move) (goals []int32, over bool) {
	b := m.NewNarrowBatch()
	b.Load(q, 1)
	for _, joint := range line {
		Step(b, joint)
	}
	b.Evaluate(1)
	goals = make([]int32, len(m.Names().Roles))
	b.Goals(goals, 0)
	return goals, b.Terminal()[0]&1 != 0
}
