package choice

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

// evaluator returns the values of literals for given inputs, and random values of all other inputs.
func evaluator(net *logic.Network, rng *rand.Rand, given map[logic.Lit]bool) func(l logic.Lit) bool {
	input := make(map[int32]bool)
	for i := range int32(net.Len()) {
		if net.Op(i) == logic.OpInput {
			input[i] = rng.IntN(2) == 0
		}
	}
	for l, v := range given {
		input[l.Node()] = v
	}
	value := logictest.Evaluate(net, input)
	return func(l logic.Lit) bool { return value[l.Node()] != l.Complemented() }
}

// divided returns the parts of the moves "wait" and (go a b), legal where mine is true and by the given conditions.
func divided(net *logic.Network, cells int, mine logic.Lit, legal func(a, b int) logic.Lit) *Parts {
	names, when := []string{"wait"}, []logic.Lit{mine.Not()}
	for a := range cells {
		for b := range cells {
			names, when = append(names, fmt.Sprintf("(go %d %d)", a, b)), append(when, net.And(mine, legal(a, b)))
		}
	}
	p := Tables([][]string{names}, LeastMoves)[0].Best(net, names, when, true)
	p.Divide(net, when, p.Common(net, when), func(lits []logic.Lit) logic.Lit { return net.And(lits...) })
	return p
}

// made returns the chosen move, or -1 unless exactly one first part and one second part are chosen.
func (p *Parts) made(at func(logic.Lit) bool) int {
	var of [2]int32
	for side, lits := range p.Chosen {
		first := slices.IndexFunc(lits, at)
		if first < 0 || slices.ContainsFunc(lits[first+1:], at) {
			return -1
		}
		of[side] = int32(first)
	}
	return slices.Index(p.Pair, of)
}

func TestTheRoleInTurnChoosesAnyLegalMoveAndTheOtherRoleWaits(t *testing.T) {
	const cells = 12
	net := logic.NewNetwork()
	mine, taken := net.Input(), make([]logic.Lit, cells)
	for i := range taken {
		taken[i] = net.Input()
	}
	p := divided(net, cells, mine, func(a, b int) logic.Lit { return net.And(taken[a], taken[b].Not()) })
	q := divided(net, cells, mine.Not(), func(a, b int) logic.Lit { return net.And(taken[a].Not(), taken[b], taken[(a+b)%cells]) })
	ChooseTurn(net, mine, p, q)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		given := make(map[logic.Lit]bool)
		for i, l := range taken {
			given[l] = rng.IntN(2) == 0 && i > 2 || i == 0
		}
		seen, legal := make(map[[2]int]bool), make(map[[2]int]bool)
		for range 400 {
			at := evaluator(net, rng, given)
			for side, role := range []*Parts{p, q} {
				move := role.made(at)
				if move < 0 || !at(role.Head[role.Pair[move][0]]) || !at(role.Tail[move]) || (move == 0) != (at(mine) == (side == 1)) {
					t.Fatalf("role %d of %v makes move %d", side, at(mine), move)
				}
				seen[[2]int{side, move}] = true
				for m, of := range role.Pair {
					if at(role.Head[of[0]]) && at(role.Tail[m]) {
						legal[[2]int{side, m}] = true
					}
				}
			}
		}
		if missed := len(legal) - len(seen); missed > len(legal)/20 {
			t.Errorf("%d of %d legal moves are never chosen", missed, len(legal))
		}
	}
}

func TestMadeIsTrueForTheMovesOfASet(t *testing.T) {
	const cells = 10
	net := logic.NewNetwork()
	p := divided(net, cells, logic.True, func(int, int) logic.Lit { return net.Input() })
	for side, lits := range [][]logic.Lit{p.First, p.Second} {
		for i := range lits {
			lits[i] = net.Input()
		}
		p.Chosen[side] = lits
	}
	union, rng := NewUnion(net, p), rand.New(rand.NewPCG(3, 4))
	for range 40 {
		var set []int32
		row, column := 1+rng.IntN(cells), rng.IntN(cells) // nearly complete, so that Made covers them by whole parts
		for m := range int32(len(p.Pair)) {
			whole := m > 0 && (int(m-1)/cells < row || int(m-1)%cells == column)
			if rng.IntN(20) != 0 && whole || rng.IntN(4) == 0 {
				set = append(set, m)
			}
		}
		made := union.Made(set)
		for m, of := range p.Pair {
			given := make(map[logic.Lit]bool)
			for side, lits := range p.Chosen {
				for i, l := range lits {
					given[l] = int32(i) == of[side]
				}
			}
			if at := evaluator(net, rng, given); at(made) != slices.Contains(set, int32(m)) {
				t.Fatalf("move %d of %v: %v", m, set, at(made))
			}
		}
	}
}

func TestBlocksHaveTheCheapestSizeAndMovesWithoutArgumentsTheirOwn(t *testing.T) {
	texts := [][]int32{{0}}
	for i := range int32(15) {
		texts = append(texts, []int32{1, i})
	}
	p := blocks(texts)
	if p.count != [2]int{4, 6} || p.pair[0] != [2]int32{0, 0} || p.pair[1] != [2]int32{1, 0} || p.pair[7] != [2]int32{2, 0} || p.pair[15] != [2]int32{3, 2} {
		t.Errorf("parts %v: %v", p.count, p.pair)
	}
}

func TestRolesShareATableIfHalfOfTheirMovesAreCommon(t *testing.T) {
	tables := Tables([][]string{{"a", "b", "c", "d"}, {"c", "d", "e", "f"}, {"x"}, {"f", "g", "h", "i"}, {"f", "g", "h", "i"}}, 2)
	if tables[0] == nil || tables[1] != tables[0] || tables[2] != nil || tables[3] == tables[0] || tables[4] != tables[3] {
		t.Errorf("tables %v", tables)
	}
	if got := tables[0].names; !slices.Equal(got, []string{"a", "b", "c", "d", "e", "f"}) {
		t.Errorf("names %v", got)
	}
}

func TestAMoveIsSplitAfterEachNumberOfWords(t *testing.T) {
	names := []string{"(mark a 1)", "(mark a 2)", "(mark b 1)", "noop"}
	for i, want := range []struct {
		pair  [][2]int32
		count [2]int
		texts [][]int32
	}{
		{[][2]int32{{0, 0}, {0, 1}, {0, 2}, {1, 3}}, [2]int{2, 4}, [][]int32{{0}, {5}}},
		{[][2]int32{{0, 0}, {0, 1}, {1, 0}, {2, 2}}, [2]int{3, 3}, [][]int32{{0, 1}, {0, 4}, {5}}},
	} {
		if got := partitions(names)[i]; !reflect.DeepEqual(got, partition(want)) {
			t.Errorf("after %d words: %v, want %v", i+1, got, want)
		}
	}
	if got := partitions([]string{"(mark a)", "(mark (a))"}); len(got) != 1 {
		t.Errorf("moves of the same words: %v", got)
	}
}
