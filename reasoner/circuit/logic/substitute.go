package logic

import "math/bits"

// Substitution maps nodes of one network to literals of another network or of the same network (images). The image of
// a leaf (constant, input or loop variable) is given. The image of a gate is the conjunction of the images of its
// operands. Three methods build images of gates:
//
//	Sweep   builds the nodes of an ascending list, and replaces older images of gates
//	Image   builds on demand the missing images that one literal needs, operands first
//	Change  replaces images of leaves, and rebuilds, ascending, the gates with a changed operand
//
// Set, Image and Change log the replaced images; Revert restores the images of the last Commit. So many cases share a
// base that is built once, and each case costs only the gates that it changes.
//
// Invariants: the image of a gate is up to date with the images of its operands until Set replaces one of them; Change
// or another Sweep updates it. Definitions of loop variables are not followed: a variable is a leaf, and its image may
// be any literal.
//
// Cost: linear in the operands of the list for Sweep, of the built gates for Image, and of the gates with a changed
// operand for Change. No method recurses, so long chains of gates need no deep stack.
//
// Constants as images of inputs give Shannon's cofactor ("The synthesis of two-terminal switching circuits", 1949).
// Next signals as images of fluents give regression or, step after step, the unrolling of bounded model checking
// (Biere, Cimatti, Clarke and Zhu, 1999).
type Substitution struct {
	// Leaf returns the image of an input or a loop variable without one. It may call Image. If Leaf is nil, the image
	// is the leaf itself within one network, and otherwise a new leaf of the same kind.
	Leaf func(node int32) Lit
	// Gate builds the image of a gate from the images of its operands, which it may overwrite. If it returns false,
	// Sweep, Image and Change stop: it can check limits and contexts. If Gate is nil, the conjunction is built.
	Gate func(node int32, operands []Lit) (Lit, bool)

	from, to *Network
	image    []Lit // by node of from; absent if not built
	log      []logged
	path     []pathGate // stack of Image
	operands []Lit
	users    [][]int32 // by node of from: its users among the gates with images; nil before the first Change
	waiting  nodeQueue // gates that Change must rebuild
}

// absent marks a node without an image.
const absent Lit = -1

// logged is a log entry: a node and its previous image.
type logged struct {
	node  int32
	image Lit
}

// pathGate is a gate on the path from the literal that Image was called for.
type pathGate struct {
	node      int32
	unvisited int // number of unvisited operands; the last operand is visited first
}

// NewSubstitution returns a substitution that maps only the constant. The networks may grow later, and may be the same.
func NewSubstitution(from, to *Network) *Substitution {
	s := &Substitution{from: from, to: to, image: make([]Lit, from.Len())}
	for i := range s.image {
		s.image[i] = absent
	}
	s.image[0] = False
	return s
}

// Has reports whether a literal has an image.
func (s *Substitution) Has(l Lit) bool {
	i := int(l.Node())
	return i < len(s.image) && s.image[i] != absent
}

// Lookup returns the image of a literal; the image must exist.
func (s *Substitution) Lookup(l Lit) Lit { return s.image[l.Node()] ^ l&1 }

// Set sets the image of a literal. Existing images of gates do not change.
func (s *Substitution) Set(l, image Lit) { s.record(l.Node(), image^l&1) }

// SetAll sets the image of each literal to the element of images with the same index. Surplus images are ignored.
func (s *Substitution) SetAll(lits, images []Lit) {
	for i, l := range lits {
		s.Set(l, images[i])
	}
}

// record sets the image of a node, and logs the previous image.
func (s *Substitution) record(node int32, image Lit) {
	s.extend(node)
	s.log = append(s.log, logged{node, s.image[node]})
	s.image[node] = image
}

// extend makes room for the image of a node that was added later.
func (s *Substitution) extend(node int32) {
	for int(node) >= len(s.image) {
		s.image = append(s.image, absent)
	}
}

// Commit empties the log, so that Revert restores the present images.
func (s *Substitution) Commit() { s.log = s.log[:0] }

// Revert restores the images of the last Commit, except images that Sweep has built since.
func (s *Substitution) Revert() {
	for i := len(s.log) - 1; i >= 0; i-- {
		s.image[s.log[i].node] = s.log[i].image
	}
	s.log = s.log[:0]
}

// Retarget reverts, and sets the network for new images. Remaining images are literals of the former network until
// Sweep or Set replaces them.
func (s *Substitution) Retarget(to *Network) {
	s.Revert()
	s.to = to
}

// Changed iterates over the logged nodes. A node can occur more than once.
func (s *Substitution) Changed(yield func(node int32) bool) {
	for _, e := range s.log {
		if !yield(e.node) {
			return
		}
	}
}

// gate builds the image of a gate; its operands must have images.
func (s *Substitution) gate(node int32) (Lit, bool) {
	s.operands = s.operands[:0]
	for _, o := range s.from.Operands(node) {
		s.operands = append(s.operands, s.Lookup(o))
	}
	if s.Gate == nil {
		return s.to.And(s.operands...), true
	}
	return s.Gate(node, s.operands)
}

// leaf returns the image of an input or a loop variable without one.
func (s *Substitution) leaf(node int32) Lit {
	switch {
	case s.Leaf != nil:
		return s.Leaf(node)
	case s.from == s.to:
		return Lit(node) << 1
	case s.from.op[node] == OpLoop:
		return s.to.LoopVar()
	}
	return s.to.Input()
}

// Sweep builds images for ascending nodes: it replaces images of gates, and adds missing images of leaves. Operands
// outside the list must have images. It does not log, and returns false if Gate stops it.
func (s *Substitution) Sweep(nodes []int32) bool {
	if len(nodes) > 0 {
		s.extend(nodes[len(nodes)-1])
	}
	for _, i := range nodes {
		switch {
		case s.from.op[i] == OpAnd:
			l, ok := s.gate(i)
			if !ok {
				return false
			}
			s.image[i] = l
		case s.image[i] == absent:
			s.image[i] = s.leaf(i)
		}
	}
	return true
}

// Build sweeps the cone of the roots, including the definitions of loop variables.
func (s *Substitution) Build(roots ...Lit) bool { return s.Sweep(Marked(s.from.Cone(roots))) }

// Marked returns the marked nodes, ascending.
func Marked(marks []bool) (nodes []int32) {
	for i, m := range marks {
		if m {
			nodes = append(nodes, int32(i))
		}
	}
	return nodes
}

// Image returns the image of a literal, and builds it if it is missing. A gate with a false operand is false, and its
// other operands are not visited. It returns false if Gate stops it; complete images stay.
func (s *Substitution) Image(l Lit) (Lit, bool) {
	bottom := len(s.path) // an outer call of Image may have called Leaf
	if !s.Has(l) {
		s.enter(l.Node())
	}
	for len(s.path) > bottom {
		top := &s.path[len(s.path)-1]
		if top.unvisited > 0 {
			o := s.from.Operands(top.node)[top.unvisited-1]
			switch {
			case !s.Has(o):
				s.enter(o.Node()) // its image is checked in the next step
				continue
			case s.Lookup(o) != False:
				top.unvisited--
				continue
			}
		}
		node, image, ok := top.node, False, true
		if top.unvisited == 0 {
			image, ok = s.gate(node)
		}
		if !ok {
			s.path = s.path[:bottom]
			return absent, false
		}
		s.path = s.path[:len(s.path)-1]
		s.record(node, image)
	}
	return s.Lookup(l), true
}

// enter sets the image of a leaf, or pushes a gate on the path.
func (s *Substitution) enter(node int32) {
	if s.from.op[node] == OpAnd {
		s.path = append(s.path, pathGate{node, len(s.from.Operands(node))})
		return
	}
	s.record(node, s.leaf(node))
}

// Change sets new images of leaves, and rebuilds each gate with a changed operand. Before the first call, all affected
// gates must have images; afterwards, `from` must not grow. If Gate stops it, Change returns false, and Revert restores
// the images.
func (s *Substitution) Change(leaves, images []Lit) bool {
	if s.users == nil {
		s.findUsers()
	}
	for k, l := range leaves {
		s.change(l.Node(), images[k]^l&1)
	}
	for i := s.waiting.pop(); i >= 0; i = s.waiting.pop() {
		l, ok := s.gate(i)
		if !ok {
			s.waiting.clear()
			return false
		}
		s.change(i, l)
	}
	return true
}

// change sets the image of a node and queues its users if the image differs.
func (s *Substitution) change(node int32, image Lit) {
	if s.image[node] == image {
		return
	}
	s.record(node, image)
	for _, u := range s.users[node] {
		s.waiting.push(u)
	}
}

// findUsers lists the users of each node; all lists share one array.
func (s *Substitution) findUsers() {
	n := s.from
	count := make([]int32, n.Len())
	each := func(f func(gate, operand int32)) {
		for i := range int32(n.Len()) {
			if n.op[i] == OpAnd && s.Has(Lit(i)<<1) {
				for _, o := range n.Operands(i) {
					f(i, o.Node())
				}
			}
		}
	}
	total := 0
	each(func(_, operand int32) { count[operand]++; total++ })
	all := make([]int32, total)
	s.users = make([][]int32, n.Len())
	for i, c := range count {
		s.users[i], all = all[:0:c], all[c:]
	}
	each(func(gate, operand int32) { s.users[operand] = append(s.users[operand], gate) })
	s.waiting = newNodeQueue(n.Len())
}

// nodeQueue is a priority queue of nodes: a bit per node, and a bit per nonempty word of nodes. Pushed nodes are not
// smaller than the last popped node.
type nodeQueue struct {
	nodes, words []uint64
	first        int // index of the first word of words that may be nonzero
}

func newNodeQueue(n int) nodeQueue {
	words := n/64 + 1
	return nodeQueue{nodes: make([]uint64, words), words: make([]uint64, words/64+1)}
}

func (q *nodeQueue) push(node int32) {
	q.nodes[node>>6] |= 1 << (node & 63)
	q.words[node>>12] |= 1 << (node >> 6 & 63)
	q.first = min(q.first, int(node>>12))
}

// pop removes and returns the smallest node, or returns -1 if the queue is empty.
func (q *nodeQueue) pop() int32 {
	for ; q.first < len(q.words); q.first++ {
		if q.words[q.first] == 0 {
			continue
		}
		word := 64*q.first + bits.TrailingZeros64(q.words[q.first])
		bit := bits.TrailingZeros64(q.nodes[word])
		if q.nodes[word] &= q.nodes[word] - 1; q.nodes[word] == 0 {
			q.words[q.first] &= q.words[q.first] - 1
		}
		return int32(64*word + bit)
	}
	return -1
}

func (q *nodeQueue) clear() {
	for q.pop() >= 0 {
	}
}
