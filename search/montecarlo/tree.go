package montecarlo

import (
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The tree lives in a few flat slices without pointers, so that the garbage
// collector has nothing to follow and memory can be counted:
//
//	nodes   one per position reached
//	states  words per node
//	totals  by node, then role: sum of the goals seen below
//	bounds  by node, then role: what is proved (bounds.go)
//	widths  by opened node, then role: number of legal moves
//	stats   by opened node, then role, then move
//	kids    (node, joint move) → node
//
// A node is opened, that is given widths and stats, when the search first goes
// through it; most never are. Node 0 is the root. Goals are in goal points.

// none stands for no node and no stats.
const none int32 = -1

type node struct {
	parent int32
	cell   int64 // the number of the joint move that leads here, see Expansion
	widths int32 // first of its widths, or none while it is not opened
	stats  int32 // first of its stats
	visits int32
	solved bool // the bounds of all roles meet
}

// stat is what is known of one move of one role at a node.
type stat struct {
	sum    float64 // of the goals seen after it
	visits int32
	move   machine.Move
	regret float32 // cumulative (regret matching)
	weight float32 // in the average strategy (regret matching)
	// What the role gets with this move against any moves of the others: proved
	// bounds, up to rounding; they steer, but prove nothing.
	lower, upper float32
}

type edge struct {
	node int32
	cell int64
}

type tree struct {
	roles, words int
	random       machine.Role // or -1

	nodes  []node
	states []uint64
	totals []float64
	bounds []search.Interval
	widths []int32
	stats  []stat
	kids   map[edge]int32

	reckoner reckoner
}

func newTree(roles, words int, random machine.Role) *tree {
	return &tree{roles: roles, words: words, random: random, kids: map[edge]int32{}}
}

// kidBytes is about what one entry of a Go map of this shape takes.
const kidBytes = 48

// bytes is the memory in use, spare room not counted.
func (t *tree) bytes() int64 {
	return int64(len(t.nodes))*int64(unsafe.Sizeof(node{})+kidBytes) +
		int64(len(t.states)+len(t.totals)+2*len(t.bounds))*8 +
		int64(len(t.widths))*4 + int64(len(t.stats))*int64(unsafe.Sizeof(stat{}))
}

// add makes a node for position s.
func (t *tree) add(parent int32, cell int64, s machine.State) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{parent: parent, cell: cell, widths: none})
	t.states = append(t.states, s...)
	for range t.roles {
		t.totals = append(t.totals, 0)
		t.bounds = append(t.bounds, goalRange)
	}
	if parent != none {
		t.kids[edge{parent, cell}] = n
	}
	return n
}

// open gives node n its moves: legal(r) appends those of role r.
func (t *tree) open(n int32, legal func(dst []machine.Move, r machine.Role) []machine.Move) {
	var buffer [64]machine.Move
	moves := buffer[:0]
	t.nodes[n].widths, t.nodes[n].stats = int32(len(t.widths)), int32(len(t.stats))
	for r := range t.roles {
		moves = legal(moves[:0], machine.Role(r))
		t.widths = append(t.widths, int32(len(moves)))
		for _, m := range moves {
			t.stats = append(t.stats, stat{move: m, lower: float32(goalRange.Lower), upper: float32(goalRange.Upper)})
		}
	}
}

func (t *tree) state(n int32) machine.State {
	return t.states[int(n)*t.words : (int(n)+1)*t.words]
}

func (t *tree) widthsOf(n int32) []int32 {
	w := t.nodes[n].widths
	return t.widths[w : int(w)+t.roles]
}

func (t *tree) totalsOf(n int32) []float64 {
	return t.totals[int(n)*t.roles : (int(n)+1)*t.roles]
}

func (t *tree) boundsOf(n int32) []search.Interval {
	return t.bounds[int(n)*t.roles : (int(n)+1)*t.roles]
}

// kid is the node behind a joint move, or none.
func (t *tree) kid(n int32, cell int64) int32 {
	if k, ok := t.kids[edge{n, cell}]; ok {
		return k
	}
	return none
}

// value is the best guess at what role r gets at node n: proved if possible,
// else the mean.
func (t *tree) value(n int32, r int) float64 {
	b := t.boundsOf(n)[r]
	if b.Solved() || t.nodes[n].visits == 0 {
		return (b.Lower + b.Upper) / 2
	}
	mean := t.totalsOf(n)[r] / float64(t.nodes[n].visits)
	return min(max(mean, b.Lower), b.Upper)
}

// isBroken tells whether some role has no move at the root, which is opened.
func (t *tree) isBroken() bool {
	if t.nodes[0].widths == none {
		return false
	}
	for _, w := range t.widthsOf(0) {
		if w == 0 {
			return true
		}
	}
	return false
}

// find returns the most visited node for position s, or none.
func (t *tree) find(s machine.State) int32 {
	found := none
	for n := range t.nodes {
		if t.states[n*t.words] != s[0] || !t.state(int32(n)).Equal(s) {
			continue
		}
		if found == none || t.nodes[n].visits > t.nodes[found].visits {
			found = int32(n)
		}
	}
	return found
}

// subtree copies node top and all below it into a tree of its own. Parents come
// before their children, so one pass will do.
func (t *tree) subtree(top int32) *tree {
	out := newTree(t.roles, t.words, t.random)
	moved := make([]int32, len(t.nodes)) // by old node: the new one, or none
	for n := range t.nodes {
		moved[n] = none
		switch p := t.nodes[n].parent; {
		case int32(n) == top:
			moved[n] = out.adopt(t, top, none)
		case p != none && moved[p] != none:
			moved[n] = out.adopt(t, int32(n), moved[p])
		}
	}
	return out
}

// adopt copies node from of tree t below parent.
func (t *tree) adopt(other *tree, from, parent int32) int32 {
	old := other.nodes[from]
	n := t.add(parent, old.cell, other.state(from))
	copy(t.totalsOf(n), other.totalsOf(from))
	copy(t.boundsOf(n), other.boundsOf(from))
	t.nodes[n].visits, t.nodes[n].solved = old.visits, old.solved
	if old.widths == none {
		return n
	}
	t.nodes[n].widths, t.nodes[n].stats = int32(len(t.widths)), int32(len(t.stats))
	first := old.stats
	for _, w := range other.widthsOf(from) {
		t.widths = append(t.widths, w)
		t.stats = append(t.stats, other.stats[first:first+w]...)
		first += w
	}
	return n
}

// digit is the index of role r's move in joint move cell of the opened node n.
func (t *tree) digit(n int32, cell int64, r int) int64 {
	widths := t.widthsOf(n)
	for q := t.roles - 1; q > r; q-- {
		cell /= int64(widths[q])
	}
	return cell % int64(widths[r])
}

// decode writes joint move cell of the opened node n into dst.
func (t *tree) decode(n int32, cell int64, dst []machine.Move) {
	first := t.nodes[n].stats
	for r, width := range t.widthsOf(n) {
		dst[r] = t.stats[first+int32(t.digit(n, cell, r))].move
		first += width
	}
}

// forgetBounds leaves only what terminal positions say for themselves.
func (t *tree) forgetBounds() {
	for n := range t.nodes {
		at := &t.nodes[n]
		if at.widths == none {
			continue
		}
		at.solved = false
		for r := range t.roles {
			t.boundsOf(int32(n))[r] = goalRange
		}
	}
	for i := range t.stats {
		t.stats[i].lower, t.stats[i].upper = float32(goalRange.Lower), float32(goalRange.Upper)
	}
}
