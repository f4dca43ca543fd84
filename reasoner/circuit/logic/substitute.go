package logic

import "math/bits"

// Substitution rebuilds gates of a network over other leaves. The leaves of a network are its
// constant, its inputs and its loop variables; each that is needed has an image, a literal of
// another network or of the same one. The image of a gate is the conjunction of the images of
// its operands, and is built in one of three orders:
//
//	Sweep   the nodes of a list, ascending, each once, whatever their images were
//	Image   what one literal needs and has no image yet, operands first, on demand
//	Change  what depends on leaves that get new images, ascending, as far as images differ
//
// Images that Set, Image and Change give are logged: Revert takes them back, up to the last
// Keep. So a common base is built once, and what follows from each of many cases costs no more
// than the gates that the case touches.
//
// Invariants: an image belongs to the images that its operands had when it was built; who sets
// a leaf anew says so by Change, or sweeps again. The definitions of loop variables are not
// followed: a variable is a leaf, and its image need not be a variable.
//
// Cost: Sweep is linear in the operands of the list, Image in those of the gates that it
// builds, Change in those of the gates with an operand whose image changes. Nothing recurs,
// however long the chains of gates are.
//
// The replacement of inputs by constants is Shannon's cofactor ("The synthesis of two-terminal
// switching circuits", 1949), that by next signals regression or, step after step, the
// unrolling of bounded model checking (Biere, Cimatti, Clarke and Zhu, 1999).
type Substitution struct {
	// Leaf is the image of an input or a loop variable that needs one and has none. It may ask
	// for other images. Nil gives, within one network, the leaf itself, and else a new leaf of
	// the same kind.
	Leaf func(node int32) Lit
	// Gate builds the image of a gate from those of its operands, which it may overwrite; false
	// stops Sweep, Image and Change: limits and cancellation belong here. Nil builds the
	// conjunction.
	Gate func(node int32, operands []Lit) (Lit, bool)

	from, to *Network
	image    []Lit // by node of from; absent where there is none
	log      []logged
	path     []pathGate // of Image
	operands []Lit
	users    [][]int32 // by node of from, once Change was called: the gates with an image that have it as an operand
	waiting  nodeQueue // of Change
}

// absent is the image of a node that has none.
const absent Lit = -1

// logged is the image that a node had.
type logged struct {
	node  int32
	image Lit
}

// pathGate is a gate on the way down from a literal that is asked for.
type pathGate struct {
	node int32
	left int // operands not looked at yet, the first ones
}

// NewSubstitution is one with no images but that of the constant. Both networks may grow
// meanwhile, and may be the same.
func NewSubstitution(from, to *Network) *Substitution {
	s := &Substitution{from: from, to: to, image: make([]Lit, from.Len())}
	for i := range s.image {
		s.image[i] = absent
	}
	s.image[0] = False
	return s
}

// Has tells whether a literal has an image.
func (s *Substitution) Has(l Lit) bool {
	i := int(l.Node())
	return i < len(s.image) && s.image[i] != absent
}

// At is the image of a literal that has one.
func (s *Substitution) At(l Lit) Lit { return s.image[l.Node()] ^ l&1 }

// Set gives a literal an image. What was built from another one stays as it is.
func (s *Substitution) Set(l, image Lit) { s.record(l.Node(), image^l&1) }

// SetAll gives literals their images, of which there may be more.
func (s *Substitution) SetAll(lits, images []Lit) {
	for i, l := range lits {
		s.Set(l, images[i])
	}
}

// record gives a node an image, and notes the one that it had.
func (s *Substitution) record(node int32, image Lit) {
	s.extend(node)
	s.log = append(s.log, logged{node, s.image[node]})
	s.image[node] = image
}

// reach makes room for the image of a node that was added to the network.
func (s *Substitution) extend(node int32) {
	for int(node) >= len(s.image) {
		s.image = append(s.image, absent)
	}
}

// Keep makes all images part of what Revert returns to.
func (s *Substitution) Commit() { s.log = s.log[:0] }

// Revert takes back the images that were given since Keep was called, but for those of Sweep.
func (s *Substitution) Revert() {
	for i := len(s.log) - 1; i >= 0; i-- {
		s.image[s.log[i].node] = s.log[i].image
	}
	s.log = s.log[:0]
}

// Into reverts, and builds in another network from now on. Images that are left are literals
// of the old one, until they are swept or set again.
func (s *Substitution) Retarget(to *Network) {
	s.Revert()
	s.to = to
}

// Changed lists the nodes that were given images since Keep was called, as Revert does; some
// may be listed more than once.
func (s *Substitution) Changed(yield func(node int32) bool) {
	for _, e := range s.log {
		if !yield(e.node) {
			return
		}
	}
}

// gate builds the image of a gate whose operands have theirs.
func (s *Substitution) gate(node int32) (Lit, bool) {
	s.operands = s.operands[:0]
	for _, o := range s.from.Operands(node) {
		s.operands = append(s.operands, s.At(o))
	}
	if s.Gate == nil {
		return s.to.And(s.operands...), true
	}
	return s.Gate(node, s.operands)
}

// leaf is the image of an input or a loop variable that has none.
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

// Sweep gives images to nodes, which are ascending: to gates new ones, and to leaves if they
// have none. Operands that are not among them have images. It returns false if Gate has
// stopped it.
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

// Build sweeps what the roots need, the definitions of loop variables included.
func (s *Substitution) Build(roots ...Lit) bool { return s.Sweep(Marked(s.from.Cone(roots))) }

// Marked lists the nodes that are marked.
func Marked(marks []bool) (nodes []int32) {
	for i, m := range marks {
		if m {
			nodes = append(nodes, int32(i))
		}
	}
	return nodes
}

// Image is the image of a literal, which is built if there is none. A gate with an operand
// whose image is false is false, and no more of its operands are looked at. It returns false
// if Gate has stopped it; images that are complete by then stay.
func (s *Substitution) Image(l Lit) (Lit, bool) {
	bottom := len(s.path) // Leaf may have been called by Image
	if !s.Has(l) {
		s.enter(l.Node())
	}
	for len(s.path) > bottom {
		top := &s.path[len(s.path)-1]
		if top.left > 0 {
			o := s.from.Operands(top.node)[top.left-1]
			switch {
			case !s.Has(o):
				s.enter(o.Node()) // and look at it again
				continue
			case s.At(o) != False:
				top.left--
				continue
			}
		}
		node, image, ok := top.node, False, true
		if top.left == 0 {
			image, ok = s.gate(node)
		}
		if !ok {
			s.path = s.path[:bottom]
			return absent, false
		}
		s.path = s.path[:len(s.path)-1]
		s.record(node, image)
	}
	return s.At(l), true
}

// enter gives a leaf its image, or puts a gate on the path.
func (s *Substitution) enter(node int32) {
	if s.from.op[node] == OpAnd {
		s.path = append(s.path, pathGate{node, len(s.from.Operands(node))})
		return
	}
	s.record(node, s.leaf(node))
}

// Change gives leaves new images, and builds anew the gates with an operand whose image
// changes. All gates that shall follow have images, and from has not grown, when it is first
// called. It returns false if Gate has stopped it: Revert puts that right.
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

// change gives a node an image and makes those wait that use it, if it is another one.
func (s *Substitution) change(node int32, image Lit) {
	if s.image[node] == image {
		return
	}
	s.record(node, image)
	for _, u := range s.users[node] {
		s.waiting.push(u)
	}
}

// findUsers lists the users of each node, all in one slice.
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

// nodeQueue is a set of nodes from which the smallest is taken: a bit for each node, and one for
// each word of those. What is added is not smaller than what was taken last.
type nodeQueue struct {
	nodes, words []uint64
	first        int // no word of words before this one has a bit
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

// pop is the smallest node, or -1.
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
