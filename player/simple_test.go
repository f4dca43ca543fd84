package player

import (
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
)

func TestGreedyTakesWhatTheNextPositionGives(t *testing.T) {
	m := newSubtraction(3)
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{1, 2, 3}}
	for seed := range uint64(5) {
		p := &onePly{rng: machine.NewRand(seed)}
		if c := p.choose(t.Context(), at); c.move != 3 {
			t.Errorf("takes %d of three counters, want all", c.move)
		}
	}
}

func TestGreedyDrawsAmongMovesThatAreAlike(t *testing.T) {
	m := gamestest.Machine(t, "breakthrough")
	b := m.NewBatch()
	b.Fill(m.Initial(), nil)
	b.Evaluate(1)
	at := position{machine: m, state: m.Initial(), legal: b.AppendLegal(nil, 0, 0)}
	p := &onePly{rng: machine.NewRand(1)}
	seen := map[machine.Move]bool{}
	for range 50 {
		seen[p.choose(t.Context(), at).move] = true
	}
	if len(seen) < 10 {
		t.Errorf("%d different moves in 50 where all are alike, want many", len(seen))
	}
}
