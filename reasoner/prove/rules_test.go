package prove

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// aRace returns a game of several roles, which all move a token of their own forwards or leave it where it is. The
// game ends after as many joint moves as there are steps; the goal of a role is the place of its token.
func aRace(roles, steps int) *circuit.Game {
	names := &machine.Names{}
	places := steps + 1
	for r := range roles + 1 {
		for place := range places {
			names.Fluents = append(names.Fluents, fmt.Sprintf("f%d.%d", r, place)) // the last row is the number of the step
		}
	}
	for r := range roles {
		names.Roles, names.Moves = append(names.Roles, fmt.Sprintf("r%d", r)), append(names.Moves, []string{"stay", "go"})
	}
	initial := names.NewState()
	for r := range roles + 1 {
		initial.Set(r * places)
	}
	g := circuit.NewGame(names, initial)
	for r := range roles {
		before := logic.False
		for place, f := range g.Fluents[r*places:][:places] {
			g.Next = append(g.Next, g.Net.Or(g.Net.And(f, g.Does[r][0]), g.Net.And(before, g.Does[r][1])))
			g.Goals = append(g.Goals, circuit.Goal{Role: machine.Role(r), Value: int32(place), When: f})
			before = f
		}
		g.Legal = append(g.Legal, []logic.Lit{logic.True, logic.True})
	}
	last := len(g.Fluents) - 1
	g.Next = append(append(g.Next, logic.False), g.Fluents[roles*places:last]...)
	g.Terminal = g.Fluents[last]
	return g
}

func TestViolationsOfManyRolesWithManyGoalsAreSmall(t *testing.T) {
	const most = 10 // gates for each goal of each role
	g := aRace(8, machine.MaxGoal)
	u := unroll(g, nil)
	u.signalsAt(1, g.Fluents)
	for _, q := range properties(g, 400) {
		var gates int
		allocations := testing.AllocsPerRun(1, func() {
			before := u.net.Len()
			q.violation(u, 1)
			gates = max(gates, u.net.Len()-before)
		})
		if gates > most*len(g.Goals) || allocations > float64(most*len(g.Goals)) {
			t.Errorf("%s: %d gates and %.0f allocations for %d goals", q.name, gates, allocations, len(g.Goals))
		}
	}
}

func TestASumOfGoalsHasItsDigits(t *testing.T) {
	const steps = 5
	g := aRace(3, steps)
	u := unroll(g, nil)
	for sum := range int32(3*steps + 2) {
		violation := constantSum(g.Names.Players(), sum).violation(u, 0)
		for places := range (steps + 2) * (steps + 2) * (steps + 2) {
			inputs, total := map[int32]bool{}, 0
			inputs[g.Terminal.Node()] = true
			for r, rest := 0, places; r < 3; r, rest = r+1, rest/(steps+2) {
				place := rest % (steps + 2) // the last of them: the role has no goal, which counts as 0
				if place <= steps {
					inputs[g.Fluents[r*(steps+1)+place].Node()] = true
					total += place
				}
			}
			if got := valueOf(u.net, violation, inputs); got != (total != int(sum)) {
				t.Fatalf("goals with the sum %d violate the sum %d: %v", total, sum, got)
			}
		}
	}
}

func TestProofsAfterTheirTimeBuildNoFormulas(t *testing.T) {
	g := aRace(3, 20)
	m := compiled(t, g)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWalks(m)
	w.play(t.Context(), 1)
	list := properties(g, w.sum)
	for i := range list {
		violation := list[i].violation
		list[i].violation = func(u *unrolling, k int) logic.Lit {
			t.Errorf("%s: a violation at step %d", list[i].name, k)
			return violation(u, k)
		}
	}
	p := newProver(ctx, g, w, 1<<30, list)
	defer p.close()
	p.assume(&Invariants{})
	for i, q := range p.properties {
		p.attempt(ctx, i, q)
		p.decide(ctx, i, q)
	}
}

func TestACounterOfStepsEndsEveryGameInAnyTime(t *testing.T) {
	const steps = 20
	g := aRace(3, steps)
	m := compiled(t, g)
	found := must.Get(Rules(t.Context(), g, m, Limits{MaxTime: 1, MaxBytes: 1 << 30}))(t)
	if ends := found[0]; ends.Property != gamesEndName || ends.Verdict != Proved || !strings.HasPrefix(ends.Detail, "within 20 joint moves: a counter of steps ends the game") {
		t.Errorf("found %+v, want a proof that every game ends within %d joint moves", ends, steps)
	}
	if moves, ok := Length(t.Context(), g, m, 1<<30); !ok || moves != steps {
		t.Errorf("a length of %d, proved: %v, want %d", moves, ok, steps)
	}
}
