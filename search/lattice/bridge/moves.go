package bridge

// inOrder lists the declarer's moves, the most promising first: the one that was good
// before, then as the double dummy search would try them in one of the worlds alive.
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

// moves are the legal cards of the declarer's hand in turn, one of each run of touching
// ones.
func (q *state) moves() Cards {
	hand := q.north
	if q.seat() == South {
		hand = q.south
	}
	if q.played > 0 {
		if f := hand & q.trick[0].Suit().of(); f != 0 {
			hand = f
		}
	}
	return heads(hand, q.live())
}
