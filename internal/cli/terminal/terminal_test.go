package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// pennies is matching pennies of two rounds; the first player has no choice in
// the second one. State: round, and whether the pennies matched at first.
type pennies struct{ round, matched uint64 }

func newPennies() machine.Machine {
	coins := []string{"heads", "(show tails)"}
	names := &machine.Names{
		Roles:   []string{"even", "odd"},
		Moves:   [][]string{coins, coins},
		Fluents: []string{"second", "over", "matched"},
	}
	return machine.NewScalar(names, machine.State{0}, machine.Info{}, func() machine.Stepper { return new(pennies) })
}

func (g *pennies) SetState(s machine.State) { g.round, g.matched = s[0]&3, s[0]>>2 }
func (g *pennies) Terminal() bool           { return g.round == 2 }
func (g *pennies) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if g.round == 1 && r == 0 {
		return append(dst, 0)
	}
	return append(dst, 0, 1)
}

func (g *pennies) Goal(r machine.Role) int32 {
	if (g.matched == 1) == (r == 0) {
		return 100
	}
	return 0
}

func (g *pennies) Next(dst machine.State, joint []machine.Move) {
	matched := g.matched
	if g.round == 0 && joint[0] == joint[1] {
		matched = 1
	}
	dst[0] = g.round + 1 | matched<<2
}

var errSearch = errors.New("no search in this test")

// known is a saved solution.
type known func(q machine.State) (search.Claim, error)

// At implements search.Solution.
func (k known) At(_ context.Context, q machine.State) (search.Claim, error) { return k(q) }

// match is a match of the first player against a solution that always plays
// tails at first, and knows nothing of the second round.
func match() Match {
	tails := []search.Weighted{{Move: 1, Probability: 1}}
	half := []search.Weighted{{Move: 0, Probability: 0.5}, {Move: 1, Probability: 0.5}}
	return Match{
		Machine: newPennies(),
		Known: known(func(q machine.State) (search.Claim, error) {
			if q[0] != 0 {
				return search.Claim{}, errors.New("not known")
			}
			return search.Claim{Value: 50, Strategies: [][]search.Weighted{half, tails}}, nil
		}),
		Search: func(context.Context, machine.State) (search.Result, error) {
			return search.Result{Proved: true, Values: []search.Interval{{Lower: 0, Upper: 100}, {Lower: 0, Upper: 100}}}, nil
		},
		Seed: 1,
	}
}

func transcript(t *testing.T, m Match, input string) string {
	t.Helper()
	var out bytes.Buffer
	if err := m.Play(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func expect(t *testing.T, transcript string, texts ...string) {
	t.Helper()
	rest := transcript
	for _, text := range texts {
		at := strings.Index(rest, text)
		if at < 0 {
			t.Fatalf("%q is missing, or comes too early, in\n%s", text, transcript)
		}
		rest = rest[at+len(text):]
	}
}

func TestAMatchIsPlayedToItsEnd(t *testing.T) {
	for input, goals := range map[string]string{
		"2\n":             "even: 100. odd: 0.", // by number
		"(show tails)\n":  "even: 100. odd: 0.", // by text
		"show   TAILS \n": "even: 100. odd: 0.", // in any case and spacing, without parentheses
		"\nheads\n":       "even: 0. odd: 100.",
	} {
		expect(t, transcript(t, match(), input), "You are even", "Turn 1", "Value for even: 50", "1: heads  2: (show tails)",
			"Played:", "Turn 2", "second", "not solved in the time", "Played: (heads", "The end.", goals)
	}
}

func TestTheOtherRoleCanBePlayed(t *testing.T) {
	m := match()
	m.Person = 1
	expect(t, transcript(t, m, "1\n1\n"), "You are odd", "odd> ", "Turn 2", "odd> ", "The end.")
}

func TestAMoveThatIsNotLegalIsExplainedAndAskedForAgain(t *testing.T) {
	expect(t, transcript(t, match(), "3\n0\nedge\n1\n"), `from 1 to 2 or a legal move such as heads, found "3"`,
		`found "0"`, `found "edge"`, "The end.")
}

func TestTheSolutionGivesHints(t *testing.T) {
	expect(t, transcript(t, match(), "?\n1\n"), "heads with 0.5000", "(show tails) with 0.5000", "The end.")
}

func TestAMatchEndsPolitelyWhenThePersonLeaves(t *testing.T) {
	for _, input := range []string{"", "quit\n", "?\nEXIT\n", "nonsense"} {
		out := transcript(t, match(), input)
		expect(t, out, "The match ends here.")
		if strings.Contains(out, "The end.") {
			t.Errorf("after %q the match went on:\n%s", input, out)
		}
	}
}

func TestAMatchEndsWithTheContextAlthoughNobodyTypes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	in, typist := io.Pipe()
	defer typist.Close()
	m := match()
	var out bytes.Buffer
	if err := m.Play(ctx, in, &out); err != nil {
		t.Fatal(err)
	}
	expect(t, out.String(), "even> ", "The match ends here.")
}

func TestAFailingSearchIsAnError(t *testing.T) {
	m := match()
	m.Known = nil
	m.Search = func(context.Context, machine.State) (search.Result, error) { return search.Result{}, errSearch }
	if err := m.Play(t.Context(), strings.NewReader("1\n"), io.Discard); !errors.Is(err, errSearch) {
		t.Errorf("error %v", err)
	}
}

func TestTheSameSeedThrowsTheSameDice(t *testing.T) {
	m := match()
	m.Known = nil // so that the moves are uniformly random
	m.Person = 1
	first := transcript(t, m, "1\n1\n")
	if again := transcript(t, m, "1\n1\n"); again != first {
		t.Errorf("different matches:\n%s\n%s", first, again)
	}
}

func TestMovesAreSampledWithTheirProbabilities(t *testing.T) {
	d := dialogue{rng: machine.NewRand(7)}
	strategy := []search.Weighted{{Move: 3, Probability: 0.2}, {Move: 5, Probability: 0.5}, {Move: 8, Probability: 0.3}}
	const draws = 100_000
	count := map[machine.Move]float64{}
	for range draws {
		count[d.sample(nil, strategy)]++
	}
	for _, w := range strategy {
		// Five standard deviations of a binomial distribution.
		if slack := 5 * math.Sqrt(w.Probability*(1-w.Probability)*draws); math.Abs(count[w.Move]-w.Probability*draws) > slack {
			t.Errorf("move %d: %v of %d draws, want %v of them", w.Move, count[w.Move], draws, w.Probability)
		}
	}
}
