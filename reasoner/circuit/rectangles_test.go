package circuit

import (
	"math/rand/v2"
	"testing"
)

// In every position each legal move is in one rectangle, by one of its columns, and no
// other is in any; and the rectangles are much smaller than the table.
func TestRectanglesHoldEachLegalMoveOnce(t *testing.T) {
	const size = 5
	g := splitMoves(t.Context(), queens(size))
	p := g.Parts[0]
	list := g.Net.rectangles(p, [][]Lit{p.Head})
	places := 0
	for _, r := range list {
		places += len(r.firsts) + len(r.columns)
	}
	if places == 0 || places > len(p.of)/2 {
		t.Errorf("%d moves are %d rectangles with %d places", len(p.of), len(list), places)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		input := make(map[int32]bool)
		for _, f := range g.Fluents {
			input[f.Node()] = rng.IntN(3) == 0
		}
		value := evalNetwork(g.Net, input)
		at := func(l Lit) bool { return value[l.Node()] != l.Complemented() }
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
		for m, of := range p.of {
			if legal := at(p.Head[of[0]]) && at(p.Tail[m]); legal != (in[of] == 1) || in[of] > 1 {
				t.Fatalf("move %d, legal: %v, is %d times in a rectangle", m, legal, in[of])
			}
			delete(in, of)
		}
		if len(in) > 0 {
			t.Fatalf("there are no moves of parts %v", in)
		}
	}
}
