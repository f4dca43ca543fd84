package machine

import (
	"context"
	"errors"
)

// Analysis is the set of facts that a compiler can derive about a game beyond its moves. Each fact is
// computed at the first call, which may take as long as compiling, and kept: later calls return the same
// result. If ctx ends the first call, or a part would cost too many gates, the fact stays unknown; only
// proofs are tried again. Analysis is a part of every Machine, so that wrappers of a machine pass it on.
// Machines without facts embed Unanalysed.
type Analysis interface {
	// Decisive returns the same machine with decisive and anti-decisive moves (Teytaud and Teytaud, 2010);
	// nil if they are not known. Its batches choose random moves, list sensible moves and find wins by these
	// rules:
	//
	//  1. Moves that end the game at once with the best goal of their role are chosen.
	//  2. Otherwise moves are excluded that end the game with the best goal of another role, or
	//     that allow another role to do so with its next move.
	//  3. If rule 2 excludes every move, all moves are allowed.
	//
	// A cheaper form ignores the next moves of other roles, or misses wins that depend on many conditions at
	// once. If other roles choose at the same time, every move is allowed. With atOnce, the other roles are
	// assumed to do nothing instead. That is a heuristic: such a machine finds no wins. All rules assume that
	// a role has at most one goal in a terminal position, which ProvedGoalSum proves.
	Decisive(ctx context.Context, atOnce bool) Machine
	// Subgames returns the independent games of which the game consists; nil if there are fewer than two, or
	// if they are not known.
	Subgames(ctx context.Context) []Subgame
	// Signals returns the threats and possible moves of positions, as features beside the fluents; nil if
	// none are known.
	Signals(ctx context.Context) Signals
	// Plan searches for a plan with the best goal from position s, for games of one role without chance. It
	// ends when no better plan exists or ctx is done. The result is not kept. The error says why the machine
	// finds no plans for this game; it is ErrNoPlans if the engine cannot search for plans.
	Plan(ctx context.Context, s State, lim PlanLimits) (Plan, error)
	// ProvedGoalSum returns the constant sum of goal points of all players, without chance, in every terminal
	// position that can be reached from the initial position. Both the sum and the fact that each player has
	// exactly one goal there, from 0 to MaxGoal, are proved from the rules. If proved is false, the sum may
	// still be constant. The proof ends with ctx, and after ten seconds if ctx has no deadline; a later call
	// tries again.
	ProvedGoalSum(ctx context.Context) (sum int32, proved bool)
	// ProvedLength returns an upper bound on the joint moves of a game from the initial position: after so
	// many moves it has ended, or is stuck because a role has no legal move. The bound is proved from the
	// rules, like the result of ProvedGoalSum.
	ProvedLength(ctx context.Context) (moves int, proved bool)
}

// Unanalysed is the Analysis of machines without facts.
type Unanalysed struct{}

var _ Analysis = Unanalysed{}

// ErrNoPlans is the error of machines that do not search for plans.
var ErrNoPlans = errors.New("plans are found only for games that are compiled to a circuit")

// Decisive implements Analysis.
func (Unanalysed) Decisive(context.Context, bool) Machine { return nil }

// Subgames implements Analysis.
func (Unanalysed) Subgames(context.Context) []Subgame { return nil }

// Signals implements Analysis.
func (Unanalysed) Signals(context.Context) Signals { return nil }

// Plan implements Analysis.
func (Unanalysed) Plan(context.Context, State, PlanLimits) (Plan, error) {
	return Plan{Goal: NoGoal, Bound: MaxGoal}, ErrNoPlans
}

// ProvedGoalSum implements Analysis.
func (Unanalysed) ProvedGoalSum(context.Context) (int32, bool) { return NoGoal, false }

// ProvedLength implements Analysis.
func (Unanalysed) ProvedLength(context.Context) (int, bool) { return 0, false }

// Decisive returns m with decisive moves, or m itself if they are not known.
func Decisive(ctx context.Context, m Machine, atOnce bool) Machine {
	if decisive := m.Decisive(ctx, atOnce); decisive != nil {
		return decisive
	}
	return m
}

// Subgame is an independent part of a game, with the roles, moves and fluents of the whole game. If each role
// always has moves in at most one subgame, then the subgame's fluents and legal moves agree with the whole
// game in every position. The end and goals are derived from the own part; the rules of the whole may combine
// them in other ways.
type Subgame struct {
	Machine
	// Fluents is the set of the subgame's own fluents and the fluents that all subgames share. The other
	// fluents keep their initial values.
	Fluents State
	// Elsewhere holds, by role, the move that stands for any move in another subgame; NoMove if there is
	// none.
	Elsewhere []Move
}

// Project returns the subgame's part of position s of the whole.
func (g *Subgame) Project(s State) State {
	part := make(State, len(s))
	for i, own := range g.Fluents {
		part[i] = s[i]&own | g.Initial()[i]&^own
	}
	return part
}

// Signals is the list of the signals of a game. It is immutable.
type Signals interface {
	List() []Signal
	NewSensor() Sensor
}

// Signal is a threat or a move. A threat: if the fluent Lacks became true, the game would end with the best
// goal of the role. A move: it would be legal if the role had the turn.
type Signal struct {
	Role  Role
	Move  Move // NoMove for a threat
	Lacks int  // the fluent; 0 for a move
}

// IsThreat reports whether s is a threat.
func (s Signal) IsThreat() bool { return s.Move == NoMove }

// Sensor detects signals in positions. It belongs to one goroutine.
type Sensor interface {
	// Sense writes the signals that hold in each of several positions, laid out one after the other, none of
	// which is terminal: bit i%64 of word i/64 for signal i, as many words for each position as the list
	// needs.
	Sense(dst, states []uint64)
}

// PlanLimits bounds the search for a plan beside its context.
type PlanLimits struct {
	MaxBytes int64 // approximate memory of the search; 0 for no limit
	// Progress, if not nil, is called with each plan that is better than the previous plans.
	Progress func(Plan)
}

// Plan is the best known plan.
type Plan struct {
	Line  [][]Move // joint moves to a terminal position; nil if no plan is known
	Goal  int32    // goal points at its end; NoGoal if no plan is known
	Bound int32    // goal points: it is proved that no plan has more
	Calls int64    // calls of the SAT solver
	Bytes int64    // memory of the largest formula
}
