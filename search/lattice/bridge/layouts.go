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

// distributions lists the layouts in which West holds n of the hidden cards, up to
// exchanges within classes: each weighs as many as it stands for. Of the cards of a
// class West has the highest.
func distributions(hidden Cards, n int, c *classes, possible func(l layout) bool) []layout {
	var all []layout
	var deal func(left, west Cards, n int, weight int64)
	deal = func(left, west Cards, n int, weight int64) {
		if n > left.Len() {
			return
		}
		if left == 0 {
			if l := (layout{east: hidden &^ west, west: west, weight: weight}); possible(l) {
				all = append(all, l)
			}
			return
		}
		class := c[left.top()] & left
		rest := left &^ class
		size := class.Len()
		ways := int64(1)
		for k := 0; k <= min(size, n); k++ {
			deal(rest, west, n-k, weight*ways)
			west |= class & -class
			class &= class - 1
			ways = ways * int64(size-k) / int64(k+1)
		}
	}
	deal(hidden, 0, n, 1)
	return all
}
