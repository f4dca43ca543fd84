package reasoner_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// lamps is a game of switching on lamps in any order.
const lamps = `
	(role x) (lamp a) (lamp b) (lamp c)
	(<= (legal x (press ?l)) (lamp ?l) (not (true (on ?l))))
	(<= (next (on ?l)) (does x (press ?l)))
	(<= (next (on ?l)) (true (on ?l)))
	(<= terminal (true (on a)) (true (on b)) (true (on c)))
	(goal x 100)`

// TestAMachineServesManyGoroutinesAtOnce has goroutines query a fresh machine for every result that it
// computes at the first call. Each goroutine also plays in lock step with a machine of its own. The race
// detector finds conflicting accesses.
func TestAMachineServesManyGoroutinesAtOnce(t *testing.T) {
	for _, c := range []struct {
		name, rules string
		engines     []string
	}{
		{"two players", twoRows, reasoner.Engines[1:]},
		{"one player", lamps, reasoner.Engines[1:]},
		{"no list of fluents", endless, []string{"datalog"}},
	} {
		for _, engine := range c.engines {
			t.Run(c.name+" "+engine, func(t *testing.T) {
				const goroutines = 4
				var machines [1 + goroutines]machine.Machine
				for i := range machines {
					g := readRules(t, c.name, c.rules)
					machines[i] = newMachine(t, g, reasoner.Options{Engine: engine})
				}
				shared := machines[0]
				var all sync.WaitGroup
				for i, own := range machines[1:] {
					all.Go(func() {
						askAll(t, shared)
						rng := rand.New(rand.NewPCG(1, uint64(i)))
						if err := lockstep([]*walker{newWalker(own, same, rng), newWalker(shared, same, rng)}, rng, 30); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
			})
		}
	}
}

// askAll calls every method that computes its result at the first call.
func askAll(t *testing.T, m machine.Machine) {
	facts.Symmetries(m)
	for _, atOnce := range []bool{false, true} {
		cmp.Or(facts.Decisive(t.Context(), m, atOnce), m).NewNarrowBatch().Evaluate(1)
	}
	if signals := facts.SignalsOf(t.Context(), m); signals != nil {
		signals.NewSensor()
	}
	for _, s := range facts.Subgames(t.Context(), m) {
		facts.Symmetries(s)
	}
	if len(m.Names().Roles) == 1 {
		if plan, err := facts.FindPlan(t.Context(), m, m.Initial(), facts.PlanLimits{}); !errors.Is(err, facts.ErrNoPlans) && (err != nil || plan.Goal != 100) {
			t.Errorf("a plan of %d, %v", plan.Goal, err)
		}
	}
}
