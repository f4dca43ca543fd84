package bridge

import (
	"math/bits"
	"strings"
)

// Seat is a seat at the table. Play goes clockwise, in the order of the values.
type Seat uint8

// The seats.
const (
	North Seat = iota
	East
	South
	West
)

// seatNames holds one letter for each Seat.
const seatNames = "NESW"

// String implements fmt.Stringer.
func (s Seat) String() string { return seatNames[s : s+1] }

// MarshalText implements encoding.TextMarshaler.
func (s Seat) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Suit is a suit, or NoTrump.
type Suit uint8

// The suits.
const (
	Spades Suit = iota
	Hearts
	Diamonds
	Clubs
	NoTrump
)

// suitNames holds one letter for each Suit.
const suitNames = "SHDCN"

// String implements fmt.Stringer.
func (s Suit) String() string {
	if s == NoTrump {
		return "NT"
	}
	return suitNames[s : s+1]
}

// rankNames holds the ranks from high to low.
const rankNames = "AKQJT98765432"

// Card is a card number: thirteen cards a suit, spades first, from the ace down. Within a suit the smaller
// number wins.
type Card uint8

// Suit returns the suit of the card.
func (c Card) Suit() Suit { return Suit(c / 13) }

// String returns the card as in SA, H7 or DT.
func (c Card) String() string { return c.Suit().String() + rankNames[c%13:c%13+1] }

// MarshalText implements encoding.TextMarshaler.
func (c Card) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Cards is a set of cards, as a bit set by card number.
type Cards uint64

// allCards is the full pack.
const allCards Cards = 1<<52 - 1

// mask returns all cards of the suit.
func (s Suit) mask() Cards { return 0x1fff << (13 * uint(s)) }

func (c Card) bit() Cards { return 1 << c }

// Has reports whether the set contains card c.
func (h Cards) Has(c Card) bool { return h>>c&1 != 0 }

// Len returns the number of cards.
func (h Cards) Len() int { return bits.OnesCount64(uint64(h)) }

// top returns the card with the smallest number: the highest card of a set within one suit.
func (h Cards) top() Card { return Card(bits.TrailingZeros64(uint64(h))) }

// bottom returns the card with the largest number.
func (h Cards) bottom() Card { return Card(63 - bits.LeadingZeros64(uint64(h))) }

// above returns all cards of the pack with smaller numbers than c.
func (c Card) above() Cards { return 1<<c - 1 }

// String returns the cards suit by suit in PBN notation: AK2.QT..J43.
func (h Cards) String() string {
	var b strings.Builder
	for s := Spades; s < NoTrump; s++ {
		if s > Spades {
			b.WriteByte('.')
		}
		for left := h & s.mask(); left != 0; left &= left - 1 {
			b.WriteByte(rankNames[left.top()%13])
		}
	}
	return b.String()
}
