package experiment

import (
	"context"
	"fmt"
	"math"
	"time"
)

// The effect of move ordering: leaves of uniform trees visited by alpha-beta (ε = 0) with the children in
// the best order, and in random order. The best case is the minimum of Knuth and Moore (1975),
// b^⌈d/2⌉ + b^⌊d/2⌋ − 1; textbooks say O(b^(d/2)). In random order, with independent continuous leaves,
// the number is about b^(0.75 d) for moderate b (Pearl, 1980: the branching factor is b^(3/4), or b/log b
// for large b).

// uniformLeaves returns the lines of the table, by depth.
func uniformLeaves() []run {
	var runs []run
	for _, branching := range []int{2, 3, 4, 5} {
		for _, depth := range []int{2, 4, 6, 8} {
			for _, best := range []bool{true, false} {
				method := "any order"
				if best {
					method = "best order"
				}
				runs = append(runs, run{
					table: fmt.Sprintf("Leaves of uniform trees of %d moves, by depth", branching), method: method, size: depth,
					special: &leaves{branching, depth, best},
				})
			}
		}
	}
	return runs
}

// leaves measures one line of the table.
type leaves struct {
	branching, depth int
	best             bool
}

// measure implements special. Nodes are leaves.
func (l *leaves) measure(ctx context.Context, row *Row) error {
	began := time.Now()
	t := &randomTrees{branching: l.branching, depth: l.depth, leaf: fraction}
	if l.best {
		t.leaf = func(uint64) float64 { return 50 } // every order is the best
	}
	var count mean
	for seed := range uint64(babInstances) {
		s := printed[branch]{tree: t, goals: treeGoals}
		s.root(branch{seed: mixed(seed, 2)})
		count.add(float64(s.visits - s.expansions))
		if ctx.Err() != nil {
			row.Note = "stopped"
			return nil
		}
	}
	b, d := float64(l.branching), float64(l.depth)
	row.Nodes, row.Seconds, row.Finished = count.value(), time.Since(began).Seconds(), true
	row.Note = fmt.Sprintf("minimum %.0f, b^(d/2) = %.0f, b^d = %.0f; found b^(%.2f d)",
		math.Pow(b, math.Ceil(d/2))+math.Pow(b, math.Floor(d/2))-1, math.Pow(b, d/2), math.Pow(b, d), math.Log(row.Nodes)/(d*math.Log(b)))
	return nil
}
