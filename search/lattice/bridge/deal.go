package bridge

import (
	"fmt"
	"slices"
	"strings"
)

// MaxCards bounds the cards left in an ending.
const MaxCards = 32

// Deal is an ending: what is left of a deal, and what is known of it.
type Deal struct {
	// Hands are those of the declarer's side and, where Actual, of the defenders.
	Hands  [4]Cards
	Actual bool
	// Hidden are the cards of both defenders, without those on the table.
	Hidden   Cards
	Trump    Suit
	Declarer Seat
	// Leader has the lead or, where Trick is not empty, has led to it.
	Leader Seat
	Trick  []Card
	// Tricks is how many of those left the declarer needs, 0 where the deal does not say.
	Tricks int
	// Void are the suits that a defender is known to have none of.
	Void [4]Cards
	// Layouts are the hands of one defender that are possible, nil if all are: each
	// with the seat whose hand it is.
	Layouts []Holding
}

// Holding is a hand and whose it is.
type Holding struct {
	Seat  Seat
	Cards Cards
}

// Left is the number of tricks left, with the one on the table.
func (d *Deal) Left() int {
	n := d.Hands[d.Declarer].Len()
	if d.hasPlayed(d.Declarer) {
		n++
	}
	return n
}

// Cards is the number of cards left in the hands.
func (d *Deal) Cards() int {
	return d.Hands[d.Declarer].Len() + d.Hands[d.Declarer^2].Len() + d.Hidden.Len()
}

func (d *Deal) hasPlayed(s Seat) bool { return int((s-d.Leader)&3) < len(d.Trick) }

// size is the number of cards that a seat must have.
func (d *Deal) size(s Seat) int {
	n := d.Left()
	if d.hasPlayed(s) {
		n--
	}
	return n
}

// isDefender tells whether a seat plays against the declarer.
func (d *Deal) isDefender(s Seat) bool { return (s^d.Declarer)&1 != 0 }

// Parse reads a deal: PBN if the text begins with a tag ("["), else the compact form,
// words "key:value" in any order:
//
//	N: E: S: W:   a hand, AK2.QT..J43
//	EW: or NS:    the cards of both defenders, where it is not known who has which
//	trump:        S, H, D, C or NT (as without)
//	declarer:     S (as without), or another seat
//	lead:         who has the lead or has led to the trick; the declarer without
//	trick:        the cards on the table in the order of play, HK,H3
//	tricks:       how many of the tricks left are needed
//	void:         suits that a defender has shown out of, W=SH
//	W?: E?: …     a hand that a defender may have; all are possible where none is given
//
// What follows "#" in a line is a comment. Errors are *Error where they have a position.
func Parse(text string) (*Deal, error) {
	if isPBN(text) {
		return parsePBN(text)
	}
	p := parser{deal: &Deal{Trump: NoTrump, Declarer: South}, last: word{"", 1, 1}}
	for _, w := range words(text, "#") {
		if err := p.field(w); err != nil {
			return nil, err
		}
	}
	return p.finish()
}

// parser collects the fields of the compact form with their positions.
type parser struct {
	deal    *Deal
	hands   [4]*word
	hidden  *word
	pair    Seat // whose cards hidden are: East or North
	leader  bool
	trick   word
	tricks  *word
	voids   []word
	layouts []word
	last    word
}

// field reads one word.
func (p *parser) field(w word) (err error) {
	p.last = w
	key, value, found := w.cut(":")
	if !found {
		return w.errorf("expected key:value, found %q", w.text)
	}
	d := p.deal
	switch name := strings.ToLower(key.text); name {
	case "n", "e", "s", "w":
		seat, _ := key.seat()
		if p.hands[seat] != nil {
			return key.errorf("expected each hand once, found %v again", seat)
		}
		p.hands[seat] = &value
		d.Hands[seat], err = value.hand()
	case "ew", "ns":
		if p.hidden != nil {
			return key.errorf("expected the defenders' cards once, found them again")
		}
		p.hidden, p.pair = &value, East
		if name == "ns" {
			p.pair = North
		}
		d.Hidden, err = value.hand()
	case "n?", "e?", "s?", "w?":
		h := Holding{}
		h.Seat, _ = word{text: name[:1]}.seat()
		h.Cards, err = value.hand()
		d.Layouts = append(d.Layouts, h)
		p.layouts = append(p.layouts, value)
	case "trump":
		d.Trump, err = value.trump()
	case "declarer":
		d.Declarer, err = value.seat()
	case "lead":
		p.leader = true
		d.Leader, err = value.seat()
	case "tricks":
		p.tricks = &value
		d.Tricks, err = value.number(1, 13)
	case "trick":
		p.trick = value
		err = p.cards(value)
	case "void":
		p.voids = append(p.voids, value)
		err = p.void(value)
	default:
		return key.errorf("expected N, E, S, W, EW, NS, trump, declarer, lead, trick, tricks, void, W? or E?, found %q", key.text)
	}
	return err
}

// cards reads the trick on the table.
func (p *parser) cards(w word) error {
	for more := true; more; {
		var one word
		one, w, more = w.cut(",")
		c, err := one.card()
		if err != nil {
			return err
		}
		if len(p.deal.Trick) == 3 {
			return one.errorf("expected at most three cards on the table, found a fourth")
		}
		p.deal.Trick = append(p.deal.Trick, c)
	}
	return nil
}

// void reads W=SH.
func (p *parser) void(w word) error {
	who, suits, found := w.cut("=")
	if !found || suits.text == "" {
		return w.errorf("expected a seat and suits, as in W=SH, found %q", w.text)
	}
	seat, err := who.seat()
	if err != nil {
		return err
	}
	for i := range suits.text {
		s := strings.IndexByte(suitNames[:4], byte(toUpper(rune(suits.text[i]))))
		if s < 0 {
			return suits.from(i).errorf("expected one of S, H, D and C, found %q", suits.text[i:i+1])
		}
		p.deal.Void[seat] |= Suit(s).of()
	}
	return nil
}

// finish checks that the fields are those of an ending.
func (p *parser) finish() (*Deal, error) {
	d := p.deal
	if !p.leader {
		d.Leader = d.Declarer
	}
	for _, s := range []Seat{d.Declarer, d.Declarer ^ 2} {
		if p.hands[s] == nil {
			return nil, p.last.errorf("expected the hand of %v, who plays for the declarer (%v:AK2.QT..J43), found none", s, s)
		}
	}
	left, right := d.Declarer^1, d.Declarer^3
	switch {
	case p.hidden != nil && (p.hands[left] != nil || p.hands[right] != nil):
		return nil, p.hidden.errorf("expected the hands of the defenders or all their cards together, found both")
	case p.hidden != nil && !d.isDefender(p.pair):
		return nil, p.hidden.errorf("expected the cards of the defenders, found those of the side of the declarer, %v", d.Declarer)
	case p.hidden != nil:
	case p.hands[left] == nil || p.hands[right] == nil:
		return nil, p.last.errorf("expected the hands of both defenders or all their cards together (EW:…), found neither")
	default:
		d.Actual, d.Hidden = true, d.Hands[left]|d.Hands[right]
	}
	for s, w := range p.hands {
		for o := range s {
			if both := d.Hands[s] & d.Hands[o]; w != nil && p.hands[o] != nil && both != 0 {
				return nil, w.errorf("expected each card once, found %v with %v and %v", both.top(), Seat(o), Seat(s))
			}
		}
	}
	if err := p.counts(); err != nil {
		return nil, err
	}
	if p.tricks != nil && d.Tricks > d.Left() {
		return nil, p.tricks.errorf("expected at most %d tricks, as many as are left, found %d", d.Left(), d.Tricks)
	}
	if err := p.table(); err != nil {
		return nil, err
	}
	return d, p.possible()
}

// counts checks that all have as many cards as they must.
func (p *parser) counts() error {
	d := p.deal
	for s := range Seat(4) {
		if w := p.hands[s]; w != nil && d.Hands[s].Len() != d.size(s) {
			return w.errorf("expected %d cards with %v, as many as %v has left to play, found %d", d.size(s), s, d.Declarer, d.Hands[s].Len())
		}
	}
	if want := d.size(d.Declarer^1) + d.size(d.Declarer^3); p.hidden != nil {
		if d.Hidden.Len() != want {
			return p.hidden.errorf("expected %d cards with the defenders, found %d", want, d.Hidden.Len())
		}
		if twice := d.Hidden & (d.Hands[d.Declarer] | d.Hands[d.Declarer^2]); twice != 0 {
			return p.hidden.errorf("expected each card once, found %v again", twice.top())
		}
	}
	if d.Cards() > MaxCards {
		return p.hands[d.Declarer].errorf("expected an ending of at most %d cards, found %d", MaxCards, d.Cards())
	}
	if d.Cards() == 0 {
		return p.hands[d.Declarer].errorf("expected cards left to play, found none")
	}
	return nil
}

// table checks the cards of the trick on the table. That who has not followed suit was
// void is known of the defenders from now on.
func (p *parser) table() error {
	d := p.deal
	var seen Cards
	for i, c := range d.Trick {
		seat := (d.Leader + Seat(i)) & 3
		if (d.Hidden|d.Hands[d.Declarer]|d.Hands[d.Declarer^2]|seen)&c.bit() != 0 {
			return p.trick.errorf("expected each card once, found %v on the table and elsewhere", c)
		}
		seen |= c.bit()
		led := d.Trick[0].Suit()
		if c.Suit() == led {
			continue
		}
		if d.isDefender(seat) {
			d.Void[seat] |= led.of()
		} else if d.Hands[seat]&led.of() != 0 {
			return p.trick.errorf("expected %v to follow suit, found %v", seat, c)
		}
	}
	return nil
}

// possible checks the layouts against what is known.
func (p *parser) possible() error {
	d := p.deal
	for _, w := range p.voids {
		if seat, _ := (word{text: w.text[:1]}).seat(); !d.isDefender(seat) {
			return w.errorf("expected a defender, found %v, whose hand is known", seat)
		}
	}
	for s := range Seat(4) {
		if d.Actual && d.isDefender(s) && d.Hands[s]&d.Void[s] != 0 {
			return p.hands[s].errorf("expected %v to have none of the suits that %v has not followed, found %v", s, s, (d.Hands[s] & d.Void[s]).top())
		}
	}
	for i, h := range d.Layouts {
		w := p.layouts[i]
		switch other := d.Hidden &^ h.Cards; {
		case !d.isDefender(h.Seat):
			return w.errorf("expected a hand of a defender, found one of %v", h.Seat)
		case h.Cards&^d.Hidden != 0:
			return w.errorf("expected cards of the defenders, found %v", (h.Cards &^ d.Hidden).top())
		case h.Cards.Len() != d.size(h.Seat):
			return w.errorf("expected %d cards, found %d", d.size(h.Seat), h.Cards.Len())
		case h.Cards&d.Void[h.Seat] != 0 || other&d.Void[h.Seat^2] != 0:
			return w.errorf("expected a layout in which nobody has a suit that he has not followed")
		}
	}
	slices.SortStableFunc(d.Layouts, func(a, b Holding) int { return int(a.Seat) - int(b.Seat) })
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d *Deal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String writes the deal in the compact form.
func (d *Deal) String() string {
	var b strings.Builder
	for s := range Seat(4) {
		if !d.isDefender(s) || d.Actual {
			fmt.Fprintf(&b, "%v:%v ", s, d.Hands[s])
		}
	}
	if !d.Actual {
		pair := "EW"
		if d.Declarer&1 != 0 {
			pair = "NS"
		}
		fmt.Fprintf(&b, "%s:%v ", pair, d.Hidden)
	}
	fmt.Fprintf(&b, "trump:%v declarer:%v lead:%v", d.Trump, d.Declarer, d.Leader)
	for i, c := range d.Trick {
		b.WriteString([]string{" trick:", ","}[min(i, 1)] + c.String())
	}
	if d.Tricks > 0 {
		fmt.Fprintf(&b, " tricks:%d", d.Tricks)
	}
	for s, v := range d.Void {
		if v == 0 {
			continue
		}
		fmt.Fprintf(&b, " void:%v=", Seat(s))
		for suit := Spades; suit < NoTrump; suit++ {
			if v&suit.of() != 0 {
				b.WriteString(suit.String())
			}
		}
	}
	for _, h := range d.Layouts {
		fmt.Fprintf(&b, " %v?:%v", h.Seat, h.Cards)
	}
	return b.String()
}
