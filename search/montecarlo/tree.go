package montecarlo

import (
	"errors"
	"math"
	"math/bits"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The tree is an acyclic graph: a position that several sequences of equally many joint moves reach is one
// node with shared statistics. Moves keep the goals of their own paths (UCT1 of Childs, Brodeur and
// Kocsis, 2008).
//
// Nodes live in blocks of equal size without pointers. So the tree grows in small steps, the garbage
// collector has nothing to scan, and the memory is known:
//
//	blocks  nodes with their states, sums of goals, bounds (bounds.go) and numbers of legal moves
//	moves   statistics of the moves of opened nodes (spans.go)
//	links   edges between nodes, and the hash tables of positions and edges (links.go)
//
// A node is opened, that is given widths and moves, when the search first descends through it; most nodes
// never are. Unreachable nodes are put on a waste list, from which new nodes take their memory one at a
// time (reroot.go). Goals are in goal points.

// none is the nil index of nodes, links and spans.
const none int32 = -1

type node struct {
	out     int32  // first outgoing link, or none
	in      int32  // first incoming link, or none
	next    int32  // in the bucket of its position, or in the waste list if it has no incoming link
	ply     int32  // depth: one more than the ply of its predecessors
	moves   int32  // the span of its moves, or none before it is opened
	visits  int32  // paths through the node, counted on the descent
	done    int32  // visits whose goals have been backed up
	due     int32  // value of done at which its matrix game is solved next, see balance
	news    int32  // weight of changes in children since the last update of the bounds, see isDue
	width   int32  // the number of moves of its chooser
	edges   uint32 // where several choose, a Bloom filter of the joint moves with a link (edgeBit)
	solved  bool   // the bounds of all roles meet
	bounded bool   // some bound is narrower than search.GoalRange
	// terminal marks a finished game, and a position in which a role has no legal move.
	terminal bool
	numbered bool // opened, and its joint moves are numbered
	balanced bool // its matrix game has been solved
	// chooser is the only role with several moves at the opened node, or -1. If it is set, links are
	// stored in the moves of the chooser, and its moves are the joint moves.
	chooser int16
}

// stat holds the statistics of one move of one role at a node.
type stat struct {
	sum    float64 // goals of the paths through the move
	visits int32
	move   machine.Move
	link   int32 // link of the move if its role is the only chooser, else none
	// Bounds of the role's payoff with this move against any moves of the other roles. They are rounded:
	// they guide selection, but prove nothing.
	lower, upper float32
	guide
}

// guide holds the two numbers of a selection rule beside sums and visits. A node uses one rule, and the methods name the
// numbers of each.
type guide [2]float32

// prior returns the prior of the move under PUCT, an evaluation or a minimax value of evaluations, and probability the policy probability (prior.go).
func (g *guide) prior() *float32       { return &g[0] }
func (g *guide) probability() *float32 { return &g[1] }

// amaf returns the mean of the all-moves-as-first samples of the move under RAVE, and samples their number (rave.go).
func (g *guide) amaf() *float32    { return &g[0] }
func (g *guide) samples() *float32 { return &g[1] }

// regret returns the cumulative positive regret of the move under regret matching. At a balanced node it
// is the probability of the move in the equilibrium.
func (g *guide) regret() *float32 { return &g[0] }

// weight returns the weight of the move in the average strategy of regret matching.
func (g *guide) weight() *float32 { return &g[1] }

// block holds 1<<tree.shift nodes.
type block struct {
	nodes  []node
	states []uint64          // words per node
	totals []float64         // by node, then role: sum of the goals of its paths
	bounds []search.Interval // by node, then role: proved bounds
	widths []int32           // by node, then role: number of legal moves
}

type tree struct {
	roles, words int
	random       machine.Role // chance, or machine.NoRole if there is none
	room         int64        // memory limit in bytes
	shares       bool         // transpositions are merged
	deepest      int32        // greatest ply of a node
	most         int32        // at least the visits of each node, see maxVisits

	root   int32 // none in an empty tree
	waste  int32 // head of the list of unreachable nodes, chained by next; or none
	bare   int32 // head of the list of unreachable nodes without moves and links; or none
	fresh  int32 // first node that was never used
	hand   int32 // clock hand over the nodes, see forget
	idle   int32 // leaves with more than idle+1 paths are not forgotten
	shift  uint
	mask   int32 // 1<<shift - 1
	blocks []*block
	moves  spans
	links  links

	memory boundsMemory

	complete bool // nothing is left to search below the root, see isComplete
}

const (
	// blockBytes is the size of a block in a large tree: small enough to be allocated and cleared in 0.1
	// ms, large enough to keep the number of blocks low.
	blockBytes = 1 << 18
	// roomParts is the minimum number of blocks that fit into the memory limit. It bounds the loss by the
	// last block. leastNodes is the minimum number of nodes of a block.
	roomParts  = 64
	leastNodes = 8
)

func newTree(roles, words int, random machine.Role, room int64, shares bool) *tree {
	t := &tree{roles: roles, words: words, random: random, room: room, shares: shares, root: none, waste: none, bare: none}
	part := min(blockBytes, room/roomParts)
	t.shift = uint(bits.Len64(uint64(max(leastNodes, part/t.nodeBytes()))) - 1)
	t.mask = 1<<t.shift - 1
	t.moves = newSpans(part)
	t.links = newLinks(part, room)
	return t
}

// nodeBytes returns the memory of one node without its moves and links.
func (t *tree) nodeBytes() int64 {
	perRole := unsafe.Sizeof(float64(0)) + unsafe.Sizeof(search.Interval{}) + unsafe.Sizeof(int32(0))
	return int64(unsafe.Sizeof(node{})) + 8*int64(t.words) + int64(t.roles)*int64(perRole)
}

// bytes returns the allocated memory of the tree.
func (t *tree) bytes() int64 {
	return int64(len(t.blocks))*t.nodeBytes()<<t.shift + t.moves.bytes + t.links.bytes
}

// hasRoom reports whether the memory limit allows the given number of further bytes.
func (t *tree) hasRoom(bytes int64) bool { return t.bytes()+bytes <= t.room }

// at returns node n.
func (t *tree) at(n int32) *node {
	return &t.blocks[n>>(t.shift&31)].nodes[n&t.mask]
}

// locate returns the block of node n and the index of n in it.
func (t *tree) locate(n int32) (*block, int) {
	return t.blocks[n>>(t.shift&31)], int(n & t.mask)
}

func (t *tree) state(n int32) machine.State {
	b, i := t.locate(n)
	return b.states[i*t.words : (i+1)*t.words]
}

func (t *tree) widthsOf(n int32) []int32 {
	b, i := t.locate(n)
	return b.widths[i*t.roles : (i+1)*t.roles]
}

func (t *tree) totalsOf(n int32) []float64 {
	b, i := t.locate(n)
	return b.totals[i*t.roles : (i+1)*t.roles]
}

func (t *tree) boundsOf(n int32) []search.Interval {
	b, i := t.locate(n)
	return b.bounds[i*t.roles : (i+1)*t.roles]
}

// movesOf returns the statistics of the moves of the opened node n: the moves of the first role, then of
// the second, …
func (t *tree) movesOf(n int32) []stat { return t.moves.from(t.at(n).moves) }

// kid returns the node behind joint move cell of node n, or none.
func (t *tree) kid(n int32, cell int64) int32 {
	if l := t.findLink(n, cell); l != none {
		return t.links.at(l).to
	}
	return none
}

// soleMove returns the move that makes joint move cell of the opened node n, or nil unless exactly one
// role has a choice there.
func (t *tree) soleMove(n int32, cell int64) *stat {
	if a := t.at(n); a.chooser >= 0 {
		return &t.choices(a)[cell]
	}
	return nil
}

// choices returns the moves of the only chooser of node a.
func (t *tree) choices(a *node) []stat {
	return t.moves.from(a.moves + int32(a.chooser))[:a.width] // the roles before the chooser have one move each
}

// maxVisits ends a search: more visits of a node would gain nothing, and overflow the counters.
const maxVisits = 1 << 30

// errVisits is the reason to stop at maxVisits.
var errVisits = errors.New("a position has 2^30 visits: more samples do not improve the estimate")

// visit counts paths through node a.
func (t *tree) visit(a *node, paths int32) {
	a.visits += paths
	t.most = max(t.most, a.visits)
}

// plant adds a root for position s, if need be beyond the memory limit. Its ply is new, so it shares no
// node with the rest of the tree.
func (t *tree) plant(s machine.State) {
	t.root, t.most = t.takeNode(true), 0
	t.fill(t.root, s, t.deepest+1)
}

// grow links joint move cell of node n to the node for position s, which it adds if it is new. It returns
// the link, or none if memory is full.
func (t *tree) grow(n int32, cell int64, s machine.State) int32 {
	l := t.takeLink()
	if l == none {
		return none
	}
	ply := t.at(n).ply + 1
	k := none
	if t.shares {
		k = t.find(s, ply)
	}
	if k == none {
		if k = t.takeNode(false); k == none {
			t.links.giveBack(l)
			return none
		}
		t.fill(k, s, ply)
	}
	t.connect(l, n, cell, k)
	return l
}

// fill initializes node n for position s.
func (t *tree) fill(n int32, s machine.State, ply int32) {
	b, i := t.locate(n)
	t.deepest = max(t.deepest, ply)
	b.nodes[i] = node{out: none, in: none, next: none, ply: ply, moves: none, chooser: -1}
	copy(b.states[i*t.words:(i+1)*t.words], s)
	for r := range t.roles {
		b.totals[i*t.roles+r], b.bounds[i*t.roles+r] = 0, search.GoalRange
	}
	if t.shares {
		t.insert(n)
	}
}

// takeNode returns an unused node: from the waste lists, or a fresh one if the memory limit allows it or
// must is set. Else it forgets a leaf; it returns none if it finds no leaf to forget.
func (t *tree) takeNode(must bool) int32 {
	if n := t.bare; n != none {
		t.bare = t.at(n).next
		return n
	}
	if t.waste != none {
		return t.recycle()
	}
	if int(t.fresh)>>t.shift == len(t.blocks) {
		if !must && !t.hasRoom(t.nodeBytes()<<t.shift) {
			if !t.forget() {
				return none
			}
			return t.takeNode(false)
		}
		size := 1 << t.shift
		t.blocks = append(t.blocks, &block{
			nodes:  make([]node, size),
			states: make([]uint64, size*t.words),
			totals: make([]float64, size*t.roles),
			bounds: make([]search.Interval, size*t.roles),
			widths: make([]int32, size*t.roles),
		})
	}
	t.fresh++
	return t.fresh - 1
}

// maxNumbered is the maximum number of joint moves of a numbered node. A node with more joint moves never
// gets children: no path would repeat a joint move.
const maxNumbered = 1 << 62

// open adds the moves of node n, by role. It returns false if memory is full; the moves of the root are
// added in any case.
func (t *tree) open(n int32, moves [][]machine.Move) bool {
	widths := t.widthsOf(n)
	joint, numbered, all := int64(1), true, 0
	for r, own := range moves {
		width := int64(len(own))
		widths[r] = int32(width)
		all += len(own)
		if numbered = numbered && (width == 0 || joint <= maxNumbered/width); numbered {
			joint *= width
		}
	}
	span, tries := t.moves.allocate(all, t.room-t.bytes()), spanTries
	if n == t.root {
		tries = rootTries
	}
	for ; span == none && tries > 0 && t.bareWaste(); tries-- {
		span = t.moves.allocate(all, t.room-t.bytes())
	}
	switch {
	case span == none && n == t.root:
		const anyRoom = 1 << 62
		span = t.moves.allocate(all, anyRoom)
	case span == none && t.forget():
		span = t.moves.allocate(all, t.room-t.bytes())
	}
	if span == none {
		return false
	}
	a := t.at(n)
	a.moves, a.numbered, a.chooser, a.edges = span, numbered, onlyChooser(moves), 0
	if a.chooser >= 0 {
		a.width = widths[a.chooser]
	}
	stats := t.moves.from(span)
	for _, own := range moves {
		for i, m := range own {
			stats[i] = stat{move: m, link: none, lower: float32(search.GoalRange.Lower), upper: float32(search.GoalRange.Upper)}
		}
		stats = stats[len(own):]
	}
	return true
}

// onlyChooser returns the only role whose number of moves is not one, or -1 unless there is exactly one
// such role.
func onlyChooser(moves [][]machine.Move) int16 {
	chooser := -1
	for r, own := range moves {
		if len(own) != 1 {
			if chooser >= 0 {
				return -1
			}
			chooser = r
		}
	}
	if chooser > math.MaxInt16 {
		return -1
	}
	return int16(chooser)
}

// mean returns the mean goal of role r over the paths backed up to node n.
func (t *tree) mean(n int32, r int) float64 { return t.totalsOf(n)[r] / float64(t.at(n).done) }

// value returns the estimated value of node n for role r: the mean within the proved bounds, or their
// midpoint if they meet or no path is backed up.
func (t *tree) value(n int32, r int) float64 {
	b, i := t.locate(n)
	a := &b.nodes[i]
	bounds := b.bounds[i*t.roles+r]
	if bounds.Solved() || a.done == 0 {
		return (bounds.Lower + bounds.Upper) / 2
	}
	mean := b.totals[i*t.roles+r] / float64(a.done)
	return bounds.Clamp(mean)
}

// finish solves the terminal node n with the goals of the roles.
func (t *tree) finish(n int32, goal func(r int) float64) {
	a, bounds := t.at(n), t.boundsOf(n)
	a.terminal, a.solved, a.bounded = true, true, true
	for r := range bounds {
		bounds[r] = search.Exact(goal(r))
	}
}

// split writes, by role, the index of its move in joint move cell of the opened node n to picks.
func (t *tree) split(n int32, cell int64, picks []int32) {
	widths := t.widthsOf(n)
	for r := t.roles - 1; r >= 0; r-- {
		picks[r] = int32(cell % int64(widths[r]))
		cell /= int64(widths[r])
	}
}

// decode writes the joint move of the opened node n with the moves picks, by role, to dst.
func (t *tree) decode(n int32, picks []int32, dst []machine.Move) {
	moves := t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		dst[r] = moves[picks[r]].move
		moves = moves[width:]
	}
}
