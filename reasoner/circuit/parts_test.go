package circuit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// A game with split moves must agree with the oracle on the original network, on every kernel, and with or without the
// later passes.
func TestSplitMovesKeepTheGame(t *testing.T) {
	exhaustive.FewerDraws(t)
	rapid.Check(t, func(t *rapid.T) {
		g := randomGame(t)
		h := splitTables(t.Context(), g, 1)
		if !h.isSplit() {
			t.Fatal("no table was split")
		}
		if rapid.Bool().Draw(t, "passes") {
			for _, p := range passes {
				if p.shares {
					h = p.run(t.Context(), h)
				}
			}
		}
		must.OK(t, h.Verify())
		for _, k := range kernel.All() {
			m := compiled(t, h, Options{Kernel: k.Name()})
			seed := rapid.Uint64().Draw(t, "seed")
			checkLanes(t, g, g.Net, m, anywhere(g, m, seed), seed)
		}
	})
}

// Every value of the random bits chooses a legal move. The numbers of values of any two legal moves differ by at most
// one.
func TestLegalMovesHaveEqualNumbersOfTargets(t *testing.T) {
	exhaustive.FewerDraws(t)
	rapid.Check(t, func(t *rapid.T) {
		g := randomGame(t)
		m := compiled(t, splitTables(t.Context(), g, 1), Options{Kernel: kernel.Portable64})
		b := m.newBatch(m.wide)
		states := anywhere(g, m, rapid.Uint64().Draw(t, "seed"))
		b.Fill(states[:len(m.Initial())], nil)
		b.Evaluate(64)
		role := machine.Role(rapid.IntRange(0, 1).Draw(t, "role"))
		p := m.moves[role].(*splitTable)
		legal := b.AppendLegal(nil, 0, role)
		count := make(map[machine.Move]int)
		total := 1 << len(p.random)
		for first := 0; first < total; first += 64 {
			for i, row := range p.random {
				word := uint64(0)
				for lane := range 64 {
					word |= uint64((first+lane)>>i&1) << lane
				}
				b.rowRange(row, 1)[0] = word
			}
			b.memory.Run(choose)
			for lane := range min(64, total) {
				if made := b.made(p, lane); len(made) == 1 {
					count[made[0]]++
				} else if len(legal) > 0 {
					t.Fatalf("moves %v are made in a lane, want one", made)
				}
			}
		}
		for _, m := range legal {
			if n := count[m]; n < total/len(legal) || n > total/len(legal)+1 {
				t.Fatalf("move %d has %d targets of %d, with %d legal moves", m, n, total, len(legal))
			}
			delete(count, m)
		}
		if len(legal) > 0 && len(count) > 0 {
			t.Fatalf("illegal moves have targets: %v", count)
		}
	})
}

// made returns the moves of a role that are chosen in a lane.
func (b *batch) made(table moveTable, lane int) (made []machine.Move) {
	row := func(row int32) bool { return b.bit(output{row: row}, lane) }
	for m := range table.size() {
		switch t := table.(type) {
		case *splitTable:
			if row(t.first+t.pair[m][0]) && row(t.second+t.pair[m][1]) {
				made = append(made, machine.Move(m))
			}
		case *wholeTable:
			if row(t.does + int32(m)) {
				made = append(made, machine.Move(m))
			}
		}
	}
	return made
}

// queens returns a game with moves (go a b c) on a board of cells, which are taken or free. Consecutive cells of a move
// are in line, with free cells between them. The next position records the three cells of the move, and updates the
// taken cells.
func queens(size int) *Game {
	cells := size * size
	names := &machine.Names{Roles: []string{"r"}, Moves: [][]string{{"wait"}}}
	for _, what := range []string{"taken", "from", "to", "shot"} {
		for p := range cells {
			names.Fluents = append(names.Fluents, fmt.Sprintf("(%s %d)", what, p))
		}
	}
	type move [3]int
	moves := []move{{}}
	for a := range cells {
		for b := range cells {
			for c := range cells {
				if inLine(a, b, size) && inLine(b, c, size) {
					moves = append(moves, move{a, b, c})
					names.Moves[0] = append(names.Moves[0], fmt.Sprintf("(go %d %d %d)", a, b, c))
				}
			}
		}
	}
	g := NewGame(names, make(machine.State, (len(names.Fluents)+63)/64))
	free := func(a, b, but int) (lits []logic.Lit) {
		for step := (b - a) / distance(a, b, size); a != b; {
			if a += step; a != but {
				lits = append(lits, g.Fluents[a].Not())
			}
		}
		return lits
	}
	legal := []logic.Lit{g.Net.And(g.Fluents[:cells]...)}
	remembered := make([][]logic.Lit, len(g.Fluents))
	for m, mv := range moves[1:] {
		lits := append(free(mv[0], mv[1], -1), free(mv[1], mv[2], mv[0])...)
		legal = append(legal, g.Net.And(append(lits, g.Fluents[mv[0]])...))
		for i, cell := range mv {
			remembered[(i+1)*cells+cell] = append(remembered[(i+1)*cells+cell], g.Does[0][m+1])
		}
	}
	for f, l := range g.Fluents[:cells] {
		vacated, shot := g.Net.Or(remembered[cells+f]...), g.Net.Or(remembered[3*cells+f]...)
		g.Next = append(g.Next, g.Net.Or(shot, g.Net.And(l, vacated.Not())))
	}
	for _, does := range remembered[cells:] {
		g.Next = append(g.Next, g.Net.Or(does...))
	}
	g.Legal = [][]logic.Lit{legal}
	return g
}

func distance(a, b, size int) int {
	return max((a/size)-(b/size), (b/size)-(a/size), a%size-b%size, b%size-a%size)
}

func inLine(a, b, size int) bool {
	dx, dy := a/size-b/size, a%size-b%size
	return a != b && (dx == 0 || dy == 0 || dx == dy || dx == -dy)
}

// The number of gates grows with the parts of moves, not with the moves. The same moves lead to the same positions.
func TestThreePartMovesBecomeSmall(t *testing.T) {
	const size = 5
	g := queens(size)
	h := splitMoves(t.Context(), g)
	if p := h.Parts[0]; len(p.First)+len(p.Second) > len(p.Pair)/6 {
		t.Errorf("%d moves have %d and %d parts", len(p.Pair), len(p.First), len(p.Second))
	}
	if before, after := removeDead(t.Context(), g).Net.Gates(), removeDead(t.Context(), h).Net.Gates(); after > before/4 {
		t.Errorf("%d gates became %d", before, after)
	}
	whole := compiled(t, g, Options{Kernel: kernel.Portable64})
	parts := compiled(t, h, Options{Kernel: kernel.Portable64})
	rng := rand.New(rand.NewPCG(1, 2))
	state := make(machine.State, len(whole.Initial()))
	for range 200 {
		clear(state)
		for f := range size * size {
			if rng.IntN(3) == 0 {
				state.Set(f)
			}
		}
		var legal [2][]machine.Move
		var next [2]machine.State
		for i, m := range []*Machine{whole, parts} {
			b := m.newBatch(m.wide)
			b.Fill(state, nil)
			b.Evaluate(64)
			for range 4 { // row by row at first, then transposed
				legal[i] = b.AppendLegal(nil, 5, 0)
			}
			if i == 1 && fmt.Sprint(legal[0]) != fmt.Sprint(legal[1]) {
				t.Fatalf("legal moves are %v, with parts %v", legal[0], legal[1])
			}
			b.ChooseRandom(machine.NewRand(1), 64)
			for lane := range 64 {
				b.Choose(lane, 0, machine.Move((lane*29+7)%len(g.Does[0])))
			}
			b.Advance(64)
			next[i] = make(machine.State, 64*len(m.Initial()))
			b.Store(next[i], 64)
		}
		if !next[0].Equal(next[1]) {
			t.Fatal("the same moves lead to different positions")
		}
	}
}
