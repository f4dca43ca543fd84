package circuit

import (
	"strings"
	"testing"

	"stackmate/reasoner/circuit/kernel"
)

// copies returns a program that copies rows, given as pairs (to, from).
func copies(name string, pairs ...int32) kernel.Program {
	return kernel.Program{Name: name, Segments: []kernel.Segment{copySegment(pairs, 0)}}
}

func TestProgramsThatReadLostValuesAreRefused(t *testing.T) {
	const in, out, spare, chosen, random = 1, 2, 3, 4, 5 // rows: inputs are in and chosen
	for _, test := range []struct {
		name                                      string
		evaluate, goal, advance, choose, preparer []int32
		filled                                    []int32 // with random bits, before the choice
		want                                      string
	}{
		{name: "in order", evaluate: []int32{out, in}, goal: []int32{spare, out}, advance: []int32{in, out}, choose: []int32{chosen, out}, preparer: []int32{out, in}},
		{name: "an input", evaluate: []int32{out, in}, goal: []int32{spare, in}, advance: []int32{in, chosen}, choose: []int32{chosen, out}, preparer: []int32{out, in}},
		{
			name: "a row of goals", evaluate: []int32{out, in}, goal: []int32{spare, out}, advance: []int32{in, spare}, choose: []int32{chosen, out}, preparer: []int32{out, in},
			want: `program "advance" reads row 3`,
		},
		{
			name: "not prepared", evaluate: []int32{out, in}, goal: []int32{spare, out}, advance: []int32{in, out}, choose: []int32{chosen, out}, preparer: []int32{spare, in},
			want: `no value of program "prepare"`,
		},
		{
			name: "overwritten by goals", evaluate: []int32{out, in}, goal: []int32{out, in}, advance: []int32{in, chosen}, choose: []int32{chosen, in}, preparer: []int32{out, in},
			want: "row 2 of the position",
		},
		{
			name: "overwritten by a choice", evaluate: []int32{out, in}, goal: []int32{spare, out}, advance: []int32{in, out}, choose: []int32{out, in}, preparer: []int32{out, in},
			want: `program "advance" reads row 2`,
		},
		{name: "random bits", evaluate: []int32{out, in}, goal: []int32{spare, out}, advance: []int32{in, out}, choose: []int32{chosen, random}, preparer: []int32{out, in}, filled: []int32{random}},
		{
			name: "not filled", evaluate: []int32{out, in}, goal: []int32{spare, out}, advance: []int32{in, out}, choose: []int32{chosen, random}, preparer: []int32{out, in},
			want: `program "choose" reads row 5`,
		},
		{
			name: "filled over a value", evaluate: []int32{out, in}, goal: []int32{spare, out}, advance: []int32{in, out}, choose: []int32{chosen, random}, preparer: []int32{out, in}, filled: []int32{random, out},
			want: "row 2 of random bits",
		},
	} {
		image := &kernel.Image{Rows: 6, Written: []int32{chosen}, Programs: []kernel.Program{
			copies("evaluate", test.evaluate...), copies("goal", test.goal...), copies("advance", test.advance...),
			copies("choose", test.choose...), copies("prepare", test.preparer...),
		}}
		image.Random.Rows = test.filled
		err := checkPrograms(image, []int32{in, chosen}, []int32{out})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, expected %q", test.name, err, test.want)
		}
	}
}
