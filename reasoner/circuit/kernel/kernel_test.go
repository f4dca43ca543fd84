package kernel

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
)

func TestVectorGeneratorsDrawTheSameBits(t *testing.T) {
	for _, k := range All() {
		words := k.lanes / 64
		a, b := machine.NewRand(5), machine.NewRand(5)
		got, want := make([]uint64, 30*words), make([]uint64, 30*words)
		k.random(a, got)
		b.FillRows(want, words)
		k.random(a, got[:words])
		b.FillRows(want[:words], words)
		if !slices.Equal(got, want) {
			t.Errorf("%s: other bits than Rand.FillRows", k.name)
		}
	}
}

// Kernels distinguish shapes for every number of operands: the numbers include the first value beyond each
// field that a kernel might pack.
func TestGatesOfEveryShape(t *testing.T) {
	few := []int{0, 1, 2, 5, 16, 17, 33, 128, 257}
	numbers := exhaustive.Choose(few, []int{0, 1, 2, 3, 4, 5, 15, 16, 17, 18, 31, 32, 33, 48, 64, 100, 127, 128, 200, 255, 256, 257})
	rows := 600
	rng := rand.New(rand.NewPCG(1, 2))
	columns := randomColumns(rng, rows)
	for r := range rows { // so that wide conjunctions and disjunctions have both values
		for w := range columns {
			columns[w][r] = 0
			if r > 0 {
				columns[w][r] = 1 << rng.IntN(64)
			}
			if r > rows/2 {
				columns[w][r] = ^columns[w][r]
			}
		}
	}
	for _, op := range []Op{And, Or} {
		for _, pos := range numbers {
			for _, neg := range numbers {
				if pos+neg == 0 {
					continue
				}
				code := []int32{int32(op), int32(pos), int32(neg), 2}
				for range 2 {
					code = append(code, 1+int32(rng.IntN(rows-1)))
					for k := range pos + neg { // conjunctions of literals that are mostly true
						high := (op == And) == (k < pos)
						r := rng.IntN(rows / 2)
						if high {
							r = rows - 1 - r%(rows/2-1)
						}
						code = append(code, int32(r))
					}
				}
				image := &Image{Rows: rows, Programs: []Program{{"shape", []Segment{{Code: code}}}}}
				checkImage(t, image, columns)
			}
		}
	}
}

// checkImage runs a safe image on every kernel and compares the rows that the caller reads with the oracle:
// every row if the caller reads every row.
func checkImage(t rapid.TB, image *Image, columns [][]uint64) {
	t.Helper()
	checkRead(t, image, columns)
	all := *image
	all.Read = nil
	for r := range image.Rows {
		all.Read = append(all.Read, int32(r))
	}
	checkRead(t, &all, columns)
}

func checkRead(t rapid.TB, image *Image, columns [][]uint64) {
	t.Helper()
	var want [][]uint64
	for w := range columns {
		rows := columns[w]
		for _, program := range image.Programs {
			rows = evaluate(program, rows)
		}
		want = append(want, rows)
	}
	onEveryKernel(t, image, func(m *guarded) {
		m.fill(columns)
		for i := range image.Programs {
			m.Run(i)
		}
		m.check(t)
		for w := range m.executable.Words() {
			got := m.column(w)
			for _, r := range image.Read {
				if got[r] != want[w][r] {
					t.Fatalf("%s: word %d of row %d differs for %v", m.executable.kernel.name, w, r, image.Programs)
				}
			}
		}
	})
}

func TestProgramsOfEveryForm(t *testing.T) {
	exhaustive.FewerDraws(t)
	rapid.Check(t, checkDrawn)
}

func FuzzPrograms(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkDrawn)) }

// checkDrawn runs a drawn image, and then chooses and restores.
func checkDrawn(t *rapid.T) {
	image, rng := drawImage(t)
	columns := randomColumns(rng, image.Rows)
	checkImage(t, image, columns)
	checkChoices(t, image, columns)
	checkRestored(t, image, columns)
}

// checkChoices chooses random moves on every kernel: a legal move for each role in each lane that has one,
// and the same move on every kernel.
func checkChoices(t rapid.TB, image *Image, columns [][]uint64) {
	t.Helper()
	var first *guarded
	onEveryKernel(t, image, func(m *guarded) {
		m.fill(columns)
		m.ChooseRandom(machine.NewRand(3))
		m.check(t)
		for w := range m.executable.Words() {
			if got := m.column(w); first != nil && w < first.executable.Words() && !slices.Equal(got, first.column(w)) {
				t.Fatalf("%s and %s choose differently", m.executable.kernel.name, first.executable.kernel.name)
			} else if len(image.Moves) == 1 { // several roles may overwrite each other's legal bits
				checkChosen(t, image.Moves[0], columns[w], got)
			}
		}
		if first == nil {
			first = m
		}
	})
}

// checkChosen checks that one move was made in each lane with a legal move.
func checkChosen(t rapid.TB, m Moves, before, after []uint64) {
	t.Helper()
	if turns := m.Turns; turns != nil {
		for _, row := range turns.Waits[0] {
			if min(max(row-m.Does, m.Does-row), max(row-turns.Does, turns.Does-row)) < int32(len(m.Legal)) {
				return // a broken image writes moves to a row of the wait
			}
		}
	}
	legal, chosen, twice := uint64(0), uint64(0), uint64(0)
	for i, r := range m.Legal {
		made, may := after[int(m.Does)+i], before[r]
		if made&^may != 0 {
			t.Fatalf("move %d is illegal in lanes %#x", i, made&^may)
		}
		if turns := m.Turns; turns != nil {
			theirs, may2 := after[int(turns.Does)+i], before[turns.Legal[i]]
			if theirs&^may2 != 0 || made&theirs != 0 {
				t.Fatalf("move %d of roles that take turns is made in lanes %#x and %#x, and legal in %#x and %#x", i, made, theirs, may, may2)
			}
			made, may = made|theirs, may|may2
		}
		legal |= may
		twice |= chosen & made
		chosen |= made
	}
	if turns := m.Turns; turns != nil && after[turns.Waits[0][0]] != before[turns.Waits[0][1]] {
		t.Fatal("the role that waits makes no move")
	}
	if chosen != legal || twice != 0 {
		t.Fatalf("of lanes %#x with moves, %#x made one and %#x several", legal, chosen, twice)
	}
}

// checkRestored checks that the lanes of a mask hold the given values as fluents after Restore.
func checkRestored(t rapid.TB, image *Image, columns [][]uint64) {
	t.Helper()
	onEveryKernel(t, image, func(m *guarded) {
		m.fill(columns)
		values, mask := make([]uint64, image.Fluents.Count), make([]uint64, m.executable.Words())
		for row := range values {
			values[row] = -uint64(row / 3 & 1)
		}
		for i := range mask {
			mask[i] = columns[i][1]
		}
		m.Restore(values, mask)
		m.check(t)
		for i, got := range m.rows {
			row, w := i/m.executable.Words(), i%m.executable.Words()
			want := columns[w][row]
			if f := row - image.Fluents.First; f >= 0 && f < len(values) {
				want = want&^mask[w] | values[f]&mask[w]
			}
			if got != want {
				t.Fatalf("%s: word %d is %#x after it is replaced, want %#x", m.executable.kernel.name, i, got, want)
			}
		}
	})
}

// A role can have more moves than fit 20 binary digits, or any other plausible number of digits.
func TestAMillionMovesOfARole(t *testing.T) {
	moves := 1<<20 + 1
	if !exhaustive.On() {
		moves = 1<<13 + 1
	}
	legal := make([]int32, moves)
	for i := range legal {
		legal[i] = 1
	}
	image := &Image{Rows: 2 + moves, Moves: []Moves{{Legal: legal, Does: 2}}}
	onEveryKernel(t, image, func(m *guarded) {
		w := m.executable.Words()
		for i := range w {
			m.rows[w+i] = ^uint64(0)
		}
		m.ChooseRandom(machine.NewRand(1))
		m.check(t)
		chosen := 0
		for _, word := range m.rows[2*w:] {
			chosen += bits.OnesCount64(word)
		}
		if chosen != m.executable.kernel.lanes {
			t.Errorf("%s: %d moves chosen in %d lanes", m.executable.kernel.name, chosen, m.executable.kernel.lanes)
		}
	})
}

// A kernel has separate code for each number of digits, of the table and of the legal moves, and for roles
// that take turns.
func TestChoicesOfEveryNumberOfDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, moves := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 33, 63, 64, 130, 255, 515, 1030, 2050, 4097} {
		for most := 0; most < 2*moves; most = max(1, 4*most) { // number of moves that are legal on average: none or one, up to all
			legal, other := make([]int32, moves), make([]int32, moves)
			for i := range moves {
				legal[i], other[i] = int32(1+i), int32(1+moves+i)
			}
			// Rows: the constant, legal moves of both, chosen moves of both, and the moves of a waiting role.
			does, waits := int32(1+2*moves), int32(1+4*moves)
			image := &Image{Rows: 3 + 4*moves, Moves: []Moves{{Legal: legal, Does: does}}}
			columns := make([][]uint64, 8)
			for w := range columns {
				columns[w] = make([]uint64, image.Rows)
				for bit := range 64 {
					role := rng.IntN(2) // whose turn it is
					only := rng.IntN(moves + 1)
					for i := range moves {
						if most > 0 && rng.IntN(moves) < most || most == 0 && i == only {
							columns[w][1+role*moves+i] |= 1 << bit
						}
					}
				}
			}
			checkChoices(t, image, columns)
			image.Moves[0].Turns = &Turns{Legal: other, Does: does + int32(moves), Waits: [][2]int32{{waits, waits + 1}}}
			checkChoices(t, image, columns)
		}
	}
}

func TestRolesWithoutMovesChooseNone(t *testing.T) {
	image := &Image{Rows: 4, Moves: []Moves{{}, {Legal: []int32{1}, Does: 2}, {Does: 1 << 30}}}
	columns := randomColumns(rand.New(rand.NewPCG(1, 1)), image.Rows)
	onEveryKernel(t, image, func(m *guarded) {
		m.fill(columns)
		m.ChooseRandom(machine.NewRand(1))
		m.check(t)
		if got := m.column(0); got[2] != columns[0][1] || got[3] != columns[0][3] {
			t.Errorf("%s: rows %x after choosing, and %x before", m.executable.kernel.name, got, columns[0])
		}
	})
}

func TestLoopsEndEvenIfTheyAreNotMonotone(t *testing.T) {
	image := &Image{Rows: 3, Programs: []Program{{"flip", []Segment{{Code: []int32{int32(And), 0, 1, 1, 1, 1}, Vars: []int32{1}}}}}}
	for _, k := range All() {
		e := must.Get(k.Verify(image))(t)
		e.NewMemory().Run(0)
	}
}

// BenchmarkVerify reports the cost of the proof, and of the translation of row numbers into offsets.
func BenchmarkVerify(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var code []int32
	const rows = 100_000
	for len(code) < 4_000_000 {
		const count = 20
		code = append(code, int32(rng.IntN(2)), 2, 1, count)
		for range count {
			code = append(code, 1+int32(rng.IntN(rows-1)), int32(rng.IntN(rows)), int32(rng.IntN(rows)), int32(rng.IntN(rows)))
		}
	}
	image := &Image{Rows: rows, Programs: []Program{{"bench", []Segment{{Code: code}}}}}
	for _, k := range All() {
		b.Run(fmt.Sprintf("lanes=%d", k.lanes), func(b *testing.B) {
			proof := 0.0
			for b.Loop() {
				e := must.Get(k.Verify(image))(b)
				proof += float64(e.took.Nanoseconds())
			}
			words := float64(b.N) * float64(len(code))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/words, "ns/word")
			b.ReportMetric(proof/words, "ns-proof/word")
		})
	}
}
