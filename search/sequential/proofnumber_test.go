package sequential

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
	"stackmate/search"
)

func prove(t testing.TB, c Config, m machine.Machine, lim search.Limits) search.Result {
	t.Helper()
	return must.Get(NewProofNumber(c).Search(context.Background(), m, m.Initial(), lim))(t)
}

func TestProofNumbersFindTheValueAndAMoveThatGuaranteesIt(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		game := randomGame(drawn(rt))
		m := machineOf(game, drawn(rt))
		c := Config{
			Epsilon: rapid.SampledFrom([]float64{0, 0, 7.5, 30, 100}).Draw(rt, "epsilon"),
			Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
		}
		v := crowdedProver(c)
		r, err := v.Search(t.Context(), m, m.Initial(), search.Limits{})
		if errors.Is(err, ErrChance) && m.Names().Chance() >= 0 {
			return
		} else if err != nil {
			rt.Fatal(err)
		}
		want := minimax(game, 0)
		got := r.Values[0]
		if !r.Proved || got.Lower > want || got.Upper < want || got.Upper-got.Lower > c.Epsilon {
			rt.Fatalf("%v (proved %v), want %g up to %g", got, r.Proved, want, c.Epsilon)
		}
		root := &game.Nodes[0]
		for role := range min(2, len(game.Roles)) {
			if len(root.Kids) == 0 || game.Roles[role] == machine.RandomRole || root.Moves[role] == 1 || c.Epsilon > 0 {
				continue
			}
			fixed := *game
			fixed.Nodes = append([]toys.Node(nil), game.Nodes...)
			fixed.Nodes[0] = restrict(*root, role, int(r.Strategies[role][0].Move))
			if w := minimax(&fixed, 0); w != want {
				rt.Fatalf("role %d's move is worth %g to the first role, the position %g", role, w, want)
			}
		}
	})
}

func TestProofNumbersBrokenOffLeaveBoundsThatHold(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches thousands of random games; the tests of crews look at goroutines")
	rapid.Check(t, func(rt *rapid.T) {
		game := randomGame(drawn(rt))
		m := machineOf(game, drawn(rt))
		if m.Names().Chance() >= 0 {
			return
		}
		stopAndGoOn(rt, crowdedProver(Config{Threads: rapid.IntRange(1, 2).Draw(rt, "threads")}), m, minimax(game, 0))
	})
}

func TestProofNumbersOnGamesWithKnownValues(t *testing.T) {
	for _, m := range []machine.Machine{newTicTacToe(), parallel{newTicTacToe()}} {
		if r := prove(t, Config{}, m, search.Limits{}); !r.Solved() || r.Values[0].Lower != 50 || len(r.Line) != 9 {
			t.Errorf("ticTacToe: %v, line %v; want 50 after nine moves", r.Values, r.Line)
		}
	}
	for start := 1; start <= 24; start++ {
		want := 100.0
		if start%4 == 0 {
			want = 0
		}
		if r := prove(t, Config{}, subtraction(start), search.Limits{}); !r.Solved() || r.Values[0].Lower != want {
			t.Errorf("%d counters: %v, want %g", start, r.Values[0], want)
		}
	}
}

func TestProofNumbersEndInGamesWithoutEndOrClass(t *testing.T) {
	circle := &toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 1}}, {Moves: []int{1, 2}, Kids: []int{0, 0}}}}
	if r := prove(t, Config{}, circle.Machine(), search.Limits{}); r.Values[0] != (search.Interval{Lower: 0, Upper: 100}) {
		t.Errorf("a circle: %v, want nothing known", r.Values)
	}
	both := &toys.Tree{Roles: roles, Nodes: []toys.Node{{Moves: []int{2, 2}, Kids: []int{1, 1, 1, 1}}, {Goals: []int32{0, 100}}}}
	m := both.Machine()
	if _, err := NewProofNumber(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{}); !errors.Is(err, search.ErrNotSequential) {
		t.Errorf("both choose: error %v", err)
	}
}

func TestProofNumbersEndWherePositionsAreTooWide(t *testing.T) {
	names := &machine.Names{Roles: []string{"alone"}, Moves: [][]string{make([]string, 1<<20+1)}}
	m := scalar.New(names, machine.State{0}, machine.Info{}, func() scalar.Stepper { return new(flare) })
	r, err := NewProofNumber(Config{}).Search(t.Context(), m, m.Initial(), search.Limits{})
	if v := r.Values[0]; !errors.Is(err, play.ErrTooWide) || v.Lower > 50 || v.Upper < 50 {
		t.Errorf("value %v, error %v", v, err)
	}
}

func TestProofNumbersWithATinyTable(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	game := randomTrees(4, 9, 1)
	r := prove(t, Config{}, parallel{game.Machine()}, search.Limits{MaxBytes: 1})
	if want := minimax(game, 0); !r.Solved() || r.Values[0].Lower != want || r.Evictions == 0 {
		t.Errorf("%v with %d evictions, want %g with some", r.Values, r.Evictions, want)
	}
}

func TestProofNumbersAreReproducible(t *testing.T) {
	a, b := prove(t, Config{}, newTicTacToe(), search.Limits{}), prove(t, Config{}, newTicTacToe(), search.Limits{})
	if a.Nodes != b.Nodes || a.TableHits != b.TableHits {
		t.Errorf("%d and %d nodes", a.Nodes, b.Nodes)
	}
}

func TestAnEntryKeepsTheBoundsOfTheEntryBefore(t *testing.T) {
	value, old := make([]uint64, proofWords), make([]uint64, proofWords)
	proof{bounds: search.Interval{Lower: 0, Upper: 50}, best: 7}.pack(value)
	proof{bounds: search.Interval{Lower: 30, Upper: 100}, best: 3}.pack(old)
	mergeProofs(value, old)
	if e := unpackProof(value); e.bounds != (search.Interval{Lower: 30, Upper: 50}) || e.best != 7 {
		t.Errorf("%+v", e)
	}
}
