// Package outcomes solves games of any number of roles and any payoff sum. It finds the guarantee of each
// role: its maximin value in pure strategies against all other roles, even if they know its simultaneous
// move. It also finds all undominated outcomes: reachable goal vectors that no role can improve without a
// loss for another role. Chance is not supported. Both are searches over a lattice (search/lattice): over
// numbers, with one role as the maximiser, and over sets of vectors, with every role as a maximiser. The
// package works on state machines, never on rules or text.
package outcomes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/lattice"
)

// Method is the name of the search.
const Method = "lattice"

// errRepeats ends a search of a game whose positions repeat.
var errRepeats = errors.New("positions repeat: a match without end has no outcome")

// errTooDeep ends a search at the greatest depth.
var errTooDeep = fmt.Errorf("the tree is deeper than %d plies", lattice.MaxPly)

const (
	// entryBytes is the approximate table memory of a position without its words.
	entryBytes = 256
	// unlimited is the number of table entries without a memory limit.
	unlimited = 1 << 24
)

// Searcher implements search.Searcher. Values are the guarantees of the roles, in pure strategies where
// roles choose at once (search.PureGuarantee). Strategies are the moves that attain them. Outcomes are the
// undominated outcomes with their lines.
type Searcher struct{}

var _ search.Searcher = Searcher{}

// Search implements search.Searcher. It returns an error for games with chance and for positions without
// legal moves.
func (Searcher) Search(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	if m.Names().Chance() != machine.NoRole {
		return search.Result{}, fmt.Errorf("expected a game without chance, found the role %s", machine.RandomRole)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{ctx: ctx, machine: m, lim: lim, expander: play.NewExpander(m), entries: unlimited}
	tables, stack := search.Divide(lim.MaxBytes, 0)
	if tables > 0 {
		r.entries = int(max(tables/r.entryBytes(), 1))
	}
	r.expander.Limit(ctx, stack, 0)
	r.game = &turns{expander: r.expander, fail: cancel}
	res := r.search(s)
	res.Elapsed = time.Since(began)
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return res, err
	}
	return res, nil
}

// run is one search.
type run struct {
	ctx      context.Context
	machine  machine.Machine
	lim      search.Limits
	expander *play.Expander
	entries  int // per table
	game     *turns
	counters search.Counters
	open     error // the reason that has left a bound open; nil if there is none
}

// entryBytes returns the approximate table memory of a position.
func (r *run) entryBytes() int64 { return int64(len(r.machine.Initial())*8 + entryBytes) }

// search finds the undominated outcomes, then the guarantee of each role.
func (r *run) search(s machine.State) search.Result {
	root := position{state: slices.Clone(s)}
	if over, goals := r.expander.Look(s); over {
		root.goals = points(goals)
	}
	names := r.machine.Names()
	res := search.Result{Concept: search.Guarantee, Proved: true, Strategies: make([][]search.Weighted, len(names.Roles))}
	res.Outcomes = r.outcomes(root)
	for role := range names.Roles {
		v, strategy := r.guarantee(root, machine.Role(role))
		res.Values = append(res.Values, v)
		res.Strategies[role] = strategy
	}
	if r.game.atOnce {
		res.Concept = search.PureGuarantee
	}
	if r.ctx.Err() == nil && !r.isOver() {
		res.Unfinished = r.open
	}
	res.Counters = r.counters
	res.PeakBytes += r.expander.Bytes()
	return res
}

// config returns the configuration of the searches within the remaining node limit.
func (r *run) config() lattice.Config {
	c := lattice.Config{Pruning: lattice.Joint, Table: r.entries}
	if r.lim.MaxNodes > 0 {
		c.MaxNodes = max(r.lim.MaxNodes-r.counters.Nodes, 1)
	}
	return c
}

// count adds the counters of a search with held positions in its table, and reports progress.
func (r *run) count(nodes, hits int64, held int) {
	r.counters.Nodes += nodes
	r.counters.TableHits += hits
	r.counters.PeakBytes = max(r.counters.PeakBytes, int64(held)*r.entryBytes())
	if r.lim.Progress != nil {
		r.lim.Progress(search.Result{Counters: r.counters})
	}
}

// leaveOpen stores the reason for which a search that is not exact has ended.
func (r *run) leaveOpen(isExact, repeats, tooDeep bool) {
	switch {
	case isExact:
	case tooDeep:
		r.open = errTooDeep
	case repeats:
		r.open = errRepeats
	}
}

// guarantee returns the bounds of the role's maximin value, and its move at the root if the root is not
// terminal.
func (r *run) guarantee(root position, role machine.Role) (search.Interval, []search.Weighted) {
	game := against{r.game, role}
	solver, err := lattice.New[position, string, float64](lattice.Numbers{Low: 0, High: machine.MaxGoal}, game, r.config())
	if err != nil {
		panic(err) // numbers are distributive
	}
	v, _ := solver.Search(r.ctx, root)
	r.leaveOpen(v.Exact, v.Repeats, v.TooDeep)
	r.count(v.Nodes, v.Hits, v.Held)
	bounds := search.Interval{Lower: v.Lower, Upper: v.Upper}
	if root.goals != nil || r.ctx.Err() != nil {
		return bounds, nil
	}
	r.game.expand(root)
	moves := r.game.expansion.Moves[role]
	if len(moves) == 1 {
		return bounds, []search.Weighted{{Move: moves[0], Probability: 1}}
	}
	best := 0
	for i, b := range v.Moves {
		if b.Lower > v.Moves[best].Lower {
			best = i
		}
	}
	return bounds, []search.Weighted{{Move: moves[min(best, len(moves)-1)], Probability: 1}}
}

// isOver reports whether the node limit is reached.
func (r *run) isOver() bool { return r.lim.MaxNodes > 0 && r.counters.Nodes >= r.lim.MaxNodes }

// outcomeSolver searches for sets of outcomes.
type outcomeSolver = lattice.Solver[position, string, front, lattice.Outcomes, together]

// outcomes finds the undominated outcomes and a line to each.
func (r *run) outcomes(root position) *search.Outcomes {
	values := lattice.Outcomes{Elements: lattice.Vectors{Roles: len(r.machine.Names().Roles), High: machine.MaxGoal}}
	solver, err := lattice.New[position, string, front](values, together{r.game}, r.config())
	if err != nil {
		panic(err) // sets of vectors are distributive
	}
	v, _ := solver.Search(r.ctx, root)
	r.leaveOpen(v.Exact, v.Repeats, v.TooDeep)
	r.count(v.Nodes, v.Hits, v.Held)
	out := &search.Outcomes{Complete: v.Exact}
	for _, goals := range v.Lower {
		o := search.Outcome{Goals: goals}
		if !r.lim.NoLine {
			o.Line, _ = r.line(solver, root, goals, make(map[string]bool))
		}
		out.List = append(out.List, o)
	}
	return out
}

// line returns a line from p to the given goals, and reports whether it has found one: none is found by a stopped search.
// The line follows children from which the goals are reachable, and enters no position twice.
func (r *run) line(solver *outcomeSolver, p position, goals []int32, entered map[string]bool) ([][]machine.Move, bool) {
	if p.goals != nil {
		return nil, slices.Equal(p.goals, goals)
	}
	entered[r.game.Key(p)] = true
	r.game.expand(p)
	children := r.game.children(nil)
	joints := make([][]machine.Move, len(children))
	for c := range joints {
		joints[c] = make([]machine.Move, len(r.game.expansion.Moves))
		r.game.expansion.Joint(joints[c], c)
	}
	for c, child := range children {
		if entered[r.game.Key(child)] || !r.reaches(solver, child, goals) {
			continue
		}
		if rest, found := r.line(solver, child, goals, entered); found {
			return append([][]machine.Move{joints[c]}, rest...), true
		}
	}
	return nil, false
}

// reaches reports whether goals is known as an outcome of p. It searches while the context lasts and nodes are left.
func (r *run) reaches(solver *outcomeSolver, p position, goals []int32) bool {
	if p.goals != nil {
		return slices.Equal(p.goals, goals)
	}
	holds := func(f front) bool {
		return slices.ContainsFunc(f, func(g []int32) bool { return slices.Equal(g, goals) })
	}
	if holds(solver.Known(p).Lower) {
		return true
	}
	if r.ctx.Err() != nil || r.isOver() {
		return false
	}
	v, _ := solver.Search(r.ctx, p)
	r.counters.Nodes += v.Nodes
	return holds(v.Lower)
}
