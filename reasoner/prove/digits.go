package prove

import (
	"math/bits"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// The sum of the players' goals is a signal for each binary digit, the least significant digit first. The number of
// gates grows with the number of goals of all players; the number of possible sums grows faster.

// goalDigits returns the digits of the goal of a role at step k; a position without a unique goal counts as 0.
func (u *unrolling) goalDigits(k int, r machine.Role) []logic.Lit {
	digits := make([]logic.Lit, bits.Len(machine.MaxGoal))
	for i := range digits {
		digits[i] = u.anyGoal(k, r, func(value int32) bool { return value >= 0 && value>>i&1 != 0 })
	}
	return digits
}

// addDigits returns the digits of the sum of two numbers.
func addDigits(net *logic.Network, a, b []logic.Lit) []logic.Lit {
	var sum []logic.Lit
	carry := logic.False
	for i := range max(len(a), len(b)) {
		x, y := digit(a, i), digit(b, i)
		odd := net.Mux(x, y.Not(), y)
		sum = append(sum, net.Mux(odd, carry.Not(), carry))
		carry = net.Or(net.And(x, y), net.And(odd, carry))
	}
	return append(sum, carry)
}

// differs returns the signal that a number is not the given value.
func differs(net *logic.Network, number []logic.Lit, value int32) logic.Lit {
	var wrong []logic.Lit
	for i := range max(len(number), bits.Len32(uint32(value))) {
		wrong = append(wrong, digit(number, i)^logic.Lit(value>>i&1))
	}
	return net.Or(wrong...)
}

// digit returns digit i of a number.
func digit(number []logic.Lit, i int) logic.Lit {
	if i < len(number) {
		return number[i]
	}
	return logic.False
}
