package sequential

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// TestAToleranceFallsOnlyAfterItsProof interrupts searches at every number of nodes: under a tolerance below the first,
// the interval is as narrow as the tolerance before it.
func TestAToleranceFallsOnlyAfterItsProof(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	fell, games := 0, exhaustive.Choose[uint64](10, 20)
	for seed := range games {
		s := shape{
			roles: roles, depth: 5, choosers: [][]int{{0}, {1}}, inTurn: true,
			branch: func(rng *rand.Rand) int { return 2 + rng.IntN(2) },
			leaf:   func(rng *rand.Rand) int32 { return int32(rng.IntN(101)) },
		}
		game := s.grow(rand.New(rand.NewPCG(seed, 8)))
		for nodes := int64(1); ; nodes++ {
			r := solve(t, Config{Falling: true}, game.Machine(), search.Limits{MaxNodes: nodes})
			v, want := r.Values[0], minimax(game, 0)
			before := min(2*r.Epsilon, 100)
			if r.Epsilon == 0 {
				before = 2
			}
			if v.Lower > want || v.Upper < want || v.Upper-v.Lower > before {
				t.Fatalf("seed %d, %d nodes: %v under ε %g, want an interval of at most %g around %g", seed, nodes, v, r.Epsilon, before, want)
			}
			if r.Epsilon < 50 {
				fell++
			}
			if v.Solved() {
				break
			}
		}
	}
	if fell < int(games)*5/2 {
		t.Errorf("the tolerance fell in %d searches: the test shows little", fell)
	}
}

// TestAFallingToleranceWithoutAProofEndsAtTheLast has a game whose positions repeat: ε = 50 proves nothing at any depth,
// and the search still ends with all that ε = 0 proves.
func TestAFallingToleranceWithoutAProofEndsAtTheLast(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for seed := range uint64(12) {
		g := toys.Cyclic(rand.New(rand.NewPCG(seed, 21)), 3+int(seed%5), false)
		var found [2]search.Result
		for i := range found {
			found[i] = solve(t, Config{Falling: i == 1}, g.Machine(), search.Limits{MaxNodes: 1 << 16})
		}
		if found[0].Values[0] != found[1].Values[0] || found[1].Epsilon != 0 {
			t.Errorf("seed %d: %v, falling %v under ε %g", seed, found[0].Values[0], found[1].Values[0], found[1].Epsilon)
		}
	}
}

// BenchmarkFalling searches positions of random games with a limit of nodes, with ε = 0 and with a falling ε: the mean
// width of the proved interval, and the shares of positions with an interval below the range, with a proved best move
// and with a proved value.
func BenchmarkFalling(b *testing.B) {
	ways := []struct {
		name string
		Config
	}{{"zero", Config{}}, {"falling", Config{Falling: true}}}
	const positions = 200
	for _, game := range []string{
		"amazons-5x5", "checkers", "connectFour-7x6", "copsAndRobber-5x5-2-10", "pentago", "quarto", "reversi-6x6",
		"corpus/nineBoardTicTacToe", "corpus/quad_5x5", "corpus/ticTacToeSerial", "copsAndRobberSlips-4x4-1-6", "pig-20-6",
	} {
		m := machineNamed(b, game)
		list := positionsOf(b, m, positions)
		for _, nodes := range []int64{1e4, 1e5, 1e6} {
			for _, way := range ways {
				b.Run(fmt.Sprintf("%s/%d/%s", game, nodes, way.name), func(b *testing.B) {
					var sum [4]float64
					var searched int64
					for b.Loop() {
						sum, searched = [4]float64{}, 0
						for _, s := range list {
							c := way.Config
							if m.Names().Chance() != machine.NoRole {
								c.Without = Deepening
							}
							r := must.Get(New(c).Search(b.Context(), m, s, search.Limits{MaxNodes: nodes, MaxBytes: 64 << 20, NoLine: true}))(b)
							searched += r.Nodes
							v := r.Values[m.Names().Players()[0]]
							sum[0] += v.Upper - v.Lower
							for i, is := range []bool{v.Upper-v.Lower < 100, hasBest(r), v.Solved()} {
								if is {
									sum[i+1] += 100
								}
							}
						}
					}
					b.ReportMetric(float64(searched)/b.Elapsed().Seconds(), "nodes/s")
					for i, unit := range []string{"width", "%narrowed", "%best", "%solved"} {
						b.ReportMetric(sum[i]/float64(len(list)), unit)
					}
				})
			}
		}
	}
}

// hasBest reports whether a move is proved to be at least as good as all others.
func hasBest(r search.Result) bool {
	for _, moves := range r.Moves {
		for i, k := range moves {
			others := slices.Delete(slices.Clone(moves), i, i+1)
			if !slices.ContainsFunc(others, func(o search.Known) bool { return o.Bounds.Upper > k.Bounds.Lower }) {
				return true
			}
		}
	}
	return false
}

// machineNamed compiles a built-in game, or a rulesheet of the corpus.
func machineNamed(b *testing.B, name string) machine.Machine {
	if file, ok := strings.CutPrefix(name, "corpus/"); ok {
		return gamestest.Compiled(b, string(corpus.Source(b, file)))
	}
	return gamestest.Machine(b, name)
}

// positionsOf returns positions of random games with several joint moves, one of each game.
func positionsOf(b *testing.B, m machine.Machine, n int) []machine.State {
	rng, x, e := machine.NewRand(7), play.NewExpander(m), new(play.Expansion)
	var list []machine.State
	for len(list) < n {
		var game []machine.State
		for s := slices.Clone(m.Initial()); len(game) < 1000; copy(s, e.Child(int(rng.Uint64()%uint64(e.Children)))) {
			if over, _ := x.Look(s); over {
				break
			}
			must.OK(b, x.Expand(e, s))
			if e.Children > 1 {
				game = append(game, slices.Clone(s))
			}
		}
		list = append(list, game[rng.Uint64()%uint64(len(game))])
	}
	return list
}

func TestTheLastToleranceIsTheLeastDifferenceOfGoals(t *testing.T) {
	for want, goals := range map[float64][][]int32{
		50: {{0, 50, 100}, {100, 0, 50}}, 10: {{30, 100, 0, 40}, {50, 60}}, 100: {nil, {70}, {0, 100, 100}},
	} {
		for _, list := range goals {
			if got := smallestGap(list); got != want {
				t.Errorf("goals %v: %g, want %g", list, got, want)
			}
		}
	}
}
