package player

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// referee holds matches of one game in process.
type referee struct {
	game    *gdl.Game
	machine machine.Machine
	batch   machine.Batch
	rng     *machine.Rand
	late    atomic.Int64
}

func newReferee(t testing.TB, name string) *referee {
	t.Helper()
	g := rulesOf(t, name)
	m, err := reasoner.New(context.Background(), g, reasoner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &referee{game: g, machine: m, batch: m.NewBatch(), rng: machine.NewRand(7)}
}

// hold plays one match, players by role (nil for chance), and returns the goals.
// A move that is not legal fails the test; late ones are counted.
func (f *referee) hold(t testing.TB, players []*Player, start, play time.Duration) []int32 {
	t.Helper()
	names := f.machine.Names()
	ask := func(clock time.Duration, call func(ctx context.Context, r int) error) {
		var group sync.WaitGroup
		for r := range players {
			if players[r] == nil {
				continue
			}
			group.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), clock)
				defer cancel()
				if err := call(ctx, r); err != nil {
					t.Errorf("%s: %v", names.Roles[r], err)
				}
				if deadline, _ := ctx.Deadline(); time.Now().After(deadline) {
					f.late.Add(1)
				}
			})
		}
		group.Wait()
	}
	ask(start, func(ctx context.Context, r int) error {
		return players[r].Start(ctx, Match{Game: f.game, Role: names.Roles[r]})
	})
	state := append(machine.State(nil), f.machine.Initial()...)
	told := [][]gdl.Term{nil}
	for {
		f.batch.Load(state, 1)
		f.batch.Evaluate(1)
		if f.batch.Terminal()[0]&1 != 0 || t.Failed() {
			break
		}
		next := make([]gdl.Term, len(players))
		ask(play, func(ctx context.Context, r int) (err error) {
			next[r], err = players[r].Play(ctx, told)
			return err
		})
		f.make(t, players, next)
		f.batch.Store(state, 1)
		told = append(told, next)
	}
	for _, p := range players {
		if p != nil {
			p.Stop(told)
		}
	}
	goals := make([]int32, len(players))
	f.batch.Goals(goals, 0)
	return goals
}

// make checks and makes a joint move in lane 0.
func (f *referee) make(t testing.TB, players []*Player, joint []gdl.Term) {
	t.Helper()
	names := f.machine.Names()
	for r := range joint {
		role := machine.Role(r)
		legal := f.batch.AppendLegal(nil, 0, role)
		if players[r] == nil {
			m := legal[f.rng.Intn(len(legal))]
			f.batch.Choose(0, role, m)
			joint[r], _ = gdl.ParseTerm(names.Moves[r][m])
			continue
		}
		found := false
		for _, m := range legal {
			if names.Moves[r][m] == joint[r].String() {
				f.batch.Choose(0, role, m)
				found = true
			}
		}
		if !found {
			t.Fatalf("%s plays %s, which is not legal", names.Roles[r], joint[r])
		}
	}
	f.batch.Advance(1)
}

func newPlayer(t testing.TB, kind string, o Options) *Player {
	t.Helper()
	p, err := New(kind, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Abort)
	return p
}

// rolesOf returns a game with roles only; tests supply the machine.
func rolesOf(names ...string) *gdl.Game {
	g := &gdl.Game{}
	for _, name := range names {
		g.Roles = append(g.Roles, gdl.Term{Kind: gdl.Symbol, Name: name})
	}
	return g
}

// BenchmarkMatches plays whole matches with sides swapped and reports the share of the
// points, in percent, that the first kind of player gets against the second, with its
// 95 % error. An iteration is two matches.
func BenchmarkMatches(b *testing.B) {
	for _, pair := range []struct {
		first, second string
		clock         time.Duration
		games         []string
	}{
		{"stackmate", "random", 500 * time.Millisecond, []string{"ticTacToe", "connectFour", "biddingTicTacToe-3"}},
		{"mcts", "random", 500 * time.Millisecond, []string{"ticTacToe", "connectFour", "biddingTicTacToe-3"}},
		{"stackmate", "mcts", 500 * time.Millisecond, []string{"connectFour", "breakthrough-5x6", "biddingTicTacToe-5", "goofspiel-8", "pig"}},
		{"stackmate:threads=1", "mcts-plain", 200 * time.Millisecond, []string{
			"connectFour", "breakthrough", "reversi", "checkers", "nineBoardTicTacToe", "blocker", "amazons_8x8", "hex.kif",
			"gomoku_11x11", "speedChess", "biddingTicTacToe-10", "goofspiel-10", "oshiZumo", "connectFourSimultaneous", "tron",
		}},
	} {
		for _, name := range pair.games {
			b.Run(fmt.Sprintf("%s-%s/%s", pair.first, pair.second, name), func(b *testing.B) {
				f := newReferee(b, name)
				var sum, squares, matches float64
				for i := range b.N {
					for seed := range uint64(2) {
						seed += 2 * uint64(i)
						players := make([]*Player, len(f.machine.Names().Roles))
						rivals := seats(f.machine.Names(), seed)
						for r, rival := range rivals {
							if rival >= 0 {
								kind := []string{pair.first, pair.second}[rival]
								players[r] = newPlayer(b, kind, Options{Seed: seed*2 + uint64(rival), Memory: 256 << 20})
							}
						}
						for r, goal := range f.hold(b, players, 8*time.Second, pair.clock) {
							if rivals[r] == 0 {
								sum, squares, matches = sum+float64(goal), squares+float64(goal)*float64(goal), matches+1
							}
						}
					}
				}
				mean := sum / matches
				b.ReportMetric(mean, "points")
				b.ReportMetric(1.96*math.Sqrt((squares/matches-mean*mean)/matches), "±")
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(f.late.Load())/matches, "late/match")
			})
		}
	}
}

func TestWholeMatchesOfEveryKindOfGameEndProperly(t *testing.T) {
	exhaustive.Only(t, "takes some seconds")
	for _, name := range []string{"ticTacToe", "biddingTicTacToe-2", "rockPaperScissors", "goofspiel-4", "pig", "trio", "slidingPuzzle"} {
		t.Run(name, func(t *testing.T) {
			f := newReferee(t, name)
			var players []*Player
			for r, role := range f.machine.Names().Roles {
				kind := []string{"stackmate", "mcts", "random", "legal"}[r%4]
				if role == machine.RandomRole {
					players = append(players, nil)
				} else {
					players = append(players, newPlayer(t, kind, Options{Memory: 64 << 20}))
				}
			}
			for r, g := range f.hold(t, players, 2*time.Second, 200*time.Millisecond) {
				if players[r] != nil && (g < 0 || g > 100) {
					t.Errorf("role %d ends with goal %d", r, g)
				}
			}
		})
	}
}
