package play

import "stackmate/reasoner/machine"

// Choices returns the number of moves of a role, 1 for NoRole.
func (e *Expansion) Choices(r machine.Role) int {
	if r == machine.NoRole {
		return 1
	}
	return len(e.Moves[r])
}

// Step returns the stride of role r in child numbers: the next move of r adds Step(r), and child c follows
// from move c/Step(r) % Choices(r) of r. For NoRole it is the number of children, so that this quotient is 0.
func (e *Expansion) Step(r machine.Role) int {
	step := 1
	for _, moves := range e.Moves[r+1:] {
		step *= len(moves)
	}
	return step
}

// Turn describes the choices in a position in which at most one player chooses.
type Turn struct {
	Decider machine.Role // NoRole if no player has a choice
	Actions int          // number of moves of the decider, 1 without a decider
	Replies int          // number of moves of chance, 1 without a choice

	actionStep, replyStep int
}

// ChildNumber returns the number of the child after action a and reply k.
func (t *Turn) ChildNumber(a, k int) int { return a*t.actionStep + k*t.replyStep }

// Turn returns the turn of the position, or false if two players choose at once; chance may be NoRole.
func (e *Expansion) Turn(chance machine.Role) (t Turn, ok bool) {
	decider := machine.NoRole
	for i, moves := range e.Moves {
		role := machine.Role(i)
		if len(moves) == 1 || role == chance {
			continue
		}
		if decider != machine.NoRole {
			return t, false
		}
		decider = role
	}
	return Turn{decider, e.Choices(decider), e.Choices(chance), e.Step(decider), e.Step(chance)}, true
}
