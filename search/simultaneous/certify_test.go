package simultaneous

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

func TestSolutionsOfRandomGamesAreCertified(t *testing.T) {
	for _, method := range []Method{Auto, BackwardInduction, SMAB, DoubleOracle} {
		rapid.Check(t, func(t *rapid.T) {
			g := drawStacked(t)
			m := g.machine()
			if terminal, _ := machine.NewExpander(m).Look(m.Initial()); terminal {
				return
			}
			searcher, err := New(Config{Method: method, Table: true})
			if err != nil {
				t.Fatal(err)
			}
			strategies := searcher.Strategies(context.Background(), m, search.Limits{})
			got, err := Certify(context.Background(), m, 0, m.Initial(), strategies)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := g.exact().Float64()
			if math.Abs(got.Row-want) > tolerance || math.Abs(got.Column-want) > tolerance {
				t.Fatalf("%s: the strategies guarantee %v and %v, the value is %v", method, got.Row, got.Column, want)
			}
		})
	}
}

// uniform plays every legal move with the same probability.
func uniform(m machine.Machine) Strategies {
	x := machine.NewExpander(m)
	return func(q machine.State) ([][]search.Weighted, error) {
		var e machine.Expansion
		x.Expand(&e, q)
		strategies := make([][]search.Weighted, len(e.Moves))
		for r, moves := range e.Moves {
			for _, move := range moves {
				strategies[r] = append(strategies[r], search.Weighted{Move: move, Probability: 1 / float64(len(moves))})
			}
		}
		return strategies, nil
	}
}

func TestUniformPlayIsExploitable(t *testing.T) {
	// Example 2 of the paper. Against a uniform row player the columns are worth
	// 3, 5/3 and 3; against a uniform column player the rows 7/3, 3 and 7/3.
	m := oneMatrix([][]int32{{6, 1, 0}, {3, 3, 3}, {0, 1, 6}})
	got, err := Certify(context.Background(), m, 0, m.Initial(), uniform(m))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Row-5.0/3) > tolerance || math.Abs(got.Column-3) > tolerance {
		t.Fatalf("guarantees %v and %v, want 5/3 and 3", got.Row, got.Column)
	}
}

func TestStrategiesOfIllegalMovesAreNamed(t *testing.T) {
	m := oneMatrix([][]int32{{6, 1}, {3, 3}})
	none := func(machine.State) ([][]search.Weighted, error) { return make([][]search.Weighted, 2), nil }
	_, err := Certify(context.Background(), m, 0, m.Initial(), none)
	if err == nil || !strings.Contains(err.Error(), "probability of 0") {
		t.Fatalf("error %v", err)
	}
}

// oneMatrix is a game of a single joint move.
func oneMatrix(a [][]int32) machine.Machine {
	g := &stacked{roles: []string{"left", "right"}, nodes: make([]stackedNode, 1)}
	g.nodes[0].count = [3]int{len(a), len(a[0])}
	for _, row := range a {
		for _, goal := range row {
			g.nodes[0].children = append(g.nodes[0].children, len(g.nodes))
			g.nodes = append(g.nodes, stackedNode{goal: goal})
		}
	}
	return g.machine()
}
