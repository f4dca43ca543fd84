package oracle_test

import (
	"math/big"
	"testing"

	"stackmate/internal/must"
	"stackmate/internal/oracle"
)

// throws is rock, paper, scissors until a player is two throws ahead.
const throws = `
(role x) (role o) (up n0 n1) (up n1 n2) (up n2 n3) (up n3 n4) (init (lead n2))
(move a) (move b) (move c) (beats a b) (beats b c) (beats c a)
(<= (legal ?r ?m) (role ?r) (move ?m))
(<= ahead (does x ?m) (does o ?k) (beats ?m ?k))
(<= behind (does x ?m) (does o ?k) (beats ?k ?m))
(<= (next (lead ?t)) (true (lead ?s)) ahead (up ?s ?t))
(<= (next (lead ?t)) (true (lead ?s)) behind (up ?t ?s))
(<= (next (lead ?s)) (true (lead ?s)) (not ahead) (not behind))
(<= terminal (true (lead n0)))
(<= terminal (true (lead n4)))
(<= (goal x 0) (true (lead n0)))
(<= (goal o 100) (true (lead n0)))
(<= (goal x 100) (true (lead n4)))
(<= (goal o 0) (true (lead n4)))`

func TestBoundsOfAStrategyInAGameWithCyclesKeepTheirSideAndStayShort(t *testing.T) {
	game := must.Get(oracle.New(throws, limit))(t)
	mix := make([]*big.Rat, 3) // about a third each, less than 1 together
	for i := range mix {
		mix[i] = new(big.Rat).SetFloat64(1. / 3)
	}
	strategy := make([][]*big.Rat, len(game.Positions))
	for i := range strategy {
		strategy[i] = mix
	}
	low := game.Against(0, strategy, oracle.Reading{})
	high := game.Against(0, strategy, oracle.Reading{Endless: 100})
	if low.Exact || high.Exact {
		t.Error("values that were rounded are called exact")
	}
	if l, h := low.At[0], high.At[0]; l.Cmp(h) > 0 || l.Cmp(big.NewRat(4999, 100)) < 0 || h.Cmp(big.NewRat(5001, 100)) > 0 {
		t.Errorf("bounds %s and %s, want both at 50", l.FloatString(20), h.FloatString(20))
	}
	for i := range game.Positions {
		if bits := low.At[i].Denom().BitLen(); bits > 300 {
			t.Errorf("position %d: a denominator of %d bits", i, bits)
		}
	}
}
