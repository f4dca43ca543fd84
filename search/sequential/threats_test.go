package sequential

import (
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// checkThreats compares the values proved by threats at node id with the truth.
func checkThreats(rt *rapid.T, game *toys.Tree, id int, got search.Result) {
	n, want := game.Nodes[id], minimax(game, id)
	if v := got.Values[0]; !got.Proved || v.Lower > want || v.Upper < want {
		rt.Fatalf("node %d: %v, want %g", id, v, want)
	}
	for role, known := range got.Moves {
		for i, k := range known {
			value := minimax(game, n.Kids[i])
			if role == 1 {
				value = 100 - value
			}
			if k.Bounds.Lower > value || k.Bounds.Upper < value {
				rt.Fatalf("node %d, move %d of role %d: %v, want %g", id, i, role, k.Bounds, value)
			}
		}
	}
}

func TestWhatThreatsProveIsTrue(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	rapid.Check(t, func(rt *rapid.T) {
		game := randomGame(drawn(rt))
		m := machineOf(game, drawn(rt))
		v := NewThreats()
		for range 3 { // one after the other, with one table
			id := rapid.IntRange(0, len(game.Nodes)-1).Draw(rt, "node")
			lim := search.Limits{MaxNodes: int64(rapid.IntRange(0, 20).Draw(rt, "nodes"))}
			got, err := v.Search(t.Context(), m, machine.State{uint64(id)}, lim)
			if len(m.Names().Players()) == 1 || m.Names().Chance() >= 0 {
				if !errors.Is(err, errNoOpponent) && !errors.Is(err, ErrChance) {
					rt.Fatalf("a game of one role, or with chance: error %v", err)
				}
				return
			} else if err != nil {
				rt.Fatal(err)
			}
			checkThreats(rt, game, id, got)
		}
	})
}

// Where there are never more than two moves every move is a threat.
func TestThreatsFindEveryWinWhereAllMovesAreThreats(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		s := shape{
			roles: roles, depth: 1 + int(seed%9), choosers: [][]int{{0}, {1}}, inTurn: true, share: 0.2,
			branch: func(*rand.Rand) int { return 2 }, leaf: func(rng *rand.Rand) int32 { return int32(100 * rng.IntN(2)) },
		}
		game := s.grow(rng)
		m := machineOf(game, seeded(rng))
		got := must.Get(NewThreats().Search(t.Context(), m, m.Initial(), search.Limits{}))(t)
		if want := minimax(game, 0); got.Values[0] != search.Exact(want) {
			t.Fatalf("seed %d: %v, want %g", seed, got.Values[0], want)
		}
	}
}

func TestThreatsInARealGame(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	m := gamestest.Machine(t, "connectFour-5x4")
	v, exact, x, rng := NewThreats(), New(Config{}), play.NewExpander(m), machine.NewRand(1)
	var e play.Expansion
	wins, mistakes := 0, 0
	for range exhaustive.Choose(8, 30) {
		s := append(machine.State(nil), m.Initial()...)
		for over, _ := x.Look(s); !over; over, _ = x.Look(s) {
			got := must.Get(v.Search(t.Context(), m, s, search.Limits{}))(t)
			if got.Solved() == (got.Unfinished != nil) {
				t.Fatalf("%v, unfinished: %v", got.Values, got.Unfinished)
			}
			must.OK(t, x.Expand(&e, s))
			for c := range e.Children {
				truth, err := exact.Search(t.Context(), m, e.Child(c), search.Limits{})
				if err != nil || !truth.Solved() {
					t.Fatal(err, truth.Values)
				}
				for role, known := range got.Moves {
					if len(known) == 0 {
						continue
					}
					b, want := known[c].Bounds, truth.Values[role].Lower
					if b.Lower > want || b.Upper < want {
						t.Fatalf("%s: %v, want %g", m.Names().MoveText(machine.Role(role), known[c].Move), b, want)
					}
					if b.Upper == 0 {
						mistakes++
					}
					if b.Lower == 100 && len(got.Line) > 1 {
						wins++
					}
				}
			}
			copy(s, e.Child(rng.Intn(e.Children)))
		}
	}
	if wins == 0 || mistakes == 0 {
		t.Errorf("%d wins in several moves and %d mistakes found", wins, mistakes)
	}
}
