package choice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

// In every position each legal move is in exactly one rectangle, by exactly one column, and no other move is in any.
// The rectangles together are much smaller than the table.
func TestRectanglesContainEachLegalMoveOnce(t *testing.T) {
	const size = 5
	net := logic.NewNetwork()
	p, fluents := queens(net, size)
	list := gates{net}.rectangles(p, [][]logic.Lit{p.Head})
	elements := 0
	for _, r := range list {
		elements += len(r.firsts) + len(r.columns)
	}
	if elements == 0 || elements > len(p.Pair)/2 {
		t.Errorf("%d moves have %d rectangles with %d first parts and columns", len(p.Pair), len(list), elements)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		input := make(map[int32]bool)
		for _, f := range fluents {
			input[f.Node()] = rng.IntN(3) == 0
		}
		value := logictest.Evaluate(net, input)
		at := func(l logic.Lit) bool { return value[l.Node()] != l.Complemented() }
		in := make(map[[2]int32]int)
		for _, r := range list {
			for _, first := range r.firsts {
				for _, c := range r.columns {
					if at(p.Head[first]) && at(c.tail) {
						in[[2]int32{first, c.second}]++
					}
				}
			}
		}
		for m, of := range p.Pair {
			if legal := at(p.Head[of[0]]) && at(p.Tail[m]); legal != (in[of] == 1) || in[of] > 1 {
				t.Fatalf("move %d, legal: %v, is in %d rectangles", m, legal, in[of])
			}
			delete(in, of)
		}
		if len(in) > 0 {
			t.Fatalf("rectangles contain pairs of parts without a legal move: %v", in)
		}
	}
}

// queens returns the table of moves (go a b c) on a board of cells, which are taken or free. Consecutive cells of a
// move are in line, with free cells between them.
func queens(net *logic.Network, size int) (p *Parts, taken []logic.Lit) {
	cells := size * size
	for range cells {
		taken = append(taken, net.Input())
	}
	free := func(a, b, but int) (lits []logic.Lit) {
		for step := (b - a) / distance(a, b, size); a != b; {
			if a += step; a != but {
				lits = append(lits, taken[a].Not())
			}
		}
		return lits
	}
	names, legal := []string{"wait"}, []logic.Lit{net.And(taken...)}
	for a := range cells {
		for b := range cells {
			for c := range cells {
				if inLine(a, b, size) && inLine(b, c, size) {
					names = append(names, fmt.Sprintf("(go %d %d %d)", a, b, c))
					legal = append(legal, net.And(append(append(free(a, b, -1), free(b, c, a)...), taken[a])...))
				}
			}
		}
	}
	p = Tables([][]string{names}, LeastMoves)[0].Best(net, names, legal, false)
	p.Divide(net, legal, p.Common(net, legal), func(lits []logic.Lit) logic.Lit { return net.And(lits...) })
	return p, taken
}

func distance(a, b, size int) int {
	return max((a/size)-(b/size), (b/size)-(a/size), a%size-b%size, b%size-a%size)
}

func inLine(a, b, size int) bool {
	dx, dy := a/size-b/size, a%size-b%size
	return a != b && (dx == 0 || dy == 0 || dx == dy || dx == -dy)
}

func TestAContradictionMustHoldForTheHeadsOfAllRoles(t *testing.T) {
	net := logic.NewNetwork()
	x, y := net.Input(), net.Input()
	f := &rectangleFinder{net: gates{net}, parts: &Parts{First: make([]logic.Lit, 2)}}
	f.indexHeads([][]logic.Lit{{x, y}, {x.Not(), logic.False}})
	for _, c := range []struct {
		implied []logic.Lit
		want    []int32
	}{{[]logic.Lit{x.Not()}, nil}, {[]logic.Lit{x.Not(), y.Not()}, []int32{1}}, {[]logic.Lit{x, x.Not()}, []int32{0}}} {
		if got := f.contradictions(c.implied).members(); !slices.Equal(got, c.want) {
			t.Errorf("%v: parts %v, want %v", c.implied, got, c.want)
		}
	}
}
