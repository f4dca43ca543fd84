package scratch

import "testing"

func TestResizeReusesMemory(t *testing.T) {
	s := Resize[int](nil, 3)
	if len(s) != 3 {
		t.Fatalf("length %d, want 3", len(s))
	}
	s[0] = 7
	if less := Resize(s, 2); len(less) != 2 || &less[0] != &s[0] {
		t.Errorf("a slice of length %d in other memory, want 2 in the same", len(less))
	}
	if more := Resize(s[:1], 1000); len(more) != 1000 {
		t.Errorf("length %d, want 1000", len(more))
	}
}

func TestResizeAllocatesSeldomWhereLengthsGrow(t *testing.T) {
	const n = 10_000
	allocations := testing.AllocsPerRun(1, func() {
		var s []int
		for i := range n {
			s = Resize(s, i+1)
		}
	})
	if allocations > 50 {
		t.Errorf("%v allocations for lengths from 1 to %d", allocations, n)
	}
}
