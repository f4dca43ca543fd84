// Package search holds what all searches share: the shape of their results and
// the limits they obey. The searches live in the packages below it. They know
// state machines (reasoner/machine), never rules or text.
package search

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"stackmate/reasoner/machine"
)

// ErrNotZeroSum is returned by a zero-sum search that meets a terminal position
// whose goals do not add up to the constant of the game.
var ErrNotZeroSum = errors.New("the game is not zero-sum")

// ErrNotSequential is returned by a search of sequential games that meets a
// position where two roles have a choice.
var ErrNotSequential = errors.New("both roles choose at once")

// ErrGoals is wrapped by the errors of searches that meet a terminal position in which the rules
// do not give every player exactly one goal from 0 to machine.MaxGoal.
var ErrGoals = errors.New("a fault of the rules: expected one goal from 0 to 100 for every player at the end")

// Concept is the concept of solution of a result: the meaning of its values.
type Concept string

// The concepts of solution.
const (
	// Value is the value of a game of one player, or of a zero-sum game of two: the sum of the
	// goals is proved to be constant.
	Value Concept = "value"
	// Guarantee is, for each role, the most that it can guarantee by a mixed strategy whatever
	// the others do, together (the maximin value, or security level).
	Guarantee Concept = "guarantee"
	// PureGuarantee is the same by a move that the others know before they choose.
	PureGuarantee Concept = "pure guarantee"
	// Equilibrium is, for each role, its payoff in one equilibrium of the game; other equilibria
	// may have other payoffs.
	Equilibrium Concept = "equilibrium"
)

// Interval contains a value: Lower ≤ value ≤ Upper, in goal points of one role.
type Interval struct{ Lower, Upper float64 }

// Points returns the goal points of a goal: 0 for machine.NoGoal. Searches that play, and estimates, count a
// missing goal so. Searches that solve run behind package goals, which returns ErrGoals instead.
func Points(goal int32) int32 { return max(goal, 0) }

// Opponents are the players of a game of one, whose other is machine.NoRole, or of two.
// Other games are an error.
func Opponents(names *machine.Names) (first, other machine.Role, err error) {
	switch p := names.Players(); len(p) {
	case 1:
		return p[0], machine.NoRole, nil
	case 2:
		return p[0], p[1], nil
	default:
		return machine.NoRole, machine.NoRole,
			fmt.Errorf("expected a game of one or two roles besides %s, found %d", machine.RandomRole, len(p))
	}
}

// Exact is the interval that holds v alone.
func Exact(v float64) Interval { return Interval{v, v} }

// Solved tells whether only one value is left.
func (i Interval) Solved() bool { return i.Lower == i.Upper }

// Weighted is one move of a mixed strategy. A pure strategy has one Weighted of
// probability 1.
type Weighted struct {
	Move        machine.Move
	Probability float64
}

// Counters says what a search did.
type Counters struct {
	Nodes     int64         // positions expanded
	Playouts  int64         // random games of sampling searches, or estimates in their place
	LPCalls   int64         // linear programs and matrix games solved
	LPTime    time.Duration // time inside them
	TableHits int64         // positions answered by the transposition table
	// Positions are those whose value was asked for: found in the rules or in the table, or
	// searched. It is what programs for one game call nodes; 0 where it is not counted.
	Positions int64
	PeakBytes int64 // largest memory of tables and trees
	Evictions int64 // positions that the transposition table has lost so far for want of memory
	Elapsed   time.Duration
	// Depth is that of the iteration under way, or the last one, of a search that
	// deepens, and Left an estimate of the time until it ends. 0 is not known.
	Depth int
	Left  time.Duration
}

// And adds the counters of a later part of one search. The depth is the one of the later part, and memory that of the larger one.
func (c Counters) And(d Counters) Counters {
	return Counters{
		Nodes: c.Nodes + d.Nodes, Playouts: c.Playouts + d.Playouts, Positions: c.Positions + d.Positions,
		LPCalls: c.LPCalls + d.LPCalls, LPTime: c.LPTime + d.LPTime, TableHits: c.TableHits + d.TableHits,
		PeakBytes: max(c.PeakBytes, d.PeakBytes), Evictions: max(c.Evictions, d.Evictions), Elapsed: c.Elapsed + d.Elapsed,
		Depth: d.Depth, Left: d.Left,
	}
}

// Result is what a search knows of a position.
type Result struct {
	// Values contains the value for each role, in goal points.
	Values []Interval
	// Concept is the meaning of Values; empty where a search is told, not shown, that the game is
	// zero-sum (package goals fills it in).
	Concept Concept
	// Proved: Values are bounds that hold; otherwise they are
	// estimates. Solved means proved and every interval a single number.
	Proved bool
	// Estimates holds, for each role, the best guess at the value: inside of its
	// interval and, unless that is a single number, not proved. Nil where the
	// search makes none.
	Estimates []float64
	// Strategies holds, for each role, the strategy found at the root: the moves
	// with positive probability, ascending. Nil for a role that has none.
	Strategies [][]Weighted
	// Moves holds, for each role, what is known of its moves at the root, in any order.
	// Nil where the search knows nothing of single moves.
	Moves [][]Known
	// Line is the principal line: joint moves from the root, one move per role.
	Line [][]machine.Move
	// Unfinished says why the search ended before its value was found, where neither
	// the context nor MaxNodes was the reason: more of what it names, or another
	// search, gets further. Nil otherwise.
	Unfinished error
	// Outcomes are those of the game that are undominated, where the search looks for
	// them, else nil.
	Outcomes *Outcomes
	Counters
}

// Known is what a search knows of one move of a role at the root, in goal points of
// that role.
type Known struct {
	Move machine.Move
	// Bounds contains what the role gets that makes the move: at least Lower, whatever the
	// others do, and at most Upper. They are proved.
	Bounds Interval
	// Estimate is the best guess at what the move brings, within Bounds, and Visits the
	// number of samples that it comes from; 0 where it comes from none.
	Estimate float64
	Visits   int64
	// Line are the joint moves that are expected from this one on, the reply being the second of them; nil
	// where none are. Plies is the number of joint moves, this one included, in which what is proved of
	// the move is reached; 0 is not known.
	Line  [][]machine.Move
	Plies int
}

// Sure is what a role can make sure of by one of its moves.
func Sure(moves []Known) float64 {
	sure := math.Inf(-1)
	for _, m := range moves {
		sure = max(sure, m.Bounds.Lower)
	}
	return sure
}

// Mistakes lists those of a role's moves that are proved to be mistakes: another one makes
// sure of more, or they bring the worst goal for sure and another one may not.
func Mistakes(moves []Known, worst float64) []machine.Move {
	sure, possible := Sure(moves), math.Inf(-1)
	for _, m := range moves {
		possible = max(possible, m.Bounds.Upper)
	}
	var list []machine.Move
	for _, m := range moves {
		if u := m.Bounds.Upper; u < sure || u == worst && possible > worst {
			list = append(list, m.Move)
		}
	}
	return list
}

// Guess is the best guess at the value of a role: the estimate where the search made one,
// else the middle of the interval.
func (r *Result) Guess(role machine.Role) float64 {
	v := r.Values[role]
	if !v.Solved() && int(role) < len(r.Estimates) {
		return r.Estimates[role]
	}
	return (v.Lower + v.Upper) / 2
}

// Outcomes are goals of all roles that can be reached together and are undominated:
// there is no other outcome that is better for one role and for none worse.
type Outcomes struct {
	List []Outcome
	// Complete tells that there are no others. Otherwise those of the list can be
	// reached, and the others are not known.
	Complete bool
}

// Outcome is one of them.
type Outcome struct {
	Goals []int32          // by role, in goal points
	Line  [][]machine.Move // joint moves that lead there from the root; nil where not wanted
}

// Solved tells whether the value is proved and exact for every role, and the outcomes
// are complete where there are any.
func (r *Result) Solved() bool {
	if !r.Proved || r.Outcomes != nil && !r.Outcomes.Complete {
		return false
	}
	for _, v := range r.Values {
		if !v.Solved() {
			return false
		}
	}
	return len(r.Values) > 0
}

// Limits bound a search besides its context. Zero means no limit. A search that
// stops at MaxNodes, not at a clock, on one thread, is reproducible to the last bit.
type Limits struct {
	MaxNodes int64
	// MaxBytes bounds the memory of one search: tables, trees, batches and what is
	// held of the positions on the path. What a search cannot do without it takes
	// in any case, see Divide.
	MaxBytes int64
	Seed     uint64
	// NoLine asks for no principal line. Where many positions are searched that
	// are known by and large, finding the line takes longer than the rest.
	NoLine bool
	// Wanted holds the roles whose values are wanted; nil means all. A search that finds the
	// guarantee of each role on its own does no work for other roles.
	Wanted []machine.Role
	// Progress, if not nil, is called now and then with what is known so far.
	// It is called from the searching goroutine and must return quickly.
	Progress func(Result)
}

// Divide splits the memory of a search that expands positions, on a machine whose
// batches take the given bytes, into what may be spent on its tables and on its
// stack, the expansions of the positions on the path. A table is of use whatever
// its size, so a quarter for the stack leaves enough for it. Half of the limit is
// divided even where batches take more, and the stack is never less than leastStack.
// A limit of 0 (none) gives 0 and 0.
func Divide(limit, batches int64) (tables, stack int64) {
	if limit <= 0 {
		return 0, 0
	}
	left := max(limit-batches, limit/2)
	return max(left-left/4, 1), max(left/4, leastStack)
}

// leastStack is room for some tens of positions of an ordinary game with their
// children: without it nothing is searched at all.
const leastStack = 1 << 20

// Keeper is a Searcher that can tell what it remembers, and be told by another one, so
// that a long search can go on in another process.
type Keeper interface {
	Searcher
	// Kept lists what is remembered of the positions that took some work: records of the
	// same length, each valid until the next. It may be called between two searches, and
	// by Limits.Progress.
	Kept() iter.Seq[[]uint64]
	// Keep takes over the records of a search of the same kind on the same machine. The
	// next Search must have maxBytes as its limit of memory. The error is that of the
	// records, or says what is wrong with one.
	Keep(m machine.Machine, maxBytes int64, records iter.Seq2[[]uint64, error]) error
}

// Searcher is one kind of search. Search explores from position s until it is
// solved, a limit is reached or ctx is done; the last two are not errors, the
// result then says what is known.
type Searcher interface {
	Search(ctx context.Context, m machine.Machine, s machine.State, lim Limits) (Result, error)
}
