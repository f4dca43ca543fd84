package bridge

// hintKey is a state in which the declarer has a choice.
type hintKey struct {
	north, south Cards
	gone         [2]Cards
	trick        [4]Card
	leader       Seat
	need         int8
}

// inOrder lists the declarer's moves, the most promising first: the one that was good
// before, then as the double dummy search would try them in one of the worlds alive.
func (s *single) inOrder(q *state, alive worlds, hint Card, hinted bool) []Card {
	moves := s.declarerMoves(q)
	var order []Card
	if hinted && moves.Has(hint) {
		order, moves = append(order, hint), moves&^hint.bit()
	}
	if moves != 0 {
		s.setUp(q, alive.first())
	}
	for moves != 0 {
		c := s.dd.choose(moves, q.leader, q.seat())
		order, moves = append(order, c), moves&^c.bit()
	}
	return order
}

// setUp sets the double dummy search up for a state in one layout.
func (s *single) setUp(q *state, i int) {
	s.dd.hands = [4]Cards{q.north, s.layouts[i].east &^ q.gone[0], q.south, s.layouts[i].west &^ q.gone[1]}
	s.dd.trick, s.dd.played = q.trick, int(q.played)
}

// declarerMoves are the legal cards of the declarer's hand in turn, one of each run of
// touching ones.
func (s *single) declarerMoves(q *state) Cards {
	hand := q.north
	if q.seat() == South {
		hand = q.south
	}
	if q.played > 0 {
		if f := hand & q.trick[0].Suit().of(); f != 0 {
			hand = f
		}
	}
	live := q.north | q.south | s.hidden&^q.gone[0]&^q.gone[1]
	for _, c := range q.trick[:q.played] {
		live |= c.bit()
	}
	return heads(hand, live)
}
