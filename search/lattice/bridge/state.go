package bridge

// state is what everybody has seen: the declarer's hands, what the defenders have
// played, the trick on the table, and the tricks that the declarer still needs.
type state struct {
	north, south Cards
	hidden       Cards // those that the defenders had at the beginning of the trick
	west         int8  // how many of them West had
	gone         Cards // West's before the trick
	trick        [4]Card
	played       int8
	leader       Seat
	need, left   int8 // of the tricks left, with the one on the table
}

// seat is who plays next.
func (s *state) seat() Seat { return (s.leader + Seat(s.played)) & 3 }

// play adds a card to the trick.
func (s state) play(c Card) state {
	switch s.seat() {
	case North:
		s.north &^= c.bit()
	case South:
		s.south &^= c.bit()
	}
	s.trick[s.played] = c
	s.played++
	return s
}

// collect ends a trick that a seat has won.
func (s state) collect(winner Seat) state {
	for i, c := range s.trick {
		if s.hidden.Has(c) && (s.leader+Seat(i))&3 == West {
			s.west--
			s.gone |= c.bit()
		}
		s.hidden &^= c.bit()
	}
	s.leader = winner
	s.played, s.trick = 0, [4]Card{}
	s.left--
	if s.leader.isDeclarer() {
		s.need--
	}
	return s
}

// table are the cards on it.
func (s *state) table() Cards {
	var on Cards
	for _, c := range s.trick[:s.played] {
		on |= c.bit()
	}
	return on
}

// live are all cards that are left, with those on the table.
func (s *state) live() Cards { return s.north | s.south | s.hidden | s.table() }

// numbers are the bits of those hidden cards that are among the given ones.
func (s *state) numbers(cards Cards) (mask uint16) {
	bit := uint16(1)
	for left := s.hidden; left != 0; left &= left - 1 {
		if cards&left&-left != 0 {
			mask |= bit
		}
		bit <<= 1
	}
	return mask
}

// hands are those of all seats, where West has the given ones of the hidden cards, by
// number.
func (s *state) hands(west uint16) [4]Cards {
	var h Cards
	for left := s.hidden; left != 0; left, west = left&(left-1), west>>1 {
		h |= left & -left * Cards(west&1)
	}
	on := s.table()
	return [4]Cards{s.north, s.hidden &^ h &^ on, s.south, h &^ on}
}
