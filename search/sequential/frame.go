package sequential

import (
	"slices"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// frame is the working memory of one ply.
type frame struct {
	state    machine.State   // the position
	lastMove uint64          // hash of the fluents that the previous action made true; 0 at the root
	children *play.Expansion // expansion of state: own, or the parent's lookahead
	own      play.Expansion
	ahead    ahead
	forced   machine.State // position after forced moves
	circle   search.Circle // of the forced moves
	key      key           // of forced
	image    machine.State // memory for key

	asked question // goal of the search

	play.Turn // role that chooses

	kids     []value  // by child
	keys     []key    // by child; valid for looked-up children
	images   []uint64 // memory for keys
	values   []value  // by action
	done     []bool   // by action: searched, or pruned
	searched []bool   // by action
	scores   []int64  // by action: move ordering

	completed int // number of completely searched actions
}

// childBytes returns the bytes of a frame for each child with the given number of words: its bounds and key, the
// bounds of its action, and its lookahead without the expander's own memory.
func childBytes(words int) int64 {
	known := 2*unsafe.Sizeof(value{}) + unsafe.Sizeof(key{}) + unsafe.Sizeof(int64(0)) + 2*unsafe.Sizeof(false)
	seen := unsafe.Sizeof(play.Expansion{}) + unsafe.Sizeof(0) + 2*unsafe.Sizeof(false)
	return int64(known+seen) + 8*int64(words)
}

func (r *run) frame(ply int) *frame {
	for len(r.frames) <= ply {
		r.frames = append(r.frames, newFrame(r.words))
	}
	return r.frames[ply]
}

func newFrame(words int) *frame {
	f := &frame{
		forced: make(machine.State, words),
		image:  make(machine.State, words),
	}
	f.children = &f.own
	return f
}

// action returns the index of a move of the role that chooses, or -1.
func (f *frame) action(m machine.Move) int {
	if f.Decider < 0 {
		return -1
	}
	return slices.Index(f.children.Moves[f.Decider], m)
}

// layOut determines the role that chooses in the position of f. It fails with search.ErrNotSequential if there are two.
func (r *run) layOut(f *frame) (ok bool) {
	if f.Turn, ok = f.children.Turn(r.random); !ok {
		r.fail("%w", search.ErrNotSequential)
	}
	return ok
}
