package circuit

import (
	"testing"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

func TestAPolicyAllowsWinsElseSafeMovesElseAllLegalMoves(t *testing.T) {
	const moves = 2
	net := logic.NewNetwork()
	signals := make([][]logic.Lit, 3) // by kind (legal, winning, blunder), then move
	var inputs []logic.Lit
	for kind := range signals {
		for range moves {
			inputs = append(inputs, net.Input())
			signals[kind] = append(signals[kind], inputs[len(inputs)-1])
		}
	}
	wins := make([]logic.Lit, moves)
	for m := range wins {
		wins[m] = net.And(signals[0][m], signals[1][m])
	}
	allowed, won, lost := policy(net, signals[0], wins, signals[2])
	for bits := range 1 << len(inputs) {
		input := make(map[int32]bool)
		for i, l := range inputs {
			input[l.Node()] = bits>>i&1 != 0
		}
		value := logictest.Evaluate(net, input)
		at := func(l logic.Lit) bool { return value[l.Node()] != l.Complemented() }
		rank := func(m int) int {
			switch {
			case !at(signals[0][m]):
				return 3
			case at(signals[1][m]):
				return 0
			case !at(signals[2][m]):
				return 1
			}
			return 2
		}
		best := 3
		for m := range moves {
			best = min(best, rank(m))
		}
		for m := range moves {
			if want := best < 3 && rank(m) == best; at(allowed[m]) != want {
				t.Errorf("%06b: move %d is allowed: %v, want %v", bits, m, at(allowed[m]), want)
			}
		}
		if at(won) != (best == 0) || at(lost) != (best == 2) {
			t.Errorf("%06b: won %v, lost %v, want %v and %v", bits, at(won), at(lost), best == 0, best == 2)
		}
	}
}
