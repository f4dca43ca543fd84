package bridge

import (
	"math/bits"
	"slices"
)

// positionKey is a state without the identity of played cards: the owners of the cards left, in the order
// of card numbers.
type positionKey struct {
	owners uint64 // two bits a card: North, South, a defender, a defender with the next card in the same class
	suits  uint32 // suit lengths, five bits each
	trick  uint32 // numbers of the cards on the table among the cards left, from 1 on, eight bits each
	leader Seat
	west   int8
	need   int8
}

// costKey is a state including the played hidden cards, which determine the weights of worlds.
type costKey struct {
	positionKey
	hidden, gone Cards
}

// key returns the key of q.
func (s *search) key(q *state) positionKey {
	k := positionKey{leader: q.leader, west: q.west, need: q.need}
	live, at := q.live(), 0
	for left := live; left != 0; left &= left - 1 {
		switch bit := left & -left; {
		case q.south&bit != 0:
			k.owners |= 1 << at
		case q.hidden&bit != 0:
			k.owners |= 2 << at
			if rest := left &^ bit; rest != 0 && s.dd.classes[left.top()].Has(rest.top()) {
				k.owners |= 1 << at
			}
		}
		at += 2
	}
	for suit := Spades; suit < NoTrump; suit++ {
		k.suits = k.suits<<5 | uint32((live & suit.mask()).Len())
	}
	for _, c := range q.trick[:q.played] {
		k.trick = k.trick<<8 | uint32((live&c.above()).Len()+1)
	}
	return k
}

// position is a table entry.
type position struct {
	// judged holds the worlds solved double dummy, won the worlds won double dummy.
	judged, won worlds
	// best is the 1-based number of the last good card among the cards left.
	best   int8
	proofs []known // independent of the weights of worlds
}

// cost is the part of a table entry that depends on the played cards, which determine the weights of
// worlds.
type cost struct {
	weights []int32 // nil if all weights are 1
	proofs  []known
}

// known is a stored result of solve.
type known struct {
	answer
	alive, shared worlds
	limit         int
	horizon       int8 // 0 if it holds without a horizon
	greedy        bool
}

// position returns the table entry of q, and adds it if missing.
func (s *search) position(q *state) *position {
	k := s.key(q)
	p := s.table[k]
	if p == nil {
		n := len(s.universe(q).none)
		both := make(worlds, 2*n)
		p = &position{judged: both[:n:n], won: both[n:]}
		s.grow(positionBytes + 16*n)
		s.table[k] = p
	}
	return p
}

// lost returns the alive worlds that are lost double dummy in q. It stops once their number exceeds the
// limit.
func (s *search) lost(q *state, alive worlds, limit int) worlds {
	u := s.universe(q)
	switch {
	case q.need <= 0:
		return u.none
	case q.need > q.left:
		return alive
	case q.played == 4:
		who, tied := s.winners(q)
		lost := s.lostAfter(q, who, alive, limit)
		switch {
		case tied && s.dd.ties.isDeclarer():
			lost = s.lostAfter(q, who^2, lost, limit)
		case tied:
			lost = lost.union(s.lostAfter(q, who^2, alive, limit), s.set(u))
		}
		return lost
	}
	p := s.position(q)
	set, n := s.set(u), 0
	for i, w := range alive {
		set[i] = w & p.judged[i] &^ p.won[i]
	}
	if n = set.len(); n > limit {
		return set
	}
	todo := alive.without(p.judged, s.set(u))
	for i := todo.first(); i >= 0 && n <= limit && !s.isStopped(); i = todo.first() {
		s.dd.hands, s.dd.trick, s.dd.played = q.hands(u.west[i]), q.trick, int(q.played)
		won, relevant := s.dd.wins(q.leader, int(q.need))
		class := s.equivalent(q, i, relevant)
		p.judged.include(class)
		if won {
			p.won.include(class)
		} else {
			set.include(class.intersection(alive, class))
			n = set.len()
		}
		todo.without(class, todo)
	}
	return set
}

// lostAfter returns the alive worlds that are lost after a seat has won the trick.
func (s *search) lostAfter(q *state, who Seat, alive worlds, limit int) worlds {
	next, p := q.collect(who), s.passage(q)
	return p.up(s.lost(&next, p.down(alive, s.set(p.to)), limit), s.set(p.from))
}

// cost returns the cost entry of q, a state at the beginning of a trick.
func (s *search) cost(q *state) *cost {
	k := costKey{s.key(q), q.hidden, q.gone}
	c := s.costs[k]
	if c == nil {
		c = &cost{weights: s.weigh(q)}
		s.grow(positionBytes + 4*len(c.weights))
		s.costs[k] = c
	}
	return c
}

// weigh returns the number of layouts of each world of q, or nil if all are 1.
func (s *search) weigh(q *state) []int32 {
	if len(s.groups) == 0 {
		return nil
	}
	u := s.universe(q)
	weights := make([]int32, len(u.west))
	for i := range weights {
		weights[i] = 1
	}
	for _, g := range s.groups {
		among, cards := binomials[g.Len()][(q.gone&g).Len():], q.numbers(g)
		for i, west := range u.west {
			weights[i] *= among[bits.OnesCount16(west&cards)]
		}
	}
	return weights
}

// recall derives an answer for the alive worlds from stored results, if possible.
func (s *search) recall(proofs []known, alive, shared worlds, limit int) (answer, bool) {
	for i := range proofs {
		k := &proofs[i]
		switch {
		case k.greedy && !s.greedy:
		case k.found == nil:
			if k.limit >= limit && k.proof.isSubset(alive) {
				return k.answer, true
			}
		case k.horizon > s.horizon:
		case k.found.hasNothing():
			if alive.isSubset(k.proof) {
				s.cut = s.cut || k.horizon > 0
				return k.answer, true
			}
		case k.limit >= limit && slices.Equal(k.alive, alive) && alive.intersectionIsSubset(shared, k.shared):
			s.cut = s.cut || k.horizon > 0
			return k.withinLimit(limit), true
		}
	}
	return answer{}, false
}

// withinLimit returns the answer restricted to losses within a limit that is not higher.
func (k *known) withinLimit(limit int) answer {
	a := answer{proof: k.alive}
	for _, d := range k.found {
		if d.weight <= limit {
			a.found = append(a.found, d)
		}
	}
	return a
}

// remember stores a result in the entry that it depends on.
func (s *search) remember(p *position, c *cost, k known) {
	k.proof = k.proof.clone()
	switch {
	case k.found.hasNothing() || k.found == nil && k.limit == 0:
		k.alive, k.shared, k.greedy = nil, nil, false
		p.proofs = append(p.proofs, k)
	case k.found == nil:
		k.alive, k.shared = nil, nil
		c.proofs = append(c.proofs, k)
	default:
		k.alive, k.shared, k.found = k.alive.clone(), k.shared.clone(), slices.Clone(k.found)
		for i := range k.found {
			k.found[i].set = k.found[i].set.clone()
		}
		c.proofs = append(c.proofs, k)
	}
	s.grow(knownBytes + 8*(len(k.proof)+len(k.alive)*(2+len(k.found))))
}

// grow counts memory of the table. A full table is cleared.
func (s *search) grow(bytes int) {
	if s.bytes += int64(bytes); s.limit > 0 && s.bytes > s.limit {
		s.table, s.costs, s.bytes = make(map[positionKey]*position), make(map[costKey]*cost), int64(bytes)
	}
}

// positionBytes and knownBytes are the approximate memory of table entries without their sets.
const (
	positionBytes = 160
	knownBytes    = 160
)

// binomials[n][k] is the binomial coefficient n over k.
var binomials = func() (b [MaxCards/2 + 1][MaxCards/2 + 1]int32) {
	for n := range b {
		b[n][0] = 1
		for k := 1; k <= n; k++ {
			b[n][k] = b[n-1][k-1] + b[n-1][k]
		}
	}
	return b
}()
