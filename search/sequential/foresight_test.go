package sequential

import (
	"context"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// seeing is a machine of a tree of two roles in turns that knows decisive moves, by
// looking at the tree.
type seeing struct {
	machine.Machine
	game *toys.Tree
}

func (m seeing) Decisive(context.Context, bool) machine.Machine { return seer(m) }

type seer seeing

func (m seer) NewNarrowBatch() machine.Batch {
	b := &seerBatch{Batch: m.Machine.NewNarrowBatch(), game: m.game}
	for i, n := range m.game.Nodes {
		for r := range b.best {
			if len(n.Kids) == 0 {
				b.best[r] = max(b.best[r], m.game.Nodes[i].Goals[r])
			}
		}
	}
	return b
}

type seerBatch struct {
	machine.Batch
	game  *toys.Tree
	best  [2]int32
	lanes []uint64
}

// node returns the one in a lane.
func (b *seerBatch) node(lane int) *toys.Node {
	b.lanes = slices.Grow(b.lanes[:0], b.Lanes())[:b.Lanes()]
	b.Store(b.lanes, b.Lanes())
	return &b.game.Nodes[b.lanes[lane]]
}

// wins lists the moves of role r at n that end the game with its best goal. blunders lists the moves that end it with the other role's best
// goal, or after which the other role has a winning move.
func (b *seerBatch) wins(n *toys.Node, r machine.Role) (wins, blunders []machine.Move) {
	for i, kid := range n.Kids {
		move, k := machine.Move(0), &b.game.Nodes[kid]
		if n.Moves[r] > 1 {
			move = machine.Move(i)
		} else if len(n.Kids) > 1 {
			continue // the other one chooses
		}
		if len(k.Kids) == 0 {
			if k.Goals[r] == b.best[r] {
				wins = append(wins, move)
			} else if k.Goals[1-r] == b.best[1-r] {
				blunders = append(blunders, move)
			}
		} else if b.endsWell(k, 1-r) {
			blunders = append(blunders, move)
		}
	}
	return wins, blunders
}

// endsWell reports whether role r alone chooses at n, or nobody, and ends the game with its best goal at once.
func (b *seerBatch) endsWell(n *toys.Node, r machine.Role) bool {
	return n.Moves[1-r] == 1 && slices.ContainsFunc(n.Kids, func(kid int) bool {
		k := &b.game.Nodes[kid]
		return len(k.Kids) == 0 && k.Goals[r] == b.best[r]
	})
}

func (b *seerBatch) AppendSensible(dst []machine.Move, lane int, r machine.Role) []machine.Move {
	wins, blunders := b.wins(b.node(lane), r)
	if len(wins) > 0 {
		return append(dst, wins...)
	}
	legal := b.AppendLegal(nil, lane, r)
	if len(blunders) == len(legal) {
		return append(dst, legal...)
	}
	return append(dst, slices.DeleteFunc(legal, func(m machine.Move) bool { return slices.Contains(blunders, m) })...)
}

func (b *seerBatch) Wins(r machine.Role) (goal int32, lanes []uint64) {
	lanes = make([]uint64, (b.Lanes()+63)/64)
	for lane := range b.Lanes() {
		n := b.node(lane)
		if len(n.Kids) == 0 {
			continue
		}
		own, _ := b.wins(n, r)
		theirs, lost := b.wins(n, 1-r)
		if len(own) > 0 || n.Moves[1-r] == len(n.Kids) && len(theirs) == 0 && len(lost) == len(n.Kids) {
			lanes[lane>>6] |= 1 << (lane & 63)
		}
	}
	return b.best[r], lanes
}

// Positions decided by decisive moves are not searched; the values stay the same, and the line continues to the end of the game.
func TestForesightSavesNodes(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for _, game := range []string{"ticTacToe", "connectFour-4x4", "breakthrough-3x5"} {
		m := gamestest.Machine(t, game)
		blind := solve(t, Config{Without: Foresight}, m, search.Limits{})
		v := New(Config{})
		v.tick = 1
		r, err := v.Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil || !r.Solved() || r.Values[0] != blind.Values[0] || r.Nodes >= blind.Nodes*3/4 {
			t.Errorf("%s: %v in %d nodes, error %v; %v in %d without", game, r.Values, r.Nodes, err, blind.Values, blind.Nodes)
		}
		if over, goals := toys.Follow(m, m.Initial(), r.Line); !over || float64(goals[0]) != r.Values[0].Lower {
			t.Errorf("%s: the line of %d moves ends (%v) with %v, want %v", game, len(r.Line), over, goals, r.Values[0])
		}
	}
}

// Along games, with results of earlier positions in the table and interruption at any time, moves reported as mistakes are mistakes.
// TestBrokenOffSearchesKnowTheMove asks a search for a move without time in a position of its table: the proved bounds must hold for the
// move.
func TestBrokenOffSearchesKnowTheMove(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches thousands of random games; the tests of crews look at goroutines")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, game := range []string{"connectFour-4x4", "breakthrough-3x5"} {
		m := gamestest.Machine(t, game)
		positions := toys.Positions(m, exhaustive.Choose(5, 20), 5)
		for name, s := range map[string]search.Searcher{"bab": New(Config{}), "threads": New(Config{Threads: 2})} {
			fresh, x, e := New(Config{}), play.NewExpander(m), &play.Expansion{}
			for rest := positions; len(rest) > 0; rest = rest[len(m.Initial()):] {
				q := rest[:len(m.Initial())]
				must.Get(s.Search(t.Context(), m, q, search.Limits{}))(t)
				for ctx, nodes := range map[context.Context]int64{over: 0, t.Context(): 1} {
					r := must.Get(s.Search(ctx, m, q, search.Limits{MaxNodes: nodes}))(t)
					must.OK(t, x.Expand(e, q))
					chooser := 0
					if len(e.Moves[1]) > 1 {
						chooser = 1
					}
					if !r.Solved() || len(r.Strategies[chooser]) == 0 {
						continue
					}
					c := slices.Index(e.Moves[chooser], r.Strategies[chooser][0].Move)
					var got search.Interval
					if e.Terminal[c] {
						got = search.Exact(float64(e.ChildGoals(c)[chooser]))
					} else if after, err := fresh.Search(t.Context(), m, e.Child(c), search.Limits{}); err != nil {
						t.Fatal(err)
					} else {
						got = after.Values[chooser]
					}
					if got != r.Values[chooser] {
						t.Errorf("%s, %s: %v is worth %v, its move %v", game, name, m.Names().AppendFluents(nil, q), r.Values[chooser], got)
					}
				}
			}
		}
	}
}

func TestRefutedMovesOfGamesAreMistakes(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches thousands of random games; the tests of crews look at goroutines")
	for _, game := range []string{"connectFour-4x4", "breakthrough-3x5"} {
		m := gamestest.Machine(t, game)
		blind, x, e, refuted := New(Config{Without: Foresight}), play.NewExpander(m), &play.Expansion{}, 0
		positions := toys.Positions(m, exhaustive.Choose(5, 20), 5)
		for seen, rest := New(Config{}), positions; len(rest) > 0; rest = rest[len(m.Initial()):] {
			s := rest[:len(m.Initial())]
			must.OK(t, x.Expand(e, s))
			found := must.Get(seen.Search(t.Context(), m, s, search.Limits{MaxNodes: 1 + int64(len(rest)%100)}))(t)
			chooser := 0
			if len(e.Moves[1]) > 1 {
				chooser = 1
			}
			worth := func(c int) float64 { // to the choosing role
				if e.Terminal[c] {
					return float64(e.ChildGoals(c)[chooser])
				}
				r, err := blind.Search(t.Context(), m, e.Child(c), search.Limits{})
				if err != nil || !r.Solved() {
					t.Fatalf("%v, error %v", r.Values, err)
				}
				return r.Values[chooser].Lower
			}
			best := 0.0
			for c := range e.Children {
				best = max(best, worth(c))
			}
			if found.Moves == nil {
				continue // nobody has a choice
			}
			for _, move := range search.Mistakes(found.Moves[chooser], 0) {
				refuted++
				if c := slices.Index(e.Moves[chooser], move); c < 0 || worth(c) > 0 && worth(c) >= best {
					t.Errorf("%s: %s is said to be a mistake in %v", game, m.Names().MoveText(machine.Role(chooser), move), m.Names().AppendFluents(nil, s))
				}
			}
		}
		if refuted == 0 {
			t.Errorf("%s: nothing is refuted", game)
		}
	}
}
