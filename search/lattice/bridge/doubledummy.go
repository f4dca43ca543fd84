package bridge

import "slices"

// Double dummy: with all hands open, does the side of North and South take so many of
// the tricks left? Depth-first search with a null window on that question.
//
//	table       at the beginning of a trick, by the lengths of the suits in all hands;
//	            each entry holds for all positions that agree in who owns the highest
//	            cards, as far as these mattered (Ginsberg, Partition Search, 1996)
//	mattered    a card that won its trick over others of its suit, and all above it
//	moves       of touching cards of a hand one
//	early ends  tricks that the side to lead can take from the top (quick tricks)
//
// The table knows nothing of the deal, so that all layouts of an ending share it: most
// of them differ in cards that never matter.
//
// East's and West's cards of one class (see classes) count as equal. Where two of them
// meet at the head of a trick, the side that ties says decides which of the two has won;
// with classes of one card that does not happen.
//
// Invariants: need ≤ tricks left at every call but the first; the masks of relevant
// cards returned are those of the proof, a superset of what another proof would need.
type doubleDummy struct {
	trump   Suit
	classes *classes
	ties    Seat // North: the declarer chooses; East: the defenders

	hands  [4]Cards
	trick  [4]Card // in the order of play
	played int     // cards of the trick on the table

	tied  [52]int64 // how often cards of a class have met, by its highest card
	nodes int64
	table *trickTable
	most  int // proofs in the table
}

// classes are sets of cards of the defenders that are taken for equal: each card's own.
type classes [52]Cards

// singles is the classes of one card each.
func singles() *classes {
	var c classes
	for i := range c {
		c[i] = 1 << i
	}
	return &c
}

func newDoubleDummy(trump Suit, c *classes, ties Seat) *doubleDummy {
	return &doubleDummy{trump: trump, classes: c, ties: ties, table: newTrickTable(), most: maxProofs}
}

// isDeclarer tells whether a seat is North or South.
func (s Seat) isDeclarer() bool { return s&1 == 0 }

// wins answers for the hands, from which the cards of the trick have been taken, the
// first of which leader has played. The trick itself is one of those left. The answer holds
// for all hands with as many cards of each suit in which the owners of the relevant cards,
// and of those on the table, are the same.
func (d *doubleDummy) wins(leader Seat, need int) (won bool, relevant Cards) {
	if d.played == 0 {
		won, relevant = d.lead(leader, need)
		return won, d.closed(relevant)
	}
	left := d.hands[(leader+3)&3].Len()
	if d.played == 4 {
		left++
	}
	if need <= 0 || need > left {
		return need <= 0, 0
	}
	won, relevant = d.follow(leader, need)
	return won, d.closed(relevant)
}

// lead is a position at the beginning of a trick.
func (d *doubleDummy) lead(leader Seat, need int) (won bool, relevant Cards) {
	left := d.hands[leader].Len()
	switch {
	case need <= 0:
		return true, 0
	case need > left:
		return false, 0
	}
	quick, high := d.quick(leader)
	if leader.isDeclarer() && quick >= need {
		return true, high
	}
	if !leader.isDeclarer() && left-quick < need {
		return false, high
	}
	d.nodes++
	var where trickStart
	if left > 1 {
		where = d.trickStart(leader)
		if won, relevant, found := d.table.find(&where, need); found {
			return won, relevant
		}
	}
	d.played = 0
	won, relevant = d.follow(leader, need)
	if left > 1 {
		d.table.put(&where, need, won, d.closed(relevant), d.most)
	}
	return won, relevant
}

// closed adds to relevant cards what of their suits is above them, and the classes of
// the lowest ones as a whole.
func (d *doubleDummy) closed(relevant Cards) Cards {
	var all Cards
	for s := Spades; s < NoTrump; s++ {
		if r := relevant & s.of(); r != 0 {
			low := d.classes[r.bottom()].bottom()
			all |= s.of() & (low.above() | low.bit())
		}
	}
	return all
}

// follow is a position with some cards of the trick on the table, or none.
func (d *doubleDummy) follow(leader Seat, need int) (won bool, relevant Cards) {
	if d.played == 4 {
		return d.finish(leader, need)
	}
	seat := (leader + Seat(d.played)) & 3
	hand := d.hands[seat]
	moves := legal(hand, d.trick[:d.played], d.live())
	good := seat.isDeclarer()
	for moves != 0 {
		c := d.choose(moves, leader, seat)
		moves &^= c.bit()
		d.hands[seat] = hand &^ c.bit()
		d.trick[d.played] = c
		d.played++
		k := d.played
		trick := d.trick
		w, r := d.follow(leader, need)
		d.trick, d.played = trick, k-1
		d.hands[seat] = hand
		if w == good {
			return w, r
		}
		relevant |= r
	}
	return !good, d.withTouching(relevant, hand)
}

// withTouching adds to relevant cards those of a hand that touch the lowest ones of it:
// they were not tried as moves, being equal to these. Where they lie elsewhere they are not.
func (d *doubleDummy) withTouching(relevant, hand Cards) Cards {
	live := d.live()
	for s := Spades; s < NoTrump; s++ {
		r := relevant & s.of()
		if r&hand == 0 {
			continue
		}
		for low := r.bottom(); hand.Has(low); {
			relevant |= low.bit()
			below := live & s.of() &^ low.above() &^ low.bit()
			if below == 0 {
				break
			}
			low = below.top()
		}
	}
	return relevant
}

// live are all cards left, with those on the table.
func (d *doubleDummy) live() Cards {
	live := d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3]
	for _, c := range d.trick[:d.played] {
		live |= c.bit()
	}
	return live
}

// legal are the legal cards of a hand, one of each run of touching ones: the highest.
func legal(hand Cards, trick []Card, live Cards) Cards {
	if len(trick) > 0 {
		if f := hand & trick[0].Suit().of(); f != 0 {
			hand = f
		}
	}
	return heads(hand, live)
}

// heads are the cards of hand that no other card of hand touches from above, of those
// that are live.
func heads(hand, live Cards) Cards {
	var out Cards
	for h := hand; h != 0; h &= h - 1 {
		c := h.top()
		above := live & c.Suit().of() & c.above()
		if above == 0 || !hand.Has(above.bottom()) {
			out |= c.bit()
		}
	}
	return out
}

// best is the index of the card that wins the trick so far.
func (d *doubleDummy) best() int {
	return winner(d.trick[:d.played], d.trump)
}

// winner is the index of the winning card of a trick.
func winner(trick []Card, trump Suit) int {
	best := 0
	for i := 1; i < len(trick); i++ {
		c, b := trick[i], trick[best]
		if c.Suit() == b.Suit() && c < b || c.Suit() != b.Suit() && c.Suit() == trump {
			best = i
		}
	}
	return best
}

// finish counts a whole trick and goes on.
func (d *doubleDummy) finish(leader Seat, need int) (won bool, relevant Cards) {
	k := d.best()
	c := d.trick[k]
	who := (leader + Seat(k)) & 3
	var rank Cards
	for i, o := range d.trick {
		if i != k && o.Suit() == c.Suit() {
			rank = c.bit()
		}
	}
	if who.isDeclarer() {
		need--
	}
	tied := !who.isDeclarer() && d.classes[c].Has(d.trick[k^2])
	if tied {
		d.meet(c)
	}
	won, relevant = d.lead(who, need) // which overwrites the trick
	if tied && won != d.ties.isDeclarer() {
		var r Cards
		won, r = d.lead(who^2, need)
		relevant |= r
	}
	return won, relevant | rank
}

// meet notes that two cards of the class of c have met.
func (d *doubleDummy) meet(c Card) { d.tied[d.classes[c].top()]++ }

// mostTied is the cards of the classes that have met at least half as often as the one that has most often; 0 if
// none has.
func (d *doubleDummy) mostTied() Cards {
	most, cards := slices.Max(d.tied[:]), Cards(0)
	for c, n := range d.tied {
		if n > 0 && 2*n >= most {
			cards |= d.classes[c]
		}
	}
	return cards
}

// choose picks the move to try first.
func (d *doubleDummy) choose(moves Cards, leader, seat Seat) Card {
	if moves&(moves-1) == 0 {
		return moves.top()
	}
	if d.played == 0 {
		return d.chooseLead(moves, seat)
	}
	k := d.best()
	b := d.trick[k]
	ours := (leader+Seat(k))&1 == seat&1
	// The cards that would win now.
	win := moves & b.Suit().of() & b.above()
	if t := d.trump; t < NoTrump && b.Suit() != t {
		win |= moves & t.of()
	}
	if d.played == 3 {
		if !ours && win != 0 {
			return win.bottom()
		}
		return d.low(moves&^win, moves)
	}
	// The best card that those still to play for the other side have in the suit.
	next := d.hands[(seat+1)&3] & b.Suit().of()
	if ours && (next == 0 || next.top() > b) {
		return d.low(moves&^win, moves)
	}
	if d.played == 2 && win != 0 {
		if over := win & next.topOr().above(); next != 0 && over != 0 {
			return over.bottom()
		}
		if next == 0 {
			return win.bottom()
		}
		return d.low(moves&^win, moves)
	}
	if d.played == 1 && win != 0 {
		partner := d.hands[(seat+2)&3] & b.Suit().of()
		if partner == 0 || partner.top() > b {
			return win.bottom()
		}
	}
	return d.low(moves&^win, moves)
}

// topOr is the highest card, or the lowest of the pack for none.
func (h Cards) topOr() Card {
	if h == 0 {
		return 51
	}
	return h.top()
}

// low is the lowest card of the first set that is not empty, from the longest suit and
// no trump where it can be.
func (d *doubleDummy) low(first, second Cards) Card {
	if first == 0 {
		first = second
	}
	var pick Card
	most := -1
	for s := Spades; s < NoTrump; s++ {
		in := first & s.of()
		if in == 0 {
			continue
		}
		n := int(in.bottom()%13) + 1
		if s == d.trump {
			n = 0
		}
		if n > most {
			pick, most = in.bottom(), n
		}
	}
	return pick
}

// chooseLead prefers suits in which the leader or his partner has the highest card.
func (d *doubleDummy) chooseLead(moves Cards, seat Seat) Card {
	live := d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3]
	partner := d.hands[seat^2]
	pick, most := Card(0), -1
	for s := Spades; s < NoTrump; s++ {
		in := moves & s.of()
		if in == 0 {
			continue
		}
		suit := live & s.of()
		score, c := 1, in.bottom()
		switch high := suit.top(); {
		case in.Has(high):
			score, c = 4, high
		case partner.Has(high):
			score = 3
		case (d.hands[(seat+1)&3] & s.of()).topOr() > (partner & s.of()).topOr():
			score = 2
		}
		if score > most {
			pick, most = c, score
		}
	}
	return pick
}

// quick counts tricks that the hand on lead takes from the top, whatever the others
// do, and tells which cards that depends on.
func (d *doubleDummy) quick(leader Seat) (tricks int, relevant Cards) {
	hand, partner := d.hands[leader], d.hands[leader^2]
	if !leader.isDeclarer() {
		for left := partner; left != 0; left &= left - 1 { // these may leave the lead to the partner
			hand &^= d.classes[left.top()]
		}
	}
	left, right := d.hands[(leader+1)&3], d.hands[(leader+3)&3]
	noRuff := true
	spare := 13 // tricks in side suits before the partner must ruff
	if t := d.trump; t < NoTrump {
		n, low := fromTop(hand&t.of(), partner&t.of(), (left|right)&t.of(), max((left&t.of()).Len(), (right&t.of()).Len()))
		tricks += n
		if n > 0 {
			relevant |= low
		}
		noRuff = n >= max((left&t.of()).Len(), (right&t.of()).Len())
		if partner&t.of() != 0 {
			spare = (partner &^ t.of()).Len()
		}
		if noRuff && partner&t.of() != 0 {
			// The trumps that the partner follows with are no discards, the rest may be few.
			spare = max(0, spare-max(0, n-(partner&t.of()).Len()))
		}
	}
	side := 0
	for s := Spades; s < NoTrump; s++ {
		if s == d.trump || hand&s.of() == 0 {
			continue
		}
		in := s.of()
		l, r := (left & in).Len(), (right & in).Len()
		n, low := fromTop(hand&in, partner&in, (left|right)&in, max(l, r))
		if !noRuff {
			if left&d.trump.of() != 0 {
				n = min(n, l)
			}
			if right&d.trump.of() != 0 {
				n = min(n, r)
			}
		}
		if n > 0 {
			side += n
			relevant |= low
		}
	}
	return tricks + min(side, spare), relevant
}

// fromTop counts the tricks of one suit that a hand takes by leading from the top:
// its cards above all others, or all its cards if the others run out by then.
func fromTop(hand, partner, others Cards, longest int) (tricks int, relevant Cards) {
	if hand == 0 {
		return 0, 0
	}
	high := hand
	if rest := partner | others; rest != 0 {
		high = hand & rest.top().above()
	}
	n := high.Len()
	if n == 0 {
		if partner|others != 0 {
			return 0, 0
		}
		return hand.Len(), 0
	}
	relevant = high.bottom().bit()
	if n >= max(longest, partner.Len()) {
		return hand.Len(), relevant
	}
	return n, relevant
}
