package machine

// Choices is the number of moves of a role, 1 for NoRole.
func (e *Expansion) Choices(r Role) int {
	if r == NoRole {
		return 1
	}
	return len(e.Moves[r])
}

// Step is how far apart the numbers of two children are that differ in neighbouring moves of a role: child c follows from
// its move c/Step(r) % Choices(r). For NoRole it is the number of children, so that this is 0.
func (e *Expansion) Step(r Role) int {
	step := 1
	for _, moves := range e.Moves[r+1:] {
		step *= len(moves)
	}
	return step
}

// Turn is who chooses in a position in which no two players do at once.
type Turn struct {
	Decider Role // NoRole if only chance has a choice, or nobody
	Actions int  // of the decider, 1 if there is none
	Replies int  // of chance, 1 if it has none to choose

	actionStep, replyStep int
}

// ChildNumber is the number of the child of action a and reply k.
func (t *Turn) ChildNumber(a, k int) int { return a*t.actionStep + k*t.replyStep }

// Turn is who chooses in a position, or false where two players do; chance may be NoRole.
func (e *Expansion) Turn(chance Role) (t Turn, ok bool) {
	decider := NoRole
	for i, moves := range e.Moves {
		role := Role(i)
		if len(moves) == 1 || role == chance {
			continue
		}
		if decider != NoRole {
			return t, false
		}
		decider = role
	}
	return Turn{decider, e.Choices(decider), e.Choices(chance), e.Step(decider), e.Step(chance)}, true
}
