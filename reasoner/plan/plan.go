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
	"stackmate/reasoner/prove"
)

// errPlans is returned for games of which plans say nothing: several roles choose, or
// chance does.
var errPlans = errors.New("plans are for games of one role without chance")

// Planner finds plans in a game for one role without chance: joint moves to a terminal
// position with a goal. It is safe for concurrent use.
type Planner struct {
	game       *circuit.Game
	machine    machine.Machine
	invariants atomic.Pointer[prove.Invariants] // once all were found
	effects    func() *effects                  // nil if they are not known
}

// New makes a planner of a game, of which m is the machine.
func New(g *circuit.Game, m machine.Machine) (*Planner, error) {
	if len(g.Does) != 1 || len(m.Names().Players()) != 1 {
		return nil, errPlans
	}
	return &Planner{game: g, machine: m, effects: sync.OnceValue(func() *effects { return newEffects(g) })}, nil
}

const (
	// formulaShare of the memory is for formulas of horizons, and searchShare each for
	// finding invariants, for targets, and for each search that tries moves.
	formulaShare = 2
	searchShare  = 8
	// deepWeight is how much more time the searches by formulas and patterns get than those that
	// try moves alone, which find nothing late that they have not found soon.
	deepWeight = 2
)

// Plan implements machine.Analysis. There are several searches for plans, and none tells before
// whether it will find one soon. So they take turns, each for some milliseconds, and share the
// time evenly: a plan is found within a few times the time that its search alone takes.
func (p *Planner) Plan(ctx context.Context, s machine.State, lim machine.PlanLimits) (machine.Plan, error) {
	q := p.begin(s, lim)
	if prove.StepBytes*int64(p.game.Net.Len()) > q.limits.MaxBytes/formulaShare {
		return q.plan, fmt.Errorf("%w: a circuit of %d gates", prove.ErrMemory, p.game.Net.Len())
	}
	if terminal, _ := machine.NewExpander(p.machine).Look(s); terminal {
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

// planning is the search for a plan from one position, which all searches share.
type planning struct {
	*Planner
	start      machine.State
	limits     machine.PlanLimits
	invariants *prove.Invariants // those that are known by now
	patterns   []*pattern
	plan       machine.Plan
}

// begin begins with no plan and what the clock says.
func (p *Planner) begin(s machine.State, lim machine.PlanLimits) *planning {
	if lim.MaxBytes == 0 {
		lim.MaxBytes = math.MaxInt64
	}
	return &planning{
		Planner: p, start: s, limits: lim, invariants: prove.Clock(p.game),
		plan: machine.Plan{Goal: machine.NoGoal, Bound: p.highestGoal(math.MaxInt32, machine.NoGoal)},
	}
}

// highestGoal is the highest goal of the rules below another one, or least if there is none.
func (p *Planner) highestGoal(below, least int32) int32 {
	for _, g := range p.game.Goals {
		if g.Value < below && g.When != logic.False {
			least = max(least, g.Value)
		}
	}
	return least
}

// turn is a search that takes turns with others. It rests every millisecond or so, and ends when
// rest says so: there is no time, or nothing left to find.
type coroutine struct {
	search func(ctx context.Context, pause func() bool)
	weight time.Duration
	spent  time.Duration // by weight
	resume func() (struct{}, bool)
}

// takeTurns goes on with the search that has had the least time, until all is known.
func (q *planning) interleave(ctx context.Context, turns ...coroutine) {
	for i, t := range turns {
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			t.search(ctx, func() bool { return ctx.Err() == nil && !q.isSolved() && yield(struct{}{}) })
		})
		defer stop()
		turns[i].resume = next
	}
	for len(turns) > 0 && ctx.Err() == nil && !q.isSolved() {
		i := 0
		for j, t := range turns {
			if t.spent < turns[i].spent {
				i = j
			}
		}
		began := time.Now()
		if _, more := turns[i].resume(); !more {
			turns = slices.Delete(turns, i, i+1)
			continue
		}
		turns[i].spent += time.Since(began) / turns[i].weight
	}
}

func (q *planning) isSolved() bool { return q.plan.Goal >= q.plan.Bound }

// next is the highest goal below another one, but better than that of the plan.
func (q *planning) nextGoal(below int32) int32 { return q.highestGoal(below, q.plan.Goal+1) }

// lower takes note that no plan has a goal of that or more.
func (q *planning) refuteGoal(goal int32) {
	q.plan.Bound = min(q.plan.Bound, q.highestGoal(goal, q.plan.Goal))
	q.reportProgress()
}

// take plays joint moves, and keeps them if they are better than the plan.
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

// replay plays joint moves to the end of the game: those that it took, and the goal.
func (q *planning) replay(line [][]machine.Move) ([][]machine.Move, int32) {
	b := q.machine.NewNarrowBatch()
	b.Load(q.start, 1)
	for i := 0; ; i++ {
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			goals := make([]int32, 1)
			b.Goals(goals, 0)
			return line[:i], goals[0]
		}
		if i == len(line) || !slices.Contains(b.AppendLegal(nil, 0, 0), line[i][0]) {
			return nil, machine.NoGoal
		}
		b.Choose(0, 0, line[i][0])
		b.Advance(1)
	}
}
