package reasoner_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
)

// The rules also define positions that no match reaches, with contradictory or missing facts.
func TestGamesBegunAnywhereAgreeWithTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for _, name := range []string{"ticTacToe", "connectFour-4x4", "breakthrough-3x5", "biddingTicTacToe-2", "goofspiel-4", "tron-5x5", "nim-1.2", "slidingPuzzle"} {
		file, src := must.Get2(games.Source(name))(t)
		g := readRules(t, file, src)
		m := compileText(t, file, src)
		for range 3 {
			facts := mutatedPosition(t, m, rng)
			begun := g.BegunAt(facts)
			fast, err := reasoner.New(t.Context(), begun, reasoner.Options{})
			if err != nil {
				t.Fatalf("%s at %v: %v", name, facts, err)
			}
			oracle := must.Get(reference.New(t.Context(), begun))(t)
			if err := lockstep([]*walker{newWalker(oracle, same, rng), newWalker(fast, same, rng)}, rng, 8); err != nil {
				t.Errorf("%s at %v: %v", name, facts, err)
			}
		}
	}
}

// mutatedPosition returns a position of a random match with random facts removed and added.
func mutatedPosition(t *testing.T, m machine.Machine, rng *rand.Rand) []gdl.Term {
	t.Helper()
	b, draws := m.NewNarrowBatch(), machine.NewRand(rng.Uint64())
	for range rng.IntN(6) {
		if b.Evaluate(1); b.Terminal()[0]&1 == 0 && b.Stuck()[0]&1 == 0 {
			b.ChooseRandom(draws, 1)
			b.Advance(1)
		}
	}
	s := make(machine.State, len(m.Initial()))
	b.Store(s, 1)
	texts := make(map[string]bool)
	for _, text := range m.Names().AppendFluents(nil, s) {
		texts[text] = rng.IntN(6) > 0
	}
	all := m.Names().FluentTexts()
	for range 3 {
		texts[all[rng.IntN(len(all))]] = true
	}
	var facts []gdl.Term
	for _, text := range all {
		if !texts[text] {
			continue
		}
		fact, err := gdl.ParseTerm(text)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", text, err))
		}
		facts = append(facts, fact)
	}
	return facts
}
