package prove

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// aPuzzle is a random game for one role of so many fluents, few of which a move changes. Three are a
// counter, and every other game is over after seven moves or with its best goal.
func aPuzzle(t *testing.T, rng *rand.Rand, fluents, moves int) (*circuit.Game, machine.Machine) {
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{nil}}
	for i := range fluents {
		names.Fluents = append(names.Fluents, fmt.Sprintf("f%d", i))
	}
	for i := range moves {
		names.Moves[0] = append(names.Moves[0], fmt.Sprintf("m%d", i))
	}
	g := circuit.NewGame(names, names.NewState())
	net := g.Net
	fluent := func() circuit.Lit { return g.Fluents[rng.IntN(fluents)] ^ circuit.Lit(rng.IntN(2)) }
	carry := circuit.True
	for f, now := range g.Fluents {
		if f < 3 {
			g.Next = append(g.Next, net.Or(net.And(carry, now.Not()), net.And(carry.Not(), now)))
			carry = net.And(carry, now)
			continue
		}
		next := now
		for range rng.IntN(4) {
			does := g.Does[0][rng.IntN(moves)]
			value := []circuit.Lit{circuit.True, circuit.False, now.Not(), fluent(), net.And(fluent(), now)}[rng.IntN(5)]
			next = net.Or(net.And(does, value), net.And(does.Not(), next))
		}
		g.Next = append(g.Next, next)
	}
	g.Legal = [][]circuit.Lit{nil}
	for m := range moves {
		g.Legal[0] = append(g.Legal[0], []circuit.Lit{circuit.True, circuit.True, fluent(), net.Or(fluent(), fluent())}[min(m, rng.IntN(4))])
	}
	best := net.And(fluent(), fluent(), fluent())
	g.Terminal = net.And(fluent(), fluent(), fluent())
	if rng.IntN(2) == 0 {
		g.Terminal = net.Or(best, carry)
	}
	g.Goals = []circuit.Goal{{Value: 100, When: best}, {Value: 50, When: net.And(best.Not(), fluent())}}
	m := compiled(t, g)
	return g, m
}

// all calls f on every position of so many fluents.
func all(fluents int, f func(s machine.State)) {
	for bits := range uint64(1) << fluents {
		f(machine.State{bits})
	}
}

// after makes a move, whether the game is over or not; false if it is not legal.
func after(m machine.Machine, s machine.State, move machine.Move) (machine.State, bool) {
	b := m.NewNarrowBatch()
	b.Load(s, 1)
	b.Evaluate(1)
	if !slices.Contains(b.AppendLegal(nil, 0, 0), move) {
		return nil, false
	}
	b.Choose(0, 0, move)
	b.Advance(1)
	next := make(machine.State, m.Words())
	b.Store(next, 1)
	return next, true
}

func TestEqualMovesLeadToTheSamePositions(t *testing.T) {
	const fluents, moves = 8, 5
	rng := rand.New(rand.NewPCG(16, 5))
	equal := 0
	for range 40 {
		g, m := aPuzzle(t, rng, fluents, moves)
		e := newEffects(g)
		for second, first := range e.equal() {
			if int(first) == second {
				continue
			}
			equal++
			all(fluents, func(s machine.State) {
				a, ok := after(m, s, first)
				b, too := after(m, s, machine.Move(second))
				if ok && too && !a.Equal(b) {
					t.Fatalf("moves %d and %d lead from %b to %b and %b", first, second, s, a, b)
				}
			})
		}
	}
	if equal < 10 {
		t.Errorf("%d equal moves: expected more", equal)
	}
}

func TestPlansThatAreLeftOutAreNoBetterThanOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 7))
	equal := 0
	for range 150 {
		g, m := aPuzzle(t, rng, 9, 5)
		p, err := NewPlanner(g, m)
		if err != nil {
			t.Fatal(err)
		}
		q := p.planning(m.Initial(), machine.PlanLimits{})
		q.compareMoves()
		q.takeTurns(t.Context(), []way{{next: func(ctx context.Context) bool {
			return q.horizons[len(q.horizons)-1].steps < 64 && q.nextHorizon(ctx)
		}, weight: 1}})
		best, _ := ways(m)
		if want := best[m.Initial()[0]]; q.plan.Goal != want || q.plan.Bound < want {
			t.Fatalf("best goal %d, found a plan of %d and a bound of %d", want, q.plan.Goal, q.plan.Bound)
		}
		for second, first := range q.doubles {
			if int(first) != second {
				equal++
			}
		}
	}
	if equal < 20 {
		t.Errorf("%d equal moves: expected more", equal)
	}
}

// Two lamps are lit, the first one ends the game, and one of two moves that light the second is never legal.
func TestMovesThatAreNeededAreNotLeftOut(t *testing.T) {
	names := &machine.Names{Roles: []string{"x"}, Fluents: []string{"a", "b"}, Moves: [][]string{{"light a", "cheat", "light b"}}}
	g := circuit.NewGame(names, names.NewState())
	a, b, does := g.Fluents[0], g.Fluents[1], g.Does[0]
	g.Next = []circuit.Lit{g.Net.Or(a, does[0]), g.Net.Or(b, does[1], does[2])}
	g.Legal, g.Terminal = [][]circuit.Lit{{circuit.True, a, circuit.True}}, a
	g.Goals = []circuit.Goal{{Value: 100, When: g.Net.And(a, b)}, {Value: 0, When: g.Net.And(a, b).Not()}}
	m := compiled(t, g)
	p, err := NewPlanner(g, m)
	if err != nil {
		t.Fatal(err)
	}
	q := p.planning(m.Initial(), machine.PlanLimits{})
	q.compareMoves()
	if !slices.Equal(q.doubles, []machine.Move{0, 1, 1}) {
		t.Errorf("moves that do the same: %v", q.doubles)
	}
	q.try(t.Context(), 0, 100)
	if q.plan.Goal != 100 {
		t.Errorf("a plan of %d, expected one that lights b and then a", q.plan.Goal)
	}
}
