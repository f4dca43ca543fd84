package montecarlo

import (
	"math"
	"math/bits"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The tree is a graph without cycles: a position that is reached after equally many joint
// moves in several ways is one node, which all ways share, with what is known of it. Moves have
// what the paths have brought that made them (Childs, Brodeur and Kocsis, 2008, UCT1).
//
// It lives in blocks of equal size, without pointers inside, so that it grows in steps that
// nobody notices, the garbage collector has nothing to follow, and memory can be counted:
//
//	blocks  for as many nodes each: the nodes and, beside them, their states, sums
//	        of goals, bounds (bounds.go) and numbers of legal moves
//	moves   what is known of the moves of opened nodes (spans.go)
//	links   the ways from node to node, and the tables of positions and ways (links.go)
//
// A node is opened, that is given widths and moves, when the search first goes
// through it; most never are. Nodes that no search will need again are not cleared
// away but waste: their memory is taken by new nodes, one at a time, see reroot.
// Goals are in goal points.

// none stands for no node, no link and no moves.
const none int32 = -1

type node struct {
	out     int32  // the first of the links that leave from it, or none
	in      int32  // the first of the links that lead to it, or none
	next    int32  // in its bucket of positions or, where nothing leads to it any more, of the waste
	ply     int32  // one more than that of the nodes whose links lead to it
	moves   int32  // the span of its moves, or none while it is not opened
	visits  int32  // of paths, from when they go down
	done    int32  // those of them whose goals have come back
	due     int32  // paths that have come back when its matrix game is solved next, see balance
	news    int32  // of its children that its bounds do not know of yet, see isDue
	width   int32  // the number of moves of its chooser
	ways    uint32 // where several choose, the bits of the joint moves that lead to nodes (wayBit)
	solved  bool   // the bounds of all roles meet
	bounded bool   // something is proved of it
	// terminal tells that the game is over, or cannot go on.
	terminal bool
	numbered bool // opened, and its joint moves have numbers
	balanced bool // its matrix game has been solved
	// chooser is the only role with several moves of the opened node, whose moves know
	// the links, and alone are counted; or -1 where no role has, or several.
	chooser int16
}

// stat is what is known of one move of one role at a node.
type stat struct {
	sum    float64 // of the goals seen after it
	visits int32
	move   machine.Move
	link   int32 // to the node behind it, or none, where the role is the only chooser
	// What the role gets with this move against any moves of the others: proved
	// bounds, up to rounding; they steer, but prove nothing.
	lower, upper float32
	// What is known of the move before it is tried, where one role chooses: what the role got in playouts that
	// made it at any time later, in the mean, and their number (rave.go); or an estimate of what it leads to, and
	// the probability of the policy (prior.go). Where several choose, see regret and weight.
	early, earlies float32
}

// regret is cumulative, where it is positive, where several roles choose by regret matching; at a balanced
// node it is the probability in the equilibrium.
func (s *stat) regret() *float32 { return &s.early }

// weight is that in the average strategy, where several roles choose by regret matching.
func (s *stat) weight() *float32 { return &s.earlies }

// block holds 1<<tree.shift nodes.
type block struct {
	nodes  []node
	states []uint64          // words per node
	totals []float64         // by node, then role: sum of the goals seen below
	bounds []search.Interval // by node, then role: what is proved
	widths []int32           // by node, then role: number of legal moves
}

type tree struct {
	roles, words int
	random       machine.Role // chance, or machine.NoRole
	room         int64        // bytes that the tree may take
	shares       bool         // positions are looked up
	deepest      int32        // the greatest ply of a node

	root   int32 // none before the first node
	waste  int32 // the first of the nodes not needed any more, chained by next; or none
	bare   int32 // the same of those that have given their moves and links back
	fresh  int32 // nodes from this one on were never used
	hand   int32 // the node that was looked at last, see forget
	idle   int32 // leaves with one path more than this are forgotten
	shift  uint
	mask   int32 // 1<<shift - 1
	blocks []*block
	moves  spans
	links  links

	memory boundsMemory

	complete bool // nothing is left to search below the root, see isComplete
}

const (
	// blockBytes is the size of blocks where there is much room: small enough to be
	// allocated and cleared in a tenth of a millisecond, large enough to be few.
	blockBytes = 1 << 18
	// roomParts is how many blocks at least fit into the room, so that little is
	// lost by the last one; leastNodes is what a block has nevertheless.
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

// nodeBytes is the memory of one node, its moves and links left aside.
func (t *tree) nodeBytes() int64 {
	perRole := unsafe.Sizeof(float64(0)) + unsafe.Sizeof(search.Interval{}) + unsafe.Sizeof(int32(0))
	return int64(unsafe.Sizeof(node{})) + 8*int64(t.words) + int64(t.roles)*int64(perRole)
}

// bytes is the memory that the tree takes.
func (t *tree) bytes() int64 {
	return int64(len(t.blocks))*t.nodeBytes()<<t.shift + t.moves.bytes + t.links.bytes
}

// hasRoom tells whether so many bytes more fit.
func (t *tree) hasRoom(bytes int64) bool { return t.bytes()+bytes <= t.room }

// at is node n.
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

// movesOf is what is known of the moves of the opened node n: those of the first
// role, then those of the second, …
func (t *tree) movesOf(n int32) []stat { return t.moves.from(t.at(n).moves) }

// kid is the node behind a joint move, or none.
func (t *tree) kid(n int32, cell int64) int32 {
	if l := t.way(n, cell); l != none {
		return t.links.at(l).to
	}
	return none
}

// only is the move that makes joint move cell of the opened node n, or nil where no
// role has a choice there, or several.
func (t *tree) only(n int32, cell int64) *stat {
	if a := t.at(n); a.chooser >= 0 {
		return &t.choices(a)[cell]
	}
	return nil
}

// choices are the moves of the only role that chooses at a node.
func (t *tree) choices(a *node) []stat {
	return t.moves.from(a.moves + int32(a.chooser))[:a.width] // each role before it has one move
}

// plant makes a node for position s the root. There is room for it in any case. Nothing that
// is in the tree will be found below it.
func (t *tree) plant(s machine.State) {
	t.root = t.take(true)
	t.fill(t.root, s, t.deepest+1)
}

// grow makes the node for position s, to which joint move cell leads from node n, unless the
// tree has it already, and links it. It returns the link, or none where there is no room.
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
		if k = t.take(false); k == none {
			t.links.giveBack(l)
			return none
		}
		t.fill(k, s, ply)
	}
	t.connect(l, n, cell, k)
	return l
}

// fill makes node n that of position s.
func (t *tree) fill(n int32, s machine.State, ply int32) {
	b, i := t.locate(n)
	t.deepest = max(t.deepest, ply)
	b.nodes[i] = node{out: none, in: none, next: none, ply: ply, moves: none, chooser: -1}
	copy(b.states[i*t.words:(i+1)*t.words], s)
	for r := range t.roles {
		b.totals[i*t.roles+r], b.bounds[i*t.roles+r] = 0, goalRange
	}
	if t.shares {
		t.enter(n)
	}
}

// take finds memory for a node: that of waste, or a new one as long as there is
// room, or if there must be one.
func (t *tree) take(must bool) int32 {
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
			return t.take(false)
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

// maxNumbered is how many joint moves of a node can be numbered. Those of a node that has more never get
// a child: nobody would come by there twice.
const maxNumbered = 1 << 62

// open gives node n its moves, by role. It returns false if there is no room for them: that of
// the root is taken in any case.
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
	span, tries := t.moves.take(all, t.room-t.bytes()), spanTries
	if n == t.root {
		tries = rootTries
	}
	for ; span == none && tries > 0 && t.bareWaste(); tries-- {
		span = t.moves.take(all, t.room-t.bytes())
	}
	switch {
	case span == none && n == t.root:
		const anyRoom = 1 << 62
		span = t.moves.take(all, anyRoom)
	case span == none && t.forget():
		span = t.moves.take(all, t.room-t.bytes())
	}
	if span == none {
		return false
	}
	a := t.at(n)
	a.moves, a.numbered, a.chooser, a.ways = span, numbered, onlyChooser(moves), 0
	if a.chooser >= 0 {
		a.width = widths[a.chooser]
	}
	stats := t.moves.from(span)
	for _, own := range moves {
		for i, m := range own {
			stats[i] = stat{move: m, link: none, lower: float32(goalRange.Lower), upper: float32(goalRange.Upper)}
		}
		stats = stats[len(own):]
	}
	return true
}

// onlyChooser is the only role that has not just one of the moves given by role; -1 where none has, or
// several.
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

// mean is that of what role r got on the paths that have come back to node n.
func (t *tree) mean(n int32, r int) float64 { return t.totalsOf(n)[r] / float64(t.at(n).done) }

// value is the best guess at what role r gets at node n: proved if possible,
// else the mean.
func (t *tree) value(n int32, r int) float64 {
	b, i := t.locate(n)
	a := &b.nodes[i]
	bounds := b.bounds[i*t.roles+r]
	if bounds.Solved() || a.done == 0 {
		return (bounds.Lower + bounds.Upper) / 2
	}
	mean := b.totals[i*t.roles+r] / float64(a.done)
	return min(max(mean, bounds.Lower), bounds.Upper)
}

// finish settles node n, where the game is over, by the goals of the roles.
func (t *tree) finish(n int32, goal func(r int) float64) {
	a, bounds := t.at(n), t.boundsOf(n)
	a.terminal, a.solved, a.bounded = true, true, true
	for r := range bounds {
		bounds[r] = search.Exact(goal(r))
	}
}

// split writes, by role, which of its moves make up joint move cell of the opened
// node n.
func (t *tree) split(n int32, cell int64, picks []int32) {
	widths := t.widthsOf(n)
	for r := t.roles - 1; r >= 0; r-- {
		picks[r] = int32(cell % int64(widths[r]))
		cell /= int64(widths[r])
	}
}

// decode writes the joint move of the opened node n that is made up of picks into
// dst.
func (t *tree) decode(n int32, picks []int32, dst []machine.Move) {
	moves := t.movesOf(n)
	for r, width := range t.widthsOf(n) {
		dst[r] = moves[picks[r]].move
		moves = moves[width:]
	}
}
