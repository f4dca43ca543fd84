package bridge

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"stackmate/internal/must"
	"stackmate/search/lattice"
)

// asked is a moment, and the layouts that are possible there.
type asked struct {
	moment
	alive uint64
}

// winning is a set of up to 64 layouts in which a plan wins, as bits; all is the set of all.
type winning struct{ all uint64 }

func (winning) Meet(a, b uint64) uint64 { return a & b }
func (winning) LessEq(a, b uint64) bool { return a&^b == 0 }
func (w winning) Top() uint64           { return w.all }
func (winning) Compare(a, b uint64) int { return cmp.Compare(a, b) }

// section5 is the game of Section 5 for the general search over lattices: values are the sets of layouts in which some plan wins; layouts
// excluded by a card of the defenders count as won.
type section5 struct{ book }

// Value implements lattice.Game.
func (b section5) Value(p asked) (lattice.Front[uint64], bool) {
	if p.need <= 0 || p.alive == 0 {
		return lattice.Front[uint64]{b.all()}, true
	}
	for _, hand := range b.layouts[bits.TrailingZeros64(p.alive)] {
		if hand&^p.gone != 0 {
			return nil, false
		}
	}
	return lattice.Front[uint64]{b.all() &^ p.alive}, true
}

// AppendChildren implements lattice.Game.
func (b section5) AppendChildren(dst []asked, p asked) ([]asked, lattice.Turn) {
	if moves, ok := b.moves(p.moment, p.alive); ok {
		for _, c := range moves {
			dst = append(dst, asked{b.after(p.moment, c), p.alive})
		}
		return dst, lattice.Max
	}
	seat := (p.leader + len(p.trick)) % 4
	for c := range Card(52) {
		can := uint64(0)
		for i := range b.layouts {
			if p.alive>>i&1 != 0 && slices.Contains(b.legal(p.moment, i, seat), c) {
				can |= 1 << i
			}
		}
		if can != 0 {
			dst = append(dst, asked{b.after(p.moment, c), can})
		}
	}
	return dst, lattice.Min
}

// Key implements lattice.Game.
func (b section5) Key(p asked) string {
	return fmt.Sprint(p.gone, p.leader, p.trick, p.need, p.alive)
}

// TestPlansAreThoseOfTheLatticeOfSection5 compares endings of up to 12 cards with the
// general search, with each of its prunings.
func TestPlansAreThoseOfTheLatticeOfSection5(t *testing.T) {
	n := setting(t, "STACKMATE_BRIDGE_ENDINGS", 40)
	for i := range n {
		rng := newRand(i)
		e := randomEnding(rng, 2+rng.IntN(2), rng.IntN(4))
		b := section5{newBook(e)}
		need := 1 + rng.IntN(e.left)
		values := lattice.Fronts[uint64, winning]{Elements: winning{b.all()}}
		var nodes []int64
		for _, pruning := range []lattice.Pruning{lattice.Shallow, lattice.Deep, lattice.Joint} {
			solver := must.Get(lattice.New[asked, string, lattice.Front[uint64]](values, b, lattice.Config{Pruning: pruning, Table: 1 << 20}))(t)
			v, err := solver.Search(context.Background(), asked{e.moment(need), b.all()})
			if err != nil || !v.Exact {
				t.Fatalf("ending %d: exact %t, %v", i, v.Exact, err)
			}
			nodes = append(nodes, v.Nodes)
			want := 0
			for _, s := range v.Lower {
				want = max(want, bits.OnesCount64(s))
			}
			r := must.Get(Solve(context.Background(), e.deal(), Options{Tricks: need}))(t)
			if g := r.Goals[0]; !g.Exact || g.Won != int64(want) {
				t.Fatalf("ending %d, %v: %d tricks in %d to %d layouts, want %d", i, e.deal(), need, g.Won, g.Upper, want)
			}
		}
		if nodes[2] > nodes[0] {
			t.Logf("ending %d: more nodes with more pruning, %v", i, nodes)
		}
	}
}
