package circuit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

// turnGame returns a turn-based game: the first fluent marks the turn. A role in turn may make each move whose two
// numbers have true fluents; the second fluent is complemented for the second role. A role without the turn waits. If
// all is set, both roles have the same moves, otherwise each role lacks a few moves of the other.
func turnGame(size int, all bool) *Game {
	names := &machine.Names{Roles: []string{"a", "b"}, Fluents: make([]string, 1+2*size), Moves: make([][]string, 2)}
	var moves [2][][2]int
	for r := range moves {
		names.Moves[r] = []string{"wait"}
		for x := range size {
			for y := range size {
				if all || x+r != y { // each role has a few moves of its own
					moves[r] = append(moves[r], [2]int{x, y})
					names.Moves[r] = append(names.Moves[r], fmt.Sprintf("(go %d %d)", x, y))
				}
			}
		}
	}
	g := NewGame(names, make(machine.State, 1))
	turn := g.Fluents[0]
	for r, list := range moves {
		mine := turn ^ logic.Lit(r)
		legal := []logic.Lit{mine.Not()}
		for _, m := range list {
			legal = append(legal, g.Net.And(mine, g.Fluents[1+m[0]], g.Fluents[1+size+m[1]]^logic.Lit(r)))
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
	rounds := 3000 / positions
	g := turnGame(size, rectangles)
	m := compiled(t, splitTables(t.Context(), g, 10), Options{Kernel: kernel.Portable64})
	first, ok := m.moves[0].(*splitTable)
	second, both := m.moves[1].(*splitTable)
	if !ok || !both || second.random.count != 0 {
		t.Fatal("the second role has a choice of its own")
	}
	// A choice by first parts draws once, a choice by rectangles three times. Each draw takes 14 bits more than the
	// count.
	if bits := first.random.count; (bits > 28) != rectangles {
		t.Fatalf("%d random bits", bits)
	}
	rng, random := rand.New(rand.NewPCG(1, 2)), machine.NewRand(1)
	b := m.newBatch(m.wide)
	for range positions {
		state := machine.State{rng.Uint64() & (1<<(1+2*size) - 1)}
		input := make(map[int32]bool)
		for f, l := range g.Fluents {
			input[l.Node()] = state.Has(f)
		}
		value := logictest.Evaluate(g.Net, input)
		b.Fill(state, nil)
		b.Evaluate(64)
		var count [2]map[machine.Move]int
		for r := range count {
			count[r] = make(map[machine.Move]int)
		}
		for range rounds {
			b.ChooseRandom(random, 64)
			for lane := range 64 {
				for r, table := range m.moves {
					for _, made := range b.madeParts(table.(*splitTable), lane) {
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
				share := float64(count[r][made]*len(legal)) / float64(64*rounds)
				if share < 0.7 || share > 1.3 {
					t.Errorf("role %d makes one of its %d legal moves %.2f times as often as expected", r, len(legal), share)
				}
				delete(count[r], made)
			}
			if len(count[r]) > 0 {
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
