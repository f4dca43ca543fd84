package prove

import (
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// valueOf returns the value of a signal of a network, given its inputs.
func valueOf(net *logic.Network, l logic.Lit, inputs map[int32]bool) bool {
	if i := l.Node(); net.Op(i) == logic.OpAnd {
		for _, o := range net.Operands(i) {
			if !valueOf(net, o, inputs) {
				return l.Complemented()
			}
		}
		return !l.Complemented()
	}
	return inputs[l.Node()] != l.Complemented()
}

func TestCofactorsAreTheNextPositions(t *testing.T) {
	const lamps = 5
	rng := rand.New(rand.NewPCG(1, 1))
	g := aCountOfLamps(lamps)
	m := compiled(t, g)
	w := newCaseAnalysis(g, nil)
	c, b := w.cofactors, m.NewBatch()
	for _, known := range [][]logic.Lit{nil, {g.Fluents[0], g.Fluents[1].Not()}} {
		c.build(known, nil)
		for range 100 {
			position, inputs := g.Names.NewState(), map[int32]bool{}
			for f := range g.Fluents {
				if f > 1 && rng.IntN(2) == 1 || f == 0 && known != nil {
					position.Set(f)
					inputs[int32(f+1)] = true
				}
			}
			o := w.parts[0][0][0]
			for _, part := range w.parts[0] {
				for _, other := range part {
					if rng.IntN(3) == 0 {
						o = other
					}
				}
			}
			b.Load(position, 1)
			b.Evaluate(1)
			b.Choose(0, 0, o.move)
			b.Advance(1)
			next := g.Names.NewState()
			b.Store(next, 1)
			c.setMoves([]logic.Lit{o.does})
			for f, name := range g.Names.Fluents {
				if got := valueOf(c.net, c.Lookup(c.unrolled.SignalAt(1, g.Fluents[f])), inputs); got != next.Has(f) {
					t.Fatalf("%s is %t after move %d, expected %t", name, got, o.move, next.Has(f))
				}
			}
		}
	}
}

func TestInductionByCasesNeedsNoFormulaOfTheGame(t *testing.T) {
	g := aCountOfLamps(8)
	m := compiled(t, g)
	s := newSample(m, nil)
	s.hull = newHull(len(g.Fluents))
	s.suggest(func() bool { return true })
	s.split()
	if len(s.equations) != 1 || len(s.groups) != 1 {
		t.Fatalf("%d equations and %d groups, expected one each", len(s.equations), len(s.groups))
	}
	p := &inductionPass{sample: s, ctx: t.Context(), game: g, known: &Invariants{}, pause: func() bool { return true }}
	if !p.checkAll(newCaseAnalysis(g, nil)) || p.changes > 0 && len(s.equations) == 0 {
		t.Errorf("induction fails")
	}
	if p.formula != nil {
		t.Errorf("the proof uses the formula of the whole game")
	}
}

// twoLamps returns a turn-based game of two roles: each switches its own lamp on or off.
func twoLamps() *circuit.Game {
	moves := []string{"wait", "light", "dark"}
	names := &machine.Names{Roles: []string{"x", "o"}, Moves: [][]string{moves, moves}, Fluents: []string{"turnX", "turnO", "litX", "litO"}}
	initial := names.NewState()
	initial.Set(0)
	g := circuit.NewGame(names, initial)
	g.Next = []logic.Lit{g.Fluents[1], g.Fluents[0]}
	for r, lit := range g.Fluents[2:] {
		g.Next = append(g.Next, g.Net.Or(g.Does[r][1], g.Net.And(lit, g.Does[r][0])))
		own := g.Fluents[r]
		g.Legal = append(g.Legal, []logic.Lit{g.Fluents[1-r], g.Net.And(own, lit.Not()), g.Net.And(own, lit)})
	}
	return g
}

func TestATurnBasedGameHasFewProducts(t *testing.T) {
	w := newCaseAnalysis(twoLamps(), nil)
	for count, inv := range map[int]*Invariants{
		4: {},
		2: {pairs: []pair{{literal(1).Not(), literal(0).Not()}}}, // x and o do not both have the turn
	} {
		w.setCandidates(inv, &Invariants{})
		if got := w.products(); len(got) != count {
			t.Errorf("%d products with %v, expected %d", len(got), inv.pairs, count)
		}
	}
}

func TestPropertiesAreProvedByCases(t *testing.T) {
	g := twoLamps()
	fails := func(f, h int) property {
		return property{violation: func(u *unrolling, k int) logic.Lit {
			return u.net.And(u.SignalAt(k, g.Fluents[f]), u.SignalAt(k, g.Fluents[h]))
		}}
	}
	properties := []property{fails(0, 1), fails(2, 3)}
	w := newCaseAnalysis(g, properties)
	w.setCandidates(&Invariants{}, &Invariants{})
	for i, kept := range []bool{true, false} {
		if w.keepsProperty(t.Context(), i) != kept {
			t.Errorf("property %d is kept: %t, expected %t", i, !kept, kept)
		}
	}
}

// The verdict of a joint move must fall when a candidate about a fluent that it alters changes, even if there was no
// candidate about the fluent before.
func TestAVerdictFallsWhenCandidatesAboutItsFluentsChange(t *testing.T) {
	const litX = 2
	x := literal(litX)
	lamp := func(constant int) *equation { return &equation{[][]term{{{litX, 1}}}, constant} }
	for i, candidates := range [][2]*Invariants{
		{{}, {pairs: []pair{{x, x}}}},
		{{}, {groups: [][]int32{{litX}}}},
		{{}, {lasting: []logic.Lit{x}}},
		{{}, {equations: []*equation{lamp(0)}}},
		{{pairs: []pair{{x, x}}}, {}},
		{{pairs: []pair{{x, x}}}, {pairs: []pair{{x.Not(), x.Not()}}}},
		{{equations: []*equation{lamp(0)}}, {equations: []*equation{lamp(1)}}},
	} {
		w := newCaseAnalysis(twoLamps(), nil)
		w.setCandidates(&Invariants{}, candidates[0])
		joint := map[[2]machine.Move][]option{}
		for _, product := range w.products() {
			w.beginProduct(product)
			for more := true; more; more = product.next() {
				at := product.current()
				w.obligations(at)
				w.addVerdict(at)
				joint[[2]machine.Move{at[0].move, at[1].move}] = at
			}
		}
		mine, others := joint[[2]machine.Move{1, 0}], joint[[2]machine.Move{0, 1}]
		if w.setCandidates(&Invariants{}, candidates[0]); !w.hasVerdict(mine) || !w.hasVerdict(others) {
			t.Errorf("candidates %d: a verdict falls without a change", i)
		}
		if w.setCandidates(&Invariants{}, candidates[1]); w.hasVerdict(mine) || !w.hasVerdict(others) {
			t.Errorf("candidates %d: after a change the verdict of the move that lights the lamp stands: %t, of the other move: %t", i, w.hasVerdict(mine), w.hasVerdict(others))
		}
	}
}

// Ten roles with eight compatible moves each have 8^10 products.
func TestProductsOfManyRolesAreRefused(t *testing.T) {
	var own [][]option
	for m := range 8 {
		own = append(own, []option{{move: machine.Move(m)}})
	}
	if products := newProducts(slices.Repeat([][][]option{own}, 10), func([]logic.Lit) bool { return false }); products != nil {
		t.Errorf("%d products", len(products))
	}
	if products := newProducts(slices.Repeat([][][]option{own}, 3), func([]logic.Lit) bool { return false }); len(products) != 8*8*8 {
		t.Errorf("%d products of three roles", len(products))
	}
}

// A verdict stands as long as the assumed candidates, and the candidates that the joint move may break, do not
// change.
func TestAVerdictFallsWithItsAssumptions(t *testing.T) {
	none, over := &Invariants{}, func(f, h int32) *Invariants {
		return &Invariants{pairs: []pair{{literal(f).Not(), literal(h).Not()}}}
	}
	const stays, goes = 0, 1
	for name, c := range map[string]struct {
		candidates *Invariants // after the verdict
		all        bool        // the formula of the whole game was asked
		kept       [2]bool     // by move: the verdict stands
	}{
		"the same":                                 {none, false, [2]bool{true, true}},
		"the same, by the whole formula":           {none, true, [2]bool{true, true}},
		"over fluents that the token alters":       {over(1, 0), false, [2]bool{true, false}},
		"over other fluents, by the whole formula": {over(4, 3), true, [2]bool{false, false}},
		"over the lamps, which going changes":      {over(4, 3), false, [2]bool{true, false}},
	} {
		w := newCaseAnalysis(aToken(2), nil)
		w.setCandidates(none, none)
		var joints [][]option
		for _, product := range w.products() {
			w.beginProduct(product)
			for more := true; more; more = product.next() {
				joint := product.current()
				joints = append(joints, joint)
				if suspects := w.suspects(t.Context(), joint); len(suspects) > 0 {
					t.Fatalf("%s: %d of no candidates may fail", name, len(suspects))
				}
				if w.addVerdict(joint); c.all {
					w.addWholeVerdict(joint, w.version)
				}
			}
		}
		w.setCandidates(none, c.candidates)
		for _, joint := range joints {
			if move := joint[0].move; w.hasVerdict(joint) != c.kept[move] {
				t.Errorf("%s: the verdict on move %d of %d and %d stands: %v", name, move, stays, goes, w.hasVerdict(joint))
			}
		}
	}
}
