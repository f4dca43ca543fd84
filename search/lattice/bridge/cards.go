package bridge

import (
	"math/bits"
	"strings"
)

// Seat is a place at the table; play goes round in this order.
type Seat uint8

// The seats.
const (
	North Seat = iota
	East
	South
	West
)

// seatNames are one letter each, in the order of Seat.
const seatNames = "NESW"

// String implements fmt.Stringer.
func (s Seat) String() string { return seatNames[s : s+1] }

// MarshalText implements encoding.TextMarshaler.
func (s Seat) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Suit is one of the four, or NoTrump.
type Suit uint8

// The suits.
const (
	Spades Suit = iota
	Hearts
	Diamonds
	Clubs
	NoTrump
)

// suitNames are one letter each, in the order of Suit.
const suitNames = "SHDCN"

// String implements fmt.Stringer.
func (s Suit) String() string {
	if s == NoTrump {
		return "NT"
	}
	return suitNames[s : s+1]
}

// rankNames are the ranks from the highest to the lowest.
const rankNames = "AKQJT98765432"

// Card is one of 52: thirteen to each suit, from the ace down, spades first. So in a
// suit the smaller number wins.
type Card uint8

// Suit is that of the card.
func (c Card) Suit() Suit { return Suit(c / 13) }

// String writes the card as in SA, H7 or DT.
func (c Card) String() string { return c.Suit().String() + rankNames[c%13:c%13+1] }

// MarshalText implements encoding.TextMarshaler.
func (c Card) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Cards is a set of cards, by number.
type Cards uint64

// allCards is the pack.
const allCards Cards = 1<<52 - 1

// of is the part of one suit.
func (s Suit) of() Cards { return 0x1fff << (13 * uint(s)) }

func (c Card) bit() Cards { return 1 << c }

// Has tells whether the set holds a card.
func (h Cards) Has(c Card) bool { return h>>c&1 != 0 }

// Len is the number of cards.
func (h Cards) Len() int { return bits.OnesCount64(uint64(h)) }

// top is the highest card of a set that lies in one suit, in others the first.
func (h Cards) top() Card { return Card(bits.TrailingZeros64(uint64(h))) }

// bottom is the last card of a set.
func (h Cards) bottom() Card { return Card(63 - bits.LeadingZeros64(uint64(h))) }

// above are all cards of the pack with smaller numbers than c.
func (c Card) above() Cards { return 1<<c - 1 }

// String writes the cards suit by suit, as PBN does: AK2.QT..J43.
func (h Cards) String() string {
	var b strings.Builder
	for s := Spades; s < NoTrump; s++ {
		if s > Spades {
			b.WriteByte('.')
		}
		for left := h & s.of(); left != 0; left &= left - 1 {
			b.WriteByte(rankNames[left.top()%13])
		}
	}
	return b.String()
}
