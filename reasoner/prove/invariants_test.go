package prove

import (
	"context"
	"fmt"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// compiled returns the machine of a game.
func compiled(t testing.TB, g *circuit.Game) *circuit.Machine {
	t.Helper()
	return must.Get(g.Compile(t.Context(), circuit.Options{Kernel: kernel.Portable64}))(t)
}

// aToken returns a game in which a token moves around three places and lights a further lamp with each move.
func aToken(lamps int) *circuit.Game {
	const places = 3
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{{"stay", "go"}}}
	for i := range places + lamps {
		names.Fluents = append(names.Fluents, fmt.Sprintf("f%d", i))
	}
	initial := names.NewState()
	initial.Set(0)
	g := circuit.NewGame(names, initial)
	stay, goes := g.Does[0][0], g.Does[0][1]
	for i, f := range g.Fluents[:places] {
		before := g.Fluents[(i+places-1)%places]
		g.Next = append(g.Next, g.Net.Or(g.Net.And(f, stay), g.Net.And(before, goes)))
	}
	before := logic.True
	for _, f := range g.Fluents[places:] {
		g.Next = append(g.Next, g.Net.Or(f, g.Net.And(before, goes)))
		before = f
	}
	g.Legal = [][]logic.Lit{{logic.True, logic.True}}
	return g
}

func TestInvariantsHoldInitiallyWheneverTheTimeEnds(t *testing.T) {
	g := aToken(64)
	m := compiled(t, g)
	for lastStage := range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		if lastStage == 0 {
			cancel()
		}
		stage := 0
		var before *Invariants
		for inv := range FindInvariants(ctx, g, m, 1<<30, true) {
			if inv == before {
				continue
			}
			before = inv
			if !inv.Holds(g.Initial) {
				t.Errorf("time until stage %d: an invariant of stage %d fails in the initial position", lastStage, stage)
			}
			if stage++; stage >= lastStage {
				cancel()
			}
		}
		if stage < max(1, min(lastStage, 3)) {
			t.Errorf("%d stages, expected %d", stage, max(1, min(lastStage, 3)))
		}
		cancel()
	}
}

// names returns the position with the named fluents.
func names(g *circuit.Game, fluents ...string) machine.State {
	s, err := g.Names.State(fluents)
	if err != nil {
		panic(err)
	}
	return s
}

func TestAJointMoveIsMadeInAllLanes(t *testing.T) {
	g := aToken(3)
	m := compiled(t, g)
	s := newSample(m, nil)
	s.walk.Batch.Fill(g.Initial, nil)
	s.walk.Batch.Store(s.states, s.walk.Batch.Lanes())
	const goes = 1
	s.advance(g.Initial, []machine.Move{goes})
	for lane := range s.walk.Batch.Lanes() {
		if now := s.state(s.states, lane); !now.Equal(names(g, "f1", "f3")) {
			t.Fatalf("lane %d: %v", lane, m.Names().AppendFluents(nil, now))
		}
	}
}

func TestGroupsOfExclusiveFluentsAreCounted(t *testing.T) {
	excludes := func(f, h int32) pair { return pair{literal(f).Not(), literal(h).Not()} }
	for want, pairs := range map[string][]pair{
		"2 groups with 3 of 3 fluents": {excludes(2, 1), excludes(1, 0)},
		"1 groups with 2 of 3 fluents": {excludes(1, 0), {literal(2), literal(1).Not()}},
		"no groups found":              {{literal(2), literal(1)}},
	} {
		p := &prover{game: aToken(0), invariants: &Invariants{groups: [][]int32{{0, 1}, {1, 2}}, pairs: pairs}}
		if found := p.groups(); found.Detail != want {
			t.Errorf("found %q, want %q", found.Detail, want)
		}
	}
}
