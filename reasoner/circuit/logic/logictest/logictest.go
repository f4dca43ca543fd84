// Package logictest evaluates networks by definition, as an oracle for tests, and draws random networks.
package logictest

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"stackmate/reasoner/circuit/logic"
)

// Evaluate returns the value of every node under an assignment of the inputs. It sweeps until the values are stable;
// loop variables start as false, so monotone loops reach their least fixpoint.
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

// Grow draws up to count gates over the given literals, earlier gates and their complements, and returns lits with the
// gates appended.
func Grow(t *rapid.T, n *logic.Network, lits []logic.Lit, count int) []logic.Lit {
	for range rapid.IntRange(0, count).Draw(t, "gates") {
		pick := func() logic.Lit {
			return rapid.SampledFrom(lits).Draw(t, "operand") ^ logic.Lit(rapid.IntRange(0, 1).Draw(t, "sign"))
		}
		operands := make([]logic.Lit, rapid.IntRange(2, 6).Draw(t, "width"))
		for i := range operands {
			operands[i] = pick()
		}
		if rapid.IntRange(0, 9).Draw(t, "wide") == 0 { // a wide gate with operands of one sign
			seed, sign := rapid.Uint64().Draw(t, "seed"), logic.Lit(rapid.IntRange(0, 1).Draw(t, "sign"))
			for rng := rand.New(rand.NewPCG(seed, 0)); len(operands) < 200 && rng.IntN(60) > 0; {
				operands = append(operands, lits[rng.IntN(len(lits))]&^1^sign)
			}
		}
		lits = append(lits, n.And(operands...))
	}
	return lits
}
