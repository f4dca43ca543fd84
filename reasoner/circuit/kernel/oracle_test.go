package kernel

import (
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"
)

// drawImage draws a safe image: straight code on any rows, and monotone loops, with gates of 1 to 200 operands
// of both kinds.
func drawImage(t *rapid.T) (*Image, *rand.Rand) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	widest := rapid.SampledFrom([]int{2, 6, 20, 200}).Draw(t, "widest")
	image := &Image{Rows: rapid.IntRange(2, 400).Draw(t, "rows")}
	for range rapid.IntRange(0, 3).Draw(t, "programs") {
		var segments []Segment
		for range rng.IntN(4) {
			if rng.IntN(3) == 0 && image.Rows > 3 {
				segments = append(segments, drawLoop(rng, image.Rows, widest))
			} else {
				segments = append(segments, drawStraight(rng, image.Rows, widest))
			}
		}
		image.Programs = append(image.Programs, Program{"drawn", segments})
	}
	for range rng.IntN(4) {
		moves := min(rng.IntN(1+rapid.SampledFrom([]int{2, 9, 300}).Draw(t, "moves")), image.Rows-1)
		m := Moves{Legal: make([]int32, moves)}
		m.Does = 1 + int32(rng.IntN(image.Rows-moves))
		for i := range m.Legal {
			if r := int32(rng.IntN(image.Rows)); r < m.Does || int(r-m.Does) >= moves {
				m.Legal[i] = r
			}
		}
		image.Moves = append(image.Moves, m)
	}
	if len(image.Moves) == 0 && image.Rows > 10 {
		image.Moves = append(image.Moves, drawTurns(rng, image.Rows))
	}
	image.Fluents.Count = rng.IntN(image.Rows)
	image.Fluents.First = 1 + rng.IntN(image.Rows-image.Fluents.Count)
	image.Written = []int32{1}
	for range rng.IntN(image.Rows) {
		image.Read = append(image.Read, int32(rng.IntN(image.Rows)))
	}
	return image, rng
}

// drawTurns draws the moves of two roles that take turns. Their legal bits are any rows: in lanes where both
// are true, the first role makes the chosen move.
func drawTurns(rng *rand.Rand, rows int) Moves {
	moves := 1 + rng.IntN((rows-4)/4)
	m := Moves{Does: int32(rows - 2*moves), Turns: &Turns{Does: int32(rows - moves), Waits: [][2]int32{{1, 2}}}}
	for range moves {
		m.Legal = append(m.Legal, 2+int32(rng.IntN(rows-2*moves-2)))
		m.Turns.Legal = append(m.Turns.Legal, int32(rng.IntN(rows-2*moves)))
	}
	return m
}

func drawStraight(rng *rand.Rand, rows, widest int) Segment {
	var s Segment
	runs := rng.IntN(6)
	if rng.IntN(4) == 0 { // enough gates to reuse rows and registers
		runs, widest, rows = 300, 2, 2+rng.IntN(min(rows-1, 100))
	}
	for range runs {
		pos, neg, count := rng.IntN(widest+1), rng.IntN(widest+1), 1+rng.IntN(4)
		pos = max(pos, 1-neg)
		s.Code = append(s.Code, int32(rng.IntN(2)), int32(pos), int32(neg), int32(count))
		for range count {
			s.Code = append(s.Code, 1+int32(rng.IntN(rows-1)))
			for range pos + neg {
				s.Code = append(s.Code, int32(rng.IntN(rows)))
			}
		}
	}
	return s
}

// drawLoop draws gates that read the loop's results plain, and other rows plain or complemented.
func drawLoop(rng *rand.Rand, rows, widest int) Segment {
	perm := rng.Perm(rows - 1)
	written := make([]int32, 1+rng.IntN(len(perm)-1))
	for i := range written {
		written[i] = int32(perm[i]) + 1
	}
	outside := []int32{0}
	for _, r := range perm[len(written):] {
		outside = append(outside, int32(r)+1)
	}
	vars := 1 + rng.IntN(len(written))
	s := Segment{Vars: slices.Clone(written[:vars])}
	for i, target := range slices.Concat(written[vars:], written[:vars]) { // the definitions last
		known := slices.Concat(written[:vars], written[vars:vars+min(i, len(written)-vars)])
		pos, neg := 1+rng.IntN(widest), rng.IntN(widest)
		s.Code = append(s.Code, int32(rng.IntN(2)), int32(pos), int32(neg), 1, target)
		for range pos {
			s.Code = append(s.Code, known[rng.IntN(len(known))])
		}
		for range neg {
			s.Code = append(s.Code, outside[rng.IntN(len(outside))])
		}
	}
	return s
}

// evaluate evaluates, as the oracle, a program on rows of one word, from the row numbers, with bounds
// checks. It returns changed rows as a copy.
func evaluate(p Program, rows []uint64) []uint64 {
	rows = slices.Clone(rows)
	for _, s := range p.Segments {
		for _, v := range s.Vars {
			rows[v] = 0
		}
		for range len(s.Vars) + 1 {
			before := slices.Clone(rows)
			evaluateStraight(s.Code, rows)
			if !slices.ContainsFunc(s.Vars, func(v int32) bool { return rows[v] != before[v] }) {
				break
			}
		}
	}
	return rows
}

func evaluateStraight(code []int32, rows []uint64) {
	for len(code) > 0 {
		op, pos, neg, count := Op(code[0]), int(code[1]), int(code[2]), int(code[3])
		code = code[Header:]
		for range count {
			value := uint64(0)
			if op == And {
				value = ^value
			}
			for k, r := range code[1 : 1+pos+neg] {
				x := rows[r]
				if k >= pos {
					x = ^x
				}
				if op == And {
					value &= x
				} else {
					value |= x
				}
			}
			rows[code[0]] = value
			code = code[1+pos+neg:]
		}
	}
}

// guarded is a memory whose arrays lie between words that must not change.
type guarded struct {
	*Memory
	around [][]uint64
}

const (
	guard  = 256 // words before and after, more than the longest row
	canary = 0xdeadbeefcafef00d
)

func newGuarded(e *Executable) *guarded {
	g := &guarded{Memory: e.NewMemory()}
	for _, array := range []*[]uint64{&g.rows, &g.old, &g.random, &g.scratch} {
		n := cap(*array) // with the further rows of translated code
		whole := aligned(n + 2*guard)
		for i := range whole {
			whole[i] = canary
		}
		clear(whole[guard : guard+n])
		*array = whole[guard : guard+len(*array) : guard+n]
		g.around = append(g.around, whole[:guard], whole[guard+n:])
	}
	return g
}

// onEveryKernel runs an image on each kernel.
func onEveryKernel(t rapid.TB, image *Image, run func(m *guarded)) {
	t.Helper()
	for _, k := range All() {
		e, err := k.Verify(image)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		run(newGuarded(e))
	}
}

// check fails if the constant false or a word outside the memory was written.
func (g *guarded) check(t rapid.TB) {
	t.Helper()
	for i, words := range g.around {
		if slices.ContainsFunc(words, func(w uint64) bool { return w != canary }) {
			t.Fatalf("%s: words before or after array %d were written", g.executable.kernel.name, i/2)
		}
	}
	if slices.ContainsFunc(g.rows[:g.executable.Words()], func(w uint64) bool { return w != 0 }) {
		t.Fatalf("%s: row 0 was written", g.executable.kernel.name)
	}
}

// fill sets the rows: word w of each row comes from column w.
func (g *guarded) fill(columns [][]uint64) {
	w := g.executable.Words()
	for i := range g.rows {
		g.rows[i] = columns[i%w][i/w]
	}
}

// column returns word w of every row.
func (g *guarded) column(w int) []uint64 {
	column := make([]uint64, g.executable.rows)
	for r := range column {
		column[r] = g.rows[r*g.executable.Words()+w]
	}
	return column
}

// randomColumns returns contents of rows for the widest kernel; row 0 is false.
func randomColumns(rng *rand.Rand, rows int) [][]uint64 {
	columns := make([][]uint64, 8)
	for w := range columns {
		columns[w] = make([]uint64, rows)
		for r := 1; r < rows; r++ {
			columns[w][r] = rng.Uint64() & (rng.Uint64() | -(rng.Uint64() & 1)) // wide gates see both values
		}
	}
	return columns
}
