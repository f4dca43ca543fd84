// Package search defines the results, limits and errors that all searches share. The searches are in the packages
// below it. They know state machines (reasoner/machine), never rules or text.
package search

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"stackmate/reasoner/machine"
)

// ErrNotZeroSum is returned by a zero-sum search if the sum of the goals in a terminal position differs from the
// constant of the game.
var ErrNotZeroSum = errors.New("the game is not zero-sum")

// ErrNotSequential is returned by a search of sequential games at a position in which two roles have a choice.
var ErrNotSequential = errors.New("two roles choose simultaneously")

// ErrGoals is wrapped by errors of searches at a terminal position in which the rules do not give every player exactly
// one goal from 0 to machine.MaxGoal.
var ErrGoals = errors.New("a fault of the rules: expected one goal from 0 to 100 for every player at the end")

// Concept is the solution concept of a result: the meaning of its values.
type Concept string

// The solution concepts.
const (
	// Value is the value of a game of one player, or of a zero-sum game of two players: the sum of the goals is proved
	// to be constant.
	Value Concept = "value"
	// BestEnd is the best goal of a game of one role where a match without end counts 0.
	BestEnd Concept = "best end"
	// Guarantee is, for each role, the maximum that a mixed strategy guarantees against a coalition of all other roles
	// (maximin value, security level).
	Guarantee Concept = "guarantee"
	// PureGuarantee is the same by pure strategies that the other roles know before they choose.
	PureGuarantee Concept = "pure guarantee"
	// Equilibrium is, for each role, its payoff in one equilibrium of the game. Payoffs of other equilibria may
	// differ.
	Equilibrium Concept = "equilibrium"
)

// Interval contains a value: Lower ≤ value ≤ Upper, in goal points of one role.
type Interval struct{ Lower, Upper float64 }

// Points returns the goal points of a goal: 0 for machine.NoGoal. Evaluations and searches of players use this value
// for a missing goal. Solving searches run behind package goals, which returns ErrGoals instead.
func Points(goal int32) int32 { return max(goal, 0) }

// Opponents returns the players of a game of one or two players; other is machine.NoRole in a game of one. It returns
// an error for more players.
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

// GoalRange is the interval of all goals.
var GoalRange = Interval{Lower: 0, Upper: machine.MaxGoal}

// Exact returns the interval that contains v alone.
func Exact(v float64) Interval { return Interval{v, v} }

// Solved reports whether the interval is a single value.
func (i Interval) Solved() bool { return i.Lower == i.Upper }

// Meet returns the intersection of two intervals that contain the same value.
func (i Interval) Meet(other Interval) Interval {
	return Interval{max(i.Lower, other.Lower), min(i.Upper, other.Upper)}
}

// Clamp returns the number of the interval that is nearest to v.
func (i Interval) Clamp(v float64) float64 { return min(max(v, i.Lower), i.Upper) }

// Opposite returns the interval of sum − value: the other player's, where the goals of both add up to sum.
func (i Interval) Opposite(sum float64) Interval { return Interval{sum - i.Upper, sum - i.Lower} }

// Weighted is a move of a mixed strategy with its probability. A pure strategy has one Weighted of probability 1.
type Weighted struct {
	Move        machine.Move
	Probability float64
}

// Counters holds statistics of a search.
type Counters struct {
	Nodes     int64         // positions expanded
	Playouts  int64         // random games of sampling searches, or evaluations instead
	LPCalls   int64         // linear programs and matrix games solved
	LPTime    time.Duration // time inside them
	TableHits int64         // positions answered by the transposition table
	// Positions is the number of positions whose value was requested: from the rules, from the table, or by search.
	// Solvers of a single game call them nodes; 0 if the search does not count them.
	Positions int64
	PeakBytes int64 // largest memory of tables and trees
	Evictions int64 // positions evicted from the transposition table
	Elapsed   time.Duration
	// Depth is the depth of the current or last iteration of iterative deepening, and Left the estimated time to its
	// end. 0 means unknown.
	Depth int
	Left  time.Duration
	// Epsilon is the tolerance of this iteration in goal points, in searches with a tolerance.
	Epsilon float64
}

// And returns the counters of two consecutive parts of a search: sums, the depth of the later part, and the maximum of
// memory.
func (c Counters) And(d Counters) Counters {
	return Counters{
		Nodes: c.Nodes + d.Nodes, Playouts: c.Playouts + d.Playouts, Positions: c.Positions + d.Positions,
		LPCalls: c.LPCalls + d.LPCalls, LPTime: c.LPTime + d.LPTime, TableHits: c.TableHits + d.TableHits,
		PeakBytes: max(c.PeakBytes, d.PeakBytes), Evictions: max(c.Evictions, d.Evictions), Elapsed: c.Elapsed + d.Elapsed,
		Depth: d.Depth, Left: d.Left, Epsilon: d.Epsilon,
	}
}

// Result is the result of a search at a position.
type Result struct {
	// Values holds, for each role, an interval around the value, in goal points.
	Values []Interval
	// Concept is the meaning of Values. It is empty if a search assumes a zero-sum game without proof (package goals
	// fills it in).
	Concept Concept
	// Proved reports that Values are proved bounds; otherwise they are estimates. Solved means proved, and every
	// interval a single value.
	Proved bool
	// Estimates holds, for each role, an estimate of the value within its interval. It is proved only if the interval
	// is a single value. Nil if the search makes no estimates.
	Estimates []float64
	// Strategies holds, for each role, the strategy found at the root: moves of positive probability in rising order.
	// Nil for a role without a strategy.
	Strategies [][]Weighted
	// Moves holds, for each role, bounds and estimates of its moves at the root, in any order. Nil if the search has
	// none.
	Moves [][]Known
	// Line is the principal variation: joint moves from the root, one move per role.
	Line [][]machine.Move
	// Unfinished is the reason if the search ended without the value, although neither the context nor MaxNodes
	// stopped it. A larger limit of the named kind, or another search, gets further. Nil otherwise.
	Unfinished error
	// Outcomes holds the undominated outcomes of the game, or nil if the search does not compute them.
	Outcomes *Outcomes
	Counters
}

// Known holds the bounds and the estimate of a role's move at the root, in goal points of that role.
type Known struct {
	Move machine.Move
	// Bounds are proved bounds of the role's goal after the move, against all moves of the other roles.
	Bounds Interval
	// Estimate is the estimated goal after the move, within Bounds, and Visits the number of samples behind it; 0
	// without samples.
	Estimate float64
	Visits   int64
	// Line holds the expected joint moves from this move on, with the reply as second element; nil without
	// expectation. Plies is the number of joint moves, including this move, after which the proved goal is reached; 0
	// if unknown.
	Line  [][]machine.Move
	Plies int
}

// Sure returns the maximum of the lower bounds of a role's moves.
func Sure(moves []Known) float64 {
	sure := math.Inf(-1)
	for _, m := range moves {
		sure = max(sure, m.Bounds.Lower)
	}
	return sure
}

// Mistakes returns the moves that are proved to be mistakes. The upper bound of a mistake is below another move's
// lower bound, or is the worst goal although another move may get more.
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

// Without returns a strategy without some moves, with probabilities that add up to 1. It is nil if no move is left.
func Without(strategy []Weighted, moves []machine.Move) []Weighted {
	var kept []Weighted
	sum := 0.0
	for _, w := range strategy {
		if !slices.Contains(moves, w.Move) {
			kept, sum = append(kept, w), sum+w.Probability
		}
	}
	for i := range kept {
		kept[i].Probability /= sum
	}
	return kept
}

// Guess returns the estimated value of a role: the estimate of the search, or else the middle of the interval.
func (r *Result) Guess(role machine.Role) float64 {
	v := r.Values[role]
	if !v.Solved() && int(role) < len(r.Estimates) {
		return r.Estimates[role]
	}
	return (v.Lower + v.Upper) / 2
}

// Outcomes holds reachable goal vectors of all roles that are undominated: no other outcome is better for a role and
// worse for no role.
type Outcomes struct {
	List []Outcome
	// Complete reports that List holds all undominated outcomes. Otherwise the outcomes in List are reachable, and
	// there may be others.
	Complete bool
}

// Outcome is a goal vector.
type Outcome struct {
	Goals []int32          // by role, in goal points
	Line  [][]machine.Move // joint moves from the root to the outcome; nil if not requested
}

// Solved reports whether the value is proved and exact for every role, and the outcomes, if computed, are complete.
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

// Limits bounds a search in addition to its context. Zero means no limit. A search that stops at MaxNodes, without a
// clock, on one thread, is reproducible to the last bit.
type Limits struct {
	MaxNodes int64
	// MaxBytes bounds the memory of one search: tables, trees, batches and the positions on the path. A search takes
	// its minimal memory in any case, see Divide.
	MaxBytes int64
	Seed     uint64
	// NoLine suppresses the principal variation. In a series of searches of almost solved positions, the variation
	// would take most of the time.
	NoLine bool
	// Wanted holds the roles whose values are wanted; nil means all. A search that computes the guarantee of each role
	// separately skips the other roles.
	Wanted []machine.Role
	// Progress, if not nil, receives interim results. It is called from the searching goroutine and must return
	// quickly.
	Progress func(Result)
}

// Divide returns the memory for the tables and for the stack of a search, whose stack holds the expansions of the
// positions on the path. The batches of the machine take the given bytes. The stack gets a quarter, as a table of any
// size is useful. At least half of the limit is divided even if batches take more, and the stack is never below
// leastStack. A limit of 0 means none and gives 0 and 0.
func Divide(limit, batches int64) (tables, stack int64) {
	if limit <= 0 {
		return 0, 0
	}
	left := max(limit-batches, limit/2)
	return max(left-left/4, 1), max(left/4, leastStack)
}

// leastStack is the memory for some tens of positions of an ordinary game with their children, the minimum of a
// search.
const leastStack = 1 << 20

// Keeper is a Searcher that exports and imports its proofs, so that a long search can be resumed in another process.
type Keeper interface {
	Searcher
	// Kept iterates over the stored results of expensive positions: records of equal length, each valid until the
	// next. It may be called between two searches, and by Limits.Progress.
	Kept() iter.Seq[[]uint64]
	// Keep imports the records of a search of the same kind on the same machine. The next Search must have maxBytes as
	// memory limit. It returns the iterator's error, or an error for an invalid record.
	Keep(m machine.Machine, maxBytes int64, records iter.Seq2[[]uint64, error]) error
}

// Searcher is a search. Search explores position s until it is solved, a limit is reached or ctx is done. The last two
// are not errors; the result then holds the bounds so far.
type Searcher interface {
	Search(ctx context.Context, m machine.Machine, s machine.State, lim Limits) (Result, error)
}
