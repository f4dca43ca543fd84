package circuit

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

// twins draws a game of two roles with the same rules: each rule refers to fluents and moves of the role itself and of
// the opponent.
func twins(t *rapid.T) *Game {
	own := rapid.IntRange(1, 12).Draw(t, "fluents")
	moves := rapid.IntRange(1, 4).Draw(t, "moves")
	names := &machine.Names{
		Roles:   []string{"left", "right"},
		Fluents: make([]string, 2*own),
		Moves:   [][]string{make([]string, moves), make([]string, moves)},
	}
	initial := make(machine.State, 1)
	g := NewGame(names, initial)
	var pools [2][]logic.Lit // by role: corresponding signals, with the roles exchanged
	for r := range pools {
		mine, other := g.Fluents[r*own:(r+1)*own], g.Fluents[(1-r)*own:(2-r)*own]
		pools[r] = slices.Concat(mine, other)
	}
	lits := rapid.SliceOfN(rapid.IntRange(0, 1<<20), 60, 60).Draw(t, "operands")
	draw := func(pools [2][]logic.Lit) (drawn [2]logic.Lit) {
		k := lits[0]
		lits = append(lits[1:], k*7+3)
		for r := range pools {
			drawn[r] = pools[r][k/2%len(pools[r])] ^ logic.Lit(k&1)
		}
		return drawn
	}
	grow := func(count int) {
		for range count {
			a, b, c := draw(pools), draw(pools), draw(pools)
			for r := range pools {
				pools[r] = append(pools[r], g.Net.Or(g.Net.And(a[r], b[r]), c[r]))
			}
		}
	}
	grow(rapid.IntRange(0, 10).Draw(t, "gates"))
	ends := draw(pools)
	g.Terminal = g.Net.And(ends[0], ends[1])
	g.Legal = make([][]logic.Lit, 2)
	for range moves {
		legal := draw(pools)
		for r := range pools {
			g.Legal[r] = append(g.Legal[r], legal[r])
		}
	}
	won := draw(pools)
	for r := range pools {
		g.Goals = append(g.Goals, Goal{machine.Role(r), 100, won[r]}, Goal{machine.Role(r), 0, won[r].Not()})
		pools[r] = slices.Concat(pools[r], g.Does[r], g.Does[1-r])
	}
	grow(rapid.IntRange(0, 10).Draw(t, "more gates"))
	next := make([][2]logic.Lit, own)
	for f := range next {
		next[f] = draw(pools)
	}
	for r := range pools {
		for f := range next {
			g.Next = append(g.Next, next[f][r])
		}
	}
	return g
}

func TestTheExchangeOfTwinsIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		findsTheExchange(t, twins(t))
	})
}

// Each role wins by making all its n fluents true. They can be permuted in n! ways, so only a part of the symmetries is
// returned.
func TestTheExchangeIsFoundAmongManySymmetries(t *testing.T) {
	for own := 1; own <= 9; own++ {
		names := &machine.Names{
			Roles:   []string{"left", "right"},
			Fluents: make([]string, 2*own),
			Moves:   [][]string{make([]string, own), make([]string, own)},
		}
		g := NewGame(names, make(machine.State, 1))
		g.Legal = make([][]logic.Lit, 2)
		for r := range g.Legal {
			mine := g.Fluents[r*own : (r+1)*own]
			won := g.Net.And(mine...)
			g.Goals = append(g.Goals, Goal{machine.Role(r), 100, won}, Goal{machine.Role(r), 0, won.Not()})
			for m, fluent := range mine {
				g.Legal[r] = append(g.Legal[r], fluent.Not())
				g.Next = append(g.Next, g.Net.Or(fluent, g.Does[r][m]))
			}
		}
		g.Terminal = g.Net.Or(g.Goals[0].When, g.Goals[2].When)
		findsTheExchange(t, g)
	}
}

func findsTheExchange(t rapid.TB, g *Game) {
	t.Helper()
	m := compiled(t, g, Options{Kernel: kernel.Portable64})
	exchanges := func(y facts.Symmetry) bool { return y.Roles[0] == 1 }
	if !slices.ContainsFunc(facts.Symmetries(m), exchanges) {
		t.Errorf("%d symmetries without an exchange of the roles", len(facts.Symmetries(m)))
	}
}

// The product of two symmetries is a symmetry, so all images of a position have the same least image.
func TestSymmetriesAreAGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSymmetrySearch(removeDead(t.Context(), twins(t).mergeConjunctions(t.Context())))
		s.run()
		if len(s.group) > maxSymmetries {
			t.Fatalf("%d symmetries", len(s.group))
		}
		group := append([]permutation{s.identity()}, s.group...)
		for i, p := range group {
			for j, q := range group {
				if i != j && s.equalButMoves(p, q) {
					t.Fatalf("symmetries %d and %d differ only in moves", i, j)
				}
				product := p.compose(q)
				if !slices.ContainsFunc(group, func(x permutation) bool { return s.equalButMoves(x, product) }) {
					t.Fatalf("the product of symmetries %d and %d is not in the group", i, j)
				}
			}
		}
	})
}

func TestTwoPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := make(permutation, rapid.IntRange(1, 20).Draw(t, "points"))
		for i := range p {
			p[i] = int32(i)
		}
		p = rapid.Permutation(p).Draw(t, "permutation")
		var powers []permutation // p, p², ..., the identity
		for power := p; len(powers) == 0 || !slices.Equal(power, p); power = power.compose(p) {
			powers = append(powers, power)
		}
		order := len(powers)
		part := p.twoPart()
		exponent := 1 + slices.IndexFunc(powers, func(q permutation) bool { return slices.Equal(q, part) })
		even := order & -order
		if exponent == 0 || exponent%(order/even) != 0 || exponent%even != 1%even {
			t.Errorf("the two part of %v, of order %d, is its power %d: %v", p, order, exponent, part)
		}
	})
}

// The positions need not be reachable, since the proof holds for every assignment of the fluents.
func TestSymmetriesHoldInEveryPosition(t *testing.T) {
	kinds := map[string]func(*rapid.T) *Game{"twins": twins, "any": randomGame}
	for name, draw := range kinds {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := draw(t)
				m := compiled(t, g, Options{Kernel: kernel.Portable64})
				states := anywhere(g, m, rapid.Uint64().Draw(t, "seed"))
				joint := make([]machine.Move, len(g.Does))
				for r, row := range g.Does {
					joint[r] = machine.Move(rapid.IntRange(0, len(row)-1).Draw(t, "move"))
				}
				for _, y := range facts.Symmetries(m) {
					checkSymmetry(t, g, m, y, states, joint)
				}
			})
		})
	}
}

// checkSymmetry compares the oracle's values of each position with its values of the image.
func checkSymmetry(t *rapid.T, g *Game, m *Machine, y facts.Symmetry, states []uint64, joint []machine.Move) {
	words := len(m.Initial())
	image, jointImage := make(machine.State, words), make([]machine.Move, len(joint))
	for r, move := range joint {
		jointImage[y.Roles[r]] = y.Moves[r][move]
	}
	for i := 0; i+words <= len(states); i += words {
		s := machine.State(states[i : i+words])
		y.Image(image, s)
		here := logictest.Evaluate(g.Net, inputs(g, s, joint))
		there := logictest.Evaluate(g.Net, inputs(g, image, jointImage))
		same := func(signal string, l, imageOf logic.Lit) {
			if here[l.Node()] != l.Complemented() != (there[imageOf.Node()] != imageOf.Complemented()) {
				t.Fatalf("%s differs in %v and its image %v under %+v", signal, s, image, y)
			}
		}
		same("terminal", g.Terminal, g.Terminal)
		for f, l := range g.Next {
			same("next", l, g.Next[y.Fluents[f]])
		}
		for r, row := range g.Legal {
			for mv, l := range row {
				same("legal", l, g.Legal[y.Roles[r]][y.Moves[r][mv]])
			}
		}
		for value := range int32(101) {
			for r := range g.Does {
				same("goal", g.goal(machine.Role(r), value), g.goal(y.Roles[r], value))
			}
		}
	}
}

// goal returns the condition that a role has a goal value.
func (g *Game) goal(r machine.Role, value int32) logic.Lit {
	var when []logic.Lit
	for _, goal := range g.Goals {
		if goal.Role == r && goal.Value == value {
			when = append(when, goal.When)
		}
	}
	return g.Net.Or(when...)
}
