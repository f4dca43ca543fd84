package plan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/prove"
)

// errPlans is the error of games with chance or several roles.
var errPlans = errors.New("expected a game of one role without chance")

// Planner finds plans in a game for one role without chance: joint moves to a terminal position with a goal. It is
// safe for concurrent use.
type Planner struct {
	game       *circuit.Game
	machine    machine.Machine
	invariants atomic.Pointer[prove.Invariants] // nil until all are found
	effects    func() *effects                  // returns nil if unknown
}

// New returns the planner of a game with machine m.
func New(g *circuit.Game, m machine.Machine) (*Planner, error) {
	if len(g.Does) != 1 || len(m.Names().Players()) != 1 {
		return nil, errPlans
	}
	return &Planner{game: g, machine: m, effects: sync.OnceValue(func() *effects { return newEffects(g) })}, nil
}

const (
	// Shares of the memory, as divisors: formulaShare for formulas of horizons; searchShare for invariants, for
	// targets, and for each search that expands positions.
	formulaShare = 2
	searchShare  = 8
	// deepWeight is the weight of the time of the searches by formulas and patterns. The other searches have weight
	// 1: if they do not succeed soon, they rarely succeed later.
	deepWeight = 2
)

// Plan searches as facts.FindPlan describes. Several searches are interleaved with slices of some milliseconds, because it is
// unknown which of them succeeds. So a plan takes a few times the time of the fastest search alone.
func (p *Planner) Plan(ctx context.Context, s machine.State, lim facts.PlanLimits) (facts.Plan, error) {
	q := p.newPlanning(s, lim)
	if prove.StepBytes*int64(p.game.Net.Len()) > q.limits.MaxBytes/formulaShare {
		return q.plan, fmt.Errorf("%w: a circuit of %d gates", prove.ErrMemory, p.game.Net.Len())
	}
	if terminal, _ := play.NewExpander(p.machine).Look(s); terminal {
		q.offer(nil)
		q.refuteGoal(q.plan.Goal + 1)
		return q.plan, nil
	}
	q.interleave(ctx,
		coroutine{search: q.byHorizons, weight: deepWeight},
		coroutine{search: q.byBreadth, weight: 1},
		coroutine{search: q.byDepth, weight: 1},
		coroutine{search: q.byTargets, weight: deepWeight},
		coroutine{search: q.byPatterns, weight: deepWeight},
	)
	return q.plan, nil
}

// planning is the shared state of the searches for a plan from a position.
type planning struct {
	*Planner
	start      machine.State
	limits     facts.PlanLimits
	invariants *prove.Invariants // known so far
	patterns   []*pattern
	plan       facts.Plan
}

// newPlanning returns a planning without a plan, with the invariants of the clock.
func (p *Planner) newPlanning(s machine.State, lim facts.PlanLimits) *planning {
	if lim.MaxBytes == 0 {
		lim.MaxBytes = math.MaxInt64
	}
	return &planning{
		Planner: p, start: s, limits: lim, invariants: prove.Clock(p.game),
		plan: facts.Plan{Goal: machine.NoGoal, Bound: p.highestGoal(math.MaxInt32, machine.NoGoal)},
	}
}

// highestGoal returns the highest goal of the rules below a bound, but at least the value least.
func (p *Planner) highestGoal(below, least int32) int32 {
	for _, g := range p.game.Goals {
		if g.Value < below && g.When != logic.False {
			least = max(least, g.Value)
		}
	}
	return least
}

// coroutine is a search that is interleaved with other searches. It calls pause every millisecond or so, and ends
// when pause returns false: the time is over, or the plan is proved best.
type coroutine struct {
	search func(ctx context.Context, pause func() bool)
	weight time.Duration
	spent  time.Duration // time of the search / weight
	resume func() (struct{}, bool)
}

// interleave resumes the search with the least time spent, until the plan is proved best.
func (q *planning) interleave(ctx context.Context, coroutines ...coroutine) {
	for i, t := range coroutines {
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			t.search(ctx, func() bool { return ctx.Err() == nil && !q.isSolved() && yield(struct{}{}) })
		})
		defer stop()
		coroutines[i].resume = next
	}
	for len(coroutines) > 0 && ctx.Err() == nil && !q.isSolved() {
		i := 0
		for j, t := range coroutines {
			if t.spent < coroutines[i].spent {
				i = j
			}
		}
		began := time.Now()
		if _, more := coroutines[i].resume(); !more {
			coroutines = slices.Delete(coroutines, i, i+1)
			continue
		}
		coroutines[i].spent += time.Since(began) / coroutines[i].weight
	}
}

func (q *planning) isSolved() bool { return q.plan.Goal >= q.plan.Bound }

// nextGoal returns the highest goal below a bound that is better than the plan.
func (q *planning) nextGoal(below int32) int32 { return q.highestGoal(below, q.plan.Goal+1) }

// refuteGoal records that no plan has a goal of at least the given value.
func (q *planning) refuteGoal(goal int32) {
	q.plan.Bound = min(q.plan.Bound, q.highestGoal(goal, q.plan.Goal))
	q.reportProgress()
}

// offer replays joint moves, and keeps them if they are better than the plan. It reports whether they are.
func (q *planning) offer(line [][]machine.Move) bool {
	line, goal := q.replay(line)
	if goal <= q.plan.Goal {
		return false
	}
	q.plan.Line, q.plan.Goal = line, goal
	q.reportProgress()
	return true
}

func (q *planning) reportProgress() {
	if q.limits.Progress != nil {
		q.limits.Progress(q.plan)
	}
}

// replay makes joint moves to the end of the game, and returns the moves made and the goal.
func (q *planning) replay(line [][]machine.Move) ([][]machine.Move, int32) {
	b := q.machine.NewNarrowBatch()
	b.Load(q.start, 1)
	for i := 0; ; i++ {
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			goals := make([]int32, 1)
			if b.Goals(goals, 0); goals[0] == machine.NoGoal && q.plan.Faulty == nil {
				q.plan.Faulty = line[:i]
			}
			return line[:i], goals[0]
		}
		if i == len(line) || !slices.Contains(b.AppendLegal(nil, 0, 0), line[i][0]) {
			return nil, machine.NoGoal
		}
		b.Choose(0, 0, line[i][0])
		b.Advance(1)
	}
}
