package choice

import "stackmate/reasoner/circuit/logic"

// xor returns the exclusive or of two literals.
func (n gates) xor(a, b logic.Lit) logic.Lit { return n.Or(n.And(a, b.Not()), n.And(a.Not(), b)) }

// fullAdd adds three digits. Sum and carry have no gates in common, so that each is one
// gate of three inputs.
func (n gates) fullAdd(a, b, c logic.Lit) (sum, carry logic.Lit) {
	return n.xor(n.xor(a, b), c), n.Or(n.And(a, b), n.And(c, n.Or(a, b)))
}

// add adds two numbers and a carry. Leading zeros are left out.
func (n gates) add(a, b []logic.Lit, carry logic.Lit) []logic.Lit {
	sum := make([]logic.Lit, max(len(a), len(b))+1)
	for i := range sum[:len(sum)-1] {
		sum[i], carry = n.fullAdd(digit(a, i), digit(b, i), carry)
	}
	sum[len(sum)-1] = carry
	for len(sum) > 0 && sum[len(sum)-1] == logic.False {
		sum = sum[:len(sum)-1]
	}
	return sum
}

func digit(number []logic.Lit, i int) logic.Lit {
	if i < len(number) {
		return number[i]
	}
	return logic.False
}

// count returns the number of true literals.
func (n gates) count(lits []logic.Lit) []logic.Lit {
	if len(lits) == 0 {
		return nil
	}
	last := len(lits) - 1
	half := last / 2
	return n.add(n.count(lits[:half]), n.count(lits[half:last]), lits[last])
}

// subtract returns a - b in as many digits as a, and whether a is less than b.
func (n gates) subtract(a, b []logic.Lit) (less logic.Lit, rest []logic.Lit) {
	rest = make([]logic.Lit, len(a))
	less = logic.False
	for i := range max(len(a), len(b)) {
		d, borrow := n.fullAdd(digit(a, i).Not(), digit(b, i), less)
		if i < len(a) {
			rest[i] = d.Not()
		}
		less = borrow
	}
	return less, rest
}

// multiply returns the product of two numbers.
func (n gates) multiply(a, b []logic.Lit) []logic.Lit {
	var product, high []logic.Lit // finished digits, and the remaining partial sum
	for _, x := range a {
		part := make([]logic.Lit, len(b))
		for i, y := range b {
			part[i] = n.And(x, y)
		}
		high = n.add(high, part, logic.False)
		product, high = append(product, digit(high, 0)), high[min(1, len(high)):]
	}
	return append(product, high...)
}

// draw returns floor(u·number / 2^k) for the k digits of the fraction u, the least significant first: it adds
// number where the digit is set, then halves.
func (n gates) draw(fraction, number []logic.Lit) []logic.Lit {
	var target []logic.Lit
	for _, u := range fraction {
		part := make([]logic.Lit, len(number))
		for i, d := range number {
			part[i] = n.And(u, d)
		}
		if target = n.add(target, part, logic.False); len(target) > 0 {
			target = target[1:]
		}
	}
	return target
}
