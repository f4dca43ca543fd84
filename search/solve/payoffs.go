package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// ErrMatrix is wrapped by the error of a position whose matrix is not known.
var ErrMatrix = errors.New("no matrix")

// Matrix returns the payoffs of the players after each pair of moves at position q, the mean over the moves of chance. It takes the payoffs
// of the exact equilibrium, if method Equilibrium has solved the game, or else searches the positions after q. The error wraps ErrMatrix
// if q is terminal, or if a value is not solved or is a guarantee only.
func (s *Solver) Matrix(ctx context.Context, m machine.Machine, q machine.State) (*Matrix, error) {
	names := m.Names()
	if x, ok := s.Exact(q); ok {
		return &newExactSolution(names, x).Matrix, nil
	}
	players := names.Players()
	if len(players) > 2 {
		return nil, fmt.Errorf("%w: expected one or two players, found %d", ErrMatrix, len(players))
	}
	expander, x := play.NewExpander(m), new(play.Expansion)
	if over, _ := expander.Look(q); over {
		return nil, fmt.Errorf("%w: the position is terminal", ErrMatrix)
	}
	if err := expander.Expand(x, q); err != nil {
		return nil, err
	}
	texts := [2][]string{nil, {""}} // the matrix of a single player has one column
	for i, role := range players {
		texts[i] = nil
		for _, move := range x.Moves[role] {
			texts[i] = append(texts[i], names.MoveText(role, move))
		}
	}
	sums := make([][2]float64, len(texts[0])*len(texts[1]))
	joint := make([]machine.Move, len(x.Moves))
	for c := range x.Children {
		values, err := s.payoffs(ctx, m, x, c)
		if err != nil {
			return nil, err
		}
		x.Joint(joint, c)
		var cell [2]int
		for i, role := range players {
			cell[i] = slices.Index(x.Moves[role], joint[role])
		}
		for i, role := range players {
			sums[cell[0]*len(texts[1])+cell[1]][i] += values[role] * float64(len(sums)) / float64(x.Children)
		}
	}
	matrix := &Matrix{Rows: texts[0], Columns: texts[1]}
	for row := range slices.Chunk(sums, len(texts[1])) {
		var cells [][]string
		for _, sum := range row {
			first, both := math.Round(sum[0]*decimals), math.Round((sum[0]+sum[1])*decimals)
			cells = append(cells, []string{decimal(first), decimal(both - first)}[:len(players)])
		}
		matrix.Payoffs = append(matrix.Payoffs, cells)
	}
	return matrix, nil
}

// payoffs returns the value of each role after joint move c of an expansion.
func (s *Solver) payoffs(ctx context.Context, m machine.Machine, x *play.Expansion, c int) ([]float64, error) {
	values := make([]float64, len(x.Moves))
	if x.Terminal[c] {
		for role, goal := range x.ChildGoals(c) {
			values[role] = float64(search.Points(goal))
		}
		return values, nil
	}
	r, err := s.Search(ctx, m, slices.Clone(x.Child(c)), search.Limits{MaxBytes: s.memory, NoLine: true})
	switch {
	case err != nil:
		return nil, err
	case !r.Solved():
		return nil, fmt.Errorf("%w: a position after the first one is not solved", ErrMatrix)
	case r.Concept == search.Guarantee || r.Concept == search.PureGuarantee:
		return nil, fmt.Errorf("%w: the positions after the first one have guarantees, no values", ErrMatrix)
	}
	for role, v := range r.Values {
		values[role] = v.Lower + (v.Upper-v.Lower)/2
	}
	return values, nil
}

// decimals is the number of steps of a printed payoff in a goal point: six digits of a large payoff.
const decimals = 1e4

// decimal returns a number of steps in goal points. A constant sum of payoffs stays constant, since the sum is rounded, not
// the second payoff.
func decimal(steps float64) string { return strconv.FormatFloat(steps/decimals, 'f', -1, 64) }
