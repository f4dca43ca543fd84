package solve_test

import (
	"errors"
	"reflect"
	"testing"

	"stackmate/internal/must"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search/solve"
)

func TestTheMatrixHasTheMeansOverChanceAndTheValuesAfterwards(t *testing.T) {
	end := func(goal int32) toys.Node { return toys.Node{Goals: []int32{goal, 100 - goal, 0}} }
	// After the second move of row, with either draw, column chooses the end that is worse for row.
	m := (&toys.Tree{Roles: []string{"row", "column", machine.RandomRole}, Nodes: []toys.Node{
		{Moves: []int{2, 1, 2}, Kids: []int{1, 2, 3, 4}},
		end(20), end(60), end(100),
		{Moves: []int{1, 2, 1}, Kids: []int{5, 6}},
		end(50), end(30),
	}}).Machine()
	s := solver(t, solve.Options{Method: solve.Auto, Table: solve.On})
	must.Get(s.Solve(t.Context(), m, nil))(t)
	got := must.Get(s.Matrix(t.Context(), m, m.Initial()))(t)
	want := [][][]string{{{"40", "60"}}, {{"65", "35"}}}
	if !reflect.DeepEqual(got.Payoffs, want) || len(got.Rows) != 2 || len(got.Columns) != 1 {
		t.Errorf("%+v, want payoffs %v", got, want)
	}
	if _, err := s.Matrix(t.Context(), m, machine.State{1}); !errors.Is(err, solve.ErrMatrix) {
		t.Errorf("terminal position: %v", err)
	}
}

func TestGuaranteesAreNoPayoffs(t *testing.T) {
	// The prisoners' dilemma after a joint move without a choice.
	inner := []toys.Node{
		{Goals: []int32{60, 60}}, {Goals: []int32{0, 100}}, {Goals: []int32{100, 0}}, {Goals: []int32{20, 20}},
	}
	nodes := append([]toys.Node{{Moves: []int{1, 1}, Kids: []int{1}}, {Moves: []int{2, 2}, Kids: []int{2, 3, 4, 5}}}, inner...)
	m := named(&toys.Tree{Nodes: nodes})
	s := solver(t, solve.Options{Method: solve.SimultaneousAlphaBeta, Table: solve.On})
	must.Get(s.Solve(t.Context(), m, nil))(t)
	if matrix, err := s.Matrix(t.Context(), m, m.Initial()); !errors.Is(err, solve.ErrMatrix) {
		t.Errorf("%+v, %v, want no matrix of guarantees", matrix, err)
	}
}
