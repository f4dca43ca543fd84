package bridge

import (
	"context"
	"math/bits"
	"slices"
)

// single searches plans of the declarer, who sees his two hands, against defenders who
// see everything and know the plan.
type single struct {
	ctx     context.Context
	trump   Suit
	classes *classes
	ties    Seat
	layouts []layout
	hidden  Cards
	held    [2][52]worlds // by defender and card
	uniform bool
	// greedy takes everywhere the plan that loses the lightest set, as if that were lost
	// nowhere else: it finds a plan soon, mostly a best one, and proves nothing.
	greedy bool

	dd      *doubleDummy
	table   map[stateKey][]known
	none    worlds
	full    worlds
	hints   map[hintKey]Card // the move that was good the last time
	killer  int              // the world that refuted a move the last time
	limit   int64            // bytes that the table may hold, 0 for no bound
	bytes   int64
	nodes   int64
	hits    int64
	ticks   int64
	stopped bool

	progress func()
}

func newSingle(ctx context.Context, dd *doubleDummy, layouts []layout) *single {
	s := &single{ctx: ctx, dd: dd, trump: dd.trump, classes: dd.classes, ties: dd.ties, layouts: layouts, uniform: true, table: make(map[stateKey][]known)}
	s.none = newWorlds(len(layouts))
	for card := range Card(52) {
		for i, l := range layouts {
			s.hidden |= l.east | l.west
			for d, hand := range [2]Cards{l.east, l.west} {
				if hand.Has(card) {
					if s.held[d][card] == nil {
						s.held[d][card] = newWorlds(len(layouts))
					}
					s.held[d][card].add(i)
				}
			}
		}
	}
	s.full, s.hints = newWorlds(len(layouts)), make(map[hintKey]Card)
	for i, l := range layouts {
		s.full.add(i)
		s.uniform = s.uniform && l.weight == 1
	}
	return s
}

func (s *single) weight(set worlds) int64 {
	total := int64(0)
	for k, w := range set {
		total += s.weightOf(k, w)
	}
	return total
}

// weightOf is the weight of some worlds of word k of a set.
func (s *single) weightOf(k int, w uint64) int64 {
	if s.uniform {
		return int64(bits.OnesCount64(w))
	}
	total := int64(0)
	for ; w != 0; w &= w - 1 {
		total += s.layouts[k<<6+bits.TrailingZeros64(w)].weight
	}
	return total
}

// wins tells whether the need of q can be met double dummy in a layout.
func (s *single) wins(q *state, i int) bool {
	s.setUp(q, i)
	return s.dd.wins(q.leader, int(q.need))
}

// lost are the worlds alive that are lost in q whatever the declarer does, or some of
// them that weigh more than the limit.
func (s *single) lost(q *state, alive worlds, limit int64) (worlds, int64) {
	set, total := newWorlds(len(s.layouts)), int64(0)
	alive.each(func(i int) bool {
		if !s.wins(q, i) {
			set.add(i)
			total += s.layouts[i].weight
		}
		return total <= limit && !s.isStopped()
	})
	return set, total
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
// is won double dummy: the sets that weigh at most limit, without those that another
// dominates. Shared are the worlds that may be lost elsewhere, too; see add.
func (s *single) solve(q state, alive, shared worlds, limit int64) answer {
	switch {
	case q.need <= 0:
		return s.nothing(s.full)
	case alive.isEmpty() || alive.isSingle():
		return s.nothing(alive)
	case q.played == 4:
		return s.finish(q, alive, shared, limit)
	}
	if s.greedy {
		shared = s.none
	}
	s.nodes++
	if s.isStopped() {
		return answer{}
	}
	if q.played > 0 {
		return s.choice(q, alive, shared, limit)
	}
	if s.sure(&q) >= int(q.need) {
		return s.nothing(s.full)
	}
	key := stateKey{q.north, q.south, q.gone, q.leader, q.need}
	if a, ok := s.recall(key, alive, shared, limit); ok {
		s.hits++
		return a
	}
	a := s.choice(q, alive, shared, limit)
	if !s.stopped {
		s.remember(key, known{a, alive, alive.intersection(shared), limit})
	}
	return a
}

// nothing is a plan that loses no world and wins in those of the proof.
func (s *single) nothing(proof worlds) answer { return answer{losses{{s.none, 0}}, proof} }

// isStopped looks at the context now and then.
func (s *single) isStopped() bool {
	if s.ticks++; s.ticks%256 == 0 {
		s.stopped = s.stopped || s.ctx.Err() != nil
		if s.progress != nil && s.ticks%(1<<16) == 0 {
			s.progress()
		}
	}
	return s.stopped
}

// add adds a set of losses and takes away what is dominated. A set dominates another
// if it loses no more of the shared worlds, one by one, and of the others, which no
// other part of the plan can lose, not more by weight: put into any plan in the place
// of the other it is no worse. Where nothing is shared the lightest one is left.
func (s *single) add(f losses, d loss, shared worlds) losses {
	dominates := func(a, b loss) bool {
		return a.weight <= b.weight && a.set.intersectionWithin(shared, b.set) &&
			(a.set.within(b.set) || a.weight-s.common(a.set, shared) <= b.weight-s.common(b.set, shared))
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
func (s *single) common(a, b worlds) int64 {
	total := int64(0)
	for k, w := range a {
		total += s.weightOf(k, w&b[k])
	}
	return total
}

func (s *single) choice(q state, alive, shared worlds, limit int64) answer {
	if q.seat().isDeclarer() {
		return s.maximise(q, alive, shared, limit)
	}
	options, others := s.replies(q, alive)
	return s.meet(options, others, shared, limit)
}

// option is a move, or a tie, and what it leaves alive or loses.
type option struct {
	next   state
	set    worlds // the worlds alive that have it, or those that it loses
	can    worlds // of a defender: all worlds that have it
	weight int64
}

// maximise is a choice of the declarer: the join of his moves.
func (s *single) maximise(q state, alive, shared worlds, limit int64) answer {
	var options []option
	key := hintKey{q.north, q.south, q.gone, q.trick, q.leader, q.need}
	hint, hinted := s.hints[key]
	order := s.inOrder(&q, alive, hint, hinted)
	if limit == 0 {
		return s.keepAll(q, order, alive, shared, key)
	}
	conflict := s.none.clone()
	for _, c := range order {
		next := q.play(c)
		if set, w := s.lost(&next, alive, limit); w <= limit {
			options = append(options, option{next: next, set: set, weight: w})
		} else {
			conflict.include(set)
		}
	}
	return s.join(options, conflict, alive, shared, limit)
}

// keepAll is maximise where no world may be lost: the first move that does is it.
func (s *single) keepAll(q state, order []Card, alive, shared worlds, key hintKey) answer {
	conflict := s.none.clone()
	for _, c := range order {
		next := q.play(c)
		if i := s.anyLost(&next, alive); i >= 0 {
			conflict.add(i)
			continue
		}
		a := s.solve(next, alive, shared, 0)
		if s.stopped {
			return answer{}
		}
		if a.found != nil {
			s.hints[key] = c
			return a
		}
		conflict.include(a.proof)
	}
	return answer{nil, conflict}
}

// anyLost is a world alive that is lost in q whatever the declarer does, -1 if there is
// none. The one found last is tried first.
func (s *single) anyLost(q *state, alive worlds) int {
	if alive.has(s.killer) && !s.wins(q, s.killer) {
		return s.killer
	}
	found := -1
	alive.each(func(i int) bool {
		if !s.wins(q, i) {
			found, s.killer = i, i
		}
		return found < 0 && !s.isStopped()
	})
	return found
}

// join searches the options of the declarer, which lose their sets at once. Conflict
// are worlds that are too heavy to be lost by his other moves.
func (s *single) join(options []option, conflict, alive, shared worlds, limit int64) answer {
	slices.SortStableFunc(options, func(a, b option) int { return int(a.weight - b.weight) })
	exclusive := !alive.meets(shared)
	var all losses
	for _, o := range options {
		if exclusive && all != nil {
			limit = all[0].weight - 1
		}
		if o.weight > limit || slices.ContainsFunc(all, func(d loss) bool { return d.set.within(o.set) }) {
			continue
		}
		a := s.solve(o.next, alive.without(o.set), shared, limit-o.weight)
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
			all = s.add(all, loss{d.set.union(o.set), d.weight + o.weight}, shared)
		}
	}
	return answer{all, conflict}
}

// replies are the cards that the defender in turn has in some of the worlds alive, and
// the worlds in which he has other cards.
func (s *single) replies(q state, alive worlds) (options []option, others worlds) {
	d := q.seat() >> 1
	candidates := s.hidden &^ q.gone[d]
	void := s.full
	var led Cards
	if q.played > 0 {
		led = q.trick[0].Suit().of()
		for left := candidates & led; left != 0; left &= left - 1 {
			if h := s.held[d][left.top()]; h != nil {
				void = void.without(h)
			}
		}
	}
	others = s.none.clone()
	for left := candidates; left != 0; {
		class := s.classes[left.top()] & candidates
		left &^= class
		c := class.top()
		if d == 0 {
			c = class.bottom()
		}
		can := s.held[d][c]
		if can == nil {
			continue
		}
		if q.played > 0 && led&c.bit() == 0 {
			can = can.intersection(void)
		}
		if set := alive.intersection(can); set.isEmpty() {
			others.include(can)
		} else {
			options = append(options, option{q.play(c), set, can, s.weight(set)})
		}
	}
	return options, others
}

// meet searches the options of the defenders, which they have in their sets alone. In
// the worlds of others they have options that are not among them.
func (s *single) meet(options []option, others, shared worlds, limit int64) answer {
	slices.SortStableFunc(options, func(a, b option) int { return int(b.weight - a.weight) })
	// By option: the worlds that later ones have, too.
	later := make([]worlds, len(options)+1)
	later[len(options)] = shared
	for i := len(options) - 1; i >= 0; i-- {
		later[i] = later[i+1].union(options[i].set)
	}
	earlier := s.none.clone()
	all, proof := s.nothing(nil).found, s.full.without(others)
	for i, o := range options {
		common, some := all[0].set, all[0].set
		least := all[0].weight
		for _, d := range all[1:] {
			common, some = common.intersection(d.set), some.union(d.set)
			least = min(least, d.weight)
		}
		alive := o.set.without(common)
		// What a plan loses here adds to the least loss so far, but for worlds that may
		// have been lost there.
		left := min(limit-s.weight(common), limit-least+s.common(some, alive))
		a := s.solve(o.next, alive, earlier.union(later[i+1]), left)
		if s.stopped {
			return answer{}
		}
		earlier.include(o.set)
		if a.found == nil && all.hasNothing() {
			return a
		}
		if a.found.hasNothing() {
			for k := range proof {
				proof[k] &= a.proof[k] | ^o.can[k]
			}
			continue
		}
		var both losses
		for _, d := range all {
			for _, e := range a.found {
				if s.isStopped() {
					return answer{}
				}
				if w := d.weight + e.weight - s.common(d.set, e.set); w <= limit {
					both = s.add(both, loss{d.set.union(e.set), w}, later[i+1])
				}
			}
		}
		if all = both; all == nil {
			return answer{nil, earlier}
		}
	}
	return answer{all, proof}
}

// finish gives a whole trick to its winner. Where two defenders' cards of one class
// are at its head, one side says who has won.
func (s *single) finish(q state, alive, shared worlds, limit int64) answer {
	k := winner(q.trick[:], s.trump)
	who := (q.leader + Seat(k)) & 3
	if who.isDeclarer() || !s.classes[q.trick[k]].Has(q.trick[k^2]) {
		return s.solve(q.collect(who), alive, shared, limit)
	}
	s.dd.meet(q.trick[k])
	options := []option{{next: q.collect(who)}, {next: q.collect(who ^ 2)}}
	if !s.ties.isDeclarer() {
		for i := range options {
			options[i].set, options[i].can = alive, s.full
		}
		return s.meet(options, s.none, shared, limit)
	}
	conflict := s.none.clone()
	for i := range options {
		o := &options[i]
		o.set, o.weight = s.lost(&o.next, alive, limit)
		if o.weight > limit {
			conflict.include(o.set)
		}
	}
	options = slices.DeleteFunc(options, func(o option) bool { return o.weight > limit })
	return s.join(options, conflict, alive, shared, limit)
}

// sure counts tricks that the declarer takes from the top in every layout: those of the
// hand on lead and then, if a low card reaches them, those of the other hand.
func (s *single) sure(q *state) int {
	if !q.leader.isDeclarer() {
		return 0
	}
	hand, partner := q.north, q.south
	if q.leader == South {
		hand, partner = partner, hand
	}
	out := s.hidden &^ q.gone[0] &^ q.gone[1]
	trump := s.trump
	if trump < NoTrump && out&trump.of() == 0 && partner&trump.of() == 0 && hand&trump.of() == 0 {
		trump = NoTrump
	}
	tricks, others, reached := 0, 0, false
	for suit := Spades; suit < NoTrump; suit++ {
		in := suit.of()
		if trump < NoTrump && suit != trump && (out|partner)&trump.of() != 0 {
			continue
		}
		n, _, _ := fromTop(hand&in, partner&in, out&in, (out & in).Len())
		tricks += n
		if m, _, _ := fromTop(partner&in, hand&in, out&in, (out & in).Len()); m > 0 {
			others += m
			reached = reached || n == 0 && hand&in != 0
		}
	}
	if trump == NoTrump && reached && partner.Len()-others >= tricks {
		tricks += others
	}
	return tricks
}

// best searches for the plan that loses least of the worlds alive, with limits that
// grow up to most, and puts it first. Where it finds none, all plans lose more than
// tried.
func (s *single) best(q state, alive worlds, most int64) (found losses, tried int64) {
	tried = -1
	for limit := min(0, most); ; limit = min(most, max(limit*2, s.weight(alive)/firstLimit, 1)) {
		found = s.solve(q, alive, s.none, limit).found
		if s.stopped {
			return nil, tried
		}
		if tried = limit; found != nil || limit == most {
			return found, tried
		}
	}
}

// firstLimit is the part of the worlds that the second iteration may lose.
const firstLimit = 64
