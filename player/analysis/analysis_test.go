package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// analyse returns the last report of an analysis of the initial position.
func analyse(t *testing.T, a *Analyst, game string, within time.Duration) (last *Analysis) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	m := gamestest.Machine(t, game)
	if err := a.Analyse(ctx, gamestest.Rules(t, game), m, m.Initial(), func(x *Analysis) { last = x }); err != nil {
		t.Fatal(err)
	}
	if !last.Done {
		t.Errorf("%s: the last report is not the end: %+v", game, last)
	}
	return last
}

func TestAPositionThatIsNotSolvedInHalfOfTheTimeIsSampled(t *testing.T) {
	for within := 200 * time.Millisecond; ; within *= 2 { // on a busy machine samples come late
		x := analyse(t, &Analyst{Threads: 1, Bytes: 16 << 20, Log: zerolog.Nop()}, "connectFour-7x6", within)
		if x.Playouts == 0 && within < time.Minute {
			continue
		}
		if x.Method != "sampling" || !x.Proved || x.Solved || len(x.Estimates) != 2 {
			t.Fatalf("%+v, want estimates by sampling", x)
		}
		for role, e := range x.Estimates {
			if e < x.Lower[role] || e > x.Upper[role] {
				t.Errorf("estimate %v outside of the bounds from %v to %v", e, x.Lower[role], x.Upper[role])
			}
		}
		return
	}
}

func TestSolutionsOfOtherGamesAreNoObstacle(t *testing.T) {
	other := Saved{Name: "other", Open: func(*gdl.Game, machine.Machine, int64) (search.Solution, error) {
		return nil, errors.New("of another game")
	}}
	x := analyse(t, &Analyst{Solutions: []Saved{other}, Threads: 1, Bytes: 16 << 20, Log: zerolog.Nop()}, "nim-3.4", time.Minute)
	if x.Method != "exact" || !x.Solved || x.Lower[0] != 100 {
		t.Errorf("%+v, want a win by the exact search", x)
	}
}

func TestAnAdviserSearchesAPositionOnce(t *testing.T) {
	searches := 0
	a := &Adviser{Bytes: 16 << 20, Log: zerolog.Nop(), Searching: func(time.Duration) func() { searches++; return func() {} }}
	m := gamestest.Machine(t, "nim-3.4")
	if err := a.Begin(t.Context(), gamestest.Rules(t, "nim-3.4"), m); err != nil {
		t.Fatal(err)
	}
	first, err := a.Advise(t.Context(), m.Initial())
	again, err2 := a.Advise(t.Context(), m.Initial())
	if err := errors.Join(err, err2); err != nil || searches != 1 || first.Value != "Value for first: 100 (just computed)" {
		t.Errorf("%v; %d searches: %q", err, searches, first.Value)
	}
	if len(first.Strategy(0)) == 0 || !slices.Equal(first.Strategy(0), again.Strategy(0)) || first.Strategy(7) != nil {
		t.Errorf("strategies %v and %v", first.Strategy(0), again.Strategy(0))
	}
	if a.NoteRepetition(); a.position != nil {
		t.Error("the advice of before the repetition is still given")
	}
	refused := &Adviser{Solution: &Saved{Name: "x", Open: func(*gdl.Game, machine.Machine, int64) (search.Solution, error) {
		return nil, errors.New("damaged")
	}}}
	if err := refused.Begin(t.Context(), nil, m); err == nil {
		t.Error("a damaged solution is no error")
	}
}

// solution maps positions of a toy to claims.
type solution map[uint64]search.Claim

func (s solution) At(_ context.Context, q machine.State) (search.Claim, error) { return s[q[0]], nil }

func TestMovesOfASavedSolutionHaveTheirValuesAndLengths(t *testing.T) {
	tree := toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 2}},
		{Moves: []int{1, 2}, Kids: []int{3, 4}},
		{Goals: []int32{50, 50}},
		{Goals: []int32{100, 0}},
		{Goals: []int32{0, 100}},
	}}
	second := []search.Weighted{{Move: 1, Probability: 1}}
	saved := Saved{Open: func(*gdl.Game, machine.Machine, int64) (search.Solution, error) {
		return solution{0: {Value: 50, Strategies: [][]search.Weighted{second, nil}}, 1: {Value: 0, Strategies: [][]search.Weighted{nil, second}}}, nil
	}}
	for position, want := range map[uint64][]Known{ // of the role in turn
		0: {{Move: "m0", Plies: 2}, {Move: "m1", Lower: 50, Upper: 50, Estimate: 50, Plies: 1}},
		1: {{Move: "m0", Plies: 1}, {Move: "m1", Lower: 100, Upper: 100, Estimate: 100, Plies: 1}},
	} {
		var reports []*Analysis
		a := &Analyst{Solutions: []Saved{saved}, Threads: 1, Bytes: 16 << 20, Log: zerolog.Nop()}
		if err := a.Analyse(t.Context(), nil, tree.Machine(), machine.State{position}, func(x *Analysis) { reports = append(reports, x) }); err != nil {
			t.Fatal(err)
		}
		x := reports[len(reports)-1]
		if x.Method != "saved solution" || !x.Solved || x.Lower[0]+x.Lower[1] != 100 || len(x.Line) != 1 || !slices.Equal(x.Moves[position], want) {
			t.Errorf("position %d: %+v", position, x)
		}
	}
}

func TestAMatrixHasItsEquilibriumAndTheLossesOfMoves(t *testing.T) {
	var last *Analysis
	a := &Analyst{Threads: 1, Bytes: 16 << 20, Log: zerolog.Nop()}
	m := toys.Matrix([][]int32{{100, 0, 60}, {0, 100, 60}, {10, 20, 90}}).Machine()
	if err := a.Analyse(t.Context(), nil, m, m.Initial(), func(x *Analysis) { last = x }); err != nil {
		t.Fatal(err)
	}
	p := last.Matrix
	if p == nil || p.Value == nil || p.Cells[2][1] != (Cell{20, 20, "end"}) {
		t.Fatalf("matrix %+v", p)
	}
	got := fmt.Sprintf("%.3f for %.3f %.3f", *p.Value, p.RowLoss, p.ColumnLoss)
	if want := "50.000 for [0.000 0.000 35.000] [0.000 0.000 10.000]"; got != want {
		t.Errorf("value and losses %s, want %s", got, want)
	}
}
