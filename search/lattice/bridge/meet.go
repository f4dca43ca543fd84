package bridge

import "slices"

// replies returns the cards that the defender to play holds in some alive world, and the worlds in which
// he holds other cards.
func (s *search) replies(q *state, alive worlds) (options []option, others worlds) {
	u := s.universe(q)
	east := q.seat() == East
	has := func(i int) worlds {
		if east {
			return u.full.without(u.held[i], s.set(u))
		}
		return u.held[i]
	}
	void := u.full
	var led Cards
	if q.played > 0 {
		led = q.trick[0].Suit().mask()
		i := 0
		for left := q.hidden; left != 0; left &= left - 1 {
			if left&-left&led != 0 {
				void = void.without(has(i), s.set(u))
			}
			i++
		}
	}
	options, others = s.options(q), s.set(u)
	for left := q.hidden &^ q.table(); left != 0; {
		class := s.dd.classes[left.top()] & left
		left &^= class
		c := class.top()
		if east {
			c = class.bottom()
		}
		can := has((q.hidden & c.above()).Len())
		if q.played > 0 && !led.Has(c) {
			can = can.intersection(void, s.set(u))
		}
		if !alive.intersects(can) {
			others.include(can)
			continue
		}
		set := alive.intersection(can, s.set(u))
		options = append(options, option{next: q.play(c), set: set, can: can})
	}
	s.frames[4*int(q.left)-int(q.played)] = options
	return options, others
}

// replyCosts returns, by option of the defenders, the sets that each card of the declarer's reply loses at
// once. If every reply to some option loses more than the limit, it returns a proof instead.
func (s *search) replyCosts(q *state, options []option, limit int) (costs [][]worlds, proof worlds) {
	if q.played >= 3 || limit == 0 || len(options) < 2 {
		return nil, nil
	}
	for _, o := range options {
		var sets []worlds
		keeps := false
		for moves := o.next.moves(); moves != 0; moves &= moves - 1 {
			next := o.next.play(moves.top())
			set := s.lost(&next, o.set, limit)
			keeps = keeps || s.weight(q.left, set) <= limit
			if set.isEmpty() {
				sets = nil
				break
			}
			sets = append(sets, set)
		}
		if !keeps {
			proof = s.set(s.universe(q))
			for _, set := range sets {
				proof.include(set)
			}
			return nil, proof
		}
		costs = append(costs, sets)
	}
	return costs, nil
}

// isKept reports whether a loss stays within the limit after the minimum costs of the remaining options.
func (s *search) isKept(left int8, l loss, costs [][]worlds, limit int) bool {
	for _, sets := range costs {
		least := 0
		for i, set := range sets {
			if w := s.weight(left, set) - s.overlapWeight(left, set, l.set); i == 0 || w < least {
				least = w
			}
		}
		if l.weight+least > limit {
			return false
		}
	}
	return true
}

// meet searches the options of the defenders, which exist in their sets of worlds only. In the worlds of
// others, the defenders have options outside the list.
func (s *search) meet(q *state, options []option, others, shared worlds, limit int) answer {
	u := s.universe(q)
	for i := range options {
		options[i].weight = s.weight(q.left, options[i].set)
	}
	slices.SortStableFunc(options, func(a, b option) int { return b.weight - a.weight })
	costs, proof := s.replyCosts(q, options, limit)
	if proof != nil {
		return answer{nil, proof}
	}
	// By option: worlds of later options, and shared worlds.
	later := make([]worlds, len(options)+1)
	later[len(options)] = shared
	for i := len(options) - 1; i >= 0; i-- {
		later[i] = later[i+1].union(options[i].set, s.set(u))
	}
	earlier := s.set(u)
	all := u.nothing
	proof = u.full.without(others, s.set(u))
	for i, o := range options {
		common, some := all[0].set, all[0].set
		least := all[0].weight
		for _, d := range all[1:] {
			common, some = common.intersection(d.set, s.set(u)), some.union(d.set, s.set(u))
			least = min(least, d.weight)
		}
		alive := o.set.without(common, s.set(u))
		// The losses of this option add to the least loss so far, except for worlds that may already be
		// lost there.
		left := min(limit-s.weight(q.left, common), limit-least+s.overlapWeight(q.left, some, alive))
		a := s.follow(q, &o, alive, earlier.union(later[i+1], s.set(u)), left)
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
		both := s.both(q, all, a.found, later[i+1], costs[min(i+1, len(costs)):], limit)
		if s.stopped {
			return answer{}
		}
		if all = both; all == nil {
			return answer{nil, earlier}
		}
	}
	return answer{all, proof}
}

// both returns the losses of combined plans for two options, within the limit after the costs of the
// remaining options.
func (s *search) both(q *state, a, b losses, shared worlds, costs [][]worlds, limit int) losses {
	u := s.universe(q)
	var all losses
	for _, d := range a {
		for _, e := range b {
			if s.isStopped() {
				return nil
			}
			if w := d.weight + e.weight - s.overlapWeight(q.left, d.set, e.set); w <= limit {
				l := loss{d.set.union(e.set, s.set(u)), w}
				if s.isKept(q.left, l, costs, limit) {
					all = s.add(all, l, shared, q.left)
				}
			}
		}
	}
	return all
}
