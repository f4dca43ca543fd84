package montecarlo

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// All moves as first (AMAF): the value of a move is estimated from all playouts below the node in which
// the role made the move at any later time. Its weight falls with the visits of the move (RAVE; Gelly and
// Silver, 2007). A node with few visits uses the statistics of its nearest ancestor with enough visits and
// the same chooser (GRAVE; Cazenave, 2015).
//
// Batches record their random moves (machine.Recording) as a mask of lanes for each move. The moves of
// all playouts are therefore recorded 64 lanes at a time, and assigned to leaves once a batch.
//
// Cost: moves × lanes/64 operations for each step of the playouts; the moves of all opened nodes on its
// path for each leaf.

const (
	// raveVisits is the number of visits at which a move's own mean and its AMAF mean have about equal
	// weight (see raveShare). raveReference is the number of visits from which a node uses its own
	// statistics. raveExploration is the exploration constant with AMAF, in goal points. All as measured
	// (docs/lab/sampling.md).
	raveVisits      = 300
	raveReference   = 50
	raveExploration = 3
	// raveMoves bounds the number of moves of all roles: recording more costs more than it gains.
	raveMoves = 1 << 10
)

// rave records the moves of the playouts of a batch.
type rave struct {
	moves machine.Recording
	first []int      // by role: index of its first move among the moves of all roles
	all   int        // number of moves of all roles
	words int        // words of a mask of lanes
	made  [][]uint64 // by role, move and word: lanes that have made the move
	goals []float32  // by lane, then role
	over  []uint64   // finished lanes

	// By leaf, then move: the number of playouts with the move, and the sum of its role's goals.
	counts, sums []float32
}

// newRave returns a recorder for batch b, or nil if b does not record its moves or has too many.
func newRave(b machine.Batch, names *machine.Names) *rave {
	recording, ok := machine.As[machine.Recording](b)
	if !ok {
		return nil
	}
	v := &rave{moves: recording, words: b.Lanes() / 64, goals: make([]float32, b.Lanes()*len(names.Roles)), over: make([]uint64, b.Lanes()/64)}
	for r := range names.Roles {
		chosen := recording.Chosen(machine.Role(r))
		if chosen == nil {
			return nil
		}
		v.first = append(v.first, v.all)
		if v.all += len(names.Moves[r]); v.all > raveMoves {
			return nil
		}
		v.made = append(v.made, make([]uint64, len(chosen)))
	}
	return v
}

// begin clears the statistics of the last batch.
func (v *rave) begin(leaves int) {
	for _, made := range v.made {
		clear(made)
	}
	clear(v.over)
	v.counts, v.sums = scratch.Resize(v.counts, leaves*v.all), scratch.Resize(v.sums, leaves*v.all)
	clear(v.counts)
	clear(v.sums)
}

// watch records the moves that lanes have just made: finished lanes and playing lanes.
func (v *rave) watch(ended, playing []uint64) {
	for r, made := range v.made {
		chosen := v.moves.Chosen(machine.Role(r))
		for w := range v.words {
			lanes := ended[w] | playing[w]
			if lanes == 0 {
				continue
			}
			for i := w; i < len(made); i += v.words {
				made[i] |= chosen[i] & lanes
			}
		}
	}
}

// end records the goals of a finished lane.
func (v *rave) end(lane int, goals []int32) {
	v.over[lane>>6] |= 1 << uint(lane&63)
	for r, g := range goals {
		v.goals[lane*len(goals)+r] = float32(search.Points(g))
	}
}

// divide sums the recorded moves by leaf. Lane i serves leaf i modulo their number.
func (v *rave) divide(leaves []leaf) {
	roles := len(v.made)
	for r, made := range v.made {
		for i, lanes := range made {
			move, w := v.first[r]+i/v.words, i%v.words
			for lanes &= v.over[w]; lanes != 0; lanes &= lanes - 1 {
				lane := w<<6 | bits.TrailingZeros64(lanes)
				at := lane%len(leaves)*v.all + move
				v.counts[at]++
				v.sums[at] += v.goals[lane*roles+r]
			}
		}
	}
}

// raise adds the AMAF samples of leaf i, which is node k, to all nodes on its path. The moves of the path
// below a node count as well.
func (w *worker) raise(i int, l *leaf, k int32) {
	v, t := w.playouts.rave, w.tree
	counts, sums := v.counts[i*v.all:(i+1)*v.all], v.sums[i*v.all:(i+1)*v.all]
	w.raiseNode(k, counts, sums)
	for j := l.step; j != none; j = w.round.steps[j].before {
		n := w.round.steps[j].node
		s := t.soleMove(n, w.round.steps[j].cell)
		if s == nil {
			continue
		}
		c := t.at(n).chooser
		at := v.first[c] + int(s.move)
		counts[at], sums[at] = float32(l.count), float32(l.goals[c])*float32(l.count)
		w.raiseNode(n, counts, sums)
	}
}

// raiseNode adds AMAF samples to the moves of node n if one role chooses there.
func (w *worker) raiseNode(n int32, counts, sums []float32) {
	t := w.tree
	a := t.at(n)
	c := int(a.chooser)
	if c < 0 || a.moves == none || machine.Role(c) == t.random {
		return
	}
	first := w.playouts.rave.first[c]
	own := t.choices(a)
	for i := range own {
		s := &own[i]
		if count := counts[first+int(s.move)]; count > 0 {
			*s.samples() += count
			*s.amaf() += (sums[first+int(s.move)] - count*(*s.amaf())) / *s.samples()
		}
	}
}

// reference returns the moves whose AMAF statistics are used at node n, to which step before led: the
// moves of n itself or of an ancestor with the same chooser. It returns nil unless exactly one role
// chooses at n.
func (w *worker) reference(before, n int32) []stat {
	t := w.tree
	if w.playouts.rave == nil || t.at(n).chooser < 0 {
		return nil
	}
	known := n
	for i := before; i != none && t.at(known).visits < raveReference; i = w.round.steps[i].before {
		if k := w.round.steps[i].node; t.at(k).chooser == t.at(n).chooser {
			known = k
		}
	}
	return t.choices(t.at(known))
}

// lookUp returns the statistics of move m in a reference, whose moves ascend, or nil if it has no sample.
func lookUp(reference []stat, m machine.Move) *stat {
	i, found := slices.BinarySearchFunc(reference, m, func(s stat, m machine.Move) int { return cmp.Compare(s.move, m) })
	if !found || *reference[i].samples() == 0 {
		return nil
	}
	return &reference[i]
}

// raveShare returns the weight of the AMAF mean of a move with a number of visits.
func raveShare(visits float64) float64 { return math.Sqrt(raveVisits / (3*visits + raveVisits)) }
