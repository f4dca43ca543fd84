package sequential

import (
	"math/rand/v2"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/lattice/outcomes"
)

// guarantee returns the value of a role at node id against a coalition of all others.
func guarantee(t *toys.Tree, id, role int) float64 {
	n := t.Nodes[id]
	if len(n.Kids) == 0 {
		return float64(n.Goals[role])
	}
	mine, sum, best := n.Moves[role] > 1, 0.0, 0.0
	for i, kid := range n.Kids {
		v := guarantee(t, kid, role)
		if sum += v; i == 0 || mine && v > best || !mine && v < best {
			best = v
		}
	}
	if last := len(t.Roles) - 1; t.Roles[last] == machine.RandomRole && n.Moves[last] > 1 {
		return sum / float64(len(n.Kids))
	}
	return best
}

func TestParanoidSearchFindsWhatEachRoleCanGuarantee(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches thousands of random games; the tests of crews look at goroutines")
	for seed := range exhaustive.Choose[uint64](150, 600) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := shape{
			roles: []string{"a", "b", "c"}, choosers: [][]int{{0}, {1}, {2}}, depth: 1 + rng.IntN(5), share: 0.2,
			branch: func(rng *rand.Rand) int { return 1 + rng.IntN(3) },
			leaf:   func(rng *rand.Rand) int32 { return int32(rng.IntN(101)) },
		}
		if rng.IntN(2) == 0 {
			s.roles, s.choosers = append(s.roles, machine.RandomRole), append(s.choosers, []int{3})
		}
		game := s.grow(rng)
		for i := range game.Nodes {
			for r := range game.Nodes[i].Goals {
				if game.Nodes[i].Goals[r] = rng.Int32N(11) * 10; s.roles[r] == machine.RandomRole {
					game.Nodes[i].Goals[r] = 0
				}
			}
		}
		c := Config{Epsilon: float64(rng.IntN(2) * 20), Without: Refinement(rng.IntN(int(Literal) + 1)), Threads: 1 + rng.IntN(2)}
		m := game.Machine()
		if rng.IntN(2) == 0 {
			m = parallel{m}
		}
		r, err := NewParanoid(c).Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil || !r.Proved {
			t.Fatalf("seed %d, %+v: %+v, %v", seed, c, r, err)
		}
		for role := range 3 {
			want, v := guarantee(game, 0, role), r.Values[role]
			if v.Lower > want+1e-9 || v.Upper < want-1e-9 || v.Upper-v.Lower > c.Epsilon+1e-9 {
				t.Fatalf("seed %d, %+v: role %d is sure of %g, found %v", seed, c, role, want, v)
			}
			if root := game.Nodes[0]; len(root.Kids) > 0 && root.Moves[role] > 1 {
				kid := root.Kids[r.Strategies[role][0].Move]
				if got := guarantee(game, kid, role); got < v.Lower-1e-9 {
					t.Fatalf("seed %d, %+v: the move of role %d guarantees %g, promised %v", seed, c, role, got, v)
				}
			}
		}
	}
}

func TestParanoidSearchAgreesWithThatOverOutcomes(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches thousands of random games; the tests of crews look at goroutines")
	for _, name := range []string{"trio-3x3", "nim-2.3", "ticTacToe"} {
		m := gamestest.Machine(t, name)
		got, err := NewParanoid(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 64 << 20})
		if err != nil || !got.Solved() || len(got.Line) == 0 {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		want := must.Get(outcomes.Searcher{}.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 64 << 20}))(t)
		for role, v := range got.Values {
			if v != want.Values[role] {
				t.Errorf("%s: %v, by the other search %v", name, got.Values, want.Values)
			}
		}
	}
}
