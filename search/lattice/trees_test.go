package lattice

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"stackmate/internal/must"
)

// tree is a game given position by position; position 0 is the initial one.
type tree[V any] struct {
	nodes []node[V]
}

type node[V any] struct {
	turn  Turn
	kids  []int
	value V
}

func (t *tree[V]) Value(p int) (V, bool) { return t.nodes[p].value, t.nodes[p].kids == nil }
func (t *tree[V]) Key(p int) int         { return p }
func (t *tree[V]) AppendChildren(dst []int, p int) ([]int, Turn) {
	return append(dst, t.nodes[p].kids...), t.nodes[p].turn
}

// Minimax returns the value of p by Definition 2.3, without pruning of any kind: the
// oracle of Search, for small games. Of values it needs no more than Simple.
func Minimax[P any, K comparable, V any, L Values[V], G Game[P, K, V]](values L, game G, p P) V {
	v, over := game.Value(p)
	if over {
		return v
	}
	children, turn := game.AppendChildren(nil, p)
	for i, child := range children {
		w := Minimax[P, K, V](values, game, child)
		switch {
		case i == 0:
			v = w
		case turn == Max:
			v = values.Join(v, w)
		default:
			v = values.Meet(v, w)
		}
	}
	return v
}

// shape describes the random trees to grow.
type shape struct {
	depth, width int
	exactly      bool    // width moves everywhere, turns by the level; else 1 to width, turns at random
	share        float64 // chance that a child is a position that exists already
	early        float64 // chance that the game ends before the depth
}

// grow makes a random tree (or, with share > 0, an acyclic graph).
func grow[V any](s shape, rng *rand.Rand, draw func(*rand.Rand) V) *tree[V] {
	t := &tree[V]{}
	levels := make([][]int, s.depth+1)
	var add func(level int) int
	add = func(level int) int {
		if known := levels[level]; len(known) > 0 && rng.Float64() < s.share {
			return known[rng.IntN(len(known))]
		}
		id := len(t.nodes)
		levels[level] = append(levels[level], id)
		t.nodes = append(t.nodes, node[V]{})
		if level == s.depth || level > 0 && rng.Float64() < s.early {
			t.nodes[id].value = draw(rng)
			return id
		}
		n := node[V]{turn: []Turn{Max, Min}[level%2]}
		width := s.width
		if !s.exactly {
			n.turn = []Turn{Max, Min}[rng.IntN(2)]
			width = 1 + rng.IntN(s.width)
		}
		for range width {
			n.kids = append(n.kids, add(level+1))
		}
		t.nodes[id] = n
		return id
	}
	add(0)
	return t
}

// randomShape returns one of a tree that minimax can search.
func randomShape(rng *rand.Rand) shape {
	s := shape{depth: 1 + rng.IntN(6), width: 1 + rng.IntN(4), early: 0.125}
	if rng.IntN(2) == 0 {
		s.share = 0.4
	}
	return s
}

func newRand(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 14)) }

// trees returns the number of random trees for each instance: STACKMATE_LATTICE_TREES.
func trees(t testing.TB) int {
	n, err := strconv.Atoi(os.Getenv("STACKMATE_LATTICE_TREES"))
	if err != nil {
		return 400
	}
	return n
}

func mustSearch[V any, L Values[V]](t testing.TB, l L, game *tree[V], c Config) Result[V] {
	t.Helper()
	solver := must.Get(New[int, int, V](l, game, c))(t)
	return must.Get(solver.Search(context.Background(), 0))(t)
}

// agree compares every pruning, with table and without, with minimax on random trees
// over values that are distributive, and the declared kind with random values.
func agree[V any, L Values[V]](t *testing.T, l L, draw func(*rand.Rand) V) {
	t.Helper()
	if kind, err := Sample[V](l, 2000, newRand(1), draw); err != nil || kind != Distributive {
		t.Fatalf("found %v: %v", kind, err)
	}
	for i := range trees(t) {
		rng := newRand(i)
		game := grow(randomShape(rng), rng, draw)
		want := Minimax[int, int, V](l, game, 0)
		for pruning := Unpruned; pruning <= Joint; pruning++ {
			for _, table := range []int{0, 4, 1000} {
				c := Config{Pruning: pruning, Table: table}
				if r := mustSearch(t, l, game, c); !r.Exact || !same(l, r.Lower, want) || !same(l, r.Upper, want) {
					t.Fatalf("tree %d, %+v: found [%v, %v], want %v", i, c, r.Lower, r.Upper, want)
				}
			}
		}
	}
}

func drawNumber(rng *rand.Rand) float64 { return float64(rng.IntN(101)) }

func drawWorlds(rng *rand.Rand) uint64 { return uint64(rng.IntN(1 << 10)) }

func drawChoices(rng *rand.Rand) Front[uint64] {
	f := Choices{}.Bottom()
	for range rng.IntN(4) {
		f = Choices{}.Join(f, Front[uint64]{uint64(rng.IntN(1 << 7))})
	}
	return f
}

func drawVector(rng *rand.Rand) []int32 {
	return []int32{int32(rng.IntN(5)) * 25, int32(rng.IntN(5)) * 25, int32(rng.IntN(5)) * 25}
}

func TestNumbersAgreeWithMinimax(t *testing.T) { agree(t, Numbers{0, 100}, drawNumber) }

func TestIntervalsAgreeWithMinimax(t *testing.T) { agree(t, Intervals{0, 100}, drawInterval) }

func TestVectorsAgreeWithMinimax(t *testing.T) { agree(t, Goals{Vectors{3, 100}}, drawVector) }

func TestWorldsAgreeWithMinimax(t *testing.T) { agree(t, Worlds{1<<10 - 1}, drawWorlds) }

func TestChoicesAgreeWithMinimax(t *testing.T) { agree(t, Choices{Worlds{1<<7 - 1}}, drawChoices) }

func TestOutcomesAgreeWithMinimax(t *testing.T) {
	o := Outcomes{Vectors{3, 100}}
	agree(t, o, func(rng *rand.Rand) Front[[]int32] {
		f := o.Bottom()
		for range rng.IntN(4) {
			f = o.Join(f, Front[[]int32]{drawVector(rng)})
		}
		return f
	})
}

func TestDistributiveLatticesAgreeWithMinimax(t *testing.T) {
	for i := range 10 {
		l := randomDistributive(newRand(i))
		draw := func(rng *rand.Rand) int { return rng.IntN(len(l.meet)) }
		agree(t, l, draw)
	}
}

func TestASearchThatIsBrokenOffStillTellsBoundsThatHold(t *testing.T) {
	l := Choices{Worlds{1<<7 - 1}}
	for i := range 4 {
		rng := newRand(i)
		game := grow(shape{depth: 6, width: 3}, rng, drawChoices)
		want := Minimax[int, int, Front[uint64]](l, game, 0)
		for nodes := range int64(8) {
			r := mustSearch(t, l, game, Config{Pruning: Joint, MaxNodes: 1 + nodes})
			if !l.LessEq(r.Lower, want) || !l.LessEq(want, r.Upper) {
				t.Fatalf("tree %d, %d nodes: [%v, %v] does not contain %v", i, nodes, r.Lower, r.Upper, want)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		big := grow(shape{depth: 9, width: 3, exactly: true}, rng, drawChoices)
		solver, _ := New[int, int, Front[uint64]](l, big, Config{})
		if r, err := solver.Search(ctx, 0); err == nil || r.Exact {
			t.Fatal("a search whose context has ended says that it is complete")
		}
	}
}

// interrupted is a tree that ends a context when children are listed for the first time.
type interrupted struct {
	*tree[float64]
	end    context.CancelFunc
	listed int
}

func (g *interrupted) AppendChildren(dst []int, p int) ([]int, Turn) {
	g.listed++
	g.end()
	return g.tree.AppendChildren(dst, p)
}

func TestNoChildrenAreListedAfterTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	game := &interrupted{tree: grow(shape{depth: 5, width: 3, exactly: true}, newRand(1), drawNumber), end: cancel}
	solver := must.Get(New[int, int, float64](Numbers{0, 100}, game, Config{}))(t)
	if _, err := solver.Search(ctx, 0); err == nil || game.listed != 1 {
		t.Errorf("children of %d positions are listed, error %v; want 1", game.listed, err)
	}
}

func TestMoreIsNeverPrunedLess(t *testing.T) {
	l := Worlds{1<<10 - 1}
	for i := range 200 {
		rng := newRand(i)
		game := grow(randomShape(rng), rng, drawWorlds)
		var nodes []int64
		for pruning := Unpruned; pruning <= Joint; pruning++ {
			nodes = append(nodes, mustSearch(t, l, game, Config{Pruning: pruning}).Nodes)
		}
		if !slices.IsSortedFunc(nodes, func(a, b int64) int { return int(b - a) }) {
			t.Fatalf("tree %d: nodes %v", i, nodes)
		}
	}
}

// circle is a game that cycles, with one exit that wins.
type circle struct{ exit float64 }

func (c circle) Value(p int) (float64, bool) { return c.exit, p < 0 }
func (circle) Key(p int) int                 { return p }
func (c circle) AppendChildren(dst []int, p int) ([]int, Turn) {
	return append(dst, (p+1)%7, -1), Max
}

func TestAGameWithoutEndIsUnknownOrWonWhereItCanBeLeft(t *testing.T) {
	for exit, exact := range map[float64]bool{100: true, 50: false} {
		solver := must.Get(New[int, int, float64](Numbers{0, 100}, circle{exit}, Config{Pruning: Deep, Table: 100, MaxNodes: 20_000}))(t)
		r, err := solver.Search(t.Context(), 0)
		if err != nil || r.Lower != exit || r.Exact != exact {
			t.Errorf("exit %g: [%g, %g], exact %t, %v", exit, r.Lower, r.Upper, r.Exact, err)
		}
	}
}
