package bridge

// trickStart is a position at the beginning of a trick as the table sees it: the lengths of
// the suits in all hands and the leader, and of each card left, from spades down and
// from the highest, who has it and whether the next belongs to its class.
type trickStart struct {
	key    trickKey
	owners [3]uint64 // one bit a card each: the seat's two, and the class
	cards  Cards     // all that are left
}

type trickKey struct{ lengths, more uint64 }

func (d *doubleDummy) trickStart(leader Seat) trickStart {
	p := trickStart{cards: d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3]}
	for s := Spades; s < NoTrump; s++ {
		for seat := range d.hands {
			p.key.lengths = p.key.lengths<<4 | uint64((d.hands[seat] & s.of()).Len())
		}
	}
	p.key.more = uint64(leader)
	odd, late := d.hands[East]|d.hands[West], d.hands[South]|d.hands[West]
	at := 0
	for left := p.cards; left != 0; left &= left - 1 {
		c := left.top()
		p.owners[0] |= uint64(odd>>c&1) << at
		p.owners[1] |= uint64(late>>c&1) << at
		if rest := left & (left - 1); rest != 0 && d.classes[c].Has(rest.top()) {
			p.owners[2] |= 1 << at
		}
		at++
	}
	return p
}

// trickTable remembers proofs, by the start of the trick.
type trickTable struct {
	first   map[trickKey]int32 // of a chain
	entries []proof
}

// proof says of all starts that agree with owners where mask is set how many tricks
// North and South take: at least lower, at most upper.
type proof struct {
	owners       [3]uint64
	mask         uint64
	lower, upper int8
	next         int32 // of the chain, -1 at its end
}

// limit keeps the table within the given bytes; 0 is no limit.
func (d *doubleDummy) limit(bytes int64) {
	if bytes > 0 {
		d.most = int(max(1, min(maxProofs, bytes/proofBytes)))
	}
}

func newTrickTable() *trickTable { return &trickTable{first: make(map[trickKey]int32)} }

// find answers whether need tricks are taken, with the cards on which that depends.
func (t *trickTable) find(p *trickStart, need int) (won bool, relevant Cards, found bool) {
	i, ok := t.first[p.key]
	if !ok {
		return false, 0, false
	}
	for ; i >= 0; i = t.entries[i].next {
		e := &t.entries[i]
		if ((e.owners[0]^p.owners[0])|(e.owners[1]^p.owners[1])|(e.owners[2]^p.owners[2]))&e.mask != 0 {
			continue
		}
		if int(e.lower) >= need {
			return true, p.lowest(e.mask), true
		}
		if int(e.upper) < need {
			return false, p.lowest(e.mask), true
		}
	}
	return false, 0, false
}

// lowest is the cards at the positions of a mask.
func (p *trickStart) lowest(mask uint64) Cards {
	var out Cards
	for left := p.cards; mask != 0; left &= left - 1 {
		if mask&1 != 0 {
			out |= left & -left
		}
		mask >>= 1
	}
	return out
}

// put remembers a proof that depends on the relevant cards, which are all from the top
// of each suit down to some card. The table holds so many proofs at most.
func (t *trickTable) put(p *trickStart, need int, won bool, relevant Cards, most int) {
	if len(t.entries) >= most {
		*t = *newTrickTable()
	}
	var mask uint64
	at := 0
	for left := p.cards; left != 0; left &= left - 1 {
		if relevant&left&-left != 0 {
			mask |= 1 << at
		}
		at++
	}
	first, ok := t.first[p.key]
	if !ok {
		first = -1
	}
	e := proof{mask: mask, lower: 0, upper: 13, next: first}
	for i := range e.owners {
		e.owners[i] = p.owners[i] & mask
	}
	if won {
		e.lower = int8(need)
	} else {
		e.upper = int8(need - 1)
	}
	t.first[p.key] = int32(len(t.entries))
	t.entries = append(t.entries, e)
}

// maxProofs bounds the table where there is memory enough. A full one begins again.
const maxProofs = 1 << 21

// proofBytes is about what a proof takes: itself, with room to grow, and its part of
// the chains.
const proofBytes = 128
