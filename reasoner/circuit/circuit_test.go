package circuit

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"

	"stackmate/reasoner/circuit/logic/logictest"
)

func TestTransposeMovesEveryBit(t *testing.T) {
	var a, want [64]uint64
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range a {
		a[i] = rng.Uint64()
	}
	for i := range a {
		for j := range a {
			want[j] |= a[i] >> uint(j) & 1 << uint(i)
		}
	}
	if kernel.Transpose != nil {
		if b := a; b == want {
			t.Fatal("the matrix is symmetric")
		} else if kernel.Transpose(&b); b != want {
			t.Fatal("the vector instructions compute a different transpose")
		}
	}
	for n := 1; n <= 64; n++ {
		b := a
		transposeFirst(&b, n)
		if !slices.Equal(b[:n], want[:n]) {
			t.Fatalf("transposeFirst: the first %d words differ from the transpose", n)
		}
		b = a
		clear(b[n:])
		plain := b
		transposeFirst(&plain, 64)
		if transposePrefix(&b, n); b != plain {
			t.Fatalf("transposePrefix: the transpose of %d words is wrong", n)
		}
	}
}

// A game rewritten by all passes, or all but one pass, must agree with the oracle on the original network.
func TestEveryPassKeepsTheGame(t *testing.T) {
	for _, left := range exhaustive.Choose([]string{"none"}, append([]string{"none"}, PassNames()...)) {
		t.Run("without "+left, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := randomGame(t)
				h := optimised(t, g, PassOptions{Without: withoutNone(left)})
				m := compiled(t, h, Options{})
				seed := rapid.Uint64().Draw(t, "seed")
				checkLanes(t, g, g.Net, m, reachable(t, g, m.wide.Lanes(), seed), seed)
			})
		})
	}
}

// A frame rule about the moves of any role becomes as short as a frame rule about a single role.
func TestFrameRulesAboutAnyRoleBecomeShort(t *testing.T) {
	const moves = 20
	table := make([]string, moves)
	g := NewGame(&machine.Names{Roles: []string{"a", "b"}, Fluents: table, Moves: [][]string{table, table}}, make(machine.State, 1))
	var anyone []logic.Lit
	for m := range moves {
		anyone = append(anyone, g.Net.Or(g.Does[0][m], g.Does[1][m]))
	}
	for f, l := range g.Fluents {
		g.Next = append(g.Next, g.Net.And(l, g.Net.Or(slices.Delete(slices.Clone(anyone), f, f+1)...)))
	}
	if h := removeDead(t.Context(), complementMoves(t.Context(), g)); h.Net.Gates() != 2*moves {
		t.Errorf("%d gates, want %d: the moves of both roles, and the fluent", h.Net.Gates(), 2*moves)
	}
}

// reachable draws positions after random moves, legal or not: lane i is i%5 moves away from the initial position. It
// plays the game without passes.
func reachable(t *rapid.T, g *Game, lanes int, seed uint64) []uint64 {
	m := compiled(t, g, Options{Kernel: kernel.Portable64})
	b, rng := m.NewBatch(), machine.NewRand(seed)
	states := make([]uint64, lanes*len(m.Initial()))
	for lane := range lanes {
		s := states[lane*len(m.Initial()) : (lane+1)*len(m.Initial())]
		copy(s, m.Initial())
		for range lane % 5 {
			b.Load(s, 1)
			b.Evaluate(1)
			for r, row := range g.Does {
				b.Choose(0, machine.Role(r), machine.Move(rng.Intn(len(row))))
			}
			b.Advance(1)
			b.Store(s, 1)
		}
	}
	return states
}

func withoutNone(name string) []string {
	if name == "none" {
		return nil
	}
	return []string{name}
}

func TestUnknownPassIsNamed(t *testing.T) {
	_, err := Optimise(context.Background(), choiceGame(3, func(int) bool { return true }), PassOptions{Without: []string{"nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("error %v, want the name of the unknown pass", err)
	}
}

// Every lane of every kernel must agree with the oracle on legal moves, terminal, stuck, goals and successor, for
// random positions and moves.
func TestEveryKernelAgreesWithOracle(t *testing.T) {
	exhaustive.FewerDraws(t)
	for _, k := range kernel.All() {
		t.Run(k.Name(), func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { checkKernel(t, k) }) })
	}
}

func FuzzKernels(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		for _, k := range kernel.All() {
			checkKernel(t, k)
		}
	}))
}

func checkKernel(t *rapid.T, k *kernel.Kernel) {
	g := randomGame(t)
	before := *g.Net // without the gates that Compile adds
	m := compiled(t, g, Options{Kernel: k.Name()})
	seed := rapid.Uint64().Draw(t, "seed")
	checkLanes(t, g, &before, m, anywhere(g, m, seed), seed)
}

// anywhere draws sets of fluents, reachable or not.
func anywhere(g *Game, m *Machine, seed uint64) []uint64 {
	rng := machine.NewRand(seed)
	states := make([]uint64, m.wide.Lanes()*len(m.Initial()))
	mask := ^uint64(0) >> uint(-len(g.Fluents)&63)
	for i := range states {
		states[i] = rng.Uint64()
		if (i+1)%len(m.Initial()) == 0 {
			states[i] &= mask
		}
	}
	return states
}

func checkLanes(t *rapid.T, g *Game, n *logic.Network, m *Machine, states []uint64, seed uint64) {
	b := m.NewBatch()
	lanes := b.Lanes()
	rng := machine.NewRand(seed)
	b.Load(states, lanes)
	b.Evaluate(lanes)
	joint := make([]machine.Move, 2*lanes)
	for lane := range lanes {
		for r, row := range g.Does {
			joint[2*lane+r] = machine.Move(rng.Intn(len(row)))
			b.Choose(lane, machine.Role(r), joint[2*lane+r])
		}
	}
	goals := make([]int32, 2)
	values := make([][]bool, lanes)
	for lane := range lanes {
		values[lane] = logictest.Evaluate(n, inputs(g, states[lane*len(m.Initial()):], joint[2*lane:]))
		checkPosition(t, g, b, lane, values[lane], goals)
	}
	b.Advance(lanes)
	next := make([]uint64, len(states))
	b.Store(next, lanes)
	for lane := range lanes {
		s := machine.State(next[lane*len(m.Initial()) : (lane+1)*len(m.Initial())])
		for f, l := range g.Next {
			if want := values[lane][l.Node()] != l.Complemented(); s.Has(f) != want {
				t.Fatalf("lane %d: next fluent %d is %v, want %v", lane, f, s.Has(f), want)
			}
		}
	}
}

// Lanes add each goal that holds and has a number.
func TestTheGoalsOfLanesAddUp(t *testing.T) {
	exhaustive.FewerDraws(t)
	rapid.Check(t, func(t *rapid.T) {
		g := randomGame(t)
		g.Goals[1].Value = machine.NoGoal
		m := compiled(t, g, Options{})
		b := m.newBatch(m.wide)
		seed := rapid.Uint64().Draw(t, "seed")
		b.Load(anywhere(g, m, seed), b.Lanes())
		b.Evaluate(b.Lanes())
		mask := make(machine.State, b.words)
		machine.NewRand(seed).FillRows(mask, b.words)
		var totals, want [2]int64
		b.AddGoals(totals[:], mask)
		for lane := range b.Lanes() {
			for r, goals := range m.goals {
				for _, g := range goals {
					if mask.Has(lane) && g.value != machine.NoGoal && b.bit(g.when, lane) {
						want[r] += int64(g.value)
					}
				}
			}
		}
		if totals != want {
			t.Fatalf("the goals are %v altogether, and %v lane by lane", totals, want)
		}
	})
}

func inputs(g *Game, s machine.State, joint []machine.Move) map[int32]bool {
	in := make(map[int32]bool)
	for f, l := range g.Fluents {
		in[l.Node()] = s.Has(f)
	}
	for r, row := range g.Does {
		in[row[joint[r]].Node()] = true
	}
	return in
}

func checkPosition(t *rapid.T, g *Game, b machine.Batch, lane int, value []bool, goals []int32) {
	at := func(l logic.Lit) bool { return value[l.Node()] != l.Complemented() }
	bit := func(mask []uint64) bool { return mask[lane>>6]>>uint(lane&63)&1 != 0 }
	if bit(b.Terminal()) != at(g.Terminal) {
		t.Fatalf("lane %d: terminal is %v", lane, !at(g.Terminal))
	}
	stuck := false
	for r, row := range g.Legal {
		var want []machine.Move
		for m, l := range row {
			if at(l) {
				want = append(want, machine.Move(m))
			}
		}
		stuck = stuck || len(want) == 0
		got := b.AppendLegal(nil, lane, machine.Role(r))
		if len(got) != len(want) {
			t.Fatalf("lane %d: role %d has moves %v, want %v", lane, r, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("lane %d: role %d has moves %v, want %v", lane, r, got, want)
			}
		}
	}
	if bit(b.Stuck()) != (stuck && !at(g.Terminal)) {
		t.Fatalf("lane %d: stuck is %v", lane, bit(b.Stuck()))
	}
	b.Goals(goals, lane)
	for r := range g.Legal {
		want, found := machine.NoGoal, 0
		for _, goal := range g.Goals {
			if int(goal.Role) == r && at(goal.When) {
				want = goal.Value
				found++
			}
		}
		if found > 1 {
			want = machine.NoGoal
		}
		if goals[r] != want {
			t.Fatalf("lane %d: goal of role %d is %d, want %d", lane, r, goals[r], want)
		}
	}
}

// choiceGame returns a game of one role with constant legal moves; each fluent of the next position marks a move.
func choiceGame(moves int, legal func(int) bool) *Game {
	names := &machine.Names{Roles: []string{"r"}, Fluents: make([]string, moves), Moves: [][]string{make([]string, moves)}}
	g := NewGame(names, make(machine.State, (moves+63)/64))
	row := make([]logic.Lit, moves)
	for m := range row {
		row[m] = logic.False
		if legal(m) {
			row[m] = g.Net.Or(g.Fluents[m], g.Fluents[m].Not())
		}
		g.Next = append(g.Next, g.Does[0][m])
	}
	g.Legal = [][]logic.Lit{row}
	return g
}

func TestRandomMovesAreUniformOverLegalMoves(t *testing.T) {
	const moves, rounds = 37, 4000
	legal := func(m int) bool { return m%3 != 1 }
	for _, k := range kernel.All() {
		m := compiled(t, choiceGame(moves, legal), Options{Kernel: k.Name()})
		b := m.NewBatch()
		rng := machine.NewRand(7)
		count := make([]float64, moves)
		states := make([]uint64, k.Lanes()*len(m.Initial()))
		for range rounds {
			b.Evaluate(k.Lanes())
			b.ChooseRandom(rng, k.Lanes())
			b.Advance(k.Lanes())
			b.Store(states, k.Lanes())
			for lane := range k.Lanes() {
				s := machine.State(states[lane*len(m.Initial()):])
				chosen := 0
				for mv := range moves {
					if s.Has(mv) {
						count[mv]++
						chosen++
					}
				}
				if chosen != 1 {
					t.Fatalf("%s: %d moves chosen in a lane, want 1", k.Name(), chosen)
				}
			}
		}
		total, n := float64(rounds*k.Lanes()), 0.0
		for mv := range moves {
			if legal(mv) {
				n++
			} else if count[mv] > 0 {
				t.Errorf("%s: illegal move %d was chosen", k.Name(), mv)
			}
		}
		chi := 0.0
		for mv := range moves {
			if legal(mv) {
				d := count[mv] - total/n
				chi += d * d / (total / n)
			}
		}
		// 24 degrees of freedom: 99.99 % of uniform samples stay below 58.
		if chi > 58 {
			t.Errorf("%s: chi-square %.1f, want at most 58 for a uniform choice", k.Name(), chi)
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	m := compiled(t, choiceGame(20, func(int) bool { return true }), Options{})
	p := play.NewPlayouts(m, m.Initial(), 1)
	if n := testing.AllocsPerRun(100, p.Step); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

func TestFillTouchesOnlyTheLanesOfTheMask(t *testing.T) {
	for _, k := range kernel.All() {
		m := compiled(t, choiceGame(70, func(int) bool { return true }), Options{Kernel: k.Name()})
		b := m.NewBatch()
		s, u := machine.State{5, 1}, machine.State{1 << 63, 2}
		mask := make([]uint64, k.Lanes()/64)
		for i := range mask {
			mask[i] = 0x0f0f << uint(i)
		}
		b.Fill(s, mask)
		check := func(in, out machine.State) {
			t.Helper()
			states := make([]uint64, k.Lanes()*2)
			b.Store(states, k.Lanes())
			for lane := range k.Lanes() {
				want := out
				if mask[lane>>6]>>uint(lane&63)&1 != 0 {
					want = in
				}
				if got := machine.State(states[2*lane : 2*lane+2]); !got.Equal(want) {
					t.Fatalf("%s: lane %d holds %v, want %v", k.Name(), lane, got, want)
				}
			}
		}
		check(s, m.Initial())
		b.Fill(u, mask)
		check(u, m.Initial())
		b.Fill(s, mask)
		check(s, m.Initial())
	}
}
