package bridge

// state is the public state of play: the declarer's hands, the defenders' played cards, the trick on the
// table, and the tricks that the declarer still needs.
type state struct {
	north, south Cards
	hidden       Cards // cards of the defenders at the beginning of the trick
	west         int8  // number of hidden cards that West held
	gone         Cards // West's cards played in earlier tricks
	trick        [4]Card
	played       int8
	leader       Seat
	need, left   int8 // tricks, including the one on the table
}

// seat returns the seat to play.
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

// collect ends a trick won by a seat.
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

// table returns the cards on the table.
func (s *state) table() Cards {
	var on Cards
	for _, c := range s.trick[:s.played] {
		on |= c.bit()
	}
	return on
}

// live returns all unplayed cards and the cards on the table.
func (s *state) live() Cards { return s.north | s.south | s.hidden | s.table() }

// numbers returns a bit mask of the given cards within the hidden cards.
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

// hands returns the hands of all seats. West holds the hidden cards in the bit mask west.
func (s *state) hands(west uint16) [4]Cards {
	var h Cards
	for left := s.hidden; left != 0; left, west = left&(left-1), west>>1 {
		h |= left & -left * Cards(west&1)
	}
	on := s.table()
	return [4]Cards{s.north, s.hidden &^ h &^ on, s.south, h &^ on}
}
