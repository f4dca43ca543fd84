package experiment

import (
	"context"
	"strings"
	"testing"
	"time"

	"stackmate/search"
	"stackmate/search/sequential"
)

func TestBoundedAlphaBetaKeepsItsPromiseOnRandomTrees(t *testing.T) {
	lab := Lab{Sizes: Range{3, 5}, Limit: time.Minute, Memory: 64}
	ratio := map[string]float64{}
	rows := 0
	err := lab.Run(t.Context(), "bab", func(r Row) error {
		rows++
		var epsilon float64
		switch r.Method {
		case "ε = 8":
			epsilon = 8
		case "ε = 16":
			epsilon = 16
		case "ε = 32":
			epsilon = 32
		case "ε = 64":
			epsilon = 64
		}
		if !r.Finished || r.Bound > epsilon || r.Ratio > 1.05 || epsilon == 0 && r.Ratio != 1 {
			t.Errorf("%s, %s, depth %d: ER %g, AMB %g", r.Table, r.Method, r.Size, r.Ratio, r.Bound)
		}
		if last, ok := ratio[r.Table+string(rune(r.Size))]; ok && r.Ratio > last {
			t.Errorf("%s, depth %d: ER %g at ε = %g, %g at less", r.Table, r.Size, r.Ratio, epsilon, last)
		}
		ratio[r.Table+string(rune(r.Size))] = r.Ratio
		if strings.HasSuffix(r.Table, "4 moves, by depth") && r.Size == 3 && epsilon == 32 && (r.Paper == nil || r.Ratio < 0.55 || r.Ratio > 0.75) {
			t.Errorf("depth 3, ε = 32: ER %g beside %v", r.Ratio, r.Paper)
		}
		return nil
	})
	if err != nil || rows != 4*5*2 {
		t.Errorf("%d rows, error %v", rows, err)
	}
}

// Knuth and Moore (1975): of a uniform tree in the best order, alpha-beta visits
// b^⌈k/2⌉ + b^⌊k/2⌋ − 1 positions at depth k. If all leaves are equal, every order is the best.
func TestTheBestCaseIsKnuthAndMooresMinimum(t *testing.T) {
	for branching := 2; branching <= 5; branching++ {
		for depth := 1; depth <= 6; depth++ {
			m := randomTree(branching, depth, 0, 1)
			c := sequential.Config{Without: sequential.Literal, Goals: search.Interval{Lower: -1, Upper: 1}}
			r, err := sequential.New(c).Search(context.Background(), m, m.Initial(), search.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want, odd, even := int64(0), int64(1), int64(1)
			for k := range depth {
				want += odd + even - 1
				if k%2 == 0 {
					odd *= int64(branching)
				} else {
					even *= int64(branching)
				}
			}
			if r.Nodes != want || !r.Solved() {
				t.Errorf("branching %d, depth %d: %d expansions, want %d", branching, depth, r.Nodes, want)
			}
		}
	}
}
