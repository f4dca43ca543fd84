package simultaneous

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

func solve(t rapid.TB, config Config, m machine.Machine) search.Result {
	t.Helper()
	searcher, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return solveWith(t, searcher, m)
}

func solveWith(t rapid.TB, searcher *Searcher, m machine.Machine) search.Result {
	t.Helper()
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

// table4 is what the paper reports of SMAB at s = 0.
var table4 = map[int]struct{ nodes, calls int64 }{
	4: {55, 265}, 5: {516, 2794}, 6: {13560, 74700}, 7: {757699, 4074729},
}

func TestTable4SMABExpandsNoMoreThanThePaper(t *testing.T) {
	for n, paper := range table4 {
		if n == 7 && testing.Short() {
			continue
		}
		got := solve(t, Config{Method: SMAB}, newGoofspiel(descending(n), false))
		if got.Nodes > paper.nodes {
			t.Errorf("goofspiel %d: %d nodes, the paper has %d", n, got.Nodes, paper.nodes)
		}
		if v := got.Values[0]; v != search.Exact(50) {
			t.Errorf("goofspiel %d: value %v, want 50", n, v)
		}
	}
}

// The literal reading of Algorithm 1, with terminal children known before the
// loop, needs more nodes than the paper reports.
func TestSMABWithoutEarlyExit(t *testing.T) {
	for n, want := range map[int]int64{4: 77, 5: 746, 6: 16379} {
		config := Config{Method: SMAB, variant: variant{exit: exitNever}}
		if got := solve(t, config, newGoofspiel(descending(n), false)); got.Nodes != want {
			t.Errorf("goofspiel %d: %d nodes, want %d", n, got.Nodes, want)
		}
	}
}
