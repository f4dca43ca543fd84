package reasoner_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/corpus"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// subgamesOf returns the subgames of a game.
func subgamesOf(t *testing.T, m machine.Machine) []facts.Subgame {
	t.Helper()
	return facts.Subgames(t.Context(), m)
}

// TestSubgamesKeepStepWithTheWhole plays random matches of games that consist of several games: in each
// subgame the fluents and the legal moves must equal its part of the whole.
func TestSubgamesKeepStepWithTheWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		src   string
		parts int
	}{
		{"twoRows", twoRows, 2},
		{"connectFourSimultaneous", "", 2},
		{"chinook", "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.src == "" {
				c.src = string(corpus.Source(t, c.name))
			}
			m := compileText(t, c.name, []byte(c.src))
			keepStep(t, m, c.parts, 30, 1)
		})
	}
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("random ", seed), func(t *testing.T) {
			src, parts := randomProduct(seed)
			keepStep(t, compileText(t, "product", []byte(src)), parts, 10, seed)
		})
	}
}

// keepStep plays matches of a game with so many subgames.
func keepStep(t *testing.T, m machine.Machine, parts, matches int, seed uint64) {
	t.Helper()
	subgames := subgamesOf(t, m)
	if len(subgames) != parts {
		t.Fatalf("%d subgames, want %d", len(subgames), parts)
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	whole, batches := m.NewNarrowBatch(), make([]machine.Batch, len(subgames))
	for k := range subgames {
		batches[k] = subgames[k].NewNarrowBatch()
	}
	names, state, moved := m.Names(), make(machine.State, len(m.Initial())), make([]int, len(subgames))
	for range matches {
		whole.Load(m.Initial(), 1)
		for k := range subgames {
			batches[k].Load(subgames[k].Initial(), 1)
		}
		for step := 0; ; step++ {
			whole.Evaluate(1)
			whole.Store(state, 1)
			for k, b := range batches {
				b.Evaluate(1)
				part := make(machine.State, len(m.Initial()))
				if b.Store(part, 1); !part.Equal(subgames[k].Project(state)) {
					t.Fatalf("subgame %d after %d steps: %v, the whole has %v", k, step,
						names.AppendFluents(nil, part), names.AppendFluents(nil, subgames[k].Project(state)))
				}
			}
			if whole.Terminal()[0]&1 != 0 {
				break
			}
			for r := range names.Roles {
				role := machine.Role(r)
				legal := whole.AppendLegal(nil, 0, role)
				move := legal[rng.IntN(len(legal))]
				whole.Choose(0, role, move)
				owners := 0
				for k, b := range batches {
					here := b.AppendLegal(nil, 0, role)
					away := subgames[k].Elsewhere[role]
					switch {
					case slices.Equal(here, []machine.Move{away}):
						b.Choose(0, role, away)
					case slices.Equal(here, legal):
						b.Choose(0, role, move)
						moved[k]++
						owners++
					default:
						t.Fatalf("subgame %d after %d steps: %s may %v, in the whole %v", k, step, names.Roles[r], here, legal)
					}
				}
				if owners > 1 || owners == 0 && len(legal) > 1 {
					t.Fatalf("after %d steps %s moves in %d subgames", step, names.Roles[r], owners)
				}
			}
			whole.Advance(1)
			for _, b := range batches {
				b.Advance(1)
			}
		}
	}
	if slices.Contains(moved, 0) {
		t.Errorf("moves by subgame: %v", moved)
	}
}

// randomProduct draws a rulesheet of two or three games of walkers in different graphs. Walkers use up their
// edges, and a common clock says whose turn it is. It also returns the number of games.
func randomProduct(seed uint64) (src string, parts int) {
	rng := rand.New(rand.NewPCG(seed, 7))
	parts = 2 + rng.IntN(2)
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("(role x) (role o) (init (phase 0))")
	for p := range parts {
		line("(<= (next (phase %d)) (true (phase %d)))", (p+1)%parts, p)
		for r, role := range []string{"x", "o"} {
			line("(<= (turn %s %d) (true (phase %d)))", role, (p+r)%parts, p)
		}
	}
	for p := range parts {
		nodes := 4 + rng.IntN(3)
		line("(init (at %d 0))", p)
		for from := range nodes - 1 {
			line("(edge %d %d %d)", p, from, from+1)
			for range 1 + rng.IntN(2) {
				line("(edge %d %d %d)", p, from, rng.IntN(nodes))
			}
		}
		line("(last %d %d)", p, nodes-1)
	}
	line(`
(<= (open ?p ?n) (true (at ?p ?m)) (edge ?p ?m ?n) (not (true (used ?p ?m ?n))))
(<= (legal ?r (go ?p ?n)) (turn ?r ?p) (open ?p ?n))
(<= (legal ?r (wait ?p)) (turn ?r ?p) (not (some ?p)))
(<= (some ?p) (open ?p ?n))
(<= (moved ?p) (does ?r (go ?p ?n)))
(<= (next (at ?p ?n)) (does ?r (go ?p ?n)))
(<= (next (at ?p ?n)) (true (at ?p ?n)) (not (moved ?p)))
(<= (next (used ?p ?m ?n)) (true (used ?p ?m ?n)))
(<= (next (used ?p ?m ?n)) (true (at ?p ?m)) (does ?r (go ?p ?n)))
(<= (next (by ?p ?r)) (does ?r (go ?p ?n)))
(<= (next (by ?p ?r)) (true (by ?p ?r)) (not (moved ?p)))
(<= (won ?r) (true (at ?p ?n)) (last ?p ?n) (true (by ?p ?r)))
(<= terminal (won ?r))
(<= terminal (not any))
(<= any (some ?p))
(<= (goal ?r 100) (won ?r) (role ?s) (distinct ?r ?s) (not (won ?s)))
(<= (goal ?r 0) (won ?s) (role ?r) (not (won ?r)))
(<= (goal ?r 50) (won ?r) (role ?s) (distinct ?r ?s) (won ?s))
(<= (goal ?r 50) (role ?r) (not (won x)) (not (won o)))`)
	return b.String(), parts
}

// TestDependentPartsAreOneGame has games with boards that are no games of their own.
func TestDependentPartsAreOneGame(t *testing.T) {
	for name, change := range map[string][2]string{
		"a move on one row depends on the other":   {"(column ?c) (not (taken ?b ?c)))", "(column ?c) (not (taken ?b ?c)) (not (taken 1 2)))"},
		"a move changes the other row":             {"(<= (next (control x ?b))", "(<= (next (cell 1 ?c x)) (does x (mark ?b ?c))) (<= (next (control x ?b))"},
		"a line may go through both":               {"(<= (line ?r) (true (cell ?b ?c ?r)) (succ ?c ?d) (true (cell ?b ?d ?r)))", "(<= (line ?r) (true (cell ?b ?c ?r)) (succ ?c ?d) (true (cell ?b ?d ?r))) (<= (line ?r) (true (cell 1 ?c ?r)) (true (cell 2 ?c ?r)))"},
		"whose turn it is depends on what is done": {"(<= (next (control x ?b)) (true (control o ?b)))", "(<= (next (control x ?b)) (does o (mark 1 2)) (true (control o ?b)))"},
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.Replace(twoRows, change[0], change[1], 1)
			if src == twoRows {
				t.Fatal("nothing has changed")
			}
			if found := subgamesOf(t, compileText(t, "rows", []byte(src))); len(found) > 1 {
				t.Errorf("%d subgames", len(found))
			}
		})
	}
}

// TestSubgamesKnowDecisiveMoves has boards on which it is one role's turn: regression must see
// that the other has no choice, as it moves elsewhere.
func TestSubgamesKnowDecisiveMoves(t *testing.T) {
	for k, g := range subgamesOf(t, compileText(t, "rows", []byte(twoRows))) {
		m := facts.Decisive(t.Context(), g.Machine, false)
		if m == nil {
			t.Fatalf("subgame %d knows none", k)
		}
		b := m.NewBatch()
		// The first of two adjacent marks is set: the role that moves next wins there.
		mover := fmt.Sprintf("(control x %d)", k+1)
		q := must.Get(m.Names().State([]string{mover, fmt.Sprintf("(control o %d)", 2-k), fmt.Sprintf("(cell %d 2 x)", k+1)}))(t)
		b.Load(g.Project(q), 1)
		b.Evaluate(1)
		var moves []string
		for _, move := range machine.AppendSensible(b, nil, 0, 0) {
			moves = append(moves, m.Names().MoveText(0, move))
		}
		if want := []string{fmt.Sprintf("(mark %d 1)", k+1), fmt.Sprintf("(mark %d 3)", k+1)}; !slices.Equal(moves, want) {
			t.Errorf("subgame %d: sensible moves %v, want %v", k, moves, want)
		}
		if goal, lanes := machine.Wins(b, 0); goal != 100 || lanes[0]&1 == 0 {
			t.Errorf("subgame %d: no win seen", k)
		}
	}
}
