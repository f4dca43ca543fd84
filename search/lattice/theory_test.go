package lattice

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"testing"

	"stackmate/internal/must"
)

// closed returns the lattice of the sets in a family that is closed under intersection and
// has a largest set: every finite lattice is one.
func closed(family []uint) *Finite {
	index := make(map[uint]int)
	for i, s := range family {
		index[s] = i
	}
	table := func(of func(a, b uint) uint) [][]int {
		t := make([][]int, len(family))
		for i, a := range family {
			for _, b := range family {
				t[i] = append(t[i], index[of(a, b)])
			}
		}
		return t
	}
	f, err := NewFinite(
		table(func(a, b uint) uint { return a & b }),
		table(func(a, b uint) uint {
			least := ^uint(0)
			for _, s := range family {
				if (a|b)&^s == 0 {
					least &= s
				}
			}
			return least
		}))
	if err != nil {
		panic(err)
	}
	return f
}

// randomLattice returns one of 2 to 32 elements.
func randomLattice(rng *rand.Rand) *Finite {
	in := map[uint]bool{31: true}
	for range 1 + rng.IntN(6) {
		s := uint(rng.IntN(32))
		for t := range in {
			in[s&t] = true
		}
	}
	var family []uint
	for s := range uint(32) {
		if in[s] {
			family = append(family, s)
		}
	}
	return closed(family)
}

// randomDistributive returns the lattice of the down-sets of a random partial order.
func randomDistributive(rng *rand.Rand) *Finite {
	n := 1 + rng.IntN(5)
	below := make([]uint, n)
	for i := range n {
		for j := range i {
			if rng.IntN(3) == 0 {
				below[i] |= 1<<j | below[j]
			}
		}
	}
	var family []uint
	for s := range uint(1) << n {
		down := true
		for i := range n {
			down = down && (s>>i&1 == 0 || below[i]&^s == 0)
		}
		if down {
			family = append(family, s)
		}
	}
	return closed(family)
}

// randomOperations returns a meet and a join that need not belong together: the operations of two lattices on the same values, or random
// tables.
func randomOperations(rng *rand.Rand) *Finite {
	if rng.IntN(4) == 0 {
		n := 2 + rng.IntN(3)
		table := func() [][]int {
			t := make([][]int, n)
			for a := range t {
				t[a] = make([]int, n)
			}
			for a := range n {
				t[a][a] = a
				for b := range a {
					t[a][b] = rng.IntN(n)
					t[b][a] = t[a][b]
				}
			}
			return t
		}
		f, err := NewFinite(table(), table())
		if err != nil {
			panic(err)
		}
		return f
	}
	a, b := randomLattice(rng), randomLattice(rng)
	for len(a.meet) != len(b.meet) {
		a, b = randomLattice(rng), randomLattice(rng)
	}
	order := rng.Perm(len(a.meet))
	meet := make([][]int, len(order))
	for i := range meet {
		meet[i] = make([]int, len(order))
	}
	for i, row := range a.meet {
		for j, v := range row {
			meet[order[i]][order[j]] = order[v]
		}
	}
	f, err := NewFinite(meet, b.join)
	if err != nil {
		panic(err)
	}
	return f
}

// allowsShallow returns Definition 3.1, for the minimiser or the maximiser.
func allowsShallow(f *Finite, forMin bool) bool {
	for _, x := range f.All() {
		for _, y := range f.All() {
			for _, t := range f.All() {
				if forMin && f.LessEq(x, y) && f.Meet(x, f.Join(y, t)) != x ||
					!forMin && f.LessEq(y, x) && f.Join(x, f.Meet(y, t)) != x {
					return false
				}
			}
		}
	}
	return true
}

// allowsDeep returns Definition 4.1 for i = 1, for the minimiser or the maximiser.
func allowsDeep(f *Finite, forMin bool) bool {
	meet, join, lessEq := f.Meet, f.Join, f.LessEq
	if !forMin {
		meet, join, lessEq = f.Join, f.Meet, func(a, b int) bool { return f.LessEq(b, a) }
	}
	all := f.All()
	for _, x := range all {
		for _, y := range all {
			if !lessEq(x, y) {
				continue
			}
			for _, t := range all {
				for _, z1 := range all {
					for _, z2 := range all {
						if meet(x, join(z1, meet(z2, join(y, t)))) != meet(x, join(z1, z2)) {
							return false
						}
					}
				}
			}
		}
	}
	return allowsShallow(f, forMin) // i = 0
}

func TestProposition2_6ValuesOfMovesDoNotDependOnTheirOrder(t *testing.T) {
	for i := range 300 {
		rng := newRand(i)
		f := randomLattice(rng)
		n := 1 + rng.IntN(6)
		moves := make([]int, n)
		for i := range moves {
			moves[i] = rng.IntN(len(f.meet))
		}
		game := func(turn Turn, leaves []int) *tree[int] {
			g := &tree[int]{nodes: []node[int]{{turn: turn}}}
			for _, v := range leaves {
				g.nodes[0].kids = append(g.nodes[0].kids, len(g.nodes))
				g.nodes = append(g.nodes, node[int]{value: v})
			}
			return g
		}
		shuffled := append(append([]int{}, moves...), moves[rng.IntN(n)])
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for _, turn := range []Turn{Max, Min} {
			a, b := Minimax[int, int, int](f, game(turn, moves), 0), Minimax[int, int, int](f, game(turn, shuffled), 0)
			if a != b {
				t.Fatalf("%v: %d, and %v: %d", moves, a, shuffled, b)
			}
			// Proposition 2.7: more moves are never worse.
			fewer := Minimax[int, int, int](f, game(turn, moves[:1+rng.IntN(n)]), 0)
			if turn == Max && !f.LessEq(fewer, a) || turn == Min && !f.LessEq(a, fewer) {
				t.Fatalf("turn %d of %v: %d with some of the moves, %d with all", turn, moves, fewer, a)
			}
		}
	}
}

// TestProposition3_5 holds for both players together. For one of them it does not: pruning for the minimiser is (3–4) and for the maximiser
// (3–3), and neither implies the other, contrary to Lemma 3.4, where meet and join do not belong to one order.
func TestProposition3_5ShallowPruningIsRightExactlyInLattices(t *testing.T) {
	kinds := make(map[Kind]int)
	for i := range 400 {
		rng := newRand(i)
		f := randomOperations(rng)
		if rng.IntN(3) == 0 {
			f = randomLattice(rng)
		}
		kinds[f.kind]++
		if f.kind == None {
			continue
		}
		forMin, forMax := allowsShallow(f, true), allowsShallow(f, false)
		if (forMin && forMax) != (f.kind >= General) {
			t.Fatalf("%v: allowed for the minimiser %t, for the maximiser %t", f.kind, forMin, forMax)
		}
		absorbs := func(outer, inner func(a, b int) int) bool {
			for _, a := range f.All() {
				for _, b := range f.All() {
					if outer(a, inner(a, b)) != a {
						return false
					}
				}
			}
			return true
		}
		if forMin != absorbs(f.Meet, f.Join) || forMax != absorbs(f.Join, f.Meet) {
			t.Fatalf("%v: allowed for the minimiser %t, for the maximiser %t, but not by absorption", f.kind, forMin, forMax)
		}
	}
	if kinds[Simple] == 0 || kinds[General] == 0 || kinds[Distributive] == 0 || kinds[None] == 0 {
		t.Fatalf("not all kinds were drawn: %v", kinds)
	}
}

// TestLemma3_4OneAbsorptionIdentityDoesNotImplyTheOther tests the counterexample to the first half of the lemma: values 1 < 2 < 0 by their
// joins, of which 0 and 2 meet in 1.
func TestLemma3_4OneAbsorptionIdentityDoesNotImplyTheOther(t *testing.T) {
	f := must.Get(NewFinite([][]int{{0, 1, 1}, {1, 1, 1}, {1, 1, 2}}, [][]int{{0, 0, 0}, {0, 1, 2}, {0, 2, 2}}))(t)
	if f.Kind() != Simple || allowsShallow(f, true) || !allowsShallow(f, false) {
		t.Errorf("a %v; allowed for the minimiser %t, for the maximiser %t", f.Kind(), allowsShallow(f, true), allowsShallow(f, false))
	}
}

func TestProposition4_2DeepPruningIsRightExactlyInDistributiveLattices(t *testing.T) {
	kinds := make(map[Kind]int)
	for i := range 60 {
		rng := newRand(i)
		f := randomLattice(rng)
		for len(f.meet) > 12 {
			f = randomLattice(rng)
		}
		kinds[f.kind]++
		forMin, forMax, isDistributive := allowsDeep(f, true), allowsDeep(f, false), f.kind == Distributive
		if forMin != isDistributive || forMax != isDistributive {
			t.Fatalf("%v: allowed for the minimiser %t, for the maximiser %t", f.kind, forMin, forMax)
		}
	}
	if kinds[General] == 0 || kinds[Distributive] == 0 {
		t.Fatalf("not all kinds were drawn: %v", kinds)
	}
}

func TestShallowPruningAgreesWithMinimaxInEveryLattice(t *testing.T) {
	for i := range trees(t) {
		rng := newRand(i)
		f := randomLattice(rng)
		game := grow(randomShape(rng), rng, func(rng *rand.Rand) int { return rng.IntN(len(f.meet)) })
		want := Minimax[int, int, int](f, game, 0)
		for _, table := range []int{0, 1000} {
			if r := mustSearch(t, f, game, Config{Pruning: Shallow, Table: table}); !r.Exact || r.Lower != want {
				t.Fatalf("tree %d in a lattice of %d: [%d, %d], want %d", i, len(f.meet), r.Lower, r.Upper, want)
			}
		}
	}
}

// printed returns the value by alpha-beta as usually written for numbers, with deep pruning: the value of a position combines the moves seen.
// Windows are lists of the ancestors' bounds of either side, each compared by itself (Definition 4.1).
func printed(f *Finite, game *tree[int], p int, alphas, betas []int) int {
	n := game.nodes[p]
	if n.kids == nil {
		return n.value
	}
	v := 0
	for i, kid := range n.kids {
		a, b := alphas, betas
		if i > 0 && n.turn == Max {
			a = append(alphas[:len(alphas):len(alphas)], v)
		}
		if i > 0 && n.turn == Min {
			b = append(betas[:len(betas):len(betas)], v)
		}
		u := printed(f, game, kid, a, b)
		switch {
		case i == 0:
			v = u
		case n.turn == Max:
			v = f.Join(v, u)
		default:
			v = f.Meet(v, u)
		}
		for _, x := range alphas {
			if n.turn == Min && f.LessEq(v, x) {
				return v
			}
		}
		for _, x := range betas {
			if n.turn == Max && f.LessEq(x, v) {
				return v
			}
		}
	}
	return v
}

// The card of Figures 4 and 5: a loss, one suit of four, a win.
const (
	loss = iota
	clubs
	diamonds
	hearts
	spades
	win
)

// oneOfFourSuits returns the lattice of Figure 4.
func oneOfFourSuits() *Finite {
	return closed([]uint{0, 1, 2, 4, 8, 15})
}

// figure5 returns the tree of Figure 5.
func figure5() *tree[int] {
	return &tree[int]{nodes: []node[int]{
		{turn: Max, kids: []int{1, 2}},
		{value: clubs},
		{turn: Min, kids: []int{3, 4}},
		{value: diamonds},
		{turn: Max, kids: []int{5, 6}},
		{value: hearts},
		{turn: Min, kids: []int{7, 8}},
		{value: clubs},
		{value: loss},
	}}
}

func TestFigure4IsALatticeThatIsNotDistributive(t *testing.T) {
	f := oneOfFourSuits()
	if f.Kind() != General || f.Bottom() != loss || f.Top() != win {
		t.Fatalf("a %v from %d to %d", f.Kind(), f.Bottom(), f.Top())
	}
	if f.Meet(clubs, hearts) != loss || f.Join(clubs, hearts) != win {
		t.Fatal("two suits meet in a loss and join in a win")
	}
	// The identity that the paper names: ♥ ∨ (♣ ∧ 0) differs from the result of distributing.
	if f.Meet(diamonds, f.Join(hearts, clubs)) == f.Join(f.Meet(diamonds, hearts), f.Meet(diamonds, clubs)) {
		t.Fatal("♦ ∧ (♥ ∨ ♣) = (♦ ∧ ♥) ∨ (♦ ∧ ♣)")
	}
}

func TestFigure5DeepPruningGoesWrongAsPrinted(t *testing.T) {
	f, game := oneOfFourSuits(), figure5()
	if v := Minimax[int, int, int](f, game, 0); v != clubs {
		t.Errorf("minimax: %d, want clubs", v)
	}
	for _, pruning := range []Pruning{Unpruned, Shallow} {
		if r := mustSearch(t, f, game, Config{Pruning: pruning}); !r.Exact || r.Lower != clubs {
			t.Errorf("pruning %d: [%d, %d], want clubs", pruning, r.Lower, r.Upper)
		}
	}
	for _, pruning := range []Pruning{Deep, Joint} {
		if _, err := New[int, int, int](f, game, Config{Pruning: pruning}); !errors.Is(err, ErrUnsound) {
			t.Errorf("pruning %d: error %v, want that it is unsound", pruning, err)
		}
	}
	if v := printed(f, game, 0, nil, nil); v != win {
		t.Errorf("alpha-beta with a value for each position: %d, want a win", v)
	}
	// "(from the lower right) 0, ♥, 0, and ♣ … if we use deep pruning … ♣, 1, ♦ and 1":
	// the first are the lower, the second the upper bounds that the search finds.
	solver := must.Get(New[int, int, int](f, game, Config{Pruning: Deep, Unsound: true, Table: 10}))(t)
	r := must.Get(solver.Search(t.Context(), 0))(t)
	for _, want := range []struct{ position, lower, upper int }{
		{6, loss, clubs}, {4, hearts, win}, {2, loss, diamonds}, {0, clubs, win},
	} {
		if b := solver.Known(want.position); b != (Bounds[int]{want.lower, want.upper}) {
			t.Errorf("position %d: found %v, want [%d, %d]", want.position, b, want.lower, want.upper)
		}
	}
	if r.Exact {
		t.Error("deep pruning where it is not allowed says that its value is exact")
	}
	if r.Ends != 4 {
		t.Errorf("%d ends seen, want 4: all but the one pruned", r.Ends)
	}
}

func TestDeepPruningAsPrintedIsRightExactlyInDistributiveLattices(t *testing.T) {
	wrong := 0
	for i := range 1500 {
		rng := newRand(i)
		f := randomLattice(rng)
		switch i % 3 {
		case 0:
			f = randomDistributive(rng)
		case 1:
			f = oneOfFourSuits()
		}
		game := grow(shape{depth: 5, width: 2, early: 0.4}, rng, func(rng *rand.Rand) int { return rng.IntN(len(f.meet)) })
		got, want := printed(f, game, 0, nil, nil), Minimax[int, int, int](f, game, 0)
		r := mustSearch(t, f, game, Config{Pruning: Deep, Unsound: true})
		if !f.LessEq(r.Lower, want) || !f.LessEq(want, r.Upper) {
			t.Fatalf("tree %d: [%d, %d] does not contain %d", i, r.Lower, r.Upper, want)
		}
		switch {
		case got == want:
		case f.kind == Distributive:
			t.Fatalf("tree %d: %d, want %d", i, got, want)
		default:
			wrong++
			if r.Exact {
				t.Fatalf("tree %d: deep pruning is wrong here, and the search says that it is exact", i)
			}
		}
	}
	if wrong == 0 {
		t.Error("deep pruning was right in all lattices")
	}
}

// TestSection1 is the game of the introduction: the maximiser chooses how to win if a
// card is an ace or else two things that exclude each other, the minimiser which of two
// subgames counts.
func TestSection1ProbabilitiesMeanNothingInsideOfTheTree(t *testing.T) {
	var aces, suits [4]uint64
	for card := range 52 {
		suits[card/13] |= 1 << card
		if card%13 == 0 {
			aces[0] |= 1 << card
		}
	}
	ace, spade, heart := aces[0], suits[0], suits[1]
	game := &tree[uint64]{nodes: []node[uint64]{
		{turn: Max, kids: []int{1, 2}},
		{turn: Min, kids: []int{3, 4}}, // m1
		{turn: Min, kids: []int{5, 6}}, // m2
		{value: ace},
		{value: ace},
		{value: spade},
		{value: heart},
	}}
	l := Worlds{1<<52 - 1}
	r := mustSearch(t, l, game, Config{Pruning: Deep})
	if r.Moves[0].Lower != ace || r.Moves[1].Upper != 0 {
		t.Errorf("m1 wins in %d worlds, m2 in %d; want 4 and 0", bits.OnesCount64(r.Moves[0].Lower), bits.OnesCount64(r.Moves[1].Upper))
	}
	if r.Lower != ace {
		t.Errorf("the game is won in %x, want the aces", r.Lower)
	}
	chances := &tree[float64]{}
	for _, n := range game.nodes {
		chances.nodes = append(chances.nodes, node[float64]{n.turn, n.kids, float64(bits.OnesCount64(n.value)) / 52})
	}
	p := mustSearch(t, Numbers{0, 1}, chances, Config{})
	if p.Moves[1].Lower != 0.25 || p.Moves[0].Lower >= p.Moves[1].Lower {
		t.Errorf("by probabilities m1 is worth %g and m2 %g, want 1/13 and 1/4", p.Moves[0].Lower, p.Moves[1].Lower)
	}
}
