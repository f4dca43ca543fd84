package solve_test

import (
	"errors"
	"math/big"
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

func TestPrintedPayoffsKeepTheConstantSum(t *testing.T) {
	for lots := 3; lots < 40; lots++ {
		tree := &toys.Tree{Roles: []string{"row", "column", machine.RandomRole}, Nodes: []toys.Node{{Moves: []int{2, 1, lots}}}}
		for at := range 2 * lots {
			goal := int32(0)
			if at%lots == 0 {
				goal = 100
			}
			tree.Nodes[0].Kids = append(tree.Nodes[0].Kids, len(tree.Nodes))
			tree.Nodes = append(tree.Nodes, toys.Node{Goals: []int32{goal, 100 - goal, 0}})
		}
		m, s := tree.Machine(), solver(t, solve.Options{Method: solve.Auto, Table: solve.On})
		must.Get(s.Solve(t.Context(), m, nil))(t)
		for _, row := range must.Get(s.Matrix(t.Context(), m, m.Initial()))(t).Payoffs {
			first, ok := new(big.Rat).SetString(row[0][0])
			second, ok2 := new(big.Rat).SetString(row[0][1])
			if !ok || !ok2 || first.Add(first, second).Cmp(big.NewRat(100, 1)) != 0 {
				t.Errorf("%d lots: payoffs %v, want the sum 100", lots, row[0])
			}
		}
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
