// Package machine is the vocabulary that the engines of the reasoner and the
// searches share: roles, moves and states as integers and bits, and the
// contracts of a state machine. It owns no rules and no algorithm that depends
// on how a machine works.
//
// A Machine is one compiled game: immutable, shared by all goroutines. The work
// is done in a Batch, which holds up to Lanes positions and belongs to one
// goroutine. A batch of one position is an ordinary batch.
package machine

import (
	"context"
	"strconv"
	"time"
)

// Role is an index into Names.Roles: the order of the role declarations.
type Role int

// NoRole stands for the absence of a role.
const NoRole Role = -1

// Move is the number of a move of its role: an index into a table that is known when
// the machine is made, or one that was given when the move was met. Names tells which.
type Move int32

// NoMove stands for the absence of a move.
const NoMove Move = -1

// NoGoal is the goal of a role for which the rules give no goal value, or
// several, or one that is no number from 0 to MaxGoal. It is worth 0
// points to whoever adds up or compares goals.
const NoGoal int32 = -1

// MaxGoal is the largest goal value that the rules of GDL allow.
const MaxGoal = 100

// GoalOf reads a goal value: goal points from 0 to MaxGoal, or NoGoal for any other
// text, so that searches can rely on the range.
func GoalOf(text string) int32 {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil && n <= MaxGoal {
		return int32(n)
	}
	return NoGoal
}

// RandomRole is the name of the role that stands for chance: whoever runs the
// game plays it, choosing uniformly among its legal moves.
const RandomRole = "random"

// State is a position. All states of a machine have Words() words, and two positions
// are equal exactly if their words are. Where the table of fluents is known when the
// machine is made, fluent f is true if and only if bit f%64 of word f/64 is set, and
// the bits past the last fluent are zero. Names.Unpack reads a position of any machine.
type State []uint64

// Has tells whether fluent f is true in s.
func (s State) Has(f int) bool { return s[f>>6]>>(uint(f)&63)&1 != 0 }

// Set makes fluent f true in s.
func (s State) Set(f int) { s[f>>6] |= 1 << (uint(f) & 63) }

// Equal tells whether s and t are the same position of one machine.
func (s State) Equal(t State) bool {
	for i, w := range s {
		if w != t[i] {
			return false
		}
	}
	return true
}

// Info says what a machine is made of.
type Info struct {
	Engine string // "circuit", "datalog" or "reference"
	Reason string // why the front door chose this engine
	// Parallel tells what a batch costs: if true, Evaluate and Advance take the same
	// time for one position as for all lanes, so whoever has one lane to ask may as
	// well fill them all. If false, each position costs what it would cost alone.
	Parallel bool
	Gates    int   // two-input gates (circuit) or rules (other engines)
	Depth    int   // levels of the circuit, 0 for other engines
	Bytes    int64 // memory of the machine itself, without batches
	Batch    int64 // memory of one batch in bytes, 0 if not known
	// Work is how many matches of conditions a position of a random match takes, with
	// its legal moves and a successor; 0 for engines that don't count.
	Work int64
	// Verified is the time that it took to prove that the circuit's programs stay in
	// their memory; 0 for other engines.
	Verified time.Duration
	Stages   Stages // what making the machine took, those of engines that failed included
}

// Machine is one compiled game. It is immutable and safe for concurrent use.
type Machine interface {
	// Names translates roles, moves and fluents from and to terms.
	Names() *Names
	// Words is the length of a State, at least 1.
	Words() int
	// Initial is the initial position; callers must not change it.
	Initial() State
	// NewBatch makes the working memory for as many positions as the machine can
	// hold at once, which is right for playouts.
	NewBatch() Batch
	// NewNarrowBatch makes a batch of fewer lanes, at least 64, which is quicker
	// for a few positions at a time.
	NewNarrowBatch() Batch
	// Symmetries are automorphisms of the rules, without the identity: all, or
	// some, or none where they are not known. The first call may take a tenth of a
	// second. Callers must not change them.
	Symmetries() []Symmetry
	// Info describes the machine for people.
	Info() Info
}

// Decider is a Machine that knows decisive and anti-decisive moves (Teytaud and
// Teytaud, 2010), in all positions of a batch together.
type Decider interface {
	// Decisive is the same machine with another ChooseRandom: it chooses among the
	// moves that end the game at once with the best goal of their role; where there
	// are none, among those that neither end it with the best goal of another role nor allow
	// another role to do so; and where there are none either, among all. Where that costs too much,
	// what other roles are allowed does not count, and where it hangs on many conditions at once it may pass
	// unseen. It takes no account of moves that others choose at the
	// same time: there it chooses among all, or, with atOnce, as if those others did
	// nothing, which is a rule of thumb, and no Foresight. It returns nil for a game where finding these moves would
	// cost too much, in gates or in the time that ctx leaves to the first call: it may
	// take as long as compiling. Later calls return what the first one did.
	Decisive(ctx context.Context, atOnce bool) Machine
}

// Decisive is m with decisive moves (Decider), or m itself if it knows none.
func Decisive(ctx context.Context, m Machine, atOnce bool) Machine {
	if d, ok := m.(Decider); ok {
		if decisive := d.Decisive(ctx, atOnce); decisive != nil {
			return decisive
		}
	}
	return m
}

// Factored is a Machine whose game may be several games that have nothing to do with each
// other but for when it is over and who has won then.
type Factored interface {
	// Subgames are those games, each with the roles, moves and fluents of the whole; nil where
	// there are fewer than two, or where finding them takes longer than ctx allows to the first
	// call. Later calls return what the first one did.
	Subgames(ctx context.Context) []Subgame
}

// Subgame is one of several games that a game is made of. If in every position of the whole
// each role has moves in at most one of them, each has in every position those fluents and
// legal moves of the whole that are its own. When it is over, and with what goals, is a rule
// of thumb: that is a matter of all of them together.
type Subgame struct {
	Machine
	// Fluents are its own and those that belong to all. The others stay as they are at the
	// beginning.
	Fluents State
	// Elsewhere, by role, is the move that stands for any move in another subgame; NoMove
	// where there is none.
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

// Signaller is a Machine that knows what is worth seeing of a position beside its fluents.
type Signaller interface {
	// Signals finds that in positions that are not terminal. It returns nil for a game
	// without any, or where finding them would cost too much, in gates or in the time
	// that ctx leaves to the first call. Later calls return what the first one did.
	Signals(ctx context.Context) Signals
}

// Signals are those that there may be in a game. They are immutable.
type Signals interface {
	List() []Signal
	NewSensor() Sensor
}

// Signal is a threat, or a move that is worth seeing (mobility). A threat: if the fluent that
// it lacks, which is not true, were true beside the others, the game would be over with the
// best goal of the role. A move: it would be legal if it were the turn of the role.
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

// Foresight is a batch that tells what its random moves are chosen from. Those of
// machines with decisive moves do (Decider).
type Foresight interface {
	Batch
	// AppendSensible appends the moves of role r in a lane that ChooseRandom chooses
	// among, ascending. In a game of two with constant sum and without chance, no other
	// legal move is better than any of them.
	AppendSensible(dst []Move, lane int, r Role) []Move
	// Wins is the best goal of role r, and the mask of the lanes, of those that are not
	// terminal, in which it gets it within two joint moves whatever others do: it alone
	// has a choice and wins at once, or, of two roles, the other one has and each of its
	// moves lets r do so; no lane of a machine without decisive moves. Random moves end
	// the game like that. The mask is valid until the next call.
	Wins(r Role) (goal int32, lanes []uint64)
}

// Preparer is a batch whose positions can be made ready for moves with less than Evaluate
// does, which is enough where the moves are known.
type Preparer interface {
	Batch
	// Prepare comes in place of Evaluate: after it nothing may be asked, but moves may be
	// chosen (Choose) and made.
	Prepare(n int)
}

// Chronicle is a batch that tells which moves were made last.
type Chronicle interface {
	Batch
	// Chosen is, by move of role r, the mask of the lanes in which it was chosen last, of
	// Lanes()/64 words each; nil where moves are not kept like that. It is valid until moves are
	// chosen again; lanes that were not to choose hold anything.
	Chosen(r Role) []uint64
}

// Batch holds Lanes() positions, computes what the rules say of them and steps
// them, all lanes together. It belongs to one goroutine and allocates nothing
// after warm-up.
//
// The order of calls is: place positions (Fill, Load, Merge), Evaluate, ask (Terminal,
// Stuck, AppendLegal, Goals), choose moves in every lane of interest (Choose,
// ChooseRandom), Advance. Advance leaves the successor positions in place of
// the old ones; Evaluate must be called again before asking. Lane masks have
// Lanes()/64 words (at least one), lane i being bit i%64 of word i/64. Lanes
// that were never filled hold the initial position; lanes that are terminal,
// stuck, or without a chosen move hold an unspecified state after Advance,
// without disturbing others. What more lanes cost, Info().Parallel says.
type Batch interface {
	// Lanes is the number of positions that the batch holds.
	Lanes() int
	// Fill puts the position s into every lane of mask; a nil mask means all.
	Fill(s State, mask []uint64)
	// Load puts n positions, laid out one after the other, into lanes 0..n-1.
	Load(states []uint64, n int)
	// Store copies the positions of lanes 0..n-1 into dst, one after the other.
	Store(dst []uint64, n int)
	// Merge copies the positions of the lanes of mask from another batch of the
	// same machine.
	Merge(from Batch, mask []uint64)
	// Evaluate computes terminal, stuck and legal moves of lanes 0..n-1. If all
	// lanes hold the same position, n = 1 is enough for Advance in all of them.
	Evaluate(n int)
	// Terminal is the mask of terminal lanes. Valid until the next Evaluate.
	Terminal() []uint64
	// Stuck is the mask of the lanes that are not terminal and in which some
	// role has no legal move: a fault of the game. Valid until the next Evaluate.
	Stuck() []uint64
	// AppendLegal appends the legal moves of role r in a lane, ascending.
	AppendLegal(dst []Move, lane int, r Role) []Move
	// Goals writes the goal of each role in a lane (goal points 0–100, or
	// NoGoal) into dst, which has one element per role.
	Goals(dst []int32, lane int)
	// AddGoals adds, for each role, the goals of the lanes of mask to totals
	// (goal points). Lanes where a role has NoGoal add nothing for it.
	AddGoals(totals []int64, mask []uint64)
	// Choose sets the move of role r in a lane.
	Choose(lane int, r Role, m Move)
	// ChooseRandom sets, in every lane of 0..n-1 that is neither terminal nor
	// stuck, a uniformly random legal move for every role, independent of each
	// other.
	ChooseRandom(rng *Rand, n int)
	// Advance replaces the positions of lanes 0..n-1 by their successors under
	// the chosen moves.
	Advance(n int)
}
