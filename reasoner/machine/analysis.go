package machine

import (
	"context"
	"errors"
)

// Analysis is what a compiler knows of a game besides how to play it. Each part is worked out
// when it is first asked for, which may take as long as compiling, and kept: later calls
// return what the first one did. Where ctx ends the first call, or a part would cost more
// gates than it is worth, that part is not known; only proofs are tried again. It is a part of every Machine, so that
// whoever wraps a machine passes it on; machines that know nothing embed Unanalysed.
type Analysis interface {
	// Decisive is the same machine with decisive and anti-decisive moves (Teytaud and
	// Teytaud, 2010); nil if they are not known. Its batches choose random moves, list
	// sensible ones and tell wins by these rules:
	//
	//  1. Moves that end the game at once with the best goal of their role are chosen.
	//  2. Otherwise moves are left out that end it with the best goal of another role, or
	//     that allow another role to do so with its next move.
	//  3. If no move is left by that, all are allowed.
	//
	// A cheaper form ignores what other roles may do next, or misses wins that depend on
	// many conditions at once. Where others choose at the same time, all moves are allowed; or,
	// with atOnce, those others are taken to do nothing. That is a heuristic: such a machine
	// tells no wins. All of it assumes that a role has at most one goal in a terminal position,
	// which ProvedGoalSum proves.
	Decisive(ctx context.Context, atOnce bool) Machine
	// Subgames are the independent games that the game is made of; nil if there are fewer
	// than two, or if they are not known.
	Subgames(ctx context.Context) []Subgame
	// Signals are worth knowing of positions beside their fluents; nil if none are known.
	Signals(ctx context.Context) Signals
	// Plan looks for the plan with the best goal from position s, for games of one role
	// without chance, until none better is left or ctx ends. It is not kept. The error says
	// why there are no plans for this game: ErrNoPlans if the machine is not of an engine
	// that finds them.
	Plan(ctx context.Context, s State, lim PlanLimits) (Plan, error)
	// ProvedGoalSum returns the number of goal points to which the goals of all players, chance
	// aside, add up in every terminal position that can be reached from the initial position. It is
	// proved from the rules, and so is that each player has exactly one goal there, from 0 to
	// MaxGoal. Otherwise proved is false: the sum may still be constant. The proof ends with ctx,
	// and after ten seconds if ctx has no deadline; a later call tries again.
	ProvedGoalSum(ctx context.Context) (sum int32, proved bool)
	// ProvedLength returns a number of joint moves within which every game from the initial position
	// has ended or is stuck, as a role has no legal move. It is proved from the rules, as
	// ProvedGoalSum is, and it is no more than an upper bound.
	ProvedLength(ctx context.Context) (moves int, proved bool)
}

// Unanalysed is the Analysis of machines that know nothing.
type Unanalysed struct{}

var _ Analysis = Unanalysed{}

// ErrNoPlans is the error of machines that do not look for plans.
var ErrNoPlans = errors.New("plans are found in games that fit into a circuit")

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

// Decisive is m with decisive moves, or m itself if it knows none.
func Decisive(ctx context.Context, m Machine, atOnce bool) Machine {
	if decisive := m.Decisive(ctx, atOnce); decisive != nil {
		return decisive
	}
	return m
}

// Subgame is one of several games that a game is made of, with the roles, moves and fluents
// of the whole. If in every position of the whole each role has moves in at most one of them,
// each has in every position those fluents and legal moves of the whole that are its own.
// Its end and its goals are those of its own part; the rules of the whole may combine them
// in other ways.
type Subgame struct {
	Machine
	// Fluents are its own and those that belong to all. The others stay as they are at the
	// beginning.
	Fluents State
	// Elsewhere, by role, is the move that stands for any move in another subgame; NoMove
	// if there is none.
	Elsewhere []Move
}

// Project is the position of the subgame that is a part of position s of the whole.
func (g *Subgame) Project(s State) State {
	part := make(State, len(s))
	for i, own := range g.Fluents {
		part[i] = s[i]&own | g.Initial()[i]&^own
	}
	return part
}

// Signals are those of one game. They are immutable.
type Signals interface {
	List() []Signal
	NewSensor() Sensor
}

// Signal is a threat or a move. A threat: if the fluent that it lacks were true beside the
// others, the game would be over with the best goal of the role. A move: it would be legal
// if it were the turn of the role.
type Signal struct {
	Role  Role
	Move  Move // NoMove for a threat
	Lacks int  // the fluent; 0 for a move
}

// IsThreat tells whether it is a threat.
func (s Signal) IsThreat() bool { return s.Move == NoMove }

// Sensor belongs to one goroutine.
type Sensor interface {
	// Sense writes, for positions laid out one after the other that are not terminal,
	// which signals of the list there are: bit i%64 of word i/64 for signal i, as many
	// words for each position as that takes.
	Sense(dst, states []uint64)
}

// PlanLimits bound the search for a plan besides its context.
type PlanLimits struct {
	MaxBytes int64 // that it may take, about; 0 for no limit
	// Progress, if not nil, is told of each plan that is better than those before.
	Progress func(Plan)
}

// Plan is the best one known.
type Plan struct {
	Line  [][]Move // joint moves to a terminal position; nil if no plan is known
	Goal  int32    // goal points at its end; NoGoal if no plan is known
	Bound int32    // goal points: it is proved that no plan has more
	Calls int64    // of the engine that decides formulas
	Bytes int64    // the largest formula
}
