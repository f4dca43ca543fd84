package sequential

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// historyLimit bounds history scores: near the limit a merit adds less,
// and a penalty subtracts more.
const historyLimit = 1 << 14

// history holds history-heuristic scores for each role: of moves, and of the fluents that moves make true. A fluent says
// where a piece has arrived; a move often does not even name the piece. Only moves are scored where chance
// affects the new fluents, and in open vocabularies. Fluent scores begin with the priors (prior.go).
//
// A continuation is a pair of moves, by the fluents that each makes true (continuation history): a reply to a threat
// is good after this threat. Continuation scores are in a hash table with collisions.
type history struct {
	moves, fluents [][]int64 // by role
	continuations  []int16   // by hash; nil before the first merit, so that many short searches stay cheap
	open           bool      // open vocabulary: positions are lists
}

// continuationBits is the logarithm of the size of the table of continuations. Weights of 2 and 4 took 0.83 times the
// nodes of weight 0, on average over seven games (docs/lab/turns.md). Weights of 1 and 2, by moves
// instead of fluents, took 0.92 and 0.90.
const (
	continuationBits   = 16
	continuationWeight = 2
)

// newHistory returns a history that begins with prior scores of fluents, or with none if prior is nil.
func newHistory(m machine.Machine, prior [][]int64) *history {
	roles := len(m.Names().Roles)
	h := &history{moves: make([][]int64, roles), fluents: make([][]int64, roles), open: m.Names().Open != nil}
	for r, scores := range prior {
		h.fluents[r] = slices.Clone(scores)
	}
	return h
}

// score returns the history score of action a of f.
func (h *history) score(f *frame, a int) (sum int64) {
	if m := int(f.children.Moves[f.Decider][a]); m < len(h.moves[f.Decider]) {
		sum = h.moves[f.Decider][m]
	}
	fluents := h.fluents[f.Decider]
	if f.Replies > 1 || len(fluents) == 0 {
		return sum
	}
	for i, w := range f.children.Child(f.ChildNumber(a, 0)) {
		for w &^= f.state[i]; w != 0; w &= w - 1 {
			sum += fluents[i<<6+bits.TrailingZeros64(w)]
		}
	}
	if h.continuations == nil {
		return sum
	}
	return sum + continuationWeight*int64(*h.continuation(f, a))
}

// continuation returns the continuation score of action a of f.
func (h *history) continuation(f *frame, a int) *int16 {
	return &h.continuations[mixed(f.lastMove, f.moveHash(a))>>(64-continuationBits)]
}

// moveHash returns a hash of the fluents that action a of f makes true.
func (f *frame) moveHash(a int) (hash uint64) {
	for i, w := range f.children.Child(f.ChildNumber(a, 0)) {
		hash = mixed(hash, w&^f.state[i])
	}
	return hash
}

// lastMoveHash returns the hash of the fluents that the previous action made true; 0 at the root and after chance.
func (r *run) lastMoveHash(ply int) uint64 {
	if ply == 0 || r.frames[ply-1].Replies > 1 {
		return 0
	}
	above := r.frames[ply-1]
	return above.moveHash(above.ahead.action)
}

// mixed returns a hash of two numbers whose upper bits depend on all bits of both.
func mixed(a, b uint64) uint64 {
	upper, lower := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return upper ^ lower
}

// learn adds a merit to the scores of action a of f.
func (h *history) learn(f *frame, a int, merit int64) {
	r := f.Decider
	added := func(score int64) int64 { return score + merit - score*max(merit, -merit)/historyLimit }
	m := int(f.children.Moves[r][a])
	if missing := m + 1 - len(h.moves[r]); missing > 0 {
		h.moves[r] = append(h.moves[r], make([]int64, missing)...)
	}
	h.moves[r][m] = added(h.moves[r][m])
	if f.Replies > 1 || h.open {
		return
	}
	if h.fluents[r] == nil {
		h.fluents[r] = make([]int64, 64*len(f.state))
	}
	for i, w := range f.children.Child(f.ChildNumber(a, 0)) {
		for w &^= f.state[i]; w != 0; w &= w - 1 {
			score := &h.fluents[r][i<<6+bits.TrailingZeros64(w)]
			*score = added(*score)
		}
	}
	if h.continuations == nil {
		h.continuations = make([]int16, 1<<continuationBits)
	}
	c := h.continuation(f, a)
	*c = int16(added(int64(*c))) // absolute value at most historyLimit
}
