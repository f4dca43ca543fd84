package prove

import (
	"fmt"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Verdict is the result of the proof of a property.
type Verdict string

// The verdicts. Open means that the time was too short or induction too weak.
const (
	Open    Verdict = "open"
	Proved  Verdict = "proved"
	Refuted Verdict = "refuted"
)

// Finding is a property of the rules with its verdict.
type Finding struct {
	Property string
	Verdict  Verdict
	Detail   string // the proved number, the method of the proof, or the violation
	// Line is a counterexample: joint moves from the initial position. Shortest means that there is no shorter
	// counterexample.
	Line     [][]machine.Move
	Shortest bool
	// Required means that rules without the property are invalid.
	Required bool
}

// view is the terminal flag, the legal moves and the goals of a position.
type view struct {
	terminal bool
	legal    [][]machine.Move // by role; nil if terminal
	goals    []int32          // by role
}

// viewOf returns the view of a lane of an evaluated batch.
func viewOf(b machine.Batch, lane, roles int) *view {
	v := &view{terminal: b.Terminal()[lane>>6]>>(uint(lane)&63)&1 != 0, goals: make([]int32, roles)}
	b.Goals(v.goals, lane)
	for r := 0; r < roles && !v.terminal; r++ {
		v.legal = append(v.legal, b.AppendLegal(nil, lane, machine.Role(r)))
	}
	return v
}

// isStuck reports whether a role has no legal move.
func (v *view) isStuck() bool {
	return slices.ContainsFunc(v.legal, func(moves []machine.Move) bool { return len(moves) == 0 })
}

// property should hold in every position.
type property struct {
	name string
	// violation returns the signal that the property fails at step k of an unrolling.
	violation func(u *unrolling, k int) logic.Lit
	// fails reports whether the property fails in a position; before is the view of the preceding position, nil for
	// the initial position.
	fails func(now, before *view) bool
	// explain describes the violation in words.
	explain func(now, before *view) string
	// first is the first step at which the property is defined: 1 if it is about joint moves.
	first int
	// required means that rules without the property are invalid.
	required bool
	// failsWhenStuck means that the property may fail in a position in which a role has no legal move. A formula with
	// a joint move from a position excludes this case, so the property is checked only at the last step of formulas.
	failsWhenStuck bool
}

// properties returns the properties of a game; the goals of the players should add up to sum.
func properties(g *circuit.Game, sum int32) []property {
	players := g.Names.Players()
	var everyone []machine.Role
	for r := range g.Does {
		everyone = append(everyone, machine.Role(r))
	}
	goals := singleGoals(everyone)
	goals.required = g.Names.Chance() == machine.NoRole // the goal of chance is never used
	list := []property{legalMoves(), goals}             // gamesEnd needs legal moves as the first property
	if len(players) > 1 {
		list = append(list, constantSum(players, sum), turnTaking(players))
	}
	return append(list, risingGoals())
}

func legalMoves() property {
	return property{
		name: "every role has a legal move until the end",
		violation: func(u *unrolling, k int) logic.Lit {
			var stuck []logic.Lit
			for _, row := range u.game.Legal {
				stuck = append(stuck, u.net.Or(u.signalsAt(k, row)...).Not())
			}
			return u.net.And(u.SignalAt(k, u.game.Terminal).Not(), u.net.Or(stuck...))
		},
		fails:          func(now, _ *view) bool { return now.isStuck() },
		explain:        func(*view, *view) string { return "a role has no legal move" },
		required:       true,
		failsWhenStuck: true,
	}
}

// singleGoals returns the property that each given role has exactly one goal in terminal positions, from 0 to
// machine.MaxGoal.
func singleGoals(roles []machine.Role) property {
	return property{
		name: "every role has one goal at the end",
		violation: func(u *unrolling, k int) logic.Lit {
			var none []logic.Lit
			for _, r := range roles {
				none = append(none, u.GoalAtLeast(k, r, 0).Not())
			}
			return u.net.And(u.SignalAt(k, u.game.Terminal), u.net.Or(none...))
		},
		fails: func(now, _ *view) bool {
			return now.terminal && slices.ContainsFunc(roles, func(r machine.Role) bool { return now.goals[r] == machine.NoGoal })
		},
		explain: func(*view, *view) string { return "a role has no goal, or several goals" },
	}
}

func constantSum(players []machine.Role, sum int32) property {
	total := func(v *view) (points int32) {
		for _, r := range players {
			points += max(v.goals[r], 0)
		}
		return points
	}
	return property{
		name: fmt.Sprintf("the goals of the players add up to %d at the end", sum),
		violation: func(u *unrolling, k int) logic.Lit {
			var total []logic.Lit
			for _, r := range players {
				total = addDigits(u.net, total, u.goalDigits(k, r))
			}
			return u.net.And(u.SignalAt(k, u.game.Terminal), differs(u.net, total, sum))
		},
		fails:   func(now, _ *view) bool { return now.terminal && total(now) != sum },
		explain: func(now, _ *view) string { return fmt.Sprintf("their sum is %d", total(now)) },
	}
}

func turnTaking(players []machine.Role) property {
	return property{
		name: "at most one player has a choice",
		violation: func(u *unrolling, k int) logic.Lit {
			var choose []logic.Lit
			for _, r := range players {
				choose = append(choose, u.net.AtLeastTwo(u.signalsAt(k, u.game.Legal[r])...))
			}
			return u.net.And(u.SignalAt(k, u.game.Terminal).Not(), u.net.AtLeastTwo(choose...))
		},
		fails: func(now, _ *view) bool {
			choosers := 0
			for _, r := range players {
				if !now.terminal && len(now.legal[r]) > 1 {
					choosers++
				}
			}
			return choosers > 1
		},
		explain:        func(*view, *view) string { return "several players choose at the same time" },
		failsWhenStuck: true,
	}
}

func risingGoals() property {
	return property{
		name: "no goal ever falls",
		violation: func(u *unrolling, k int) logic.Lit {
			var falls []logic.Lit
			for _, goal := range u.game.Goals {
				if goal.Value > 0 {
					falls = append(falls, u.net.And(u.GoalAtLeast(k-1, goal.Role, goal.Value), u.GoalAtLeast(k, goal.Role, goal.Value).Not()))
				}
			}
			return u.net.Or(falls...)
		},
		fails: func(now, before *view) bool {
			for r := range now.goals {
				if before != nil && max(now.goals[r], 0) < before.goals[r] {
					return true
				}
			}
			return false
		},
		explain:        func(*view, *view) string { return "the goal of a role falls" },
		first:          1,
		failsWhenStuck: true,
	}
}
