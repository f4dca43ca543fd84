package bridge

import "math/bits"

// universe is the set of worlds with given numbers of hidden cards and of West's cards: all ways to deal
// the cards to the defenders. Worlds are numbered in the order of West's cards, read as a binary number
// whose bit i is the i-th card from the top. The numbers do not depend on the cards, so results for a
// position hold for all positions that differ only in played cards.
type universe struct {
	west    []uint16 // by world: West's cards
	held    []worlds // by card: worlds in which West has it
	none    worlds
	full    worlds
	nothing losses // of a plan that loses no world

	passages map[passageKey]*passage
	lengths  map[lengthKey]worlds
}

// lengthKey stands for the worlds in which West has exactly length of the cards, a bit mask.
type lengthKey struct {
	cards  uint16
	length int
}

// universes holds the universes of up to half of MaxCards cards, created on demand.
type universes [MaxCards/2 + 1][MaxCards/2 + 1]*universe

func (all *universes) get(cards, west int) *universe {
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

// answer returns the answer of a plan that loses no world and wins in the worlds of the proof.
func (u *universe) answer(proof worlds) answer { return answer{u.nothing, proof} }

// withLength returns the worlds in which West has exactly k.length of the cards k.cards.
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

// equivalent returns the worlds of q that differ from world i only in irrelevant cards, with equal lengths
// of the suits.
func (s *search) equivalent(q *state, i int, relevant Cards) worlds {
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
		if in := q.numbers(suit.mask()); in&^same != 0 {
			set.intersection(u.withLength(lengthKey{in, bits.OnesCount16(west & in)}), set)
		}
	}
	return set
}

// passage maps the worlds of a trick to the worlds of the next trick.
type passage struct {
	from, to *universe
	worlds   []uint16  // by world of the next trick: world of this trick
	possible worlds    // worlds of this trick that have a world in the next
	squeezes []squeeze // by word of possible
}

// passageKey holds the played hidden cards as bits, and West's cards among them.
type passageKey struct{ all, west uint16 }

// passage returns the passage after the complete trick of q.
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
	p.to = s.worlds.get(len(u.held)-bits.OnesCount16(k.all), int(q.west)-bits.OnesCount16(k.west))
	u.passages[k] = p
	return p
}

// down maps a set to worlds of the next trick and drops impossible worlds. The worlds of both tricks are
// in the same order, so the bits of possible worlds move together.
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

// up adds the worlds of this trick that correspond to a set of worlds of the next trick to dst, and returns dst.
func (p *passage) up(set, dst worlds) worlds {
	for k, w := range set {
		for ; w != 0; w &= w - 1 {
			dst.add(int(p.worlds[k<<6+bits.TrailingZeros64(w)]))
		}
	}
	return dst
}

// squeeze compresses the kept bits of a word to the right, without gaps, in six steps: step i moves bits
// by 1<<i places (Warren, Hacker's Delight, 2nd edition, 2012, 7-4).
type squeeze [6]uint64

func newSqueeze(keep uint64) (m squeeze) {
	gaps := ^keep << 1 // to the right of each bit
	for i := range m {
		odd := gaps // set where the number of remaining gaps to the right is odd
		for shift := 1; shift < 64; shift *= 2 {
			odd ^= odd << shift
		}
		m[i] = odd & keep
		keep = keep ^ m[i] | m[i]>>(1<<i)
		gaps &^= odd
	}
	return m
}

// squeeze compresses word w, in which all bits not kept are 0.
func (m *squeeze) squeeze(w uint64) uint64 {
	for i, moved := range m {
		t := w & moved
		w = w ^ t | t>>(1<<i)
	}
	return w
}

// universe returns the universe of the trick of q.
func (s *search) universe(q *state) *universe { return s.worlds.get(q.hidden.Len(), int(q.west)) }

// set returns an empty set of worlds of u.
func (s *search) set(u *universe) worlds {
	n := len(u.none)
	if len(s.chunk) < n {
		s.chunk = make(worlds, max(chunkWords, n))
	}
	set := s.chunk[:n:n]
	s.chunk = s.chunk[n:]
	return set
}

// chunkWords is the size of the chunks from which sets are allocated.
const chunkWords = 1 << 11
