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
}

// universes are those of up to half of MaxCards cards, made when they are needed.
type universes [MaxCards/2 + 1][MaxCards/2 + 1]*universe

func (all *universes) of(cards, west int) *universe {
	if u := all[cards][west]; u != nil {
		return u
	}
	u := &universe{passages: make(map[passageKey]*passage)}
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

// passage leads from the worlds of a trick to those of the next: some cards are gone.
type passage struct {
	from, to *universe
	worlds   []uint16 // by world of the next trick, that of this one
	possible worlds   // those that have one in the next
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
	p.to = s.worlds.of(len(u.held)-bits.OnesCount16(k.all), int(q.west)-bits.OnesCount16(k.west))
	u.passages[k] = p
	return p
}

// down is the part of a set that is possible in the next trick, as worlds of that.
func (p *passage) down(set, dst worlds) worlds {
	for j, i := range p.worlds {
		dst[j>>6] |= set[i>>6] >> (i & 63) & 1 << (j & 63)
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
