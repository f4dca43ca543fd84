// Package machine defines the types that the engines of the reasoner and the searches share: roles, moves and
// states as integers and bits, and the interface of a state machine. It holds no rules of games and no
// algorithm that depends on an engine.
//
// A Machine is one compiled game: immutable, shared by all goroutines. The work is done in a Batch, which
// holds up to Lanes positions and belongs to one goroutine. A search of one position uses the first lane of a batch.
package machine

import (
	"encoding/binary"
	"strconv"
	"time"
)

// Role is an index into Names.Roles: the order of the role declarations.
type Role int

// NoRole stands for the absence of a role.
const NoRole Role = -1

// Move is the number of a move of its role. Names translates it: it is an index into a table that is complete
// when the machine is made, or a number that a Vocabulary gave to the move.
type Move int32

// NoMove stands for the absence of a move.
const NoMove Move = -1

// NoGoal is the goal of a role without exactly one goal value from 0 to MaxGoal: the rules give no value,
// several values, or another term. It counts as 0 points in sums and comparisons.
const NoGoal int32 = -1

// MaxGoal is the largest goal value that the rules of GDL allow.
const MaxGoal = 100

// GoalOf parses a goal value. It returns goal points from 0 to MaxGoal, or NoGoal for any other text, so that
// searches can rely on the range.
func GoalOf(text string) int32 {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil && n <= MaxGoal {
		return int32(n)
	}
	return NoGoal
}

// RandomRole is the name of the role for chance. The game manager plays it, choosing uniformly among its
// legal moves.
const RandomRole = "random"

// State is a position. All states of a machine are as long as its initial position, and two positions are equal exactly
// if their words are. If the table of fluents is complete when the machine is made, fluent f is bit f%64 of word f/64, and
// the bits past the last fluent are zero. Names.Unpack reads a position of any machine.
type State []uint64

// Has reports whether fluent f is true in s.
func (s State) Has(f int) bool { return s[f>>6]>>(uint(f)&63)&1 != 0 }

// Set makes fluent f true in s.
func (s State) Set(f int) { s[f>>6] |= 1 << (uint(f) & 63) }

// AppendBytes appends the words of s, little endian: a key of a map, or the form in files.
func (s State) AppendBytes(dst []byte) []byte {
	for _, w := range s {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// Key returns s as a key of a map.
func (s State) Key() string { return string(s.AppendBytes(make([]byte, 0, 64))) }

// AppendState appends the words of the position with the given key to dst.
func AppendState(dst State, key string) State {
	for i := 0; i < len(key); i += 8 {
		dst = append(dst, binary.LittleEndian.Uint64([]byte(key[i:i+8])))
	}
	return dst
}

// Equal reports whether s and t are the same position of one machine.
func (s State) Equal(t State) bool {
	for i, w := range s {
		if w != t[i] {
			return false
		}
	}
	return true
}

// Info describes a machine.
type Info struct {
	Engine string // "circuit", "datalog" or "reference"
	Reason string // why the reasoner chose this engine
	Kernel string // of the circuit, "" for other engines
	// Parallel describes the cost of a batch. If true, Evaluate and Advance take the same time for one
	// position as for all lanes, so it is free to fill them all. If false, each position costs as much as it
	// would alone.
	Parallel bool
	Gates    int   // two-input gates (circuit) or rules (other engines)
	Depth    int   // levels of the circuit, 0 for other engines
	Bytes    int64 // memory of the machine itself, without batches
	Batch    int64 // memory of one batch in bytes, 0 if not known
	// Verified is the time that it took to prove that the circuit's programs stay in
	// their memory; 0 for other engines.
	Verified time.Duration
	Stages   Stages // times of making the machine, including the attempts with engines that failed
}

// Machine is one compiled game. It is immutable and safe for concurrent use.
type Machine interface {
	// Names translates roles, moves and fluents from and to terms.
	Names() *Names
	// Initial returns the initial position; callers must not change it. All positions have its length, at least 1.
	Initial() State
	// NewBatch makes a batch with the greatest number of lanes, which suits playouts.
	NewBatch() Batch
	// NewNarrowBatch makes a batch of fewer lanes, at least 64, which is quicker for a few positions at a
	// time.
	NewNarrowBatch() Batch
	// Info describes the machine for people.
	Info() Info
}

// Batch holds Lanes() positions, computes their legal moves, ends and goals, and makes joint moves, in all
// lanes together. It belongs to one goroutine and allocates nothing after warm-up.
//
// The order of calls is: store positions in the lanes (Fill, Load), Evaluate, ask (Terminal, Stuck,
// AppendLegal, Goals), choose moves in every lane of interest (Choose, ChooseRandom), Advance. Advance
// replaces the positions by their successors; Evaluate must be called again before asking. Lane masks have
// Lanes()/64 words (at least one), lane i being bit i%64 of word i/64. Lanes that were never filled hold the
// initial position. Lanes that are terminal, stuck, or without a chosen move hold an unspecified state after
// Advance and do not disturb other lanes. Info().Parallel says whether further lanes cost time.
type Batch interface {
	// Lanes returns the number of positions that the batch holds.
	Lanes() int
	// Fill copies position s into every lane of mask; a nil mask means every lane.
	Fill(s State, mask []uint64)
	// Load copies n positions, laid out one after the other, into lanes 0..n-1.
	Load(states []uint64, n int)
	// Store copies the positions of lanes 0..n-1 into dst, one after the other.
	Store(dst []uint64, n int)
	// Evaluate computes terminal, stuck and legal moves of lanes 0..n-1. If all lanes hold one position,
	// Evaluate(1) is enough for Choose and Advance in all lanes.
	Evaluate(n int)
	// Terminal returns the mask of terminal lanes. Valid until the next Evaluate.
	Terminal() []uint64
	// Stuck returns the mask of the lanes that are not terminal and in which a role has no legal move: a
	// fault of the game, unless the lane is lost (Lost). Valid until the next Evaluate.
	Stuck() []uint64
	// AppendLegal appends the legal moves of role r in a lane, ascending.
	AppendLegal(dst []Move, lane int, r Role) []Move
	// Goals writes the goal of each role in a lane (goal points 0–100, or
	// NoGoal) into dst, which has one element per role.
	Goals(dst []int32, lane int)
	// Choose sets the move of role r in a lane.
	Choose(lane int, r Role, m Move)
	// ChooseRandom sets a uniformly random legal move for every role, independently, in each lane of 0..n-1
	// that is neither terminal nor stuck. A machine with decisive moves chooses among the moves of
	// AppendSensible.
	ChooseRandom(rng *Rand, n int)
	// Advance replaces the positions of lanes 0..n-1 by their successors under
	// the chosen moves.
	Advance(n int)
}
