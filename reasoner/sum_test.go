package reasoner_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	proofs "stackmate/reasoner/prove"
)

// No random game of a sample meets the rare events on which the sum of goals depends.
func TestGoalSumsOfGamesWithRareEventsHoldAtEveryEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(58, 5))
	proved := 0
	for range howMany(200, 30) {
		text, g, m, slow := rareMachine(t, rng, 2)
		sum, ok := proofs.GoalSum(t.Context(), g, m, 1<<28)
		if !ok {
			continue
		}
		proved++
		reachable(slow, func(s machine.State, terminal bool, goals []int32) {
			if terminal && sumOf(goals) != sum {
				t.Fatalf("the sum of goals is %d, proved to be %d, in the position %v of\n%s", sumOf(goals), sum, m.Names().AppendFluents(nil, s), text)
			}
		})
	}
	t.Logf("%d proved", proved)
}

// The test hangs where a proof does not look at its context.
func TestAProofOfTheGoalSumEndsWithItsContext(t *testing.T) {
	g := must.Get(reasoner.Circuit(t.Context(), gamestest.Rules(t, "goofspiel-10"), reasoner.Options{Memory: 1 << 30}))(t)
	m := must.Get(g.Compile(t.Context(), circuit.Options{Memory: 1 << 28}))(t)
	for _, after := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 80 * time.Millisecond, 120 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		proofs.GoalSum(ctx, g.Whole(), m, 1<<28) // in this goroutine: ProvedGoalSum would not wait for it
		cancel()
	}
}
