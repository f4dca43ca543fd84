package prove

import "testing"

func TestTheSearchForPairsPauses(t *testing.T) {
	g := aCountOfLamps(8)
	for _, most := range []int{1 << 30, 3} {
		s := newSample(compiled(t, g), nil)
		s.record()
		pauses := 0
		s.pause = func() bool { pauses++; return pauses <= most }
		varying := make([]int32, len(s.true))
		for f := range varying {
			varying[f] = int32(f)
			s.true[f] = []uint64{0xa5 << f} // neither always true nor never
		}
		s.findPairs(varying)
		if want := min(len(varying), most+1); pauses != want {
			t.Errorf("%d pauses among the pairs of %d fluents, want %d", pauses, len(varying), want)
		}
	}
}
