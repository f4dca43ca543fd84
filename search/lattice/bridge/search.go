package bridge

import (
	"context"
	"math/bits"
	"slices"
)

// search finds plans of the declarer, who sees his two hands, against defenders who see
// everything and know the plan.
type search struct {
	ctx     context.Context
	dd      *doubleDummy // which knows trumps and classes, too
	groups  []Cards      // classes of several cards
	worlds  universes
	table   map[positionKey]*position
	costs   map[costKey]*cost
	weights [MaxCards/4 + 1][]int32 // of the worlds, by the tricks left
	frames  [MaxCards + 1][]option  // by the cards left
	chunk   worlds                  // of which sets are made

	// greedy takes everywhere the plan that loses the fewest worlds, as if those were
	// lost nowhere else: it finds a plan soon, mostly a best one, and proves nothing.
	greedy  bool
	horizon int8 // tricks left at which worlds that are won double dummy count as won
	cut     bool // whether that has been so since the flag was cleared

	limit   int64 // bytes that the table may hold, 0 for no bound
	bytes   int64
	nodes   int64 // not counted yet
	ticks   int64
	stopped bool

	told func(nodes int64) // is told of nodes now and then
}

// newSearch makes a search with a table of so many bytes, 0 for no bound.
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

// weight is that of a set of worlds, with so many tricks left.
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

// winners are the seats that may have won the trick of q: of two defenders' cards of one
// class at its head either may be the higher one.
func (s *search) winners(q *state) (who Seat, tied bool) {
	k := winner(q.trick[:], s.dd.trump)
	who = (q.leader + Seat(k)) & 3
	return who, !who.isDeclarer() && s.dd.classes[q.trick[k]].Has(q.trick[k^2])
}

// answer is what a search finds: the sets of worlds that plans lose, and a proof.
type answer struct {
	found losses
	// proof is, of a plan that loses nothing, a set of worlds in all of which it wins,
	// alive or not. Where no plan keeps the limit, it is a part of the worlds alive of
	// which every plan loses more than the limit already. Otherwise it means nothing.
	proof worlds
}

// solve finds what the plans from q on lose at least of the worlds alive, each of which
// is won double dummy: the sets of at most limit worlds, without those that another
// dominates. Shared are the worlds that may be lost elsewhere, too; see add.
func (s *search) solve(q state, alive, shared worlds, limit int) answer {
	u := s.universe(&q)
	switch {
	case q.need <= 0:
		return u.answer(u.full)
	case q.left == 1 || alive.isEmpty() || alive.isSingle(): // without a choice, or with one for each world
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
	case s.sure(&q) >= int(q.need):
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

// finish gives a whole trick to its winner. Where two seats may have won, one side says
// who has.
func (s *search) finish(q state, alive, shared worlds, limit int) answer {
	who, tied := s.winners(&q)
	if !tied {
		return s.collect(&q, q.collect(who), alive, shared, limit)
	}
	s.dd.meet(q.trick[(who-q.leader)&3])
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

// follow goes on after a move, or with the next trick.
func (s *search) follow(q *state, o *option, alive, shared worlds, limit int) answer {
	if q.played == 4 {
		return s.collect(q, o.next, alive, shared, limit)
	}
	return s.solve(o.next, alive, shared, limit)
}

// collect goes on with the next trick.
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

// isStopped looks at the context now and then.
func (s *search) isStopped() bool {
	if s.ticks++; s.ticks%256 == 0 {
		s.stopped = s.stopped || s.ctx.Err() != nil
		if s.ticks%(1<<16) == 0 {
			s.tell()
		}
	}
	return s.stopped
}

// tell tells of the nodes that were not counted yet.
func (s *search) tell() {
	s.told(s.nodes)
	s.nodes = 0
}

// add adds a set of losses and takes away what is dominated. A set dominates another
// if it loses no more of the shared worlds, one by one, and of the others, which no
// other part of the plan can lose, not more by weight: put into any plan in the place
// of the other it is no worse. Where nothing is shared the smallest one is left.
func (s *search) add(f losses, d loss, shared worlds, left int8) losses {
	dominates := func(a, b loss) bool {
		return a.weight <= b.weight && a.set.intersectionWithin(shared, b.set) &&
			(a.set.within(b.set) || a.weight-s.common(left, a.set, shared) <= b.weight-s.common(left, b.set, shared))
	}
	for _, e := range f {
		if dominates(e, d) {
			return f
		}
	}
	f = slices.DeleteFunc(f, func(e loss) bool { return dominates(d, e) })
	return append(f, d)
}

// common is the weight of what two sets share.
func (s *search) common(left int8, a, b worlds) int {
	if len(s.groups) == 0 {
		return a.common(b)
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

// option is a move, and what it leaves alive or loses.
type option struct {
	next   state
	set    worlds // the worlds alive that have it, or those that it loses
	can    worlds // of a defender: all worlds that have it
	weight int
}

// keepAll is a choice of the declarer where no world may be lost: the first move that
// loses none is it.
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

// maximise is a choice of the declarer: the join of his moves.
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

// join searches the options of the declarer, which lose their sets at once. Conflict
// are worlds that are too heavy to be lost by his other moves.
func (s *search) join(q *state, options []option, conflict, alive, shared worlds, limit int) answer {
	u := s.universe(q)
	slices.SortStableFunc(options, func(a, b option) int { return a.weight - b.weight })
	exclusive := !alive.meets(shared)
	var all losses
	for _, o := range options {
		if exclusive && all != nil {
			limit = all[0].weight - 1
		}
		if o.weight > limit || slices.ContainsFunc(all, func(d loss) bool { return d.set.within(o.set) }) {
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

// options is an empty list for the moves in q.
func (s *search) options(q *state) []option {
	return s.frames[4*int(q.left)-int(q.played)][:0]
}

// within searches for plans that lose no more of the worlds alive than the limit, one
// trick deep, two, and so on up to the horizon: that no plan keeps a limit mostly shows
// after a few tricks.
func (s *search) within(q state, alive worlds, limit int, horizon int8) losses {
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
