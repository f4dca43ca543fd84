package lattice

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/search"
	"stackmate/search/sequential"
)

func drawInterval(rng *rand.Rand) search.Interval {
	a, b := drawNumber(rng), drawNumber(rng)
	return search.Interval{Lower: min(a, b), Upper: max(a, b)}
}

// asToys returns the same game as a machine: goals of two roles with the sum of 100.
func asToys(game *tree[float64]) *toys.Tree {
	t := &toys.Tree{Roles: []string{"max", "min"}}
	for _, n := range game.nodes {
		switch {
		case n.kids == nil:
			t.Nodes = append(t.Nodes, toys.Node{Goals: []int32{int32(n.value), 100 - int32(n.value)}})
		case n.turn == Max:
			t.Nodes = append(t.Nodes, toys.Node{Moves: []int{len(n.kids), 1}, Kids: n.kids})
		default:
			t.Nodes = append(t.Nodes, toys.Node{Moves: []int{1, len(n.kids)}, Kids: n.kids})
		}
	}
	return t
}

func TestNumbersAreSearchedNodeForNodeAsBoundedAlphaBetaDoes(t *testing.T) {
	without := sequential.Literal | sequential.Table | sequential.Ordering | sequential.Lookahead | sequential.NullWindow | sequential.Deepening
	for i := range trees(t) {
		rng := newRand(i)
		s := randomShape(rng)
		s.share = 0
		game := grow(s, rng, drawNumber)
		if game.nodes[0].kids == nil {
			continue
		}
		m := asToys(game).Machine()
		want := must.Get(sequential.New(sequential.Config{Without: without}).Search(t.Context(), m, m.Initial(), search.Limits{}))(t)
		intervals := &tree[search.Interval]{}
		for _, n := range game.nodes {
			intervals.nodes = append(intervals.nodes, node[search.Interval]{n.turn, n.kids, search.Exact(n.value)})
		}
		for pruning := Deep; pruning <= Joint; pruning++ {
			r := mustSearch(t, Numbers{0, 100}, game, Config{Pruning: pruning})
			if r.Lower != want.Values[0].Lower || r.Nodes != want.Nodes {
				t.Fatalf("tree %d: value %g in %d nodes, Bounded Alpha-Beta %g in %d", i, r.Lower, r.Nodes, want.Values[0].Lower, want.Nodes)
			}
			q := mustSearch(t, Intervals{0, 100}, intervals, Config{Pruning: pruning})
			if q.Lower != want.Values[0] || q.Nodes != want.Nodes {
				t.Fatalf("tree %d: interval %v in %d nodes, Bounded Alpha-Beta %v in %d", i, q.Lower, q.Nodes, want.Values[0], want.Nodes)
			}
		}
	}
}

func TestAnIntervalIsTheValuesOfItsEnds(t *testing.T) {
	for i := range trees(t) {
		rng := newRand(i)
		game := grow(randomShape(rng), rng, drawInterval)
		r := mustSearch(t, Intervals{0, 100}, game, Config{Pruning: Joint})
		for end, of := range []func(search.Interval) float64{
			func(v search.Interval) float64 { return v.Lower },
			func(v search.Interval) float64 { return v.Upper },
		} {
			ends := &tree[float64]{}
			for _, n := range game.nodes {
				ends.nodes = append(ends.nodes, node[float64]{n.turn, n.kids, of(n.value)})
			}
			if want := mustSearch(t, Numbers{0, 100}, ends, Config{Pruning: Deep}).Lower; of(r.Lower) != want {
				t.Fatalf("tree %d, end %d: %g, want %g", i, end, of(r.Lower), want)
			}
		}
	}
}

// halves declares to be more than it is.
type halves struct{ Worlds }

func (halves) Join(a, b uint64) uint64 {
	if a&^b == 0 || b&^a == 0 {
		return a | b
	}
	return 15
}

func TestTheCheckerRefutesWhatIsDeclaredTooHigh(t *testing.T) {
	l := halves{Worlds{15}}
	kind, err := Check[uint64](l, []uint64{0, 1, 2, 4, 8, 15})
	var refutation *Refutation
	if kind != General || !errors.As(err, &refutation) || refutation.Found != General || refutation.Declared != Distributive {
		t.Fatalf("found a %v and %v", kind, err)
	}
	if !strings.Contains(err.Error(), "(a ∧ b) ∨ (a ∧ c)") || !strings.Contains(err.Error(), "a = ") {
		t.Errorf("the refutation names no law or no example: %v", err)
	}
	if kind, err := Sample[uint64](l, 1000, newRand(1), func(rng *rand.Rand) uint64 { return 1 << rng.IntN(4) }); kind != General || err == nil {
		t.Errorf("by samples a %v: %v", kind, err)
	}
	if kind, err := Check[uint64](Worlds{3}, []uint64{0, 1, 2, 3}); kind != Distributive || err != nil {
		t.Errorf("sets of worlds are a %v: %v", kind, err)
	}
}

func TestTablesThatHoldNoValuesAreRefused(t *testing.T) {
	good := [][]int{{0, 0}, {0, 1}}
	for _, bad := range [][][]int{{{0, 0}}, {{0, 0}, {0}}, {{0, 0}, {0, 2}}, {{0, -1}, {0, 0}}} {
		if _, err := NewFinite(good, bad); err == nil {
			t.Errorf("%v is no table of a join", bad)
		}
	}
}

// BenchmarkNodes counts the positions searched with each pruning, on uniform random
// trees over the sets of so many worlds and over the lattice of so many suits of
// Figure 4, which is not distributive.
func BenchmarkNodes(b *testing.B) {
	for _, size := range []int{1, 2, 4, 8, 16} {
		l := Worlds{1<<size - 1}
		for _, s := range []shape{{depth: 6, width: 2}, {depth: 6, width: 4}, {depth: 6, width: 8}, {depth: 4, width: 4}, {depth: 8, width: 4}} {
			s.exactly = true
			b.Run(fmt.Sprintf("worlds=%d/width=%d/depth=%d", size, s.width, s.depth), func(b *testing.B) {
				countNodes(b, l, s, func(rng *rand.Rand) uint64 { return rng.Uint64() & l.All }, Joint)
			})
		}
	}
	for _, width := range []int{2, 4} {
		f := oneOfFourSuits()
		b.Run(fmt.Sprintf("suits=4/width=%d/depth=6", width), func(b *testing.B) {
			countNodes(b, f, shape{depth: 6, width: width, exactly: true}, func(rng *rand.Rand) int { return rng.IntN(6) }, Shallow)
		})
	}
}

func countNodes[V any, L Values[V]](b *testing.B, l L, s shape, draw func(*rand.Rand) V, most Pruning) {
	const games = 20
	for b.Loop() {
		var nodes [Joint + 1]int64
		for i := range games {
			game := grow(s, newRand(i), draw)
			for pruning := Unpruned; pruning <= most; pruning++ {
				nodes[pruning] += mustSearch(b, l, game, Config{Pruning: pruning}).Nodes
			}
		}
		for pruning, name := range []string{"minimax", "shallow", "deep", "joint"}[:most+1] {
			b.ReportMetric(float64(nodes[pruning])/games, name)
		}
	}
}
