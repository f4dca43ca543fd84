// Package goals decides, for all exact searches, which facts about the goals of a game are proved: whether
// every player has exactly one goal at the end, and whether the goals of two players have a
// constant sum. It runs a search of zero-sum games on the game itself only where the sum is
// proved, else once for each role on the zero-sum game of that role's goal, and names the concept
// of solution of the result. It knows state machines, never rules or text.
package goals

import (
	"context"
	"fmt"
	"time"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
)

// Facts are facts about the goals of the players in all terminal positions that can be reached.
type Facts struct {
	// Single: every player has exactly one goal, a whole number from 0 to machine.MaxGoal.
	Single bool
	// Constant: Single, and the goals of the players add up to Sum in every match. A match without end may have any
	// goals: a sum other than machine.MaxGoal would narrow their range, so then every match must be proved to end.
	Constant bool
	Sum      int32
	// Varies: two terminal positions with different sums were found, so the game has general sum.
	Varies bool
	// Hundred: the goals add up to machine.MaxGoal in every terminal position that a search met. That is
	// proved only of these.
	Hundred bool
	// Positions is the number of positions that can be reached, where the facts come from a visit
	// of all of them; 0 where the rules prove them, or nothing is proved.
	Positions int
}

// Bounds of Learn, of which the time is processor time. The visit of all positions is for games that are small enough to be solved in the time of the proof.
// It does not depend on the speed of a machine that computes positions in parallel.
const (
	learnTime      = 100 * time.Millisecond
	visitPositions = 1 << 12
	visitChildren  = 1 << 15
)

// Learn returns the facts about the goals of m that the rules prove. If these do not suffice, it visits
// all positions of a small game. The error is a Fault: a terminal
// position in which a player has no goal, several goals, or no number from 0 to 100.
func Learn(ctx context.Context, m machine.Machine) (Facts, error) {
	short, cancel := cputime.Budget(ctx, learnTime)
	defer cancel()
	if len(m.Names().Players()) == 2 {
		if sum, ok := provedSum(short, m); ok {
			return Facts{Single: true, Constant: true, Sum: sum}, nil
		}
	}
	if !m.Info().Parallel {
		ctx = short
	}
	var f Facts
	if ctx.Err() != nil {
		return f, nil
	}
	v := newVisit(m)
	all := v.run(ctx)
	switch {
	case v.fault != nil:
		return f, v.fault
	case all:
		f.Single, f.Positions = true, len(v.reached)
		f.Constant, f.Sum = v.ended && !v.varies && (v.sum == machine.MaxGoal || !v.detours), v.sum
	}
	f.Varies = v.varies
	return f, nil
}

// provedSum returns the sum of the goals of two players in every match, if the rules prove it (Facts.Constant).
func provedSum(ctx context.Context, m machine.Machine) (sum int32, proved bool) {
	if sum, proved = facts.ProvedGoalSum(ctx, m); proved && sum != machine.MaxGoal {
		_, proved = facts.ProvedLength(ctx, m)
	}
	return sum, proved
}

// String describes the facts about the sum in words.
func (f Facts) String() string {
	switch {
	case f.Constant:
		return fmt.Sprintf("the goals are proved to add up to %d", f.Sum)
	case f.Varies:
		return "the goals have no constant sum"
	case f.Hundred:
		return fmt.Sprintf("the goals add up to %d at every end that the search met; others are not proved", machine.MaxGoal)
	}
	return "the goals are not proved to have a constant sum"
}

// Fault is the error of a terminal position in which a player has no goal, several, or one that is
// no whole number from 0 to machine.MaxGoal.
type Fault struct {
	Role     string
	State    machine.State
	Position []string         // the fluents of State
	Line     [][]machine.Move // joint moves from the initial position; nil where the way is not known
	Moves    [][]string       // the texts of Line
}

func newFault(names *machine.Names, role machine.Role, q machine.State, line [][]machine.Move) *Fault {
	return &Fault{
		Role: names.Roles[role], State: q, Position: names.AppendFluents(nil, q), Line: line, Moves: names.LineTexts(line),
	}
}

// Error implements error.
func (f *Fault) Error() string {
	where := fmt.Sprintf("at the end %v", f.Position)
	if f.Line != nil {
		where = fmt.Sprintf("at the end %v after the joint moves %v", f.Position, f.Moves)
	}
	return fmt.Sprintf("%v: %s has no such goal, or several, %s", search.ErrGoals, f.Role, where)
}

// Unwrap returns search.ErrGoals.
func (f *Fault) Unwrap() error { return search.ErrGoals }

// faulty returns the first player without a goal, or machine.NoRole.
func faulty(players []machine.Role, goals []int32) machine.Role {
	for _, r := range players {
		if goals[r] < 0 || goals[r] > machine.MaxGoal {
			return r
		}
	}
	return machine.NoRole
}
