package sequential

import (
	"context"
	"errors"
	"math"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/table"
)

// Depth-first proof-number search (df-pn; Nagai, 2002) expands the leaf that contributes least to a proof, or a
// disproof, that the value is at least t. It does so for several thresholds t until the value is known. With a
// tolerance ε it needs less: a proof that the value is at least t, or a proof that it is at most t + ε.
//
//	proof number pn        of a position: 0 proved, ∞ disproved
//	  maximiser            the minimum over the children
//	  minimiser            the maximum over the undecided children, plus 1 for each other undecided child
//	disproof number dn     the same with roles exchanged
//
// The search leaves a position if its number exceeds the sibling's number by a quarter (the 1+ε thresholds of Pawlewicz
// and Lew, 2007), so that not every step begins at the root. Sums would count positions with several
// parents several times. The maximum plus one for each other child does not (weak proof numbers; Ueda,
// Hashimoto, Hashimoto and Iida, 2008).
//
// A new position gets its initial numbers from its children: these are expanded in a batch with the children of its
// siblings, in one pass of a parallel
// machine (ahead.go).
//
// Invariants: bounds in the table are proved by goals of terminal positions alone, for every t; the numbers only guide
// the search. The numbers belong to one t; the search for the next t begins
// with the bounds.
//
// Games with chance are not supported. Positions deeper than exact.MaxPly end the search. A game whose matches all end has no
// repeated positions; only in games with infinite matches could a repetition falsify
// the numbers.
//
// Cost: an expansion for each visit of a position, with a table lookup for each child, and O(b) for each visit of a
// child.

// ErrChance is returned by proof-number and threat-space search for games with chance.
var ErrChance = errors.New("proof-number and threat-space search require a game without chance")

// ProofNumber is df-pn with a table that persists between calls of Search, like
// the table of a Solver. It belongs to one goroutine.
type ProofNumber struct {
	solver *Solver // its table holds proofs
}

var _ search.Searcher = (*ProofNumber)(nil)

// NewProofNumber returns a proof-number search. It uses only Epsilon,
// Goals and Threads of the configuration.
func NewProofNumber(c Config) *ProofNumber {
	return &ProofNumber{solver: New(Config{Epsilon: c.Epsilon, Goals: c.Goals, Threads: c.Threads})}
}

// never is the number of a position without a proof: infinity.
const never = 1 << 30

// numbers holds the proof number and the disproof number of a position.
type numbers struct{ proof, disproof uint32 }

// proof is the table entry of a position. Its packed form is:
//
//	role + 1 (2 bits) | proof number (31) | disproof number (31)
//	bounds, two float32
//	asked, a float32 | best (32 bits)
type proof struct {
	bounds  search.Interval // in goal points, which are whole numbers
	asked   float32         // the t of the numbers
	numbers numbers
	best    machine.Move // of the role that chooses
	role    int8         // -1 for none
}

const proofWords = 3

func (e proof) pack(dst []uint64) {
	dst[0] = e.numbers.pack(e.role)
	dst[1] = pair(e.bounds)
	dst[2] = uint64(math.Float32bits(e.asked))<<32 | uint64(uint32(e.best))
}

// pack returns the numbers of a position, with the role that chooses there, in a word.
func (n numbers) pack(role int8) uint64 {
	return uint64(role+1)<<62 | uint64(n.proof)<<31 | uint64(n.disproof)
}

func unpackNumbers(w uint64) (n numbers, role int8) {
	return numbers{uint32(w >> 31 & (1<<31 - 1)), uint32(w & (1<<31 - 1))}, int8(w>>62) - 1
}

func unpackProof(src []uint64) proof {
	n, role := unpackNumbers(src[0])
	return proof{
		bounds:  unpair(src[1]),
		asked:   math.Float32frombits(uint32(src[2] >> 32)),
		numbers: n,
		best:    machine.Move(uint32(src[2])),
		role:    role,
	}
}

// mergeProofs intersects the bounds of a packed entry with the bounds of an older entry.
func mergeProofs(value, old []uint64) {
	e := unpackProof(value)
	e.bounds = intersect(e.bounds, unpair(old[1]))
	e.pack(value)
}

// prover is the state of one goroutine in a Search.
type prover struct {
	*run
	asked     float64
	plies     [][]numbers // by ply, then child
	shifted   []numbers   // by child; see apart
	exhausted bool        // a path was longer than exact.MaxPly
}

// Search implements search.Searcher. Besides the errors for unsupported games it returns ErrChance.
func (v *ProofNumber) Search(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) (search.Result, error) {
	if err := v.prepare(m, lim.MaxBytes); err != nil {
		return search.Result{}, err
	}
	c := v.solver.crew(ctx, m, s, lim)
	var provers []*prover
	for _, w := range c.workers {
		p := &prover{run: w}
		w.packed = make([]uint64, 2*proofWords)
		w.best = p.recallBest
		w.bounds = func(k *key) search.Interval {
			b, _, _ := p.recall(k)
			return b
		}
		provers = append(provers, p)
	}
	promised := c.workers[0].promise(s)
	exhausted := proveAll(c, provers)
	res := c.report()
	if exhausted {
		res.Unfinished = exact.ErrTooDeep
	}
	if c.err() == nil && v.solver.breaks(promised, res) {
		return v.solver.exactly(func() (search.Result, error) { return v.Search(ctx, m, s, lim) })
	}
	return res, c.err()
}

// prepare creates the table, unless machine and memory limit are unchanged.
func (v *ProofNumber) prepare(m machine.Machine, maxBytes int64) error {
	solver := v.solver
	if solver.machine == m && solver.maxBytes == maxBytes {
		return nil
	}
	if err := solver.prepare(m, maxBytes); err != nil {
		return err
	}
	tables, _ := search.Divide(maxBytes, m.Info().Batch*int64(solver.threads()))
	solver.table = table.NewShared(m, 64*proofWords, tables)
	return nil
}

// proveAll searches for one t after another until the interval of the position is at most ε wide. Goals and bounds are
// whole numbers. It reports whether a path longer than exact.MaxPly
// prevented this.
func proveAll(c *crew, provers []*prover) (exhausted bool) {
	p := provers[0]
	p.root.value = value{p.Goals, p.Goals}
	if terminal, goals := p.expander.Look(c.position); terminal {
		p.root.value = p.terminal(goals)
		return false
	}
	for !p.isDone() {
		asked := p.middle(p.root.value.proved)
		first := c.together(func(i int, w *run) {
			f := w.frame(0)
			w.find(&f.key, f.image, c.position)
			provers[i].asked = asked
			provers[i].search(c.position, &f.key, nil, 0, 0, numbers{never, never})
		})
		for _, w := range c.workers {
			if f := w.frame(0); len(f.kids) > 0 {
				p.root.learn(f.best(p.maximises(f.Decider)), f, true)
			}
		}
		if first == nil {
			return false
		}
		for i, w := range c.workers {
			if first == w && (provers[i].exhausted || w.unseen != nil) {
				if !p.isDone() && w.unseen != nil {
					p.fail("%w", w.unseen)
				}
				return provers[i].exhausted
			}
		}
		c.show()
	}
	return false
}

// middle returns the next t for a value in b: either answer halves the width in excess of ε. Goals are whole numbers
// and t is not, so that without a tolerance exactly one answer
// is right.
func (p *prover) middle(b search.Interval) float64 {
	excess := b.Upper - b.Lower - p.Epsilon
	return float64(float32(b.Lower + excess/2 + min(0.25, excess/4)))
}

// isOver reports whether the search must unwind: it is stopped, or has reached a position that is too deep or too
// wide.
func (p *prover) isOver() bool { return p.exhausted || p.unseen != nil || p.isStopped() }

// search searches s until one of its numbers reaches its limit, and returns the bounds and numbers of s. If parent is not
// nil, s is its child c.
func (p *prover) search(s machine.State, k *key, parent *frame, c, ply int, limit numbers) (search.Interval, numbers) {
	if ply == exact.MaxPly {
		p.exhausted = true
		return p.Goals, numbers{1, 1}
	}
	f := p.frame(ply)
	if p.isOver() || !p.open(f, s, parent, c) || !p.layOut(f) {
		return p.Goals, numbers{1, 1}
	}
	if f.Replies > 1 {
		p.fail("%w", ErrChance)
		return p.Goals, numbers{1, 1}
	}
	first := p.nodes
	p.count()
	p.initChildren(f, ply)
	maximise := p.maximises(f.Decider)
	for {
		if p.crew.busy != nil {
			p.refresh(f, ply)
		}
		n, best, second := weigh(p.plies[ply], maximise)
		if v := f.best(maximise); n.proof >= limit.proof || n.disproof >= limit.disproof || p.isOver() {
			p.store(f, k, v.proved, n, best, p.nodes-first)
			return v.proved, n
		}
		if p.crew.busy != nil {
			best, second = p.apart(f, ply, maximise)
		}
		inner := inner(limit, n, p.plies[ply][best], second, maximise)
		p.enter(f, best)
		known, got := p.search(f.children.Child(best), &f.keys[best], f, best, ply+1, inner)
		p.leave(f, best)
		f.kids[best] = f.kids[best].tightened(known)
		f.values[best] = f.kids[best]
		p.plies[ply][best] = p.decide(f.kids[best].proved, got)
	}
}

// refresh enters the results of other workers for the children of f.
func (p *prover) refresh(f *frame, ply int) {
	for c, n := range p.plies[ply] {
		if f.children.Terminal[c] || n.isDecided() {
			continue
		}
		if b, n, known := p.recall(&f.keys[c]); known {
			f.kids[c] = f.kids[c].tightened(b)
			f.values[c] = f.kids[c]
			p.plies[ply][c] = p.decide(f.kids[c].proved, n)
		}
	}
}

// apart selects the child of f to search if there are other workers: numbers of children under search by another
// worker count double.
func (p *prover) apart(f *frame, ply int, maximise bool) (best int, second uint32) {
	p.shifted = append(p.shifted[:0], p.plies[ply]...)
	for c, n := range p.shifted {
		if !n.isDecided() && p.isElsewhere(f, c) {
			p.shifted[c] = numbers{min(2*n.proof, never-1), min(2*n.disproof, never-1)}
		}
	}
	_, best, second = weigh(p.shifted, maximise)
	return best, second
}

// isDecided reports whether the position is proved or disproved.
func (n numbers) isDecided() bool { return n.proof == 0 || n.disproof == 0 }

// open expands s, child c of parent, into f, or reuses the parent's lookahead.
func (p *prover) open(f *frame, s machine.State, parent *frame, c int) bool {
	if parent != nil && parent.ahead.has(c) {
		f.children = &parent.ahead.expansions[c]
		return true
	}
	return p.expand(f, s, nil, nil, 0)
}

// inner returns the limit for the best child. The child has numbers of, its parent numbers n, and the next best sibling
// has number second.
func inner(limit, n, of numbers, second uint32, maximise bool) numbers {
	if !maximise {
		limit, n, of = limit.turned(), n.turned(), of.turned()
	}
	inner := numbers{
		proof:    min(limit.proof, second+second/4+1),
		disproof: min(limit.disproof-n.disproof+of.disproof, never),
	}
	if limit.disproof == never {
		inner.disproof = never
	}
	// The greatest number replaces the sum, so another child may keep n.disproof up.
	inner.disproof = max(inner.disproof, of.disproof+1)
	inner.proof = max(inner.proof, of.proof+1) // for a child that is not the best, see apart
	if !maximise {
		inner = inner.turned()
	}
	return inner
}

func (n numbers) turned() numbers { return numbers{n.disproof, n.proof} }

// weigh returns the numbers of a position by the numbers of its children, the child to search, and the
// number of the next best child.
func weigh(children []numbers, maximise bool) (n numbers, best int, second uint32) {
	n.proof, second = never, never
	undecided, greatest := uint32(0), uint32(0)
	var least numbers
	for i, c := range children {
		if !maximise {
			c = c.turned()
		}
		if c.disproof > 0 {
			undecided++
			greatest = max(greatest, c.disproof)
		}
		switch {
		case i == 0 || c.proof < least.proof || c.proof == least.proof && c.disproof < least.disproof:
			if i > 0 {
				second = least.proof
			}
			best, least = i, c
		default:
			second = min(second, c.proof)
		}
	}
	n.proof = least.proof
	if undecided > 0 {
		n.disproof = min(greatest+undecided-1, never)
	}
	if n.proof == 0 {
		n.disproof = never
	}
	if !maximise {
		n = n.turned()
	}
	return n, best, second
}

// decide returns decided numbers if the bounds b decide the question t, else the numbers n, kept undecided.
func (p *prover) decide(b search.Interval, n numbers) numbers {
	switch proved, disproved := b.Lower >= p.asked, b.Upper <= p.asked+p.Epsilon; {
	case proved && disproved: // both answers hold
		return numbers{0, 0}
	case proved:
		return numbers{0, never}
	case disproved:
		return numbers{never, 0}
	}
	return numbers{min(max(n.proof, 1), never-1), min(max(n.disproof, 1), never-1)}
}

// initChildren looks up the children of the position in f.
func (p *prover) initChildren(f *frame, ply int) {
	e := f.children
	p.looked += int64(e.Children)
	f.kids = scratch.Resize(f.kids, e.Children)
	f.keys = scratch.Resize(f.keys, e.Children)
	f.images = scratch.Resize(f.images, e.Children*p.words)
	f.values = scratch.Resize(f.values, e.Children)
	f.ahead.clear(e.Children, p.parallel)
	for len(p.plies) <= ply {
		p.plies = append(p.plies, nil)
	}
	p.plies[ply] = scratch.Resize(p.plies[ply], e.Children)
	wanted := f.ahead.wanted[:0]
	for c := range e.Children {
		if e.Terminal[c] {
			f.kids[c] = p.terminal(e.ChildGoals(c))
			p.plies[ply][c] = p.decide(f.kids[c].proved, numbers{})
			continue
		}
		p.find(&f.keys[c], f.images[c*p.words:(c+1)*p.words], e.Child(c))
		b, n, known := p.recall(&f.keys[c])
		f.kids[c] = value{b, b}
		p.plies[ply][c] = p.decide(b, n)
		if !known {
			wanted = append(wanted, c)
		}
	}
	f.ahead.wanted = wanted
	p.number(f, p.plies[ply])
	copy(f.values, f.kids)
}

// number sets the numbers of the wanted children of f by their own
// children.
func (p *prover) number(f *frame, children []numbers) {
	d := &f.ahead
	for wanted := d.wanted; len(d.seen) > 0 && len(wanted) > 0; {
		done := p.innerExpander().ExpandChildren(d.expansions, f.children, wanted)
		for _, c := range wanted[:done] {
			d.seen[c] = true
			p.glance(f, c)
			n := numbers{1, uint32(replies(&d.expansions[c]))}
			if p.isMinimisers(&d.expansions[c]) {
				n = n.turned()
			}
			children[c] = p.decide(f.kids[c].proved, n)
		}
		if wanted = wanted[done:]; done == 0 {
			return
		}
	}
}

// isMinimisers reports whether the minimiser has a choice.
func (p *prover) isMinimisers(e *play.Expansion) bool {
	return p.Other >= 0 && len(e.Moves[p.Other]) > 1
}

// recall returns the bounds and numbers of position k in the table; known reports whether the numbers belong to the present t.
func (p *prover) recall(k *key) (b search.Interval, n numbers, known bool) {
	if !p.table.Lookup(p.packed, k.Key) {
		return p.Goals, numbers{1, 1}, false
	}
	p.hits++
	e := unpackProof(p.packed)
	if e.bounds.Lower >= p.asked || e.bounds.Upper <= p.asked+p.Epsilon {
		return e.bounds, numbers{}, true
	}
	if float64(e.asked) != p.asked {
		return e.bounds, numbers{1, 1}, false
	}
	return e.bounds, e.numbers, true
}

// recallBest returns the best move in position k, or NoMove.
func (p *prover) recallBest(k *key) machine.Move {
	if p.table.Lookup(p.packed, k.Key) {
		if e := unpackProof(p.packed); e.role >= 0 {
			return k.Preimage(machine.Role(e.role), e.best)
		}
	}
	return machine.NoMove
}

// store enters the bounds and numbers of position k, expanded in f. Best is its best child, cost the number of
// nodes.
func (p *prover) store(f *frame, k *key, b search.Interval, n numbers, best int, cost int64) {
	e := proof{bounds: b, asked: float32(p.asked), numbers: n, role: int8(f.Decider)}
	if f.Decider >= 0 {
		best = f.bestAction(p.maximises(f.Decider), best)
		e.best = k.Move(f.Decider, f.children.Moves[f.Decider][best])
	}
	e.pack(p.packed)
	p.table.Update(p.packed, k.Key, cost, mergeProofs)
}
