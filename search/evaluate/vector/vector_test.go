package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// source draws random operands, among them zeros of both signs and tiny numbers.
type source struct{ *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 1))} }

func (r source) float() float32 {
	switch r.IntN(12) {
	case 0:
		return 0
	case 1:
		return float32(math.Copysign(0, -1))
	case 2:
		return float32(r.NormFloat64() * 1e-31)
	default:
		return float32(r.NormFloat64())
	}
}

func (r source) floats() (row Floats) {
	for u := range row {
		row[u] = r.float()
	}
	return row
}

func (r source) rows(n int) []Floats {
	rows := make([]Floats, n)
	for i := range rows {
		if r.IntN(4) > 0 {
			rows[i] = r.floats()
		}
	}
	return rows
}

func (r source) shorts() (row Shorts) {
	for u := range row {
		row[u] = int16(r.Uint64())
	}
	row[r.IntN(Width)] = math.MinInt16
	return row
}

// set returns a set of the given number of words: empty, full or random.
func (r source) set(words int) []uint64 {
	set := make([]uint64, words)
	kind := r.IntN(4)
	for i := range set {
		switch kind {
		case 1:
			set[i] = math.MaxUint64
		case 2:
			set[i] = r.Uint64() & r.Uint64() & r.Uint64()
		case 3:
			set[i] = r.Uint64()
		}
	}
	return set
}

// guarded returns a copy of rows between two guard rows, and fails the test if a guard row changes.
func guarded(t *testing.T, rows []Floats) []Floats {
	t.Helper()
	all := make([]Floats, len(rows)+2)
	for u := range Width {
		all[0][u], all[len(all)-1][u] = 7, 7
	}
	copy(all[1:], rows)
	t.Cleanup(func() {
		for u := range Width {
			if all[0][u] != 7 || all[len(all)-1][u] != 7 {
				t.Fatal("written beside the rows")
			}
		}
	})
	return all[1 : len(all)-1]
}

func same(t *testing.T, what string, got, want []Floats) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d of %d is\n%v, want\n%v", what, i, len(want), got[i], want[i])
		}
	}
}

func TestKernelsAgreeWithThePortableFunctions(t *testing.T) {
	for seed := range uint64(300) {
		r := newSource(seed)
		words := r.IntN(6)
		rows := r.rows(64*words + 1)
		set := r.set(words)
		var inputs Inputs
		inputs.SetBits(set)
		delta := r.floats()

		got, want := make([]Floats, 1), make([]Floats, 1)
		sumPortable(&want[0], rows, inputs.list)
		Sum(&got[0], rows, &inputs)
		same(t, "sum", got, want)

		some, other := guarded(t, rows), append([]Floats(nil), rows...)
		addPortable(other, inputs.list, &delta)
		Add(some, &inputs, &delta)
		same(t, "add", some, other)

		weights, units := r.floats(), r.floats()
		if got, want := Read(&weights, &units), readPortable(&weights, &units); got != want {
			t.Fatalf("read %v, want %v", got, want)
		}
		sums := r.shorts()
		if got, want := ReadShorts(&weights, &sums), readShortsPortable(&weights, &sums); got != want {
			t.Fatalf("read %v of shorts, want %v", got, want)
		}

		pair := guarded(t, []Floats{r.floats(), r.floats()})
		both := append([]Floats(nil), pair...)
		e := r.float()
		Back(&pair[0], &pair[1], &weights, &units, e)
		backPortable(&both[0], &both[1], &weights, &units, e)
		same(t, "back", pair, both)
	}
}

func TestReadOutsAreOfTheSquaresOfPositiveUnits(t *testing.T) {
	weights, units, shorts := Floats{1: 2, 40: -1, 63: 5}, Floats{1: 3, 2: 7, 40: 4, 63: -2}, Shorts{1: 3, 2: 7, 40: 4, 63: -2}
	if got, short := Read(&weights, &units), ReadShorts(&weights, &shorts); got != 2 || short != 2 {
		t.Errorf("read %v, %v of shorts, want 2·3² - 4² = 2", got, short)
	}
	var delta, gradient Floats
	Back(&delta, &gradient, &weights, &units, 0.5)
	if want := (Floats{1: 0.5 * 2 * 2 * 3, 40: -0.5 * 2 * 4}); delta != want {
		t.Errorf("delta is %v, want %v", delta, want)
	}
	if want := (Floats{1: 0.5 * 9, 2: 0.5 * 49, 40: 0.5 * 16}); gradient != want {
		t.Errorf("the gradient is %v, want %v", gradient, want)
	}
}

// Sums of one block and of several change by the rows of the bits that differ, with kernels and without.
func TestShortsChangeByTheBitsThatDiffer(t *testing.T) {
	for seed := range uint64(300) {
		r := newSource(seed)
		words := r.IntN(9) // the bits of more than four full words do not fit into a list at once
		blocks := 1 + r.IntN(3)
		rows, sums := make([][]Shorts, blocks), make([]Shorts, blocks+2) // with guard rows
		for b := range rows {
			rows[b] = make([]Shorts, 64*words+r.IntN(2))
			for i := range rows[b] {
				rows[b][i] = r.shorts()
			}
			sums[1+b] = r.shorts()
		}
		from, to := r.set(words), r.set(words)
		before, want := slices.Clone(sums), slices.Clone(sums)
		for i := range 64 * words {
			was, is := int16(from[i>>6]>>(i&63)&1), int16(to[i>>6]>>(i&63)&1)
			for b := range rows {
				for u, x := range rows[b][i] {
					want[1+b][u] += (is - was) * x
				}
			}
		}
		for name, by := range map[string]func(sums []Shorts, from, to []uint64){
			"kernels": func(sums []Shorts, from, to []uint64) { Change(sums, rows, from, to, new(Changes)) },
			"portable": func(sums []Shorts, from, to []uint64) {
				for b := range sums {
					changePortable(&sums[b], rows[b], from, to)
				}
			},
			"portable lists": func(sums []Shorts, from, to []uint64) {
				var c Changes
				for word := 0; word < words; {
					word = c.find(from, to, word)
					for b := range sums {
						applyPortable(&sums[b], rows[b], c.list[:c.n])
					}
				}
			},
		} {
			got := slices.Clone(before)
			if by(got[1:blocks+1], from, to); !slices.Equal(got, want) {
				t.Fatalf("%s: %x to %x: got\n%v, want\n%v", name, from, to, got, want)
			}
			if by(got[1:blocks+1], to, from); !slices.Equal(got, before) {
				t.Fatalf("%s: %x to %x and back: got\n%v, want\n%v", name, from, to, got, before)
			}
		}
	}
}

func TestStepsOfAdamAreThePortableOnes(t *testing.T) {
	for seed := range uint64(100) {
		r := newSource(seed)
		n := r.IntN(9)
		var got, want [5][]Floats
		for i := range got {
			rows := r.rows(n)
			if i == 3 { // a mean of squares
				for j := range rows {
					for u, x := range rows[j] {
						rows[j][u] = x * x
					}
				}
			}
			got[i], want[i] = guarded(t, rows), append([]Floats(nil), rows...)
		}
		a := Adam{Scale: 1. / 256, FirstDecay: 0.9, SecondDecay: 0.999, Rate: 0.002, Epsilon: 1e-6, Follow: 0.1}
		for range 3 {
			a.Step(got[0], got[1], got[2], got[3], got[4])
			a.stepPortable(want[0], want[1], want[2], want[3], want[4])
			for i, what := range []string{"weights", "gradient", "first", "second", "mean"} {
				same(t, fmt.Sprint("seed ", seed, ": ", what), got[i], want[i])
			}
			for i := range n {
				if got[1][i] != (Floats{}) {
					t.Fatal("the gradient is not cleared")
				}
				got[1][i] = r.floats()
				want[1][i] = got[1][i]
			}
		}
	}
}

func TestRowsWithoutGradientComeToRest(t *testing.T) {
	a := Adam{Scale: 1, FirstDecay: 0.9, SecondDecay: 0.999, Rate: 0.002, Epsilon: 1e-6, Follow: 0.1}
	rows := make([][]Floats, 5)
	for i := range rows {
		rows[i] = make([]Floats, 2)
	}
	rows[1][0] = Floats{0: 1, 31: -1}
	for range 1000 {
		a.Step(rows[0], rows[1], rows[2], rows[3], rows[4])
	}
	if rows[2][0] != (Floats{}) {
		t.Errorf("first is %v after 1000 steps", rows[2][0])
	}
	if w, m := rows[0][0], rows[4][0]; w[0] >= 0 || w[31] <= 0 || w[1] != 0 || math.Abs(float64(w[0]-m[0])) > 1e-6 {
		t.Errorf("weights are %v, their mean %v", w, m)
	}
	if rows[0][1] != (Floats{}) || rows[4][1] != (Floats{}) {
		t.Error("a row without gradient has moved")
	}
}

func TestInputsAreTheBitsOfASet(t *testing.T) {
	images := make([]int32, 192)
	for i := range images {
		images[i] = int32(191 - i)
	}
	images[65] = -1 // and 192 is bias
	var inputs Inputs
	set := []uint64{1, 1<<63 | 3, 1 << 7}
	for range 2 {
		if inputs.SetBits(set); fmt.Sprint(inputs.list) != "[0 64 65 127 135 192]" {
			t.Errorf("got %v", inputs.list)
		}
		if inputs.SetImages(set, images); fmt.Sprint(inputs.list) != "[191 127 64 56 192]" {
			t.Errorf("got images %v", inputs.list)
		}
	}
	if inputs.SetBits(nil); fmt.Sprint(inputs.list) != "[0]" {
		t.Errorf("got %v of nothing", inputs.list)
	}
}

func TestAccessesOutOfBoundsPanic(t *testing.T) {
	var units Floats
	sums, set := make([]Shorts, 2), make([]uint64, 2) // even where no bit differs
	var inputs, images Inputs
	inputs.SetBits(make([]uint64, 2)) // even where no bit is set
	images.SetImages([]uint64{1}, []int32{63})
	rows := func(n int) []Floats { return make([]Floats, n, 200) }
	a := Adam{}
	for name, f := range map[string]func(){
		"sum":           func() { Sum(&units, rows(128), &inputs) },
		"add":           func() { Add(rows(128), &inputs, &units) },
		"sum of images": func() { Sum(&units, rows(64), &images) },
		"change":        func() { Change(sums[:1], [][]Shorts{make([]Shorts, 127, 128)}, set, set, nil) },
		"second block": func() {
			Change(sums, [][]Shorts{make([]Shorts, 128), make([]Shorts, 127, 128)}, set, set, new(Changes))
		},
		"rows":     func() { Change(sums, [][]Shorts{make([]Shorts, 128)}, set, set, new(Changes)) },
		"from":     func() { Change(sums[:1], [][]Shorts{make([]Shorts, 128)}, set[:1], set, nil) },
		"an image": func() { images.SetImages([]uint64{1}, []int32{64}) },
		"no image": func() { images.SetImages([]uint64{2}, []int32{63}) },
		"gradient": func() { a.Step(rows(3), rows(2), rows(3), rows(3), rows(3)) },
		"first":    func() { a.Step(rows(3), rows(3), rows(2), rows(3), rows(3)) },
		"second":   func() { a.Step(rows(3), rows(3), rows(3), rows(2), rows(3)) },
		"mean":     func() { a.Step(rows(3), rows(3), rows(3), rows(3), nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkKernels(b *testing.B) {
	r := newSource(1)
	rows, shorts := r.rows(193), make([]Shorts, 192)
	set, sibling := []uint64{0x1122_4488, 0x8000_0101_0404_0201, 0x11}, []uint64{0x1122_4484, 0x8000_0101_0204_0201, 0x12}
	var inputs Inputs
	inputs.SetBits(set)
	units, weights, sums := r.floats(), r.floats(), r.shorts()
	var changes Changes
	a := Adam{Scale: 1. / 256, FirstDecay: 0.9, SecondDecay: 0.999, Rate: 0.002, Epsilon: 1e-6, Follow: 0.1}
	gradient, first, second, mean := make([]Floats, 193), make([]Floats, 193), make([]Floats, 193), make([]Floats, 193)
	learnt := make([]Floats, 193)
	for i := range learnt {
		for u := range Width {
			learnt[i][u] = float32(r.NormFloat64())
		}
	}
	weights, units = learnt[0], learnt[1] // no number is tiny, as in networks
	for _, k := range []struct {
		name string
		run  func()
	}{
		{"inputs", func() { inputs.SetBits(set) }},
		{"sum", func() { Sum(&units, rows, &inputs) }},
		{"add", func() { Add(gradient, &inputs, &weights) }},
		{"change", func() { change(&sums, shorts, set, sibling) }},
		{"find", func() { changes.find(set, sibling, 0) }},
		{"apply", func() { changes.apply(&sums, shorts) }},
		{"read", func() { Read(&weights, &units) }},
		{"readShorts", func() { ReadShorts(&weights, &sums) }},
		{"back", func() { Back(&gradient[0], &gradient[1], &weights, &units, 0.1) }},
		{"step", func() { copy(gradient, learnt); a.Step(rows, gradient, first, second, mean) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				k.run()
			}
		})
	}
}
