package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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
	invariants chan *Invariants // holds them, once they were looked for
}

// NewPlanner makes a planner of a game, of which m is the machine.
func NewPlanner(g *circuit.Game, m machine.Machine) (*Planner, error) {
	if len(g.Does) != 1 || len(m.Names().Players()) != 1 {
		return nil, ErrPlans
	}
	p := &Planner{game: g, machine: m, invariants: make(chan *Invariants, 1)}
	p.invariants <- nil
	return p, nil
}

const (
	// firstHorizon is the first number of joint moves that is tried; the others are
	// twice that, and so on.
	firstHorizon = 4
	// firstConflicts is what the first call of the engine may take. Each round doubles
	// it for the horizons tried before, and adds one.
	firstConflicts = 500
	// firstTargets is what the first calls for targets may take. Each round doubles it.
	firstTargets = 10_000
	// circuitBytes is the memory of a step, for each gate of the game.
	circuitBytes = 500
	// invariantShare of the memory is for finding invariants.
	invariantShare = 4
)

// Plan implements machine.Planner. The best goal is looked for at growing horizons in
// turn, each given as much time as all longer ones together (Rintanen, "Evaluation
// strategies for planning as satisfiability", 2004): at which horizon the best goal can be
// reached is not known, and that there is none within too short a one can be hardest to
// prove. Each horizon is asked for the best goal that is not yet refuted, and for any that
// is better than the best plan so far. Before that comes what takes little: the first
// horizon alone, and some positions by breadth, which go on between the rounds.
func (p *Planner) Plan(ctx context.Context, s machine.State, lim machine.PlanLimits) (machine.Plan, error) {
	q := &planning{
		Planner: p, formula: newFormula(unroll(p.game, s), sat.New()), start: s, limits: lim,
		plan: machine.Plan{Goal: machine.NoGoal, Bound: p.bestGoal()},
	}
	defer q.engine.Close()
	if lim.Bytes == 0 {
		q.limits.Bytes = math.MaxInt64
	}
	if circuitBytes*int64(p.game.Net.Len()) > q.limits.Bytes {
		return q.plan, fmt.Errorf("%w: a circuit of %d gates", ErrMemory, p.game.Net.Len())
	}
	q.symmetries = stabiliser(p.machine, s)
	q.ties = ties(q.symmetries)
	q.invariants, _ = clock(p.game)
	q.horizons = append(q.horizons, horizon{firstHorizon, q.plan.Bound + 1})
	reach, positions := q.newReach(ctx), firstPositions
	q.try(ctx, 0, firstConflicts)
	if reach.explore(ctx, positions); q.isSettled() {
		return q.plan, nil
	}
	q.invariants = p.findInvariants(ctx, q.limits.Bytes/invariantShare)
	for k := 1; k <= q.played; k++ {
		q.assertAll(k, q.invariants)
	}
	targets := q.newAiming(q.plan.Bound)
	defer targets.engine.Close()
	for round := 0; ctx.Err() == nil && !q.isSettled(); round++ {
		q.aim(ctx, targets, firstTargets<<min(round, 40))
		for i := 0; i < len(q.horizons) && ctx.Err() == nil && !q.isSettled(); i++ {
			q.try(ctx, i, firstConflicts<<min(len(q.horizons)-1-i, 40))
		}
		positions *= reachGrowth
		if reach.explore(ctx, positions); !q.grow() {
			break
		}
	}
	return q.plan, nil
}

// findInvariants finds those of the game once, in half of the time that is left.
func (p *Planner) findInvariants(ctx context.Context, maxBytes int64) *Invariants {
	found := <-p.invariants
	if found != nil {
		p.invariants <- found
		return found
	}
	short, cancel := ctx, context.CancelFunc(func() {})
	if end, ok := ctx.Deadline(); ok {
		short, cancel = context.WithTimeout(ctx, time.Until(end)/2)
	}
	defer cancel()
	found = FindInvariants(short, p.game, p.machine, maxBytes)
	if short.Err() == nil {
		p.invariants <- found
	} else {
		p.invariants <- nil // to be tried again when there is more time
	}
	return found
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
	complete   bool // every game ends within the last horizon
	full       bool // there is no memory for more steps
	plan       machine.Plan
}

// horizon is what is known of the games of up to so many joint moves.
type horizon struct {
	steps   int
	refuted int32 // goals of at least that are refuted
}

func (q *planning) isSettled() bool { return q.plan.Goal >= q.plan.Bound }

// grow adds a horizon, or tells that there is nothing more to try: all are done.
func (q *planning) grow() bool {
	open := false
	for _, h := range q.horizons {
		open = open || h.refuted > q.plan.Goal+1
	}
	if q.complete || q.full {
		return open
	}
	last := q.horizons[len(q.horizons)-1].steps
	q.horizons = append(q.horizons, horizon{2 * last, q.plan.Bound + 1})
	return true
}

// try asks a horizon for better plans, each call of the engine within a number of conflicts.
func (q *planning) try(ctx context.Context, i int, conflicts int64) {
	h := &q.horizons[i]
	if !q.unrollTo(ctx, h.steps) {
		q.horizons = q.horizons[:i]
		return
	}
	lim := sat.Limits{Conflicts: conflicts, Bytes: q.limits.Bytes}
	ended := q.at(h.steps, q.game.Terminal)
	if i == len(q.horizons)-1 && !q.complete {
		q.complete = q.solve(ctx, lim, ended.Not()) == sat.Unsat
	}
	for _, least := range []func() int32{func() int32 { return q.highest(h) }, func() int32 { return q.plan.Goal + 1 }} {
		for status := sat.Sat; status != sat.Unknown && h.refuted > q.plan.Goal+1; {
			goal := least()
			q.plan.Calls++
			status = q.solve(ctx, lim, ended, q.goalAtLeast(h.steps, 0, goal))
			switch status {
			case sat.Unsat:
				q.refute(i, goal)
			case sat.Sat:
				if !q.take(q.line(h.steps)) {
					q.full = true // an assignment that recursive rules do not know: there would be more
					q.horizons = q.horizons[:0]
					return
				}
			}
		}
	}
}

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

// highest is the highest goal that is not refuted at a horizon.
func (q *planning) highest(h *horizon) int32 {
	best := q.plan.Goal + 1
	for _, g := range q.game.Goals {
		if g.Value < h.refuted && g.When != circuit.False {
			best = max(best, g.Value)
		}
	}
	return best
}

// refute takes note that no plan of horizon i has a goal of that or more.
func (q *planning) refute(i int, goal int32) {
	for j := range q.horizons[:i+1] {
		q.horizons[j].refuted = min(q.horizons[j].refuted, goal)
	}
	if q.complete && i == len(q.horizons)-1 {
		q.lower(goal)
	}
}

// unrollTo adds the steps up to a horizon, or tells that there is no memory for them.
func (q *planning) unrollTo(ctx context.Context, steps int) bool {
	for k := q.played; k < steps; k++ {
		q.plan.Bytes = max(q.plan.Bytes, q.bytes())
		if ctx.Err() != nil || q.plan.Bytes+circuitBytes*int64(q.game.Net.Len()) > q.limits.Bytes {
			q.full = true
			return false
		}
		q.play(k + 1)
		q.assertAll(k+1, q.invariants)
		if k < brokenSteps {
			q.leaveOutImages(k, q.ties)
		}
	}
	return true
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
