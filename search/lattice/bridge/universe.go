package bridge

import "math/bits"

// universe is the ways to deal so many cards to the defenders, so many of them to West:
// its worlds. They are numbered in the order of West's cards, read as a binary number
// whose bit i is the i-th card from the top. So a world has the same number whatever the
// cards are, and what is known of a position holds for all that differ in cards gone.
type universe struct {
	west    []uint16 // West's cards, by world
	held    []worlds // by card, the worlds in which West has it
	none    worlds
	full    worlds
	nothing losses // of a plan that loses no world

	passages map[passageKey]*passage
	lengths  map[lengthKey]worlds
}

// lengthKey asks for the worlds in which West has length of the cards, by number.
type lengthKey struct {
	cards  uint16
	length int
}

// universes are those of up to half of MaxCards cards, made when they are needed.
type universes [MaxCards/2 + 1][MaxCards/2 + 1]*universe

func (all *universes) of(cards, west int) *universe {
	if u := all[cards][west]; u != nil {
		return u
	}
	u := &universe{passages: make(map[passageKey]*passage), lengths: make(map[lengthKey]worlds)}
	for mask := range 1 << cards {
		if bits.OnesCount(uint(mask)) == west {
			u.west = append(u.west, uint16(mask))
		}
	}
	u.none, u.full = newWorlds(len(u.west)), newWorlds(len(u.west))
	for range cards {
		u.held = append(u.held, newWorlds(len(u.west)))
	}
	for i, mask := range u.west {
		u.full.add(i)
		for ; mask != 0; mask &= mask - 1 {
			u.held[bits.TrailingZeros16(mask)].add(i)
		}
	}
	u.nothing = losses{{set: u.none}}
	all[cards][west] = u
	return u
}

// answer is a plan that loses no world and wins in those of the proof.
func (u *universe) answer(proof worlds) answer { return answer{u.nothing, proof} }

// withLength are the worlds in which West has as many of the cards as the key says.
func (u *universe) withLength(k lengthKey) worlds {
	if set := u.lengths[k]; set != nil {
		return set
	}
	set := newWorlds(len(u.west))
	for i, mask := range u.west {
		if bits.OnesCount16(mask&k.cards) == k.length {
			set.add(i)
		}
	}
	u.lengths[k] = set
	return set
}

// alike are the worlds of q that differ from world i in cards that are not relevant, and not in
// the lengths of suits.
func (s *search) alike(q *state, i int, relevant Cards) worlds {
	u := s.universe(q)
	west, set, same := u.west[i], s.set(u), q.numbers(relevant|q.table())
	copy(set, u.full)
	for left := same; left != 0; left &= left - 1 {
		if c := bits.TrailingZeros16(left); west>>c&1 != 0 {
			set.intersection(u.held[c], set)
		} else {
			set.without(u.held[c], set)
		}
	}
	for suit := Spades; suit < NoTrump; suit++ {
		if in := q.numbers(suit.of()); in&^same != 0 {
			set.intersection(u.withLength(lengthKey{in, bits.OnesCount16(west & in)}), set)
		}
	}
	return set
}

// passage leads from the worlds of a trick to those of the next: some cards are gone.
type passage struct {
	from, to *universe
	worlds   []uint16  // by world of the next trick, that of this one
	possible worlds    // those that have one in the next
	squeezes []squeeze // by word of these
}

// passageKey are the cards that are gone, as bits, and those of West among them.
type passageKey struct{ all, west uint16 }

// passage is that of the whole trick of q.
func (s *search) passage(q *state) *passage {
	var k passageKey
	for i, c := range q.trick {
		if !q.hidden.Has(c) {
			continue
		}
		bit := uint16(1) << (q.hidden & c.above()).Len()
		k.all |= bit
		if (q.leader+Seat(i))&3 == West {
			k.west |= bit
		}
	}
	u := s.universe(q)
	if p := u.passages[k]; p != nil {
		return p
	}
	p := &passage{from: u, possible: newWorlds(len(u.west))}
	for i, mask := range u.west {
		if mask&k.all == k.west {
			p.worlds = append(p.worlds, uint16(i))
			p.possible.add(i)
		}
	}
	for _, w := range p.possible {
		p.squeezes = append(p.squeezes, newSqueeze(w))
	}
	p.to = s.worlds.of(len(u.held)-bits.OnesCount16(k.all), int(q.west)-bits.OnesCount16(k.west))
	u.passages[k] = p
	return p
}

// down is the part of a set that is possible in the next trick, as worlds of that. The worlds of both tricks
// are in the same order, so the bits of those that are possible move together.
func (p *passage) down(set, dst worlds) worlds {
	at := 0
	for k, possible := range p.possible {
		if w := set[k] & possible; w != 0 {
			w = p.squeezes[k].squeeze(w)
			dst[at>>6] |= w << (at & 63)
			if rest := w >> 1 >> (63 - at&63); rest != 0 {
				dst[at>>6+1] |= rest
			}
		}
		at += bits.OnesCount64(possible)
	}
	return dst
}

// up is a set of the next trick as one of this trick.
func (p *passage) up(set, dst worlds) worlds {
	for k, w := range set {
		for ; w != 0; w &= w - 1 {
			dst.add(int(p.worlds[k<<6+bits.TrailingZeros64(w)]))
		}
	}
	return dst
}

// squeeze moves the bits of a word that are kept to the right, without gaps, in six steps: in step i some of them by
// 1<<i places (Warren, Hacker's Delight, 2nd edition, 2012, 7-4).
type squeeze [6]uint64

func newSqueeze(keep uint64) (m squeeze) {
	gaps := ^keep << 1 // to the right of each bit
	for i := range m {
		odd := gaps // a bit is set where the number of gaps to the right, as far as they still count, is odd
		for shift := 1; shift < 64; shift *= 2 {
			odd ^= odd << shift
		}
		m[i] = odd & keep
		keep = keep ^ m[i] | m[i]>>(1<<i)
		gaps &^= odd
	}
	return m
}

// squeeze squeezes a word of which other bits than those kept are 0.
func (m *squeeze) squeeze(w uint64) uint64 {
	for i, moved := range m {
		t := w & moved
		w = w ^ t | t>>(1<<i)
	}
	return w
}

// universe is that of the trick of q.
func (s *search) universe(q *state) *universe { return s.worlds.of(q.hidden.Len(), int(q.west)) }

// set is an empty one for worlds of u.
func (s *search) set(u *universe) worlds {
	n := len(u.none)
	if len(s.chunk) < n {
		s.chunk = make(worlds, max(chunkWords, n))
	}
	set := s.chunk[:n:n]
	s.chunk = s.chunk[n:]
	return set
}

// chunkWords is the size of the pieces of memory of which sets are made.
const chunkWords = 1 << 11
