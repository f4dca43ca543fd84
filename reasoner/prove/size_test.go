package prove_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/plan"
	"stackmate/reasoner/prove"
)

// aTangle returns a game for one role with layers of random gates; its fluents depend on the last layer.
func aTangle(gates int) *circuit.Game {
	const fluents, layers = 1000, 16
	names := &machine.Names{Roles: []string{"x"}, Moves: [][]string{{"a", "b"}}}
	for i := range fluents {
		names.Fluents = append(names.Fluents, fmt.Sprintf("f%d", i))
	}
	g := circuit.NewGame(names, names.NewState())
	rng := rand.New(rand.NewPCG(1, 2))
	layer := append(append([]logic.Lit{}, g.Fluents...), g.Does[0]...)
	random := func() logic.Lit { return layer[rng.IntN(len(layer))] ^ logic.Lit(rng.IntN(2)) }
	for i := range layers {
		next := make([]logic.Lit, gates/layers)
		for j := range next {
			if a, b := random(), random(); i%2 == 0 {
				next[j] = g.Net.And(a, b)
			} else {
				next[j] = g.Net.Or(a, b)
			}
		}
		layer = next
	}
	for range fluents {
		g.Next = append(g.Next, random())
	}
	g.Legal = [][]logic.Lit{{logic.True, logic.True}}
	g.Terminal = g.Net.And(g.Fluents[0], g.Fluents[1], g.Fluents[2])
	g.Goals = []circuit.Goal{{Role: 0, Value: 100, When: g.Fluents[3]}, {Role: 0, Value: 50, When: g.Fluents[3].Not()}}
	return g
}

func TestAMillionClausesAStepAreHandledOrRefusedWithinTheMemory(t *testing.T) {
	exhaustive.Only(t, "takes some seconds")
	g := aTangle(650_000)
	began := time.Now()
	f, clauses := prove.OneStep(g)
	t.Logf("%d clauses a step, %d MiB, %v", clauses, f.Bytes()>>20, time.Since(began))
	f.Close()
	if clauses < 1_000_000 {
		t.Fatalf("%d clauses a step, expected a million", clauses)
	}
	m := must.Get(g.Compile(t.Context(), circuit.Options{Kernel: kernel.Portable64}))(t)
	p := must.Get(plan.New(g, m))(t)
	for _, bytes := range []int64{1 << 28, 1 << 30} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		began := time.Now()
		found, err := p.Plan(ctx, m.Initial(), facts.PlanLimits{MaxBytes: bytes})
		cancel()
		t.Logf("%d MiB: plan of %d, formula of %d MiB, %v, after %v", bytes>>20, found.Goal, found.Bytes>>20, err, time.Since(began))
		if found.Bytes > bytes || err != nil && !errors.Is(err, prove.ErrMemory) {
			t.Errorf("%d MiB: a formula of %d MiB, %v", bytes>>20, found.Bytes>>20, err)
		}
		began = time.Now()
		_, err = prove.Rules(t.Context(), g, m, prove.Limits{MaxTime: time.Second, MaxBytes: bytes})
		t.Logf("%d MiB: proofs %v, after %v", bytes>>20, err, time.Since(began))
		if err != nil && !errors.Is(err, prove.ErrMemory) {
			t.Errorf("%d MiB: %v", bytes>>20, err)
		}
	}
}
