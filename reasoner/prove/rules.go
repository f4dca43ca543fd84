package prove

import (
	"fmt"
	"math"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Verdict is what is known of a property.
type Verdict string

// The verdicts. Open is that of a property for which the time was too short, or for which
// induction is too weak.
const (
	Open    Verdict = "open"
	Proved  Verdict = "proved"
	Refuted Verdict = "refuted"
)

// Finding is a property of the rules and what is known of it.
type Finding struct {
	Property string
	Verdict  Verdict
	Detail   string // a number that belongs to it, how it was proved, or what refutes it
	// Line is, of a refuted property, joint moves from the initial position to where it
	// fails; Shortest tells that there are no fewer.
	Line     [][]machine.Move
	Shortest bool
	// Required says that rules without the property are not valid.
	Required bool
}

// view is what the rules say of a position.
type view struct {
	terminal bool
	legal    [][]machine.Move // by role; nil where terminal
	goals    []int32          // by role
}

// lookAt is the view of a lane of a batch that is evaluated.
func viewOf(b machine.Batch, lane, roles int) *view {
	v := &view{terminal: b.Terminal()[lane>>6]>>(uint(lane)&63)&1 != 0, goals: make([]int32, roles)}
	b.Goals(v.goals, lane)
	for r := 0; r < roles && !v.terminal; r++ {
		v.legal = append(v.legal, b.AppendLegal(nil, lane, machine.Role(r)))
	}
	return v
}

// isStuck tells whether a role has no legal move.
func (v *view) isStuck() bool {
	return slices.ContainsFunc(v.legal, func(moves []machine.Move) bool { return len(moves) == 0 })
}

// property is what should hold in every position.
type property struct {
	name string
	// broken is where it fails at step k of an unrolling.
	violation func(u *unrolling, k int) logic.Lit
	// fails tells whether it fails in a position, from the one before; that is nil for the
	// initial one.
	fails func(now, before *view) bool
	// said says in words what is wrong there.
	explain func(now, before *view) string
	// first is the first step that it speaks of: 1 if it speaks of joint moves.
	first int
	// required says that rules without the property are not valid.
	required bool
	// ofStuck says that the property may fail in positions in which a role has no legal move, as it may fail before the
	// end. A formula that makes a joint move from a position excludes this, so such a property is asked of formulas
	// without a joint move from there.
	failsWhenStuck bool
}

// properties are those of a game in which the goals of the players add up to sum at the
// end of one game.
func properties(g *circuit.Game, sum int32) []property {
	players := g.Names.Players()
	var everyone []machine.Role
	for r := range g.Does {
		everyone = append(everyone, machine.Role(r))
	}
	goals := singleGoals(everyone)
	goals.required = g.Names.Chance() == machine.NoRole // nobody asks for the goal of chance
	list := []property{legalMoves(), goals}             // ends knows that legal moves come first
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

// singleGoals returns the property that each of some roles has exactly one goal in terminal positions, a number
// from 0 to machine.MaxGoal.
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
		explain: func(*view, *view) string { return "a role has no goal or several" },
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
			sums := map[int]logic.Lit{0: logic.True}
			for _, r := range players {
				sums = add(u.net, sums, u.goals(k, r), math.MinInt, math.MaxInt)
			}
			return u.net.And(u.SignalAt(k, u.game.Terminal), sums[int(sum)].Not())
		},
		fails:   func(now, _ *view) bool { return now.terminal && total(now) != sum },
		explain: func(now, _ *view) string { return fmt.Sprintf("they add up to %d", total(now)) },
	}
}

// goals are those of a role: where it has which, 0 where it has none.
func (u *unrolling) goals(k int, r machine.Role) map[int]logic.Lit {
	when := map[int]logic.Lit{0: u.GoalAtLeast(k, r, 0).Not()}
	for _, goal := range u.game.Goals {
		if v := int(goal.Value); goal.Role == r && v >= 0 {
			when[v] = u.net.Or(when[v], u.goal(k, goal))
		}
	}
	return when
}

func turnTaking(players []machine.Role) property {
	return property{
		name: "one player at most has a choice",
		violation: func(u *unrolling, k int) logic.Lit {
			var choose []logic.Lit
			for _, r := range players {
				choose = append(choose, u.net.Several(u.signalsAt(k, u.game.Legal[r])...))
			}
			return u.net.And(u.SignalAt(k, u.game.Terminal).Not(), u.net.Several(choose...))
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
		explain:        func(*view, *view) string { return "several have: they move at once" },
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
		explain:        func(*view, *view) string { return "one has fallen" },
		first:          1,
		failsWhenStuck: true,
	}
}
