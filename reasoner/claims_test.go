package reasoner_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// The claims of machines with decisive moves, compared with positions of random games. In these a role waits
// with several moves, or with a move that is legal for several reasons.

// waitingGame draws a game of two or three roles and five steps. Roles take turns or move at once. They wait
// by one move, or by several moves of different effect, or only without another move.
func waitingGame(rng *rand.Rand) string {
	var b strings.Builder
	roles := []string{"x", "o", "z"}[:2+rng.IntN(4)/3]
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	for i, r := range roles {
		next := roles[(i+1)%len(roles)]
		fmt.Fprintf(&b, "(role %s)\n(<= (next (control %s)) (true (control %s)))\n", r, next, r)
		for _, m := range []string{"a", "b", "(c a)"}[:1+rng.IntN(3)] {
			fmt.Fprintf(&b, "(<= (legal %s %s) (true (control %s)))\n", r, m, r)
			if rng.IntN(3) == 0 {
				fmt.Fprintf(&b, "(<= (legal %s %s) (true %s))\n", r, m, pick("p", "q", "(step 1)", "(step 2)", "(step 3)"))
			}
		}
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "(<= (legal %s noop) (not (true (control %s))))\n", r, r)
		case 1:
			fmt.Fprintf(&b, "(<= (legal %s noop) (true (control %s)))\n(<= (legal %s a) (true (control %s)))\n", r, next, r, next)
		case 2:
			fmt.Fprintf(&b, "(<= (can %s) (true (control %s)))\n(<= (legal %s noop) (not (can %s)))\n", r, r, r, r)
		default:
			fmt.Fprintf(&b, "(legal %s noop)\n", r)
		}
	}
	fmt.Fprintf(&b, "(init (control %s)) (init (step 0)) (init p)\n%s\n(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))\n", pick(roles...), succession(5))
	move := func() string {
		literal := fmt.Sprintf("(does %s %s)", pick(roles...), pick("a", "b", "(c a)", "noop"))
		if rng.IntN(3) == 0 {
			literal = "(not " + literal + ")"
		}
		return literal
	}
	fluent := func() string {
		literal := "(true " + pick("p", "q", "r") + ")"
		if rng.IntN(3) == 0 {
			literal = "(not " + literal + ")"
		}
		return literal
	}
	for _, f := range []string{"p", "q", "r"} {
		for range 1 + rng.IntN(2) {
			fmt.Fprintf(&b, "(<= (next %s) %s %s)\n", f, move(), pick(move(), fluent()))
		}
		if rng.IntN(2) == 0 {
			fmt.Fprintf(&b, "(<= (next %s) (true %s) %s)\n", f, f, pick(move(), fluent()))
		}
	}
	fmt.Fprintf(&b, "(<= terminal (true (step 5)))\n(<= terminal %s %s)\n", fluent(), fluent())
	fmt.Fprintf(&b, "(<= won %s %s)\n(<= lost (not won) %s)\n(<= even (not won) (not lost))\n", fluent(), fluent(), fluent())
	for i, r := range roles {
		fmt.Fprintf(&b, "(<= (goal %s %d) won)\n(<= (goal %s %d) lost)\n(<= (goal %s 50) even)\n", r, 100*(1-i%2), r, 100*(i%2), r)
	}
	return b.String()
}

// judge computes by enumeration which moves of a machine decide.
type judge struct {
	machine  machine.Machine
	expander *play.Expander
	best     []int32 // by role
}

func newJudge(m machine.Machine) *judge {
	j := &judge{machine: m, expander: play.NewExpander(m)}
	for _, values := range facts.GoalValues(m) {
		j.best = append(j.best, slices.Max(values))
	}
	return j
}

// children calls f with each joint move of a position, where it leads, and the goals if the game ends there.
func (j *judge) children(s machine.State, f func(joint []machine.Move, child machine.State, goals []int32)) {
	var e play.Expansion
	if j.expander.Expand(&e, s) != nil {
		return
	}
	for c := range e.Children {
		joint := make([]machine.Move, len(e.Moves))
		e.Joint(joint, c)
		var goals []int32
		if e.Terminal[c] {
			goals = e.ChildGoals(c)
		}
		f(joint, e.Child(c), goals)
	}
}

// winning returns the moves of a role that end the game with its best goal against every move of the other
// roles.
func (j *judge) winning(s machine.State, r machine.Role) map[machine.Move]bool {
	wins := map[machine.Move]bool{}
	j.children(s, func(joint []machine.Move, _ machine.State, goals []int32) {
		won := goals != nil && goals[r] == j.best[r]
		if before, seen := wins[joint[r]]; !seen || before {
			wins[joint[r]] = won
		}
	})
	for m, won := range wins {
		if !won {
			delete(wins, m)
		}
	}
	return wins
}

// losing returns the moves of a role after which another role has its best goal, or can force it in the next
// step.
func (j *judge) losing(s machine.State, r machine.Role) map[machine.Move]bool {
	loses := map[machine.Move]bool{}
	j.children(s, func(joint []machine.Move, child machine.State, goals []int32) {
		lost := false
		for other := range j.best {
			if o := machine.Role(other); o != r {
				lost = lost || goals != nil && goals[o] == j.best[o] || goals == nil && len(j.winning(child, o)) > 0
			}
		}
		if before, seen := loses[joint[r]]; !seen || before {
			loses[joint[r]] = lost
		}
	})
	return loses
}

// winsSoon reports whether a role can force its best goal within two joint moves. In a stuck game no role
// gets a goal.
func (j *judge) winsSoon(s machine.State, r machine.Role) bool {
	if len(j.winning(s, r)) > 0 {
		return true
	}
	all, some := true, false
	j.children(s, func(_ []machine.Move, child machine.State, goals []int32) {
		some = true
		all = all && (goals != nil && goals[r] == j.best[r] || goals == nil && len(j.winning(child, r)) > 0)
	})
	return all && some
}

func TestDecisiveMachinesOfRandomGamesClaimNothingWrong(t *testing.T) {
	rng := rand.New(rand.NewPCG(58, 1))
	found, won, warned := 0, 0, 0
	for range howMany(400, 150) {
		rules := waitingGame(rng)
		m := machineOf(t, rules)
		d := facts.Decisive(t.Context(), m, false)
		if d == nil {
			continue
		}
		found++
		j, b := newJudge(m), d.NewNarrowBatch()
		reachable(m, func(s machine.State, terminal bool, _ []int32) {
			if terminal {
				return
			}
			b.Load(s, 1)
			b.Evaluate(1)
			at := m.Names().AppendFluents(nil, s)
			for r := range j.best {
				r := machine.Role(r)
				if _, lanes := machine.Wins(b, r); lanes[0]&1 != 0 {
					if won++; !j.winsSoon(s, r) {
						t.Fatalf("%s\nin %v it claims that %s wins", rules, at, m.Names().Roles[r])
					}
				}
				legal, sensible := b.AppendLegal(nil, 0, r), machine.AppendSensible(b, nil, 0, r)
				if len(legal) == len(sensible) {
					continue
				}
				warned++
				wins, loses := j.winning(s, r), j.losing(s, r)
				for _, move := range legal {
					if slices.Contains(sensible, move) || loses[move] || len(sensible) > 0 && wins[sensible[0]] {
						continue
					}
					t.Fatalf("%s\nin %v it leaves out %s of %s", rules, at, m.Names().MoveText(r, move), m.Names().Roles[r])
				}
			}
		})
	}
	if found < 20 || won < 50 || warned < 30 {
		t.Errorf("%d games have decisive moves, with %d positions won and %d choices among fewer moves: the test shows little", found, won, warned)
	}
}
