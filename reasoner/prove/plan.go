package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// ErrPlans is returned for games of which plans say nothing: several roles choose, or
// chance does.
var ErrPlans = errors.New("plans are for games of one role without chance")

// ErrMemory is wrapped with what there is too much of.
var ErrMemory = errors.New("the formula does not fit into the memory")

// Planner finds plans in a game for one role without chance: joint moves to a terminal
// position with a goal. It is safe for concurrent use.
type Planner struct {
	game       *circuit.Game
	machine    machine.Machine
	invariants atomic.Pointer[Invariants] // once they were found
	compare    sync.Once                  // makes the following
	effects    *effects                   // nil if they are not known
	equal      []machine.Move             // by move: the first one that does the same
}

// NewPlanner makes a planner of a game, of which m is the machine.
func NewPlanner(g *circuit.Game, m machine.Machine) (*Planner, error) {
	if len(g.Does) != 1 || len(m.Names().Players()) != 1 {
		return nil, ErrPlans
	}
	return &Planner{game: g, machine: m}, nil
}

const (
	// formulaShare of the memory is for formulas of horizons, and wayShare each for
	// finding invariants, for targets, for breadth and for dives.
	formulaShare = 2
	wayShare     = 8
	// deepWeight is how much more time the two ways by formulas get than those that try
	// moves, which find nothing late that they have not found soon.
	deepWeight = 2
)

// Plan implements machine.Planner. There are several ways to plans, and none tells before
// which one leads there soon. So they take turns, each for some milliseconds, and share the
// time evenly: a plan is found within a few times the time that its way alone takes.
func (p *Planner) Plan(ctx context.Context, s machine.State, lim machine.PlanLimits) (machine.Plan, error) {
	q := p.planning(s, lim)
	defer q.engine.Close()
	if circuitBytes*int64(p.game.Net.Len()) > q.limits.Bytes/formulaShare {
		return q.plan, fmt.Errorf("%w: a circuit of %d gates", ErrMemory, p.game.Net.Len())
	}
	if !lim.Asymmetric {
		q.symmetries = stabiliser(p.machine, s)
	}
	q.ties = ties(q.symmetries)
	targets := newTargets(ctx, q)
	defer targets.close()
	q.takeTurns(ctx, []way{
		{next: q.nextHorizon, weight: deepWeight},
		{next: q.newReach(ctx).next, weight: 1},
		{next: q.newDives(ctx).next, weight: 1},
		{next: targets.next, weight: deepWeight},
		{next: q.newPatterns(ctx).next, weight: deepWeight},
	})
	return q.plan, nil
}

// planning begins with no plan and what the clock says.
func (p *Planner) planning(s machine.State, lim machine.PlanLimits) *planning {
	if lim.Bytes == 0 {
		lim.Bytes = math.MaxInt64
	}
	best := p.bestGoal()
	known, _ := clock(p.game)
	return &planning{
		Planner: p, formula: newFormula(unroll(p.game, s), sat.New()), invariants: known, start: s, limits: lim,
		horizons: []horizon{{firstHorizon, best + 1}}, plan: machine.Plan{Goal: machine.NoGoal, Bound: best},
		masked: p.machine.Names().NewState(),
	}
}

// way is one way to look for plans: next does a little of it, and tells whether there is more
// to do.
type way struct {
	next   func(ctx context.Context) bool
	weight time.Duration
	spent  time.Duration // by weight
}

// takeTurns goes on with the way that has had the least time, until all is known.
func (q *planning) takeTurns(ctx context.Context, ways []way) {
	for len(ways) > 0 && ctx.Err() == nil && !q.isSettled() {
		i := 0
		for j, w := range ways {
			if w.spent < ways[i].spent {
				i = j
			}
		}
		began := time.Now()
		if !ways[i].next(ctx) {
			ways = slices.Delete(ways, i, i+1)
			continue
		}
		ways[i].spent += time.Since(began) / ways[i].weight
	}
}

// bestGoal is the highest that the rules give.
func (p *Planner) bestGoal() int32 {
	best := machine.NoGoal
	for _, g := range p.game.Goals {
		if g.When != circuit.False {
			best = max(best, g.Value)
		}
	}
	return best
}

// planning is the search for a plan from one position.
type planning struct {
	*Planner
	*formula
	invariants *Invariants
	start      machine.State
	symmetries []machine.Symmetry // that leave it as it is
	ties       []tie
	limits     machine.PlanLimits
	horizons   []horizon
	asking     int  // index of the horizon that is asked next
	complete   bool // every game ends within the last horizon
	full       bool // there is no memory for more steps
	plan       machine.Plan
	doubles    []machine.Move // by move: the one that the formula has instead
	patterns   []*pattern
	masked     machine.State // scratch of patterns
}

func (q *planning) isSettled() bool { return q.plan.Goal >= q.plan.Bound }

// lower takes note that no plan has a goal of that or more.
func (q *planning) lower(goal int32) {
	bound := q.plan.Goal
	for _, g := range q.game.Goals {
		if g.Value < goal && g.When != circuit.False {
			bound = max(bound, g.Value)
		}
	}
	q.plan.Bound = min(q.plan.Bound, bound)
	q.tell()
}

// take plays joint moves, and keeps them if they are better than the plan.
func (q *planning) take(line [][]machine.Move) bool {
	line, goal := q.replay(line)
	if goal <= q.plan.Goal {
		return false
	}
	q.plan.Line, q.plan.Goal = line, goal
	q.tell()
	return true
}

func (q *planning) tell() {
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
