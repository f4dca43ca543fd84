package bridge

import (
	"math/bits"
	"slices"
)

// positionKey is a state but for the cards gone: who owns the cards that are left, from
// the spades down and from the highest.
type positionKey struct {
	owners uint64 // two bits a card: North, South, the defenders, these and the next is of its class
	suits  uint32 // how many cards each has, five bits
	trick  uint32 // of the cards on the table the numbers, from 1 on, eight bits each
	leader Seat
	west   int8
	need   int8
}

// costKey is a state.
type costKey struct {
	positionKey
	hidden, gone Cards
}

// key is that of q.
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
		k.suits = k.suits<<5 | uint32((live & suit.of()).Len())
	}
	for _, c := range q.trick[:q.played] {
		k.trick = k.trick<<8 | uint32((live&c.above()).Len()+1)
	}
	return k
}

// position is what the table holds.
type position struct {
	// Double dummy, of the worlds judged those that are won.
	judged, won worlds
	// best is the number of the card that was good the last time, from 1 on, of those left.
	best   int8
	proofs []known // that do not depend on what worlds weigh
}

// cost is what the table holds of a state with the cards that are gone, which say what
// worlds weigh.
type cost struct {
	weights []int32 // nil where all are 1
	proofs  []known
}

// known is an outcome of solve.
type known struct {
	answer
	alive, shared worlds
	limit         int
	horizon       int8 // 0 where it holds without one
	greedy        bool
}

// position finds q in the table, which has it from now on.
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

// lost are the worlds alive that are lost in q whatever the declarer does, or more of
// them than the limit.
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
		class := s.alike(q, i, relevant)
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

// lostAfter are those lost where a seat has won the trick.
func (s *search) lostAfter(q *state, who Seat, alive worlds, limit int) worlds {
	next, p := q.collect(who), s.passage(q)
	return p.up(s.lost(&next, p.down(alive, s.set(p.to)), limit), s.set(p.from))
}

// cost finds what it costs to lose in q, a state at the beginning of a trick.
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

// weigh tells for each world of q how many layouts it stands for.
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

// recall tells what is known of the worlds alive by what is known of others.
func (s *search) recall(proofs []known, alive, shared worlds, limit int) (answer, bool) {
	for i := range proofs {
		k := &proofs[i]
		switch {
		case k.greedy && !s.greedy:
		case k.found == nil:
			if k.limit >= limit && k.proof.within(alive) {
				return k.answer, true
			}
		case k.horizon > s.horizon:
		case k.found.hasNothing():
			if alive.within(k.proof) {
				s.cut = s.cut || k.horizon > 0
				return k.answer, true
			}
		case k.limit >= limit && slices.Equal(k.alive, alive) && alive.intersectionWithin(shared, k.shared):
			s.cut = s.cut || k.horizon > 0
			return k.upTo(limit), true
		}
	}
	return answer{}, false
}

// upTo is what is known with a limit that is not higher.
func (k *known) upTo(limit int) answer {
	a := answer{proof: k.alive}
	for _, d := range k.found {
		if d.weight <= limit {
			a.found = append(a.found, d)
		}
	}
	return a
}

// remember keeps an answer where it belongs.
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

// grow counts what the table takes. One that is full begins again.
func (s *search) grow(bytes int) {
	if s.bytes += int64(bytes); s.limit > 0 && s.bytes > s.limit {
		s.table, s.costs, s.bytes = make(map[positionKey]*position), make(map[costKey]*cost), int64(bytes)
	}
}

// positionBytes and knownBytes are about what entries of the table take beside their sets.
const (
	positionBytes = 160
	knownBytes    = 160
)

// binomials are those of n above k.
var binomials = func() (b [MaxCards/2 + 1][MaxCards/2 + 1]int32) {
	for n := range b {
		b[n][0] = 1
		for k := 1; k <= n; k++ {
			b[n][k] = b[n-1][k-1] + b[n-1][k]
		}
	}
	return b
}()
