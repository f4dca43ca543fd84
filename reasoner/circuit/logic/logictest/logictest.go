// Package logictest evaluates networks the slow way, as an oracle for tests, and draws random ones.
package logictest

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"stackmate/reasoner/circuit/logic"
)

// Evaluate is the oracle: the value of every node under an assignment of the
// inputs, one position, by sweeping until nothing changes. Variables start as
// false, so monotone loops reach their least fixpoint.
func Evaluate(n *logic.Network, input map[int32]bool) []bool {
	value := make([]bool, n.Len())
	vars := make([]bool, n.Len())
	at := func(l logic.Lit) bool { return value[l.Node()] != l.Complemented() }
	for changed := true; changed; {
		changed = false
		for i := range int32(n.Len()) {
			switch n.Op(i) {
			case logic.OpInput:
				value[i] = input[i]
			case logic.OpLoop:
				value[i] = vars[i]
			case logic.OpAnd:
				value[i] = true
				for _, o := range n.Operands(i) {
					value[i] = value[i] && at(o)
				}
			}
		}
		for v, def := range n.Definitions() {
			if at(def) && !vars[v] {
				vars[v] = true
				changed = true
			}
		}
	}
	return value
}

// Grow draws gates of given literals, of each other and of their complements, up to so many,
// and appends them.
func Grow(t *rapid.T, n *logic.Network, lits []logic.Lit, count int) []logic.Lit {
	for range rapid.IntRange(0, count).Draw(t, "gates") {
		pick := func() logic.Lit {
			return rapid.SampledFrom(lits).Draw(t, "operand") ^ logic.Lit(rapid.IntRange(0, 1).Draw(t, "sign"))
		}
		operands := make([]logic.Lit, rapid.IntRange(2, 6).Draw(t, "width"))
		for i := range operands {
			operands[i] = pick()
		}
		if rapid.IntRange(0, 9).Draw(t, "wide") == 0 { // most of them complemented, or hardly any
			seed, sign := rapid.Uint64().Draw(t, "seed"), logic.Lit(rapid.IntRange(0, 1).Draw(t, "sign"))
			for rng := rand.New(rand.NewPCG(seed, 0)); len(operands) < 200 && rng.IntN(60) > 0; {
				operands = append(operands, lits[rng.IntN(len(lits))]&^1^sign)
			}
		}
		lits = append(lits, n.And(operands...))
	}
	return lits
}
