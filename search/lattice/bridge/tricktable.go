package bridge

// trickStart is the key of a position at the beginning of a trick: the leader, the suit lengths of all
// hands, and the owners of the cards left, by card number. A third bit a card marks that the next card is
// of its class.
type trickStart struct {
	key    trickKey
	owners [3]uint64 // three bits a card: two for the seat, one for the class
	cards  Cards     // all cards left
}

type trickKey struct{ lengths, more uint64 }

func (d *doubleDummy) trickStart(leader Seat) trickStart {
	p := trickStart{cards: d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3]}
	for s := Spades; s < NoTrump; s++ {
		for seat := range d.hands {
			p.key.lengths = p.key.lengths<<4 | uint64((d.hands[seat] & s.mask()).Len())
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

// trickTable stores proofs by the start of the trick.
type trickTable struct {
	first   map[trickKey]int32 // head of a chain
	entries []proof
}

// proof bounds the tricks of North and South, from lower to upper, in all positions that agree with owners
// where mask is set.
type proof struct {
	owners       [3]uint64
	mask         uint64
	lower, upper int8
	next         int32 // in the chain, -1 at its end
}

// limit sets the memory limit of the table in bytes; 0 stands for no limit.
func (d *doubleDummy) limit(bytes int64) {
	if bytes > 0 {
		d.most = int(max(1, min(maxProofs, bytes/proofBytes)))
	}
}

func newTrickTable() *trickTable { return &trickTable{first: make(map[trickKey]int32)} }

// find looks up whether need tricks are taken, and the cards on which the answer depends.
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

// lowest returns the cards at the positions of a mask.
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

// put stores a proof that depends on the relevant cards, a top sequence of each suit. A table with most
// proofs is cleared first.
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

// maxProofs is the maximum size of the table. A full table is cleared.
const maxProofs = 1 << 21

// proofBytes is the approximate memory of a proof, with spare capacity and its share of the chains.
const proofBytes = 128
