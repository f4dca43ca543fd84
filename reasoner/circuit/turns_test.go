package circuit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

// turnGame returns a game of two roles that take turns (see groupGame). If all is set, both roles have the same moves,
// otherwise each role lacks a few moves of the other.
func turnGame(size int, all bool) *Game { return groupGame([]int{0, 0}, []int{size}, all) }

// groupGame returns a game of roles in groups, with a group by role. The fluents of a group are its turn, then two fluents
// for each number below its size. A role in turn may make each move whose two numbers have true fluents; the second fluent
// is complemented for the second role of a group. A role without the turn waits; a role alone in its group is always in
// turn. Unless all is set, roles lack a few moves of each other.
func groupGame(groups, size []int, all bool) *Game {
	names := &machine.Names{}
	first := []int{0} // by group: its first fluent; and the number of fluents
	for _, size := range size {
		first = append(first, first[len(first)-1]+1+2*size)
	}
	names.Fluents = make([]string, first[len(size)])
	moves := make([][][2]int, len(groups))
	for r, group := range groups {
		names.Roles, names.Moves = append(names.Roles, fmt.Sprint("role ", r)), append(names.Moves, []string{"wait"})
		for x := range size[group] {
			for y := range size[group] {
				if all || x+r != y { // each role has a few moves of its own
					moves[r] = append(moves[r], [2]int{x, y})
					names.Moves[r] = append(names.Moves[r], fmt.Sprintf("(go %d %d)", x, y))
				}
			}
		}
	}
	g := NewGame(names, make(machine.State, (len(names.Fluents)+63)/64))
	for r, list := range moves {
		fluents, mine := g.Fluents[first[groups[r]]:], logic.True
		second := slices.Contains(groups[:r], groups[r])
		if second || slices.Contains(groups[r+1:], groups[r]) {
			mine = fluents[0]
		}
		if second {
			mine = mine.Not()
		}
		legal := []logic.Lit{mine.Not()}
		for _, m := range list {
			to := fluents[1+size[groups[r]]+m[1]]
			if second {
				to = to.Not()
			}
			legal = append(legal, g.Net.And(mine, fluents[1+m[0]], to))
		}
		g.Legal = append(g.Legal, legal)
	}
	for _, f := range g.Fluents {
		g.Next = append(g.Next, f.Not())
	}
	return g
}

func TestRolesThatTakeTurnsShareAChoice(t *testing.T) {
	t.Run("by first parts", func(t *testing.T) { sharedChoice(t, 6, 20, false) })
	t.Run("by rectangles", func(t *testing.T) { sharedChoice(t, 20, 3, true) })
}

func sharedChoice(t *testing.T, size, positions int, rectangles bool) {
	g := turnGame(size, rectangles)
	m := compiled(t, splitTables(t.Context(), g, 10), Options{Kernel: kernel.Portable64})
	first, ok := m.moves[0].(*splitTable)
	second, both := m.moves[1].(*splitTable)
	if !ok || !both || second.random != nil {
		t.Fatal("the second role has a choice of its own")
	}
	// A choice by first parts draws once, a choice by rectangles three times. Each draw takes 14 bits more than the
	// count.
	if bits := len(first.random); (bits > 28) != rectangles {
		t.Fatalf("%d random bits", bits)
	}
	checkChoices(t, g, m, positions, 192_000/positions)
}

// Roles of a group share a choice although other roles choose between them, with split moves, whole moves, and both.
func TestRandomMovesOfGroupsOfRolesAreLegal(t *testing.T) {
	kernels := exhaustive.Choose([]*kernel.Kernel{must.Get(kernel.From(""))(t)[0]}, kernel.All())
	for _, groups := range [][]int{{0, 1, 0}, {0, 1, 1}, {0, 1, 2, 0}, {0, 1, 0, 1}, {0, 1, 1, 0}, {0, 1, 0, 2}} {
		for _, least := range []int{1, 15, 100} { // groups have 10, 17 and 26 moves
			for _, k := range kernels {
				t.Run(fmt.Sprintf("%v from %d moves on %s", groups, least, k.Name()), func(t *testing.T) {
					size := []int{3, 4, 5}[:slices.Max(groups)+1]
					g := groupGame(groups, size, true)
					checkChoices(t, g, compiled(t, splitTables(t.Context(), g, least), Options{Kernel: k.Name()}), 3, 8192)
				})
			}
		}
	}
}

// checkChoices compares the random moves of all roles with their legal moves in random positions, in a number of draws
// each.
func checkChoices(t *testing.T, g *Game, m *Machine, positions, draws int) {
	t.Helper()
	rng, random := rand.New(rand.NewPCG(1, 2)), machine.NewRand(1)
	b := m.newBatch(m.wide)
	state := make(machine.State, len(m.initial))
	for range positions {
		input := make(map[int32]bool)
		clear(state)
		for f, l := range g.Fluents {
			if rng.IntN(2) == 0 {
				state.Set(f)
				input[l.Node()] = true
			}
		}
		value := logictest.Evaluate(g.Net, input)
		b.Fill(state, nil)
		b.Evaluate(b.Lanes())
		count := make([]map[machine.Move]int, len(m.moves))
		for r := range count {
			count[r] = make(map[machine.Move]int)
		}
		for range draws / b.Lanes() {
			b.ChooseRandom(random, b.Lanes())
			for lane := range b.Lanes() {
				for r, table := range m.moves {
					for _, made := range b.made(table, lane) {
						count[r][made]++
					}
				}
			}
		}
		for r := range count {
			legal := b.AppendLegal(nil, 0, machine.Role(r))
			for m, l := range g.Legal[r] {
				if legal := slices.Contains(legal, machine.Move(m)); legal != (value[l.Node()] != l.Complemented()) {
					t.Errorf("role %d, move %d is legal: %v", r, m, legal)
				}
			}
			for _, made := range legal {
				share := float64(count[r][made]*len(legal)) / float64(draws/b.Lanes()*b.Lanes())
				if share < 0.7 || share > 1.3 {
					t.Errorf("role %d makes one of its %d legal moves %.2f times as often as expected", r, len(legal), share)
				}
				delete(count[r], made)
			}
			if len(legal) > 0 && len(count[r]) > 0 { // a role that is stuck may be given any move
				t.Errorf("role %d makes illegal moves: %v", r, count[r])
			}
		}
	}
}

func TestAMoveOfBothTurnsIsNoWaiting(t *testing.T) {
	for _, waits := range []bool{true, false} {
		g := turnGame(2, true)
		if !waits {
			g.Legal[0][0] = g.Fluents[1]
		}
		if _, found := g.turnLiteral(0, 1); found != waits {
			t.Errorf("role a waits: %v; takes turns with b: %v", waits, found)
		}
	}
}

// Gates of many operands are divided for the kernels that split gates. A literal of the turns may then be lost among the
// conditions of a move, and each role chooses for itself.
func TestRandomMovesWithManyConditionsAreLegal(t *testing.T) {
	const rows, columns, conditions = 3, 4, 60
	names := &machine.Names{Roles: []string{"a", "b"}, Fluents: make([]string, 1+rows*conditions), Moves: make([][]string, 2)}
	g := NewGame(names, make(machine.State, (len(names.Fluents)+63)/64))
	for r := range names.Roles {
		mine := g.Fluents[0] ^ logic.Lit(r)
		names.Moves[r] = append(names.Moves[r], "wait")
		legal := []logic.Lit{mine.Not()}
		for x := range rows {
			for y := range columns {
				names.Moves[r] = append(names.Moves[r], fmt.Sprintf("(go %d %d)", x, y))
				of := g.Fluents[1+x*conditions:][:conditions]
				legal = append(legal, g.Net.And(append(slices.Clone(of), mine)...))
			}
		}
		g.Legal = append(g.Legal, legal)
	}
	for _, f := range g.Fluents {
		g.Next = append(g.Next, f.Not())
	}
	g = splitTables(t.Context(), g, 5)
	for _, k := range kernel.All() {
		m := compiled(t, g, Options{Kernel: k.Name()})
		b := m.newBatch(m.wide)
		state := make(machine.State, len(m.initial))
		for f := 1; f < len(g.Fluents); f++ {
			state.Set(f)
		}
		for range 2 {
			b.Fill(state, nil)
			b.Evaluate(b.Lanes())
			b.ChooseRandom(machine.NewRand(1), b.Lanes())
			for lane := range b.Lanes() {
				for r, table := range m.moves {
					legal := b.AppendLegal(nil, lane, machine.Role(r))
					if made := b.made(table, lane); len(made) != 1 || !slices.Contains(legal, made[0]) {
						t.Fatalf("%s: role %d makes the moves %v, legal are %v", k.Name(), r, made, legal)
					}
				}
			}
			state.Set(0)
		}
	}
}
