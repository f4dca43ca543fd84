package circuit

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
)

// twins draws a game of two roles with the same rules, each about what is its
// own and what is the other's.
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
	var pools [2][]Lit // by role: signals of the position, own ones and the other's
	for r := range pools {
		mine, other := g.Fluents[r*own:(r+1)*own], g.Fluents[(1-r)*own:(2-r)*own]
		pools[r] = slices.Concat(mine, other)
	}
	lits := rapid.SliceOfN(rapid.IntRange(0, 1<<20), 60, 60).Draw(t, "operands")
	draw := func(pools [2][]Lit) (drawn [2]Lit) {
		k := lits[0]
		lits = append(lits[1:], k*7+3)
		for r := range pools {
			drawn[r] = pools[r][k/2%len(pools[r])] ^ Lit(k&1)
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
	g.Legal = make([][]Lit, 2)
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
	next := make([][2]Lit, own)
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
		g := twins(t)
		m, err := Compile(g, Options{Lanes: 64})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, y := range m.Symmetries() {
			found = found || y.Roles[0] == 1
		}
		if !found {
			t.Fatalf("%d symmetries, none exchanges the roles", len(m.Symmetries()))
		}
	})
}

// Positions of all kinds are looked at, reachable or not: the proof is about the
// network.
func TestSymmetriesHoldInEveryPosition(t *testing.T) {
	kinds := map[string]func(*rapid.T) *Game{"twins": twins, "any": randomGame}
	for name, draw := range kinds {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := draw(t)
				m, err := Compile(g, Options{Lanes: 64})
				if err != nil {
					t.Fatal(err)
				}
				states := anywhere(g, m, rapid.Uint64().Draw(t, "seed"))
				joint := make([]machine.Move, len(g.Does))
				for r, row := range g.Does {
					joint[r] = machine.Move(rapid.IntRange(0, len(row)-1).Draw(t, "move"))
				}
				for _, y := range m.Symmetries() {
					checkSymmetry(t, g, m, y, states, joint)
				}
			})
		})
	}
}

// checkSymmetry compares what the oracle says of each position with what it says
// of the image.
func checkSymmetry(t *rapid.T, g *Game, m *Machine, y machine.Symmetry, states []uint64, joint []machine.Move) {
	words := m.Words()
	image, jointImage := make(machine.State, words), make([]machine.Move, len(joint))
	for r, move := range joint {
		jointImage[y.Roles[r]] = y.Moves[r][move]
	}
	for i := 0; i+words <= len(states); i += words {
		s := machine.State(states[i : i+words])
		y.Image(image, s)
		here := evalNetwork(g.Net, inputs(g, s, joint))
		there := evalNetwork(g.Net, inputs(g, image, jointImage))
		same := func(what string, l, imageOf Lit) {
			if here[l.Node()] != l.Complemented() != (there[imageOf.Node()] != imageOf.Complemented()) {
				t.Fatalf("%s differs in %v and its image %v under %+v", what, s, image, y)
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

// goal is true where a role has a goal value.
func (g *Game) goal(r machine.Role, value int32) Lit {
	var when []Lit
	for _, goal := range g.Goals {
		if goal.Role == r && goal.Value == value {
			when = append(when, goal.When)
		}
	}
	return g.Net.Or(when...)
}
