package bridge

import (
	"fmt"
	"slices"
	"strings"
)

// MaxCards is the maximum number of cards left in an ending.
const MaxCards = 32

// Deal is an ending: the remaining cards and the public information about them.
type Deal struct {
	// Hands holds the hands of the declarer's side and, if Actual, of the defenders.
	Hands  [4]Cards
	Actual bool
	// Hidden is the set of both defenders' cards, without the cards on the table.
	Hidden   Cards
	Trump    Suit
	Declarer Seat
	// Leader is on lead or, if Trick is not empty, led to it.
	Leader Seat
	Trick  []Card
	// Tricks is the number of remaining tricks that the declarer needs; 0 if unspecified.
	Tricks int
	// Void holds the suits in which a defender is known to be void.
	Void [4]Cards
	// Layouts lists the possible hands of one defender, each with its seat; nil stands for all.
	Layouts []Holding
}

// Holding is a hand and its seat.
type Holding struct {
	Seat  Seat
	Cards Cards
}

// Left returns the number of tricks left, including the one on the table.
func (d *Deal) Left() int {
	n := d.Hands[d.Declarer].Len()
	if d.hasPlayed(d.Declarer) {
		n++
	}
	return n
}

// Cards returns the number of cards left in the hands.
func (d *Deal) Cards() int {
	return d.Hands[d.Declarer].Len() + d.Hands[d.Declarer^2].Len() + d.Hidden.Len()
}

func (d *Deal) hasPlayed(s Seat) bool { return int((s-d.Leader)&3) < len(d.Trick) }

// size returns the number of cards that a seat must have.
func (d *Deal) size(s Seat) int {
	n := d.Left()
	if d.hasPlayed(s) {
		n--
	}
	return n
}

// isDefender reports whether a seat plays against the declarer.
func (d *Deal) isDefender(s Seat) bool { return (s^d.Declarer)&1 != 0 }

// Parse parses a deal: PBN if the text begins with a tag ("["), else the compact form, which consists of
// words "key:value" in any order:
//
//	N: E: S: W:   hand, AK2.QT..J43
//	EW: or NS:    cards of both defenders, if their hands are unknown
//	trump:        S, H, D, C or NT (default)
//	declarer:     seat, default S
//	lead:         seat on lead, or that led to the trick; default declarer
//	trick:        cards on the table in order of play, HK,H3
//	tricks:       number of remaining tricks that the declarer needs
//	void:         suits in which a defender has shown out, W=SH
//	W?: E?: …     possible hand of a defender; default all
//
// A "#" starts a comment that ends with the line. Syntax errors are of type *Error, with a position.
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
	pair    Seat // owners of the hidden cards: East or North
	leader  bool
	trick   word
	tricks  *word
	voids   []word
	layouts []word
	last    word
}

// field parses one word.
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

// cards parses the trick on the table.
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

// void parses W=SH.
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
			return suits.suffix(i).errorf("expected one of S, H, D and C, found %q", suits.text[i:i+1])
		}
		p.deal.Void[seat] |= Suit(s).mask()
	}
	return nil
}

// finish checks that the fields describe an ending.
func (p *parser) finish() (*Deal, error) {
	d := p.deal
	if !p.leader {
		d.Leader = d.Declarer
	}
	for _, s := range []Seat{d.Declarer, d.Declarer ^ 2} {
		if p.hands[s] == nil {
			return nil, p.last.errorf("expected the hand of %v of the declarer's side (%v:AK2.QT..J43), found none", s, s)
		}
	}
	left, right := d.Declarer^1, d.Declarer^3
	switch {
	case p.hidden != nil && (p.hands[left] != nil || p.hands[right] != nil):
		return nil, p.hidden.errorf("expected the hands of the defenders or all their cards together, found both")
	case p.hidden != nil && !d.isDefender(p.pair):
		return nil, p.hidden.errorf("expected the defenders' cards, found the cards of the declarer's side (declarer %v)", d.Declarer)
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
	if err := p.checkCounts(); err != nil {
		return nil, err
	}
	if p.tricks != nil && d.Tricks > d.Left() {
		return nil, p.tricks.errorf("expected at most %d tricks (all tricks left), found %d", d.Left(), d.Tricks)
	}
	if err := p.checkTrick(); err != nil {
		return nil, err
	}
	return d, p.checkLayouts()
}

// checkCounts checks the number of cards of each hand.
func (p *parser) checkCounts() error {
	d := p.deal
	for s := range Seat(4) {
		if w := p.hands[s]; w != nil && d.Hands[s].Len() != d.size(s) {
			return w.errorf("expected %d cards for %v (%v sets the number of tricks left), found %d", d.size(s), s, d.Declarer, d.Hands[s].Len())
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

// checkTrick checks the cards on the table. A defender who did not follow suit is recorded as void.
func (p *parser) checkTrick() error {
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
			d.Void[seat] |= led.mask()
		} else if d.Hands[seat]&led.mask() != 0 {
			return p.trick.errorf("expected %v to follow suit, found %v", seat, c)
		}
	}
	return nil
}

// checkLayouts checks the layouts against the known voids and cards.
func (p *parser) checkLayouts() error {
	d := p.deal
	for _, w := range p.voids {
		if seat, _ := (word{text: w.text[:1]}).seat(); !d.isDefender(seat) {
			return w.errorf("expected a defender, found %v, whose hand is known", seat)
		}
	}
	for s := range Seat(4) {
		if d.Actual && d.isDefender(s) && d.Hands[s]&d.Void[s] != 0 {
			return p.hands[s].errorf("expected %v to be void in the suits of void: and of the trick, found %v", s, (d.Hands[s] & d.Void[s]).top())
		}
	}
	for i, h := range d.Layouts {
		w := p.layouts[i]
		switch other := d.Hidden &^ h.Cards; {
		case !d.isDefender(h.Seat):
			return w.errorf("expected a hand of a defender, found a hand of %v", h.Seat)
		case h.Cards&^d.Hidden != 0:
			return w.errorf("expected cards of the defenders, found %v", (h.Cards &^ d.Hidden).top())
		case h.Cards.Len() != d.size(h.Seat):
			return w.errorf("expected %d cards, found %d", d.size(h.Seat), h.Cards.Len())
		case h.Cards&d.Void[h.Seat] != 0 || other&d.Void[h.Seat^2] != 0:
			return w.errorf("expected a layout without cards in a void suit")
		}
	}
	slices.SortStableFunc(d.Layouts, func(a, b Holding) int { return int(a.Seat) - int(b.Seat) })
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d *Deal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String returns the deal in the compact form.
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
			if v&suit.mask() != 0 {
				b.WriteString(suit.String())
			}
		}
	}
	for _, h := range d.Layouts {
		fmt.Fprintf(&b, " %v?:%v", h.Seat, h.Cards)
	}
	return b.String()
}
