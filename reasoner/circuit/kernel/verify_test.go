package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/must"

	"pgregory.net/rapid"
)

// safe returns an image with one element of every kind.
func safe() *Image {
	image := &Image{
		Rows: 10,
		Programs: []Program{{"first", []Segment{
			{Code: []int32{int32(And), 2, 0, 2, 1, 2, 3, 4, 5, 6, int32(Or), 0, 1, 1, 7, 0}},
			{Code: []int32{int32(Or), 1, 1, 1, 8, 8, 2}, Vars: []int32{8}},
		}}},
		Moves:   []Moves{{Legal: []int32{1, 0}, Does: 2}, {}},
		Read:    []int32{0, 9},
		Written: []int32{9},
	}
	image.Fluents.First, image.Fluents.Count = 4, 6
	return image
}

func TestErrorsNameTheUnsafePlace(t *testing.T) {
	code := func(at int, value int32) func(*Image) {
		return func(image *Image) { image.Programs[0].Segments[0].Code[at] = value }
	}
	cut := func(n int) func(*Image) {
		return func(image *Image) { c := &image.Programs[0].Segments[0].Code; *c = (*c)[:len(*c)-n] }
	}
	turns := func(second Turns) func(*Image) {
		return func(image *Image) { image.Moves[0].Turns = &second }
	}
	for name, test := range map[string]struct {
		change func(*Image)
		want   string
	}{
		"an unknown operation":          {code(0, 2), "segment 0, word 0: no run has operation 2"},
		"a negative operation":          {code(0, -1), "operation -1"},
		"a negative number of operands": {code(1, -1), "-1 plain"},
		"no operand":                    {code(12, 0), "word 10: no run has operation 1, 0 plain and 0 complemented"},
		"no gate":                       {code(3, 0), "0 gates"},
		"a negative number of gates":    {code(3, -1), "-1 gates"},
		"too many gates":                {code(3, 3), "word 13: 3 words are left"},
		"a run longer than the code":    {code(13, 2), "word 10: no run has operation 1, 0 plain and 1 complemented operands and 2 gates in 2 words"},
		"lengths that overflow 32 bits": {func(image *Image) { code(1, math.MaxInt32)(image); code(2, math.MaxInt32)(image) }, "2147483647 complemented"},
		"lengths that overflow 63 bits": {func(image *Image) {
			code(1, math.MaxInt32)(image)
			code(2, math.MaxInt32)(image)
			code(3, math.MaxInt32)(image)
		}, "gates in 12 words"},
		"a header that ends early":           {cut(3), "3 words are left"},
		"a gate that ends early":             {cut(1), "in 1 words"},
		"an operand past the rows":           {code(5, 10), "word 1: offset"},
		"an operand below the rows":          {code(6, -1), "word 2: offset"},
		"an operand that overflows":          {code(9, math.MaxInt32), "word 5: offset"},
		"a target past the rows":             {code(7, 10), "word 3: offset"},
		"a gate that writes row 0":           {code(4, 0), "word 0: row 0 is the constant false"},
		"a variable past the rows":           {func(image *Image) { image.Programs[0].Segments[1].Vars[0] = 10 }, "segment 1, variable 0"},
		"a variable in row 0":                {func(image *Image) { image.Programs[0].Segments[1].Vars[0] = 0 }, "row 0"},
		"a legal bit past the rows":          {func(image *Image) { image.Moves[0].Legal[1] = 10 }, "moves of role 0: legal bit of move 1"},
		"a legal bit below the rows":         {func(image *Image) { image.Moves[0].Legal[1] = -1 }, "legal bit of move 1"},
		"a legal bit that is chosen":         {func(image *Image) { image.Moves[0].Legal[1] = 3 }, "legal bit of move 1: offset"},
		"moves past the rows":                {func(image *Image) { image.Moves[0].Does = 9 }, "does: 2 rows"},
		"moves that begin in row 0":          {func(image *Image) { image.Moves[0].Does = 0 }, "does: 2 rows"},
		"moves below the rows":               {func(image *Image) { image.Moves[0].Does = -1 }, "does: 2 rows"},
		"moves that overflow":                {func(image *Image) { image.Moves[0].Does = math.MaxInt32 }, "does: 2 rows"},
		"fewer moves of a second role":       {turns(Turns{Legal: make([]int32, 9), Does: 4}), "tables of 8 and 16 moves"},
		"a legal bit of it past the rows":    {turns(Turns{Legal: []int32{1, 10}, Does: 4}), "legal bit of move 1"},
		"a legal bit of it that is chosen":   {turns(Turns{Legal: []int32{1, 3}, Does: 4}), "legal bit of move 1: offset"},
		"moves of it past the rows":          {turns(Turns{Legal: []int32{1, 1}, Does: 9}), "does: 2 rows"},
		"moves of both in a row":             {turns(Turns{Legal: []int32{1, 1}, Does: 3}), "begin at the offsets"},
		"who waits writes row 0":             {turns(Turns{Legal: []int32{1, 1}, Does: 4, Waits: [][2]int32{{0, 1}}}), "waits"},
		"who waits reads past the rows":      {turns(Turns{Legal: []int32{1, 1}, Does: 4, Waits: [][2]int32{{1, 10}}}), "waits"},
		"fluents past the rows":              {func(image *Image) { image.Fluents.First = 5 }, "fluents: 6 rows"},
		"fluents below the rows":             {func(image *Image) { image.Fluents.First = -1 }, "fluents"},
		"a negative number of fluents":       {func(image *Image) { image.Fluents.Count = -1 }, "fluents"},
		"a number of fluents that overflows": {func(image *Image) { image.Fluents.Count = math.MaxInt }, "fluents"},
		"fluents from row 0 on":              {func(image *Image) { image.Fluents.First = 0 }, "fluents"},
		"a row read past the rows":           {func(image *Image) { image.Read[1] = 10 }, "row 10 is read"},
		"a row written past the rows":        {func(image *Image) { image.Written[0] = 10 }, "row 10 is written"},
		"row 0 written":                      {func(image *Image) { image.Written[0] = 0 }, "row 0 is written"},
		"a row of random bits past the rows": {func(image *Image) { image.Random.Rows = []int32{9, 10} }, "row 10 is written"},
		"random bits in row 0":               {func(image *Image) { image.Random.Rows = []int32{0} }, "row 0 is written"},
		"random bits for no program":         {func(image *Image) { image.Random.Rows, image.Random.Program = []int32{9}, 1 }, "no program 1 of 1"},
		"no rows":                            {func(image *Image) { image.Rows = 0 }, "0 rows"},
		"more rows than offsets":             {func(image *Image) { image.Rows = math.MaxInt }, "a kernel takes from 1 to"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range All() {
				image := safe()
				if _, err := k.Verify(image); err != nil {
					t.Fatalf("%s: the image was safe before: %v", k.name, err)
				}
				test.change(image)
				if _, err := k.Verify(image); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: error %v, want %q in it", k.name, err, test.want)
				}
			}
		})
	}
}

// The proof concerns the words that the kernels read. So it also refuses offsets between rows, which no row
// number gives.
func TestOffsetsBetweenRowsAreRefused(t *testing.T) {
	v := &verifier{words: 8, rows: 10}
	s := Segment{Code: []int32{int32(And), 1, 0, 1, 8, 16}}
	must.OK(t, v.segment(&s))
	for _, at := range []int{4, 5} {
		for _, offset := range []int32{9, 12, 15, 73, 79, 80} {
			broken := Segment{Code: slices.Clone(s.Code)}
			broken.Code[at] = offset
			if v.segment(&broken) == nil {
				t.Errorf("offset %d at word %d is taken for a row", offset, at)
			}
		}
	}
}

func TestAnEmptyPlanIsSafe(t *testing.T) {
	for _, k := range All() {
		e := must.Get(k.Verify(&Image{Rows: 1, Programs: []Program{{}, {"empty", []Segment{{}}}}}))(t)
		m := newGuarded(e)
		m.Run(0)
		m.Run(1)
		m.ChooseRandom(nil)
		m.Restore(nil, nil)
		m.check(t)
	}
}

func TestBrokenPlansAreRefusedOrHarmless(t *testing.T) { rapid.Check(t, checkBroken) }

func FuzzVerifier(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkBroken)) }

// checkBroken changes some words of a safe image. Every kernel must refuse it, or run it within its memory
// with the same results.
func checkBroken(t *rapid.T) {
	image, rng := drawImage(t)
	for range rapid.IntRange(1, 4).Draw(t, "changes") {
		breakImage(image, rng)
	}
	column := make([]uint64, max(1, min(image.Rows, 1<<12)))
	if image.Rows > len(column) {
		return // too large for a test
	}
	for r := 1; r < len(column); r++ {
		column[r] = rng.Uint64()
	}
	columns := slices.Repeat([][]uint64{column}, 8) // so that loops take the same number of sweeps on every kernel
	_, refused := portable64.Verify(image)
	for _, k := range All() {
		if _, err := k.Verify(image); (err == nil) != (refused == nil) {
			t.Fatalf("%s: %v; %s: %v", k.name, err, portable64.name, refused)
		}
	}
	if refused == nil {
		checkImage(t, image, columns)
		checkChoices(t, image, columns)
		checkRestored(t, image, columns)
	}
}

// breakImage changes one number of an image, or deletes or duplicates some words.
func breakImage(image *Image, rng *rand.Rand) {
	value := func(old int32) int32 {
		list := []int32{old + 1, old - 1, -old, 0, 1, 2, 15, 16, int32(image.Rows), int32(image.Rows - 1), math.MaxInt32, math.MinInt32, old ^ 1<<rng.IntN(32), int32(rng.Uint32())}
		return list[rng.IntN(len(list))]
	}
	switch rng.IntN(9) {
	case 0:
		image.Rows = max(0, image.Rows+rng.IntN(5)-3)
	case 1:
		image.Fluents.First = int(value(int32(image.Fluents.First)))
	case 2:
		image.Fluents.Count = int(value(int32(image.Fluents.Count)))
	case 3:
		if len(image.Moves) > 0 {
			m := &image.Moves[rng.IntN(len(image.Moves))]
			if n := len(m.Legal); n > 0 && rng.IntN(2) == 0 {
				i := rng.IntN(n)
				m.Legal[i] = value(m.Legal[i])
			} else {
				m.Does = value(m.Does)
			}
		}
	default:
		if len(image.Programs) == 0 || len(image.Programs[0].Segments) == 0 {
			return
		}
		s := &image.Programs[0].Segments[rng.IntN(len(image.Programs[0].Segments))]
		if len(s.Vars) > 0 && rng.IntN(4) == 0 {
			s.Vars[0] = value(s.Vars[0])
		} else if n := len(s.Code); n > 0 {
			at := rng.IntN(n)
			switch rng.IntN(6) {
			case 0:
				s.Code = s.Code[:at]
			case 1:
				s.Code = slices.Delete(s.Code, at, min(n, at+1+rng.IntN(3)))
			case 2:
				s.Code = slices.Insert(s.Code, at, s.Code[at:min(n, at+1+rng.IntN(3))]...)
			default:
				s.Code[at] = value(s.Code[at])
			}
		}
	}
}
