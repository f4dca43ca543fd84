package bridge

// inOrder lists the declarer's moves, most promising first: the move that was good before, then the move
// order of double dummy search in one of the alive worlds.
func (s *search) inOrder(q *state, alive worlds, p *position) []Card {
	moves := q.moves()
	order := make([]Card, 0, 8)
	if p.best > 0 {
		hint := q.live()
		for range p.best - 1 {
			hint &= hint - 1
		}
		if c := hint.top(); moves.Has(c) {
			order, moves = append(order, c), moves&^c.bit()
		}
	}
	if moves != 0 {
		s.dd.hands, s.dd.trick, s.dd.played = q.hands(s.universe(q).west[alive.first()]), q.trick, int(q.played)
	}
	for moves != 0 {
		c := s.dd.choose(moves, q.leader, q.seat())
		order, moves = append(order, c), moves&^c.bit()
	}
	return order
}

// moves returns the legal cards of the declarer's hand to play, one of each run of touching cards.
func (s *state) moves() Cards {
	hand := s.north
	if s.seat() == South {
		hand = s.south
	}
	return legal(hand, s.trick[:s.played], s.live())
}

// sureTricks returns a number of top tricks that the declarer takes in every layout: from the hand on lead
// and then, if a low card reaches it, from the other hand.
func (s *search) sureTricks(q *state) int {
	if !q.leader.isDeclarer() {
		return 0
	}
	hand, partner := q.north, q.south
	if q.leader == South {
		hand, partner = partner, hand
	}
	out := q.hidden
	trump := s.dd.trump
	if trump < NoTrump && out&trump.mask() == 0 && partner&trump.mask() == 0 && hand&trump.mask() == 0 {
		trump = NoTrump
	}
	tricks, others, reached := 0, 0, false
	for suit := Spades; suit < NoTrump; suit++ {
		in := suit.mask()
		if trump < NoTrump && suit != trump && (out|partner)&trump.mask() != 0 {
			continue
		}
		n, _ := fromTop(hand&in, partner&in, out&in, (out & in).Len())
		tricks += n
		if m, _ := fromTop(partner&in, hand&in, out&in, (out & in).Len()); m > 0 {
			others += m
			reached = reached || n == 0 && hand&in != 0
		}
	}
	if trump == NoTrump && reached && partner.Len()-others >= tricks {
		tricks += others
	}
	return tricks
}
