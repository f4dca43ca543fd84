package bridge

import (
	"context"
	"math/bits"
	"slices"
)

// search finds plans of the declarer, who sees the declarer's and the dummy's hand. The defenders see all
// hands and know the plan.
type search struct {
	ctx     context.Context
	dd      *doubleDummy // with the trump suit and the classes
	groups  []Cards      // classes with several cards
	worlds  universes
	table   map[positionKey]*position
	costs   map[costKey]*cost
	weights [MaxCards/4 + 1][]int32 // of the worlds, by tricks left
	frames  [MaxCards + 1][]option  // by cards left; reused
	chunk   worlds                  // memory from which sets are allocated

	// greedy selects at every choice the plan that loses the fewest worlds, and ignores losses shared with
	// other branches. It finds a plan fast, mostly a best one, and proves nothing.
	greedy  bool
	horizon int8 // number of tricks left at which double dummy wins count as wins
	cut     bool // the horizon was applied since the flag was cleared

	limit   int64 // memory limit of the table in bytes, 0 for no limit
	bytes   int64
	nodes   int64 // not yet reported
	ticks   int64
	stopped bool

	report func(nodes int64) // receives the number of new nodes at intervals
}

// newSearch returns a search with a table of at most limit bytes, 0 for no limit.
func newSearch(ctx context.Context, dd *doubleDummy, hidden Cards, limit int64) *search {
	s := &search{
		ctx: ctx, dd: dd, limit: limit, table: make(map[positionKey]*position), costs: make(map[costKey]*cost),
	}
	for hidden != 0 {
		class := s.dd.classes[hidden.top()]
		if hidden &^= class; class.Len() > 1 {
			s.groups = append(s.groups, class)
		}
	}
	return s
}

// weight returns the number of layouts in a set of worlds with the given number of tricks left.
func (s *search) weight(left int8, set worlds) int {
	if len(s.groups) == 0 {
		return set.len()
	}
	n := 0
	for k, w := range set {
		for ; w != 0; w &= w - 1 {
			n += int(s.weights[left][k<<6+bits.TrailingZeros64(w)])
		}
	}
	return n
}

// winners returns the seat that wins the trick of q. tied reports that the partner's card is of the same
// class, so that either defender may have won.
func (s *search) winners(q *state) (who Seat, tied bool) {
	k := winner(q.trick[:], s.dd.trump)
	who = (q.leader + Seat(k)) & 3
	return who, !who.isDeclarer() && s.dd.classes[q.trick[k]].Has(q.trick[k^2])
}

// answer is the result of a search: the sets of worlds that plans lose, and a proof.
type answer struct {
	found losses
	// proof depends on found. For a plan that loses nothing it is a set of worlds, alive or not, in which
	// the plan wins. If no plan keeps the limit, it is a subset of the alive worlds of which every plan
	// loses more than the limit. Otherwise it is undefined.
	proof worlds
}

// solve returns the undominated losses of plans from q on, with at most limit lost layouts. The worlds in
// alive are won double dummy. The worlds in shared may also be lost in other branches; see add.
func (s *search) solve(q state, alive, shared worlds, limit int) answer {
	u := s.universe(&q)
	switch {
	case q.need <= 0:
		return u.answer(u.full)
	case q.left == 1 || alive.isEmpty() || alive.isSingle(): // no choice, or a separate choice for each world
		return u.answer(alive)
	case q.played == 4:
		return s.finish(q, alive, shared, limit)
	}
	if s.greedy {
		shared = u.none
	}
	s.nodes++
	switch {
	case s.isStopped():
		return answer{}
	case q.played > 0:
		return s.choice(q, alive, shared, limit)
	case s.sureTricks(&q) >= int(q.need):
		return u.answer(u.full)
	case q.left <= s.horizon:
		s.cut = true
		return u.answer(alive)
	}
	p := s.position(&q)
	if a, ok := s.recall(p.proofs, alive, shared, limit); ok {
		return a
	}
	c := s.cost(&q)
	if a, ok := s.recall(c.proofs, alive, shared, limit); ok {
		return a
	}
	s.weights[q.left] = c.weights
	before := s.cut
	s.cut = false
	a := s.choice(q, alive, shared, limit)
	if !s.stopped {
		k := known{answer: a, alive: alive, shared: shared, limit: limit, greedy: s.greedy}
		if s.cut {
			k.horizon = s.horizon
		}
		s.remember(p, c, k)
	}
	s.cut = s.cut || before
	return a
}

// finish continues after a complete trick. If two seats may have won it, one side decides between them.
func (s *search) finish(q state, alive, shared worlds, limit int) answer {
	who, tied := s.winners(&q)
	if !tied {
		return s.collect(&q, q.collect(who), alive, shared, limit)
	}
	s.dd.recordTie(q.trick[(who-q.leader)&3])
	u := s.universe(&q)
	options := []option{{next: q.collect(who)}, {next: q.collect(who ^ 2)}}
	if !s.dd.ties.isDeclarer() {
		for i := range options {
			options[i].set, options[i].can = alive, u.full
		}
		return s.meet(&q, options, u.none, shared, limit)
	}
	conflict := s.set(u)
	for i := range options {
		o := &options[i]
		o.set = s.lostAfter(&q, o.next.leader, alive, limit)
		if o.weight = s.weight(q.left, o.set); o.weight > limit {
			conflict.include(o.set)
		}
	}
	options = slices.DeleteFunc(options, func(o option) bool { return o.weight > limit })
	return s.join(&q, options, conflict, alive, shared, limit)
}

// follow continues after a move, or with the next trick.
func (s *search) follow(q *state, o *option, alive, shared worlds, limit int) answer {
	if q.played == 4 {
		return s.collect(q, o.next, alive, shared, limit)
	}
	return s.solve(o.next, alive, shared, limit)
}

// collect continues with the next trick.
func (s *search) collect(q *state, next state, alive, shared worlds, limit int) answer {
	p := s.passage(q)
	if next.need <= 0 {
		return p.from.answer(p.from.full)
	}
	a := s.solve(next, p.down(alive, s.set(p.to)), p.down(shared, s.set(p.to)), limit)
	switch {
	case s.stopped:
		return answer{}
	case a.found.hasNothing() && slices.Equal(a.proof, p.to.full):
		return p.from.answer(p.possible)
	case a.found.hasNothing() || a.found == nil:
		above := answer{nil, p.up(a.proof, s.set(p.from))}
		if a.found != nil {
			above.found = p.from.nothing
		}
		return above
	}
	found := make(losses, len(a.found))
	for i, d := range a.found {
		found[i] = loss{p.up(d.set, s.set(p.from)), d.weight}
	}
	return answer{found: found}
}

// isStopped polls the context at intervals and reports whether the search is to stop.
func (s *search) isStopped() bool {
	if s.ticks++; s.ticks%256 == 0 {
		s.stopped = s.stopped || s.ctx.Err() != nil
		if s.ticks%(1<<16) == 0 {
			s.reportNodes()
		}
	}
	return s.stopped
}

// reportNodes reports the nodes since the last call.
func (s *search) reportNodes() {
	s.report(s.nodes)
	s.nodes = 0
}

// add adds a loss and removes dominated losses. Loss a dominates b if its shared worlds are a subset of
// b's shared worlds, and its other worlds weigh no more than b's. No other branch can lose the other
// worlds. A plan stays as good if a replaces b. If no world is shared, only a lightest loss remains.
func (s *search) add(f losses, d loss, shared worlds, left int8) losses {
	dominates := func(a, b loss) bool {
		return a.weight <= b.weight && a.set.intersectionIsSubset(shared, b.set) &&
			(a.set.isSubset(b.set) || a.weight-s.overlapWeight(left, a.set, shared) <= b.weight-s.overlapWeight(left, b.set, shared))
	}
	for _, e := range f {
		if dominates(e, d) {
			return f
		}
	}
	f = slices.DeleteFunc(f, func(e loss) bool { return dominates(d, e) })
	return append(f, d)
}

// overlapWeight returns the weight of the intersection of two sets.
func (s *search) overlapWeight(left int8, a, b worlds) int {
	if len(s.groups) == 0 {
		return a.overlap(b)
	}
	n := 0
	for k, w := range a {
		for w &= b[k]; w != 0; w &= w - 1 {
			n += int(s.weights[left][k<<6+bits.TrailingZeros64(w)])
		}
	}
	return n
}

func (s *search) choice(q state, alive, shared worlds, limit int) answer {
	if !q.seat().isDeclarer() {
		options, others := s.replies(&q, alive)
		return s.meet(&q, options, others, shared, limit)
	}
	if limit == 0 {
		return s.keepAll(q, alive, shared)
	}
	return s.maximise(q, alive, shared, limit)
}

// option is a move with its worlds.
type option struct {
	next   state
	set    worlds // of a defender: alive worlds with the move; of the declarer: lost worlds
	can    worlds // of a defender: all worlds with the move
	weight int
}

// keepAll solves a choice of the declarer at limit zero: it returns the first move that loses no world.
func (s *search) keepAll(q state, alive, shared worlds) answer {
	u := s.universe(&q)
	conflict := s.set(u)
	p := s.position(&q)
	for _, c := range s.inOrder(&q, alive, p) {
		next := q.play(c)
		if set := s.lost(&next, alive, 0); !set.isEmpty() {
			conflict.add(set.first())
			continue
		}
		a := s.solve(next, alive, shared, 0)
		if s.stopped {
			return answer{}
		}
		if a.found != nil {
			p.best = int8((q.live() & c.above()).Len() + 1)
			return a
		}
		conflict.include(a.proof)
	}
	return answer{nil, conflict}
}

// maximise solves a choice of the declarer: the join of his moves.
func (s *search) maximise(q state, alive, shared worlds, limit int) answer {
	conflict := s.set(s.universe(&q))
	options := s.options(&q)
	for _, c := range s.inOrder(&q, alive, s.position(&q)) {
		o := option{next: q.play(c)}
		o.set = s.lost(&o.next, alive, limit)
		if o.weight = s.weight(q.left, o.set); o.weight <= limit {
			options = append(options, o)
		} else {
			conflict.include(o.set)
		}
	}
	s.frames[4*int(q.left)-int(q.played)] = options
	return s.join(&q, options, conflict, alive, shared, limit)
}

// join searches the options of the declarer, which lose their sets at once. conflict holds the worlds that
// his other moves lose, at a weight above the limit.
func (s *search) join(q *state, options []option, conflict, alive, shared worlds, limit int) answer {
	u := s.universe(q)
	slices.SortStableFunc(options, func(a, b option) int { return a.weight - b.weight })
	exclusive := !alive.intersects(shared)
	var all losses
	for _, o := range options {
		if exclusive && all != nil {
			limit = all[0].weight - 1
		}
		if o.weight > limit || slices.ContainsFunc(all, func(d loss) bool { return d.set.isSubset(o.set) }) {
			continue
		}
		a := s.follow(q, &o, alive.without(o.set, s.set(u)), shared, limit-o.weight)
		if s.stopped {
			return answer{}
		}
		if o.weight == 0 && a.found.hasNothing() {
			return a
		}
		if a.found == nil {
			conflict.include(o.set)
			conflict.include(a.proof)
		}
		for _, d := range a.found {
			all = s.add(all, loss{d.set.union(o.set, s.set(u)), d.weight + o.weight}, shared, q.left)
		}
	}
	return answer{all, conflict}
}

// options returns an empty list for the moves in q.
func (s *search) options(q *state) []option {
	return s.frames[4*int(q.left)-int(q.played)][:0]
}

// deepen searches for plans that lose at most limit of the alive worlds, by iterative deepening: one trick
// deep, two, and so on up to the horizon. Most limits are refuted after a few tricks.
func (s *search) deepen(q state, alive worlds, limit int, horizon int8) losses {
	defer func() { s.horizon = 0 }()
	s.weights[q.left] = s.weigh(&q)
	for s.horizon = max(q.left-1, horizon); ; s.horizon-- {
		found := s.solve(q, alive, s.universe(&q).none, limit).found
		if s.stopped {
			return nil
		}
		if found == nil || s.horizon <= horizon {
			return found
		}
	}
}
