package bridge

// merged is the classes of hidden cards that no other card of the ending separates.
func merged(hidden, others Cards) *classes {
	c := singles()
	for s := Spades; s < NoTrump; s++ {
		var class Cards
		close := func() {
			for left := class; left != 0; left &= left - 1 {
				c[left.top()] = class
			}
			class = 0
		}
		for left := (hidden | others) & s.of(); left != 0; left &= left - 1 {
			if card := left.top(); hidden.Has(card) {
				class |= card.bit()
			} else {
				close()
			}
		}
		close()
	}
	return c
}
