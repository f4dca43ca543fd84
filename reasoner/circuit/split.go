package circuit

// splitAnd makes chains of two-input gates of wider ones: and(a, b, c) → and(and(a,
// b), c). It comes after all passes, where the kernel translates programs: computed one
// after the other, each operand is taken into the chain at once, and only the chain
// occupies a register; and chains share their beginnings. Kernels that interpret
// programs are quicker with wide gates.
func splitAnd(h *Game, _ int32, operands []Lit) Lit {
	acc := operands[0]
	for _, o := range operands[1:] {
		acc = h.Net.And(acc, o)
	}
	return acc
}
