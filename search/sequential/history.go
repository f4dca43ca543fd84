package sequential

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// historyLimit bounds the scores of history: the closer to it, the less a merit adds,
// and the more a fault takes away.
const historyLimit = 1 << 14

// history scores, for each role, its moves and the fluents that they make true: a
// fluent says where a piece has come to be, a move often not even which piece it is.
// Moves are scored alone where chance has a say in what becomes true, and where
// positions are lists of numbers. There are scores as far as there was anything to
// score; those of fluents begin with what random games suggest (prior.go).
//
// A continuation is what a move makes true after what the move before it has made true: the
// answer to a threat is good after that threat. Their scores are in a table of hashes, where
// some share a place.
type history struct {
	moves, fluents [][]int64 // by role
	continuations  []int16   // by hash
	open           bool      // the vocabulary is: positions are lists
}

// continuationBits is the logarithm of the number of continuations. They count
// continuationWeight times: 2 and 4 times took 0.83 times the nodes of none in the mean over
// seven games (docs/lab/turns.md); 1 and 2 times, by moves in place of fluents, 0.92 and 0.90.
const (
	continuationBits   = 16
	continuationWeight = 2
)

// newHistory makes one that begins with scores of fluents, if these are not nil.
func newHistory(m machine.Machine, prior [][]int64) *history {
	roles := len(m.Names().Roles)
	h := &history{
		moves:         make([][]int64, roles),
		fluents:       make([][]int64, roles),
		continuations: make([]int16, 1<<continuationBits),
		open:          m.Names().Open != nil,
	}
	for r, scores := range prior {
		h.fluents[r] = slices.Clone(scores)
	}
	return h
}

// score is that of action a of f.
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
	return sum + continuationWeight*int64(*h.continuation(f, a))
}

// continuation is the score of action a of f as one.
func (h *history) continuation(f *frame, a int) *int16 {
	return &h.continuations[mixed(f.before, f.made(a))>>(64-continuationBits)]
}

// made is a hash of the fluents that action a of f makes true.
func (f *frame) made(a int) (hash uint64) {
	for i, w := range f.children.Child(f.ChildNumber(a, 0)) {
		hash = mixed(hash, w&^f.state[i])
	}
	return hash
}

// before is a hash of what the action made true that led to a ply, 0 where chance replied.
func (r *run) before(ply int) uint64 {
	if ply == 0 || r.frames[ply-1].Replies > 1 {
		return 0
	}
	above := r.frames[ply-1]
	return above.made(above.ahead.action)
}

// mixed is a hash of two numbers: its upper bits depend on all of theirs.
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
	c := h.continuation(f, a)
	*c = int16(added(int64(*c))) // at most historyLimit
}
