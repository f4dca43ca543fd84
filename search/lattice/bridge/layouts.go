package bridge

// merged returns the classes of hidden cards that no other card of the ending separates.
func merged(hidden, others Cards) *classes {
	c := singles()
	for s := Spades; s < NoTrump; s++ {
		var class Cards
		for left := (hidden | others) & s.mask(); left != 0; left &= left - 1 {
			if !hidden.Has(left.top()) {
				class = 0
				continue
			}
			class |= left.top().bit()
			for of := class; of != 0; of &= of - 1 {
				c[of.top()] = class
			}
		}
	}
	return c
}

// finer returns the classes with the classes of the given cards split into single cards.
func (c *classes) finer(cards Cards) *classes {
	finer := *c
	for left := cards; left != 0; left &= left - 1 {
		finer[left.top()] = left & -left
	}
	return &finer
}
