package play

import "stackmate/reasoner/machine"

// Expansion is a position with all its children. Its slices are reused by the next Expand into it.
type Expansion struct {
	// Moves holds the legal moves of each role, ascending.
	Moves [][]machine.Move
	// Children is the number of joint moves: the product of len(Moves[r]).
	Children int
	// States holds the children one after the other. Child c is reached by the
	// joint move whose mixed-radix number is c, role 0 being the slowest digit:
	// with two roles, child i*len(Moves[1])+j follows from moves i and j.
	States []uint64
	// Terminal holds, for each child, whether it is terminal.
	Terminal []bool
	// Goals holds, for each child, the goal of each role; filled for terminal
	// children only.
	Goals []int32
	// Lost is true if a child is lost (machine.Lost).
	Lost bool
	// Err is the reason for the absence of children: ErrStuck, ErrTooWide or the error of the context,
	// wrapped. The moves are valid all the same.
	Err error

	words, roles int
	charged      int64 // bytes of this expansion in the expander's total

	// While held.pass == pass, the evaluated children occupy the lanes from `lane` on of held's batch.
	held *Expander
	pass int64
	lane int
}

// Child returns the position of child c. It aliases the expansion.
func (e *Expansion) Child(c int) machine.State { return e.States[c*e.words : (c+1)*e.words] }

// ChildGoals returns the goals of terminal child c, by role. They alias the expansion.
func (e *Expansion) ChildGoals(c int) []int32 { return e.Goals[c*e.roles : (c+1)*e.roles] }

// Joint writes the joint move that leads to child c into dst.
func (e *Expansion) Joint(dst []machine.Move, c int) {
	for r := len(e.Moves) - 1; r >= 0; r-- {
		n := len(e.Moves[r])
		dst[r] = e.Moves[r][c%n]
		c /= n
	}
}

// refuse sets the error of the expansion, which has no children then.
func (e *Expansion) refuse(err error) { e.Children, e.Err = 0, err }

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
