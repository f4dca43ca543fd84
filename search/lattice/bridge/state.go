package bridge

// layout is one distribution of the hidden cards over the defenders' hands, which
// stands for weight equally likely ones.
type layout struct {
	east, west Cards
	weight     int64
}

// state is what everybody has seen: the declarer's hands, what the defenders have
// played, the trick on the table, and the tricks that the declarer still needs.
type state struct {
	north, south Cards
	gone         [2]Cards // by defender, East first
	trick        [4]Card
	played       int8
	leader       Seat
	need, left   int8 // of the tricks left, with the one on the table
}

// seat is who plays next.
func (s *state) seat() Seat { return (s.leader + Seat(s.played)) & 3 }

// play adds a card to the trick.
func (s state) play(c Card) state {
	switch seat := s.seat(); seat {
	case North:
		s.north &^= c.bit()
	case South:
		s.south &^= c.bit()
	default:
		s.gone[seat>>1] |= c.bit()
	}
	s.trick[s.played] = c
	s.played++
	return s
}

// collect ends a trick that a seat has won.
func (s state) collect(winner Seat) state {
	s.leader, s.played, s.trick = winner, 0, [4]Card{}
	s.left--
	if winner.isDeclarer() {
		s.need--
	}
	return s
}
