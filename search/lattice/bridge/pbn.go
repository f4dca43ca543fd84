package bridge

import "strings"

// Portable Bridge Notation, restricted to the needs of endings: the tags Deal, Declarer and Contract, and
// the section Play, whose cards are played before the search. Hands may have fewer than 13 cards. A
// defender's hand may be "-"; the defenders then hold the missing cards of the pack or, with a section
// Play, the cards played there.

// pbn holds the parsed parts of a file.
type pbn struct {
	parser
	tags  map[string]word
	first Seat // seat of the first column in the section Play
	play  []word
	rows  []int // number of words in each row of play
	level int   // level of the contract, 0 without a contract
}

// isPBN reports whether a text begins with a tag, after comments.
func isPBN(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '%' && line[0] != ';' {
			return line[0] == '['
		}
	}
	return false
}

// parsePBN parses the first game of a PBN file.
func parsePBN(text string) (*Deal, error) {
	p := &pbn{parser: parser{deal: &Deal{Trump: NoTrump, Declarer: South}, last: word{"", 1, 1}}, tags: make(map[string]word)}
	if err := p.read(text); err != nil {
		return nil, err
	}
	for _, step := range []func() error{p.contract, p.readDeal, p.readPlay} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p.finish()
}

// read splits the text into tags and rows of cards.
func (p *pbn) read(text string) error {
	inPlay := false
	for i, line := range strings.Split(text, "\n") {
		at := word{strings.TrimRight(line, " \t\r"), i + 1, 1}
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '%' || trimmed[0] == ';':
			if trimmed == "" && len(p.play) > 0 {
				return nil // the next game follows
			}
		case trimmed[0] == '[':
			name, value, ok := at.tag()
			if !ok {
				return at.errorf(`expected a tag, as in [Declarer "S"], found %s`, trimmed)
			}
			if inPlay = name == "Play"; inPlay {
				var err error
				if p.first, err = value.seat(); err != nil {
					return err
				}
			}
			if _, twice := p.tags[name]; !twice {
				p.tags[name] = value
			}
			p.last = value
		case inPlay:
			row := words(line, ";")
			for k := range row {
				row[k].line = i + 1
			}
			p.play = append(p.play, row...)
			p.rows = append(p.rows, len(row))
		}
	}
	return nil
}

// tag parses [Name "value"].
func (w word) tag() (name string, value word, ok bool) {
	open, quote := strings.IndexByte(w.text, '['), strings.IndexByte(w.text, '"')
	end := strings.LastIndexByte(w.text, '"')
	if quote < open || end <= quote || !strings.HasSuffix(w.text, "]") {
		return "", w, false
	}
	value = w.suffix(quote + 1)
	value.text = w.text[quote+1 : end]
	return strings.TrimSpace(w.text[open+1 : quote]), value, true
}

// contract parses declarer, trump and level.
func (p *pbn) contract() (err error) {
	if w, ok := p.tags["Declarer"]; ok && w.text != "" {
		if p.deal.Declarer, err = w.seat(); err != nil {
			return err
		}
	}
	w, ok := p.tags["Contract"]
	if !ok || w.text == "" {
		return nil
	}
	level, rest := w, w.suffix(1)
	level.text = w.text[:1]
	if p.level, err = level.number(1, 7); err != nil {
		return err
	}
	rest.text = strings.TrimRight(rest.text, "xX ")
	p.deal.Trump, err = rest.trump()
	return err
}

// readDeal parses the tag Deal.
func (p *pbn) readDeal() error {
	w, ok := p.tags["Deal"]
	if !ok {
		return p.last.errorf("expected the tag Deal, found none")
	}
	who, rest, found := w.cut(":")
	if !found {
		return w.errorf("expected a seat, a colon and four hands, found %q", w.text)
	}
	seat, err := who.seat()
	if err != nil {
		return err
	}
	hands := words(rest.text, "\x00")
	if len(hands) != 4 {
		return rest.errorf("expected four hands, found %d", len(hands))
	}
	known := Cards(0)
	for i, h := range hands {
		h.line, h.column = rest.line, rest.column+h.column-1
		s := (seat + Seat(i)) & 3
		if h.text == "-" {
			if !p.deal.isDefender(s) {
				return h.errorf("expected the hand of %v of the declarer's side, found -", s)
			}
			p.hidden, p.pair = &h, p.deal.Declarer&1^1
			continue
		}
		p.hands[s] = &h
		if p.deal.Hands[s], err = h.hand(); err != nil {
			return err
		}
		if both := p.deal.Hands[s] & known; both != 0 {
			return h.errorf("expected each card once, found %v again", both.top())
		}
		known |= p.deal.Hands[s]
	}
	if p.hidden != nil {
		for _, s := range []Seat{p.deal.Declarer ^ 1, p.deal.Declarer ^ 3} {
			p.deal.Hands[s], p.hands[s] = 0, nil
		}
		p.deal.Hidden = allCards &^ p.deal.Hands[p.deal.Declarer] &^ p.deal.Hands[p.deal.Declarer^2]
	}
	return nil
}

// readPlay plays the cards of the section Play.
func (p *pbn) readPlay() error {
	d := p.deal
	p.leader = true
	d.Leader = (d.Declarer + 1) & 3
	if _, ok := p.tags["Play"]; ok {
		d.Leader = p.first
	}
	won, at := 0, 0
	for _, n := range p.rows {
		row := p.play[at : at+n]
		at += n
		if n > 0 && strings.HasPrefix(row[0].text, "*") {
			break
		}
		if len(d.Trick) > 0 {
			return row[0].errorf("expected a complete trick in the row above")
		}
		if err := p.row(row); err != nil {
			return err
		}
		if len(d.Trick) == 4 {
			who := (d.Leader + Seat(winner(d.Trick, d.Trump))) & 3
			if !d.isDefender(who) {
				won++
			}
			d.Leader, d.Trick = who, nil
		}
	}
	if p.level > 0 {
		d.Tricks = max(0, p.level+6-won)
	}
	return nil
}

// row plays the cards of one trick. The columns are seats from p.first on; the cards are played from the
// leader on.
func (p *pbn) row(row []word) error {
	d := p.deal
	cards := make(map[Seat]word)
	column := 0
	for _, w := range row {
		if strings.HasPrefix(w.text, "=") || strings.HasPrefix(w.text, "+") || strings.HasPrefix(w.text, "$") {
			continue // annotations
		}
		if column == 4 {
			return w.errorf("expected four cards in a row, found %q", w.text)
		}
		if w.text != "-" {
			cards[(p.first+Seat(column))&3] = w
		}
		column++
	}
	for i := range Seat(4) {
		seat := (d.Leader + i) & 3
		w, ok := cards[seat]
		if !ok {
			if len(cards) > len(d.Trick) {
				return row[0].errorf("expected a card of %v before the cards of later seats", seat)
			}
			return nil
		}
		c, err := w.card()
		if err != nil {
			return err
		}
		if err := p.playCard(w, seat, c); err != nil {
			return err
		}
	}
	return nil
}

// playCard moves a card from its hand to the table.
func (p *pbn) playCard(w word, seat Seat, c Card) error {
	d := p.deal
	hand := &d.Hands[seat]
	if p.hands[seat] == nil {
		hand = &d.Hidden
	}
	if !hand.Has(c) {
		return w.errorf("expected a card that %v has, found %v", seat, c)
	}
	if len(d.Trick) > 0 && d.Trick[0].Suit() != c.Suit() {
		led := d.Trick[0].Suit().mask()
		if p.hands[seat] != nil && *hand&led != 0 {
			return w.errorf("expected %v to follow suit, found %v", seat, c)
		}
		if d.isDefender(seat) {
			d.Void[seat] |= led
		}
	} else if d.Void[seat]&c.bit() != 0 {
		return w.errorf("expected %v to be void in %v as shown before, found %v", seat, c.Suit(), c)
	}
	*hand &^= c.bit()
	d.Trick = append(d.Trick, c)
	p.trick = w
	return nil
}
