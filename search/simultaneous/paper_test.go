package simultaneous

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

func solve(t rapid.TB, config Config, m machine.Machine) search.Result {
	t.Helper()
	searcher := must.Get(New(config))(t)
	return solveWith(t, searcher, m)
}

func solveWith(t rapid.TB, searcher *Searcher, m machine.Machine) search.Result {
	t.Helper()
	return must.Get(searcher.Search(context.Background(), m, m.Initial(), search.Limits{}))(t)
}

func TestTable2BackwardInductionOnGoofspiel(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int64{4: 109, 5: 1926, 6: 58173, 7: 2578710} {
		if n == 7 && !exhaustive.On() {
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

// table4 is the paper's figures of SMAB, by size and s.
var table4 = map[int][]struct{ nodes, calls int64 }{
	4: {{55, 265}, {59, 171}, {70, 147}},
	5: {{516, 2794}, {630, 1897}, {1003, 1919}},
	6: {{13560, 74700}, {18212, 55462}, {30575, 57335}},
	7: {{757699, 4074729}, {949521, 2857133}, {1380564, 2498366}, {1734798, 2452624}, {1881065, 2583307}},
}

func TestTable4SMABNeedsNoMoreNodesAndProgramsThanThePaper(t *testing.T) {
	t.Parallel()
	for n, bySkip := range table4 {
		if n == 7 && !exhaustive.On() {
			continue
		}
		for skip, paper := range bySkip {
			for name, m := range map[string]machine.Machine{
				"high cards first": newGoofspiel(descending(n), false),
				"low cards first":  lowCardsFirst(descending(n)),
			} {
				if n == 7 && (name == "low cards first" || skip > 0 && skip < len(bySkip)-1) {
					continue // seconds each: package experiment searches the former, the smaller games show the same
				}
				got := solve(t, Config{Order: OrderL, Skip: skip}, m)
				if got.Nodes > paper.nodes || got.LPCalls > paper.calls {
					t.Errorf("goofspiel %d, s = %d, %s: %d nodes and %d LP calls, the paper has %d and %d",
						n, skip, name, got.Nodes, got.LPCalls, paper.nodes, paper.calls)
				}
				if v := got.Values[0]; v != search.Exact(50) {
					t.Errorf("goofspiel %d, s = %d, %s: value %v, want 50", n, skip, name, v)
				}
			}
		}
	}
}

func TestLOrderVisitsTheCellsOfFigure6(t *testing.T) {
	want := [5][5]int{
		{1, 2, 3, 4, 5},
		{6, 10, 11, 12, 13},
		{7, 14, 17, 18, 19},
		{8, 15, 20, 22, 23},
		{9, 16, 21, 24, 25},
	}
	f := &frame{m: 5, n: 5, p: make([]float64, 25), o: make([]float64, 25)}
	f.listed.reset(5, 5)
	for at := range f.o {
		f.o[at] = 100
	}
	for count := 1; count <= 25; count++ {
		at := f.nextOpen(OrderL)
		if at == noCell || want[at/5][at%5] != count {
			t.Fatalf("cell %d of the order is number %d, want the cell of Figure 6", count, at)
		}
		f.o[at] = 0
	}
	if at := f.nextOpen(OrderL); at != noCell {
		t.Errorf("cell %d after all are known", at)
	}
}

func TestDynamicMoveOrderPutsWhatIsKnownBeforeWhatWasLearned(t *testing.T) {
	config := must.Get(Config{Order: OrderL}.complete())(t)
	m := newGoofspiel(descending(3), true)
	s := must.Get(newSolver(context.Background(), config, m, 1<<20))(t)
	s.ctx = context.Background()
	f, _, open := s.open(0, m.Initial())
	if !open {
		t.Fatal("the initial position is not open")
	}
	f.listed.reset(f.m, f.n)
	s.learned[rowSide].learn(f.expansion.Moves[s.row], []float64{0, 0, 1})
	s.sortMoves(f)
	if first := f.listed.sides[rowSide].order[0].index; first != 2 {
		t.Errorf("row %d comes first, want row 2, which was played before", first)
	}
	f.p[1*f.n+1] = 90
	s.sortMoves(f)
	if first := f.listed.sides[rowSide].order[0].index; first != 1 {
		t.Errorf("row %d comes first, want row 1, which is known to be good", first)
	}
	if last := f.listed.sides[columnSide].order[f.n-1].index; last != 1 {
		t.Errorf("column %d comes last, want column 1, which is known to be bad", last)
	}
}

// Readings of Algorithm 1, for Table 4 with s = 0, where the paper has 55 and 516 nodes: as printed
// it needs more, and more still if terminal children are not known before they are visited; with
// an exit where the value is decided it needs less either way.
func TestReadingsOfAlgorithm1(t *testing.T) {
	for _, c := range []struct {
		variant variant
		want    map[int]int64 // nodes by size
	}{
		{variant{noExit: true}, map[int]int64{4: 77, 5: 746, 6: 16379}},
		{variant{noExit: true, blind: true}, map[int]int64{4: 85, 5: 884}},
		{variant{blind: true}, map[int]int64{4: 39, 5: 333}},
	} {
		for n, want := range c.want {
			config := Config{Order: OrderL, Moves: MovesLegal, variant: c.variant}
			if got := solve(t, config, newGoofspiel(descending(n), false)); got.Nodes != want {
				t.Errorf("%+v: goofspiel %d: %d nodes, want %d", c.variant, n, got.Nodes, want)
			}
		}
	}
}
