package prove

import "testing"

func TestCandidatesAreSoughtWithRests(t *testing.T) {
	g := aCountOfLamps(8)
	for _, most := range []int{1 << 30, 3} {
		s := newSample(compiled(t, g), nil)
		s.take()
		rests := 0
		s.rest = func() bool { rests++; return rests <= most }
		varying := make([]int32, len(s.true))
		for f := range varying {
			varying[f] = int32(f)
			s.true[f] = []uint64{0xa5 << f} // neither always true nor never
		}
		s.findPairs(varying)
		if want := min(len(varying), most+1); rests != want {
			t.Errorf("%d rests among the pairs of %d fluents, want %d", rests, len(varying), want)
		}
	}
}
