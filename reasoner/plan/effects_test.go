package plan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// aPuzzle returns a random game for one role in which a move changes few fluents. Three fluents are a counter; half
// of the games end after seven moves or with the best goal.
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
	fluent := func() logic.Lit { return g.Fluents[rng.IntN(fluents)] ^ logic.Lit(rng.IntN(2)) }
	carry := logic.True
	for f, now := range g.Fluents {
		if f < 3 {
			g.Next = append(g.Next, net.Or(net.And(carry, now.Not()), net.And(carry.Not(), now)))
			carry = net.And(carry, now)
			continue
		}
		next := now
		for range rng.IntN(4) {
			does := g.Does[0][rng.IntN(moves)]
			value := []logic.Lit{logic.True, logic.False, now.Not(), fluent(), net.And(fluent(), now)}[rng.IntN(5)]
			next = net.Or(net.And(does, value), net.And(does.Not(), next))
		}
		g.Next = append(g.Next, next)
	}
	g.Legal = [][]logic.Lit{nil}
	for m := range moves {
		g.Legal[0] = append(g.Legal[0], []logic.Lit{logic.True, logic.True, fluent(), net.Or(fluent(), fluent())}[min(m, rng.IntN(4))])
	}
	best := net.And(fluent(), fluent(), fluent())
	g.Terminal = net.And(fluent(), fluent(), fluent())
	if rng.IntN(2) == 0 {
		g.Terminal = net.Or(best, carry)
	}
	g.Goals = []circuit.Goal{{Value: 100, When: best}, {Value: 50, When: net.And(best.Not(), fluent())}}
	return g, compiled(t, g)
}

// compiled returns the machine of a game.
func compiled(t testing.TB, g *circuit.Game) machine.Machine {
	t.Helper()
	m := must.Get(g.Compile(t.Context(), circuit.Options{Kernel: kernel.Portable64}))(t)
	return m
}

// after returns the position after a move, also of terminal positions; false if the move is illegal.
func after(m machine.Machine, s machine.State, move machine.Move) (machine.State, bool) {
	b := m.NewNarrowBatch()
	b.Load(s, 1)
	b.Evaluate(1)
	if !slices.Contains(b.AppendLegal(nil, 0, 0), move) {
		return nil, false
	}
	b.Choose(0, 0, move)
	b.Advance(1)
	next := make(machine.State, len(m.Initial()))
	b.Store(next, 1)
	return next, true
}

func TestEffectsLeadToTheNextPositions(t *testing.T) {
	const fluents, moves = 8, 5
	rng := rand.New(rand.NewPCG(16, 5))
	changed := 0
	for range 40 {
		g, m := aPuzzle(t, rng, fluents, moves)
		e := newEffects(g)
		ticks := g.ClockFluents()
		sim := newTernary(e.net)
		for bits := range uint64(1) << fluents {
			s := machine.State{bits}
			for f, l := range e.fluents {
				sim.set(l, -(bits >> f & 1))
			}
			for move := range machine.Move(moves) {
				want, ok := after(m, s, move)
				if !ok {
					continue
				}
				got := machine.State{bits}
				for _, c := range e.changes[move] {
					sim.run(sim.gates(c.next))
					got[0] = got[0]&^(1<<c.fluent) | sim.possible(c.next)&1<<c.fluent
				}
				for _, f := range ticks {
					got[0] = got[0]&^(1<<f) | want[0]&(1<<f)
				}
				if !got.Equal(want) {
					t.Fatalf("move %d leads from %b to %b, expected %b", move, bits, got[0], want[0])
				}
				if got[0] != bits {
					changed++
				}
			}
		}
	}
	if changed < 1000 {
		t.Errorf("%d moves changed the position: expected more", changed)
	}
}

// aWideGame returns a game for one role in which each of many moves makes the same fluent true, if another one is.
func aWideGame(moves int) *circuit.Game {
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{nil}, Fluents: []string{"f", "g"}}
	for i := range moves {
		names.Moves[0] = append(names.Moves[0], fmt.Sprintf("m%d", i))
	}
	g := circuit.NewGame(names, names.NewState())
	g.Next = []logic.Lit{g.Net.And(g.Net.Or(g.Does[0]...), g.Fluents[1]), g.Fluents[1]}
	g.Legal = [][]logic.Lit{slices.Repeat([]logic.Lit{logic.True}, moves)}
	g.Terminal, g.Goals = g.Fluents[0], []circuit.Goal{{Value: 100, When: logic.True}}
	return g
}

func TestEffectsOfWideGatesAreBounded(t *testing.T) {
	if e := newEffects(aWideGame(1000)); e == nil || len(e.changes) != 1000 {
		t.Error("a thousand moves have no effects")
	}
	if newEffects(aWideGame(4000)) != nil {
		t.Error("a gate of four thousand operands has been computed for each of four thousand moves")
	}
}

func TestHorizonsFindTheBestPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 7))
	for range 150 {
		g, m := aPuzzle(t, rng, 9, 5)
		p := must.Get(New(g, m))(t)
		q := p.newPlanning(m.Initial(), facts.PlanLimits{})
		q.interleave(t.Context(), coroutine{search: func(ctx context.Context, pause func() bool) {
			steps := 0
			q.byHorizons(ctx, func() bool { steps++; return steps < 25 && pause() })
		}, weight: 1})
		best, _ := ways(m)
		if want := best[m.Initial()[0]]; q.plan.Goal != want || q.plan.Bound < want {
			t.Fatalf("best goal %d, found a plan of %d and a bound of %d", want, q.plan.Goal, q.plan.Bound)
		}
	}
}
