package reasoner_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	proofs "stackmate/reasoner/prove"
)

// reachable calls f on every position that can be reached, once.
func reachable(m machine.Machine, f func(s machine.State, terminal bool, goals []int32)) {
	x := machine.NewExpander(m)
	seen := map[string]bool{}
	var visit func(s machine.State)
	visit = func(s machine.State) {
		key := strings.Join(m.Names().AppendFluents(nil, s), "\n")
		if seen[key] {
			return
		}
		seen[key] = true
		terminal, goals := x.Look(s)
		f(s, terminal, goals)
		var e machine.Expansion
		if terminal || x.Expand(&e, s) != nil {
			return
		}
		for c := range e.Children {
			visit(append(machine.State(nil), e.Child(c)...))
		}
	}
	visit(m.Initial())
}

func TestPlansOfRandomGamesHaveTheBestGoalThatCanBeReached(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	games := 2000
	if testing.Short() {
		games = 150
	}
	solved := 0
	for range games {
		g, m := randomMachine(t, rng, 1)
		best := machine.NoGoal
		reachable(m, func(_ machine.State, terminal bool, goals []int32) {
			if terminal {
				best = max(best, goals[0])
			}
		})
		p, err := proofs.NewPlanner(g, m)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(t.Context(), m.Initial(), machine.PlanLimits{Bytes: 1 << 28})
		if err != nil {
			t.Fatal(err)
		}
		if plan.Goal > best || plan.Bound < best {
			t.Fatalf("best goal %d, found a plan of %d and a bound of %d", best, plan.Goal, plan.Bound)
		}
		if plan.Goal == plan.Bound {
			solved++
		}
	}
	if solved < games*95/100 {
		t.Errorf("%d of %d games are solved", solved, games)
	}
}

// randomMachine compiles a random game of so many roles.
func randomMachine(t *testing.T, rng *rand.Rand, roles int) (*circuit.Game, machine.Machine) {
	for {
		draws := make([]byte, 400)
		for i := range draws {
			draws[i] = byte(rng.UintN(256))
		}
		draws[0] = byte(roles - 1)
		rules, ds, err := gdl.Load(t.Context(), "random", []byte(randomGame(draws)))
		if err != nil || len(ds.Errors()) > 0 {
			continue
		}
		g, err := reasoner.Circuit(t.Context(), rules, reasoner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := circuit.Compile(context.Background(), g, circuit.Options{Lanes: 64})
		if err != nil {
			t.Fatal(err)
		}
		return g, m
	}
}

func TestInvariantsOfRandomGamesHoldWhereverTheyLead(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 2))
	games := 1000
	if testing.Short() {
		games = 100
	}
	for n := range games {
		g, m := randomMachine(t, rng, 1+n%3)
		inv := proofs.FindInvariants(t.Context(), g, m, 1<<28)
		reachable(m, func(s machine.State, _ bool, _ []int32) {
			if !inv.Holds(s) {
				t.Fatalf("an invariant fails in the position %v", m.Names().AppendFluents(nil, s))
			}
		})
	}
}

func TestPlansSolveThePuzzlesThatFillABoard(t *testing.T) {
	for _, name := range []string{"sudokuGrade2", "sudokuGrade5", "sudokuGrade6E", "futoshiki5", "futoshiki6", "hidato19", "queens12ug", "nonogram_5x5_1"} {
		rules, _, err := gdl.Load(t.Context(), name, corpus.Source(t, name))
		if err != nil {
			t.Fatal(err)
		}
		m, err := reasoner.New(t.Context(), rules, reasoner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := m.(machine.Planner).Plan(t.Context(), m.Initial(), machine.PlanLimits{Bytes: 1 << 30})
		if err != nil || plan.Goal != 100 {
			t.Errorf("%s: a plan of %d, %v", name, plan.Goal, err)
		}
	}
}

func TestAPlanStopsWithItsContextAndWithinItsMemory(t *testing.T) {
	rules, _, err := gdl.Load(t.Context(), "rubiksCubeSuperflip", corpus.Source(t, "rubiksCubeSuperflip"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := reasoner.New(t.Context(), rules, reasoner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	planner := m.(machine.Planner)
	if _, err := planner.Plan(t.Context(), m.Initial(), machine.PlanLimits{Bytes: 1 << 10}); !errors.Is(err, proofs.ErrMemory) {
		t.Errorf("a kilobyte: expected that the formula does not fit, found %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	plan, err := planner.Plan(ctx, m.Initial(), machine.PlanLimits{Bytes: 1 << 28})
	if err != nil || plan.Bytes > 1<<28 || plan.Bound < 50 {
		t.Errorf("found %v, %v", plan, err)
	}
}
