// Package facts asks machines for facts about their game beyond its moves: symmetries, possible goals, decisive moves,
// subgames, signals, plans and proofs. Each kind of fact has an interface, which machines that know it implement, and a
// function that asks a machine and gives the answer of machines that do not know. No fact changes the game.
//
// A fact is computed at the first call, which may take as long as compiling, and kept: later calls return the same
// result. If the context ends the first call, or a part would cost too many gates, the fact stays unknown. There are two
// exceptions: a proof that the context ended is tried again, and plans, which depend on a position, are not kept.
package facts

import (
	"context"
	"errors"

	"stackmate/reasoner/machine"
)

// Symmetric is a machine with known automorphisms of its rules.
type Symmetric interface{ Symmetries() []Symmetry }

// Symmetries returns automorphisms of the rules of m, without the identity. The list may be incomplete. Callers must
// not change them.
func Symmetries(m machine.Machine) []Symmetry {
	if s, ok := machine.As[Symmetric](m); ok {
		return s.Symmetries()
	}
	return nil
}

// Exchangeable is a machine with a known exchange of its players.
type Exchangeable interface{ Exchange() *Symmetry }

// Exchange returns an automorphism that exchanges the players of a game of two; nil if none is known. Unlike Symmetries, it
// may hold only in positions in which some pairs of fluents are complementary, such as the two fluents that mark the turn.
// They are complementary in all reachable positions and in the images of these.
func Exchange(m machine.Machine) *Symmetry {
	if e, ok := machine.As[Exchangeable](m); ok {
		return e.Exchange()
	}
	return nil
}

// Symmetry is an automorphism of the rules: a renaming of roles, moves and fluents that maps the rules to
// themselves. If a joint move leads from position a to position b, its image leads from the image of a to the
// image of b. Images of terminal positions are terminal. The goal of a role in a position equals the goal of
// its image in the image of the position. The initial position need not be its own image.
type Symmetry struct {
	Roles   []machine.Role   // the image of each role
	Moves   [][]machine.Move // the image of each move, by its role: a move of the role's image
	Fluents []int32          // the image of each fluent
}

// Image writes the image of position s into dst, which must not be s.
func (y *Symmetry) Image(dst, s machine.State) {
	clear(dst)
	for f, image := range y.Fluents {
		if s.Has(f) {
			dst.Set(int(image))
		}
	}
}

// Valued is a machine with a known set of goals.
type Valued interface{ GoalValues() [][]int32 }

// GoalValues returns, by role, the goals that the rules of m may give, without NoGoal, in any order; nil if they are
// not known. Callers must not change them.
func GoalValues(m machine.Machine) [][]int32 {
	if v, ok := machine.As[Valued](m); ok {
		return v.GoalValues()
	}
	return nil
}

// Deciding is a machine that can be compiled with decisive moves.
type Deciding interface {
	Decisive(ctx context.Context, atOnce bool) machine.Machine
}

// Decisive returns m with decisive and anti-decisive moves (Teytaud and Teytaud, 2010); nil if they are not known. Its
// batches choose random moves, list sensible moves and find wins by these rules:
//
//  1. Moves that end the game at once with the best goal of their role are chosen.
//  2. Otherwise moves are excluded that end the game with the best goal of another role, or
//     that allow another role to do so with its next move.
//  3. If rule 2 excludes every move, all moves are allowed.
//
// A cheaper form ignores the next moves of other roles, or misses wins that depend on many conditions at once. If other
// roles choose at the same time, every move is allowed. With atOnce, the other roles are assumed to do nothing instead.
// That is a heuristic: such a machine finds no wins. All rules assume that a role has at most one goal in a terminal
// position, which ProvedGoalSum proves.
func Decisive(ctx context.Context, m machine.Machine, atOnce bool) machine.Machine {
	if d, ok := machine.As[Deciding](m); ok {
		return d.Decisive(ctx, atOnce)
	}
	return nil
}

// Divisible is a machine that may consist of independent games.
type Divisible interface {
	Subgames(ctx context.Context) []Subgame
}

// Subgames returns the independent games of which m consists; nil if there are fewer than two, or if they are not
// known.
func Subgames(ctx context.Context, m machine.Machine) []Subgame {
	if d, ok := machine.As[Divisible](m); ok {
		return d.Subgames(ctx)
	}
	return nil
}

// Subgame is an independent part of a game, with the roles, moves and fluents of the whole game. If each role
// always has moves in at most one subgame, then the subgame's fluents and legal moves agree with the whole
// game in every position. The end and goals are derived from the own part; the rules of the whole may combine
// them in other ways.
type Subgame struct {
	machine.Machine
	// Fluents is the set of the subgame's own fluents and the fluents that all subgames share. The other
	// fluents keep their initial values.
	Fluents machine.State
	// Elsewhere holds, by role, the move that stands for any move in another subgame; NoMove if there is
	// none.
	Elsewhere []machine.Move
}

// Unwrap implements Wrapper.
func (g *Subgame) Unwrap() machine.Machine { return g.Machine }

// Project returns the subgame's part of position s of the whole.
func (g *Subgame) Project(s machine.State) machine.State {
	part := make(machine.State, len(s))
	for i, own := range g.Fluents {
		part[i] = s[i]&own | g.Initial()[i]&^own
	}
	return part
}

// Sensing is a machine with signals.
type Sensing interface {
	Signals(ctx context.Context) Signals
}

// SignalsOf returns the threats and possible moves of positions of m, as features beside the fluents; nil if none are
// known.
func SignalsOf(ctx context.Context, m machine.Machine) Signals {
	if s, ok := machine.As[Sensing](m); ok {
		return s.Signals(ctx)
	}
	return nil
}

// Signals is the list of the signals of a game. It is immutable.
type Signals interface {
	List() []Signal
	NewSensor() Sensor
}

// Signal is a threat or a move. A threat: if the fluent Lacks became true, the game would end with the best
// goal of the role. A move: it would be legal if the role had the turn.
type Signal struct {
	Role  machine.Role
	Move  machine.Move // NoMove for a threat
	Lacks int          // the fluent; 0 for a move
}

// IsThreat reports whether s is a threat.
func (s Signal) IsThreat() bool { return s.Move == machine.NoMove }

// Sensor detects signals in positions. It belongs to one goroutine.
type Sensor interface {
	// Sense writes the signals that hold in each of several positions, laid out one after the other, none of
	// which is terminal: bit i%64 of word i/64 for signal i, as many words for each position as the list
	// needs.
	Sense(dst, states []uint64)
}

// Planning is a machine that searches for plans.
type Planning interface {
	Plan(ctx context.Context, s machine.State, lim PlanLimits) (Plan, error)
}

// ErrNoPlans is the error of machines that do not search for plans.
var ErrNoPlans = errors.New("plans are found only for games that are compiled to a circuit")

// FindPlan searches for a plan with the best goal from position s of m, for games of one role without chance. It ends
// when no better plan exists or ctx is done. A match without end, or without a legal move, is no plan. The result is not kept. The error says why the machine finds no plans for
// this game; it is ErrNoPlans if the engine cannot search for plans.
func FindPlan(ctx context.Context, m machine.Machine, s machine.State, lim PlanLimits) (Plan, error) {
	if p, ok := machine.As[Planning](m); ok {
		return p.Plan(ctx, s, lim)
	}
	return Plan{Goal: machine.NoGoal, Bound: machine.MaxGoal}, ErrNoPlans
}

// PlanLimits bounds the search for a plan beside its context.
type PlanLimits struct {
	MaxBytes int64 // approximate memory of the search; 0 for no limit
	// Progress, if not nil, is called with each plan that is better than the previous plans.
	Progress func(Plan)
}

// Plan is the best known plan.
type Plan struct {
	Line  [][]machine.Move // joint moves to a terminal position; nil if no plan is known
	Goal  int32            // goal points at its end; NoGoal if no plan is known
	Bound int32            // goal points: it is proved that no plan has more
	// Faulty holds joint moves to a terminal position without a single goal, which no plan leads to; nil if none was met.
	Faulty [][]machine.Move
	Calls  int64 // calls of the SAT solver
	Bytes  int64 // memory of the largest formula
}

// Proving is a machine that proves facts from the rules. A proof ends with its context, and after ten seconds if the
// context has no deadline; a later call tries again.
type Proving interface {
	ProvedGoalSum(ctx context.Context) (sum int32, proved bool)
	ProvedLength(ctx context.Context) (moves int, proved bool)
}

// ProvedGoalSum returns the constant sum of goal points of all players, without chance, in every terminal position that
// can be reached from the initial position of m. Both the sum and the fact that each player has exactly one goal there,
// from 0 to MaxGoal, are proved from the rules. If proved is false, the sum may still be constant.
func ProvedGoalSum(ctx context.Context, m machine.Machine) (sum int32, proved bool) {
	if p, ok := machine.As[Proving](m); ok {
		return p.ProvedGoalSum(ctx)
	}
	return machine.NoGoal, false
}

// ProvedLength returns an upper bound on the joint moves of a game from the initial position of m: after so many moves
// it has ended, or is stuck because a role has no legal move. The bound is proved from the rules.
func ProvedLength(ctx context.Context, m machine.Machine) (moves int, proved bool) {
	if p, ok := machine.As[Proving](m); ok {
		return p.ProvedLength(ctx)
	}
	return 0, false
}
