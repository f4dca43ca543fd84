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

// All moves as first: what a role got in all playouts below a node in which it made a move at
// any time later says something of that move before it is tried. It counts for much where a
// move has few visits, and less and less as it has more (Gelly and Silver, 2007, RAVE). A node
// that has few visits itself asks the last one before it that has enough and in which the same
// role chooses (Cazenave, 2015, GRAVE).
//
// Batches tell which moves they drew (machine.Batch.Chosen), a mask of lanes for each move, so the
// moves of all playouts are gathered 64 lanes at a time, and taken apart by leaf once a batch.
//
// Cost: for each step of the playouts, moves × lanes/64 operations; for each leaf, the moves of
// all opened nodes on its path.

const (
	// raveVisits is how many visits of a move count for as much as what all playouts say of
	// it, raveReference how many visits a node needs to ask nobody else, raveExploration the
	// constant of UCT there, in goal points. All as measured (docs/lab/sampling.md).
	raveVisits      = 300
	raveReference   = 50
	raveExploration = 3
	// raveMoves bounds the moves of all roles: where there are more, gathering them costs more
	// than it is worth.
	raveMoves = 1 << 10
)

// rave gathers the moves of the playouts of a batch.
type rave struct {
	batch machine.Batch
	first []int      // by role: the number of its first move among those of all
	all   int        // moves of all roles
	words int        // of a mask of lanes
	made  [][]uint64 // by role, move and word: the lanes that have made it
	goals []float32  // by lane, then role
	over  []uint64   // lanes with goals

	// By leaf, then move: the playouts that have made it, and what its role got in them.
	counts, sums []float32
}

// newRave makes what gathers the moves of a batch; nil if that does not tell them.
func newRave(b machine.Batch, names *machine.Names) *rave {
	v := &rave{batch: b, words: b.Lanes() / 64, goals: make([]float32, b.Lanes()*len(names.Roles)), over: make([]uint64, b.Lanes()/64)}
	for r := range names.Roles {
		chosen := b.Chosen(machine.Role(r))
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

// Raves tells whether Config.Rave changes anything: whether batches of m tell their moves, and
// those are not too many.
func Raves(m machine.Machine) bool { return newRave(m.NewNarrowBatch(), m.Names()) != nil }

// begin forgets the moves of the last batch.
func (v *rave) begin(leaves int) {
	for _, made := range v.made {
		clear(made)
	}
	clear(v.over)
	v.counts, v.sums = scratch.Resize(v.counts, leaves*v.all), scratch.Resize(v.sums, leaves*v.all)
	clear(v.counts)
	clear(v.sums)
}

// watch takes note of the moves that lanes have just made: those that have ended by that, and
// those that go on.
func (v *rave) watch(ended, playing []uint64) {
	for r, made := range v.made {
		chosen := v.batch.Chosen(machine.Role(r))
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

// end takes note of the goals of a lane.
func (v *rave) end(lane int, goals []int32) {
	v.over[lane>>6] |= 1 << uint(lane&63)
	for r, g := range goals {
		v.goals[lane*len(goals)+r] = float32(search.Points(g))
	}
}

// divide takes what was gathered apart by leaf; lane i served leaf i modulo their number.
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

// raise tells the nodes on the path to leaf i, which is node k, what the moves of its playouts
// and of the path brought.
func (w *worker) raise(i int, l *leaf, k int32) {
	v, t := w.playouts.rave, w.tree
	counts, sums := v.counts[i*v.all:(i+1)*v.all], v.sums[i*v.all:(i+1)*v.all]
	w.raiseNode(k, counts, sums)
	for j := l.step; j != none; j = w.round.steps[j].before {
		n := w.round.steps[j].node
		s := t.only(n, w.round.steps[j].cell)
		if s == nil {
			continue
		}
		c := t.at(n).chooser
		at := v.first[c] + int(s.move)
		counts[at], sums[at] = float32(l.count), float32(l.goals[c])*float32(l.count)
		w.raiseNode(n, counts, sums)
	}
}

// raiseNode adds playouts to the moves of node n, if one role chooses there.
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
			s.earlies += count
			s.early += (sums[first+int(s.move)] - count*s.early) / s.earlies
		}
	}
}

// reference are the moves that say what all playouts brought that made them, at node n, at which one role
// chooses and to which step before led: its own, or those of a node before it. It is nil where there is none.
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

// lookUp is what a reference, whose moves ascend, says of a move, or nil.
func lookUp(reference []stat, m machine.Move) *stat {
	i, found := slices.BinarySearchFunc(reference, m, func(s stat, m machine.Move) int { return cmp.Compare(s.move, m) })
	if !found || reference[i].earlies == 0 {
		return nil
	}
	return &reference[i]
}

// raveShare is how much the mean of all playouts that made a move counts where it has so many
// visits.
func raveShare(visits float64) float64 { return math.Sqrt(raveVisits / (3*visits + raveVisits)) }
