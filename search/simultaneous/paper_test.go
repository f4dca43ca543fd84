package simultaneous

import (
	"context"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

func solve(t testing.TB, config Config, m machine.Machine) search.Result {
	t.Helper()
	searcher, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	result, err := searcher.Search(context.Background(), m, m.Initial(), search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestTable2BackwardInductionOnGoofspiel(t *testing.T) {
	for n, want := range map[int]int64{4: 109, 5: 1926, 6: 58173, 7: 2578710} {
		if n == 7 && testing.Short() {
			continue
		}
		got := solve(t, Config{Method: BackwardInduction}, newGoofspiel(descending(n), false))
		if got.Nodes != want || got.LPCalls != want {
			t.Errorf("goofspiel %d: %d nodes and %d LP calls, want %d of each", n, got.Nodes, got.LPCalls, want)
		}
		if v := got.Values[0]; v != search.Exact(50) {
			t.Errorf("goofspiel %d: value %v, want 50", n, v)
		}
	}
}

func TestTable4SMABOnGoofspiel(t *testing.T) {
	for n := 4; n <= 6; n++ {
		for skip := range 4 {
			got := solve(t, Config{Method: SMAB, Skip: skip}, newGoofspiel(descending(n), false))
			t.Log(n, skip, got.Nodes, got.LPCalls, got.Values[0], got.Elapsed)
		}
	}
}
