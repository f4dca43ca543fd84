package bridge

import (
	"fmt"
	"strconv"
	"strings"
)

// Error is a syntax error in the text of a deal, with its position.
type Error struct {
	Line, Column int // 1-based
	Reason       string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Reason) }

// word is a piece of text with its position.
type word struct {
	text         string
	line, column int
}

func (w word) errorf(format string, args ...any) error {
	return &Error{w.line, w.column, fmt.Sprintf(format, args...)}
}

// suffix returns the word from byte i on.
func (w word) suffix(i int) word { return word{w.text[i:], w.line, w.column + i} }

// words splits a text at white space. The string comment starts a comment that ends with the line.
func words(text, comment string) []word {
	var all []word
	for l, line := range strings.Split(text, "\n") {
		if i := strings.Index(line, comment); i >= 0 {
			line = line[:i]
		}
		for i := 0; i < len(line); {
			n := strings.IndexAny(line[i:], " \t\r")
			if n < 0 {
				n = len(line) - i
			}
			if n > 0 {
				all = append(all, word{line[i : i+n], l + 1, i + 1})
			}
			i += n + 1
		}
	}
	return all
}

// hand parses cards as in AK2.QT..J43, with suits from spades down.
func (w word) hand() (Cards, error) {
	var hand Cards
	suit := Spades
	for i, r := range w.text {
		if r == '.' {
			if suit++; suit == NoTrump {
				return 0, w.suffix(i).errorf("expected four suits, found a fourth dot in %q", w.text)
			}
			continue
		}
		rank, ok := rankOf(r)
		if !ok {
			return 0, w.suffix(i).errorf("expected one of the ranks %s or a dot, found %q", rankNames, r)
		}
		c := Card(int(suit)*13 + rank)
		if hand.Has(c) {
			return 0, w.suffix(i).errorf("expected each card once, found %v again", c)
		}
		hand |= c.bit()
	}
	if suit != Clubs {
		return 0, w.errorf("expected four suits with three dots between them, as in AK2.QT..J43, found %q", w.text)
	}
	return hand, nil
}

func rankOf(r rune) (int, bool) {
	i := strings.IndexRune(rankNames, toUpper(r))
	return i, i >= 0
}

func toUpper(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r - 'a' + 'A'
	}
	return r
}

// card parses a card as in SA or HT.
func (w word) card() (Card, error) {
	if len(w.text) == 2 {
		if s := strings.IndexRune(suitNames[:4], toUpper(rune(w.text[0]))); s >= 0 {
			if rank, ok := rankOf(rune(w.text[1])); ok {
				return Card(s*13 + rank), nil
			}
		}
	}
	return 0, w.errorf("expected a card as in SA or HT, found %q", w.text)
}

func (w word) seat() (Seat, error) {
	if len(w.text) == 1 {
		if i := strings.IndexRune(seatNames, toUpper(rune(w.text[0]))); i >= 0 {
			return Seat(i), nil
		}
	}
	return 0, w.errorf("expected one of the seats N, E, S and W, found %q", w.text)
}

func (w word) trump() (Suit, error) {
	switch t := strings.ToUpper(w.text); t {
	case "N", "NT":
		return NoTrump, nil
	case "S", "H", "D", "C":
		return Suit(strings.Index(suitNames, t)), nil
	}
	return 0, w.errorf("expected one of S, H, D, C and NT, found %q", w.text)
}

func (w word) number(low, high int) (int, error) {
	n, err := strconv.Atoi(w.text)
	if err != nil || n < low || n > high {
		return 0, w.errorf("expected a number from %d to %d, found %q", low, high, w.text)
	}
	return n, nil
}

// cut splits the word at the first separator.
func (w word) cut(separator string) (before, after word, found bool) {
	i := strings.Index(w.text, separator)
	if i < 0 {
		return w, word{"", w.line, w.column + len(w.text)}, false
	}
	before = w
	before.text = w.text[:i]
	return before, w.suffix(i + len(separator)), true
}
