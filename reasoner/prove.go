package reasoner

import (
	"context"
	"sync"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/plan"
	"stackmate/reasoner/prove"
)

// planner searches for plans, or has the reason why the game has none.
type planner struct {
	*plan.Planner
	err error
}

// Plan implements facts.Planning.
func (c *circuitMachine) Plan(ctx context.Context, s machine.State, lim facts.PlanLimits) (facts.Plan, error) {
	p := c.planner.get(func() planner {
		p, err := plan.New(c.game.Whole(), c.Machine)
		return planner{p, err}
	})
	if p.err != nil {
		return facts.Plan{Goal: machine.NoGoal, Bound: machine.MaxGoal}, p.err
	}
	return p.Plan(ctx, s, lim)
}

// fact is a number that is proved from the rules. A proof that the context interrupts is tried again at the
// next call.
type fact[T any] struct {
	mu      sync.Mutex
	tried   bool // a proof has run to its end
	value   T
	proved  bool
	fault   error         // the panic of the last proof
	proving chan struct{} // closed when the proof under way has returned; nil if none is under way
}

// get returns the number and whether it is proved. It calls prove unless an earlier proof ran to its end. It
// returns when ctx ends, even if prove does not: then prove goes on in its own goroutine, and the next call
// waits for it.
func (f *fact[T]) get(ctx context.Context, prove func() (T, bool)) (T, bool) {
	for {
		f.mu.Lock()
		value, proved, fault := f.value, f.proved, f.fault
		if f.tried || ctx.Err() != nil {
			f.mu.Unlock()
			if fault != nil {
				panic(fault)
			}
			return value, proved
		}
		if f.proving == nil {
			f.proving = make(chan struct{})
			go f.try(ctx, prove)
		}
		returned := f.proving
		f.mu.Unlock()
		select {
		case <-returned:
		case <-ctx.Done():
		}
	}
}

// try calls prove and stores its result.
func (f *fact[T]) try(ctx context.Context, prove func() (T, bool)) {
	var value T
	var proved bool
	fault := guard.Do(func() error {
		value, proved = prove()
		return nil
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.value, f.proved, f.fault = value, proved, fault
	f.tried = proved || fault != nil || ctx.Err() == nil
	close(f.proving)
	f.proving = nil
}

// factMemory is the limit, in bytes, of the formulas for proofs of facts.
const factMemory = 1 << 30

// ProvedGoalSum implements facts.Proving.
func (c *circuitMachine) ProvedGoalSum(ctx context.Context) (sum int32, proved bool) {
	return c.goalSum.get(ctx, func() (int32, bool) { return prove.GoalSum(ctx, c.game.Whole(), c.Machine, factMemory) })
}

// ProvedLength implements facts.Proving.
func (c *circuitMachine) ProvedLength(ctx context.Context) (moves int, proved bool) {
	return c.length.get(ctx, func() (int, bool) { return prove.Length(ctx, c.game.Whole(), c.Machine, factMemory) })
}

// Prove searches for properties that hold in all positions of a game. It returns findings for people, and the
// names that their lines use.
func Prove(ctx context.Context, g *gdl.Game, o Options, lim prove.Limits) ([]prove.Finding, *machine.Names, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	game, err := Circuit(ctx, g, o)
	if err != nil {
		return nil, nil, err
	}
	m, err := game.Compile(ctx, circuit.Options{Memory: o.Memory / batchShare})
	if err != nil {
		return nil, nil, err
	}
	findings, err := prove.Rules(ctx, game.Whole(), m, lim)
	return findings, m.Names(), err
}
