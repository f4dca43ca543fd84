package bridge

import "slices"

// Double dummy: with all hands open, do North and South take at least need of the tricks left? The search
// is depth-first with a null window.
//
//	table      at the beginning of a trick, by the suit lengths of all hands; an entry
//	           holds for all positions with the same owners of the relevant top cards
//	           (Ginsberg, Partition Search, 1996)
//	relevant   a card that won its trick over other cards of its suit, and all cards above it
//	moves      one of each run of touching cards of a hand
//	cutoffs    quick tricks of the side on lead
//
// Table entries do not depend on the deal, so all layouts of an ending share them: most layouts differ in
// irrelevant cards.
//
// East's and West's cards of one class (see classes) count as equal. When two of them compete for a trick,
// the side ties decides which one wins. With classes of single cards there are no ties.
//
// Invariants: need ≤ tricks left at every call except the first. The returned relevant cards belong to the
// proof found; another proof might need fewer.
type doubleDummy struct {
	trump   Suit
	classes *classes
	ties    Seat // North: the declarer decides; East: the defenders

	hands  [4]Cards
	trick  [4]Card // in order of play
	played int     // cards on the table

	tied  [52]int64 // number of ties in a class, by its highest card
	nodes int64
	table *trickTable
	most  int // maximum number of proofs in the table
}

// classes maps each card to the set of defenders' cards that count as equal to it.
type classes [52]Cards

// singles returns classes of single cards.
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

// isDeclarer reports whether a seat is North or South.
func (s Seat) isDeclarer() bool { return s&1 == 0 }

// wins reports whether North and South take need tricks. leader led to the current trick, which counts as
// one of the tricks left; its cards are no longer in the hands. The answer holds for all hands with the
// same suit lengths and the same owners of the relevant cards and the cards on the table.
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

// lead solves a position at the beginning of a trick.
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

// closed adds to relevant cards all higher cards of their suits, and the whole classes of the lowest ones.
func (d *doubleDummy) closed(relevant Cards) Cards {
	var all Cards
	for s := Spades; s < NoTrump; s++ {
		if r := relevant & s.mask(); r != 0 {
			low := d.classes[r.bottom()].bottom()
			all |= s.mask() & (low.above() | low.bit())
		}
	}
	return all
}

// follow solves a position within a trick.
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

// withTouching adds to relevant cards the cards of a hand that touch its lowest relevant cards. They were
// not tried as moves because they are equal in this hand, but they may not be in other layouts.
func (d *doubleDummy) withTouching(relevant, hand Cards) Cards {
	live := d.live()
	for s := Spades; s < NoTrump; s++ {
		r := relevant & s.mask()
		if r&hand == 0 {
			continue
		}
		for low := r.bottom(); hand.Has(low); {
			relevant |= low.bit()
			below := live & s.mask() &^ low.above() &^ low.bit()
			if below == 0 {
				break
			}
			low = below.top()
		}
	}
	return relevant
}

// live returns all unplayed cards and the cards on the table.
func (d *doubleDummy) live() Cards {
	live := d.hands[0] | d.hands[1] | d.hands[2] | d.hands[3]
	for _, c := range d.trick[:d.played] {
		live |= c.bit()
	}
	return live
}

// legal returns the legal cards of a hand, the highest of each run of touching cards.
func legal(hand Cards, trick []Card, live Cards) Cards {
	if len(trick) > 0 {
		if f := hand & trick[0].Suit().mask(); f != 0 {
			hand = f
		}
	}
	return heads(hand, live)
}

// heads returns the highest card of each run of touching cards in hand; cards are touching if no other
// live card separates them.
func heads(hand, live Cards) Cards {
	var out Cards
	for h := hand; h != 0; h &= h - 1 {
		c := h.top()
		above := live & c.Suit().mask() & c.above()
		if above == 0 || !hand.Has(above.bottom()) {
			out |= c.bit()
		}
	}
	return out
}

// best returns the index of the card that currently wins the trick.
func (d *doubleDummy) best() int {
	return winner(d.trick[:d.played], d.trump)
}

// winner returns the index of the winning card of a trick.
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

// finish scores a complete trick and continues.
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
		d.recordTie(c)
	}
	won, relevant = d.lead(who, need) // overwrites the trick
	if tied && won != d.ties.isDeclarer() {
		var r Cards
		won, r = d.lead(who^2, need)
		relevant |= r
	}
	return won, relevant | rank
}

// recordTie counts a tie in the class of c.
func (d *doubleDummy) recordTie(c Card) { d.tied[d.classes[c].top()]++ }

// mostTied returns the cards of the classes with at least half of the maximum number of ties, or 0 without
// ties.
func (d *doubleDummy) mostTied() Cards {
	most, cards := slices.Max(d.tied[:]), Cards(0)
	for c, n := range d.tied {
		if n > 0 && 2*n >= most {
			cards |= d.classes[c]
		}
	}
	return cards
}

// choose returns the move to try first.
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
	// The cards that would win the trick now.
	win := moves & b.Suit().mask() & b.above()
	if t := d.trump; t < NoTrump && b.Suit() != t {
		win |= moves & t.mask()
	}
	if d.played == 3 {
		if !ours && win != 0 {
			return win.bottom()
		}
		return d.low(moves&^win, moves)
	}
	// The cards of the next opponent in the suit.
	next := d.hands[(seat+1)&3] & b.Suit().mask()
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
		partner := d.hands[(seat+2)&3] & b.Suit().mask()
		if partner == 0 || partner.top() > b {
			return win.bottom()
		}
	}
	return d.low(moves&^win, moves)
}

// topOr returns the highest card, or the lowest card of the pack if the set is empty.
func (h Cards) topOr() Card {
	if h == 0 {
		return 51
	}
	return h.top()
}

// low returns the lowest card of the first set, or of the second if the first is empty. It prefers the
// suit with the lowest card, and plays a trump last.
func (d *doubleDummy) low(first, second Cards) Card {
	if first == 0 {
		first = second
	}
	var pick Card
	most := -1
	for s := Spades; s < NoTrump; s++ {
		in := first & s.mask()
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
		in := moves & s.mask()
		if in == 0 {
			continue
		}
		suit := live & s.mask()
		score, c := 1, in.bottom()
		switch high := suit.top(); {
		case in.Has(high):
			score, c = 4, high
		case partner.Has(high):
			score = 3
		case (d.hands[(seat+1)&3] & s.mask()).topOr() > (partner & s.mask()).topOr():
			score = 2
		}
		if score > most {
			pick, most = c, score
		}
	}
	return pick
}

// quick returns a number of top tricks that the hand on lead takes against any play, and the cards on
// which that depends.
func (d *doubleDummy) quick(leader Seat) (tricks int, relevant Cards) {
	hand, partner := d.hands[leader], d.hands[leader^2]
	if !leader.isDeclarer() {
		for left := partner; left != 0; left &= left - 1 { // equal cards in the partner's hand may win the lead there
			hand &^= d.classes[left.top()]
		}
	}
	left, right := d.hands[(leader+1)&3], d.hands[(leader+3)&3]
	noRuff := true
	spare := 13 // side-suit tricks before the partner must ruff
	if t := d.trump; t < NoTrump {
		n, low := fromTop(hand&t.mask(), partner&t.mask(), (left|right)&t.mask(), max((left&t.mask()).Len(), (right&t.mask()).Len()))
		tricks += n
		if n > 0 {
			relevant |= low
		}
		noRuff = n >= max((left&t.mask()).Len(), (right&t.mask()).Len())
		if partner&t.mask() != 0 {
			spare = (partner &^ t.mask()).Len()
		}
		if noRuff && partner&t.mask() != 0 {
			// Trumps with which the partner follows are no discards; he may have few other cards.
			spare = max(0, spare-max(0, n-(partner&t.mask()).Len()))
		}
	}
	side := 0
	for s := Spades; s < NoTrump; s++ {
		if s == d.trump || hand&s.mask() == 0 {
			continue
		}
		in := s.mask()
		l, r := (left & in).Len(), (right & in).Len()
		n, low := fromTop(hand&in, partner&in, (left|right)&in, max(l, r))
		if !noRuff {
			if left&d.trump.mask() != 0 {
				n = min(n, l)
			}
			if right&d.trump.mask() != 0 {
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

// fromTop returns the number of tricks of one suit that a hand takes by leading from the top: its cards
// above all other cards, or all its cards if the other hands run out by then.
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
