package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"stackmate/search"
)

// The experiments of the Bounded Alpha-Beta paper, by Algorithm 1 as printed: for each tolerance ε the
// ratio of expansions to expansions at ε = 0 (ER) and the width of the interval at the root (AMB), as
// means over the paper's number of instances.

const (
	babPaper     = "Bounded Alpha-Beta"
	babInstances = 50
	babChosen    = 0.8 // probability of the chosen move, in games with chance
	babObstacles = 0.2 // share of the cells
)

var (
	treeGoals    = search.Interval{Lower: 0, Upper: 100}
	chaseGoals   = search.Interval{Lower: 0, Upper: gridGoal}
	treeEpsilons = []float64{0, 8, 16, 24, 32, 48, 64, 80}
	copsEpsilons = []float64{0, 1, 2, 4, 6, 8}
)

// figures are published figures of instances of a size, by ε: ER and AMB, 0 if not given.
type figures map[int]map[float64][2]float64

var (
	figure4      = figures{3: {32: {0.67}}, 5: {32: {0.37}}, 7: {32: {0.18}}, 9: {32: {0.05, 30.97}, 64: {0, 61.88}}}
	figure6trees = figures{4: {8: {0.79, 6.58}, 24: {0.40, 20.71}}}
	figure6cops  = figures{3: {4: {0.25, 3.17}, 8: {0.07, 7.19}}}
)

// find returns the published figures of a size and ε, or nil.
func (f figures) find(size int, epsilon float64) *Published {
	v, ok := f[size][epsilon]
	if !ok {
		return nil
	}
	p := &Published{Source: babPaper, Ratio: v[0], Bound: v[1]}
	for i, name := range []string{"ER", "AMB"} {
		if v[i] > 0 {
			p.Note += fmt.Sprintf("%s %.2f ", name, v[i])
		}
	}
	p.Note = strings.TrimSpace(p.Note)
	return p
}

// babRuns returns the lines of all tables.
func babRuns() []run {
	var runs []run
	for _, branching := range []int{2, 3, 4, 5} {
		var published figures
		if branching == 4 {
			published = figure4
		}
		for _, depth := range []int{3, 5, 7, 9} {
			runs = append(runs, curve(fmt.Sprintf("Random trees of %d moves, by depth", branching), depth, treeEpsilons,
				inTree(&randomTrees{branching: branching, depth: depth}), published)...)
		}
	}
	runs = slices.Concat(runs, bins("Random trees of 4 moves and depth 5: AMB by ER in fifths", treeEpsilons,
		inTree(&randomTrees{branching: 4, depth: 5})))
	for _, branching := range []int{2, 3, 4, 5} {
		runs = append(runs, curve("Random trees with chance (p = 0.8), depth 4, by moves", branching, treeEpsilons,
			inTree(&randomTrees{branching: branching, depth: 4, chosen: babChosen}), figure6trees)...)
	}
	for _, depth := range []int{3, 5, 7} {
		runs = append(runs, curve("Cops and robber, by depth", depth, copsEpsilons, inChase(depth, 0, 0), nil)...)
	}
	runs = append(runs, bins("Cops and robber, depth 3: AMB by ER in fifths", copsEpsilons, inChase(3, 0, 0))...)
	runs = append(runs, curve("Cops and robber with chance (p = 0.8) and obstacles, by depth", 3, copsEpsilons,
		inChase(3, babChosen, babObstacles), figure6cops)...)
	return slices.Concat(runs, playRuns())
}

// outcome is the number of expansions, of inner nodes, and the value of a search.
type outcome struct {
	expansions int64
	value      search.Interval
}

// searchOf searches the instance generated from a seed.
type searchOf func(seed uint64, epsilon float64) outcome

// inTree searches random trees.
func inTree(t *randomTrees) searchOf {
	return func(seed uint64, epsilon float64) outcome {
		s := printed[branch]{tree: t, goals: treeGoals, epsilon: epsilon}
		v := s.root(branch{seed: seed})
		return outcome{s.expansions, v}
	}
}

// inChase searches random positions of cops and robber.
func inChase(depth int, chosen, obstacles float64) searchOf {
	return func(seed uint64, epsilon float64) outcome {
		start, blocked := newChase(seed, obstacles)
		t := &copsAndRobber{depth: depth, chosen: chosen, steps: stepsAround(blocked)}
		s := printed[chase]{tree: t, goals: chaseGoals, epsilon: epsilon}
		v := s.root(start)
		return outcome{s.expansions, v}
	}
}

// curve returns the lines of instances of one size, one for each ε.
func curve(table string, size int, epsilons []float64, one searchOf, published figures) []run {
	var runs []run
	safe := new([]outcome)
	for _, epsilon := range epsilons {
		runs = append(runs, run{
			table: table, method: fmt.Sprintf("ε = %g", epsilon), size: size, paper: published.find(size, epsilon),
			special: &bounded{epsilon: epsilon, search: one, safe: safe},
		})
	}
	return runs
}

// bounded measures a line of ER and AMB.
type bounded struct {
	epsilon float64
	search  searchOf
	safe    *[]outcome // at ε = 0, by seed; shared by the lines of the same instances
}

// pair searches an instance with and without tolerance.
func (b *bounded) pair(seed uint64) (safe, got outcome, err error) {
	if uint64(len(*b.safe)) == seed {
		*b.safe = append(*b.safe, b.search(mixed(seed, 0), 0))
	}
	safe = (*b.safe)[seed]
	if b.epsilon == 0 {
		return safe, safe, nil
	}
	got = b.search(mixed(seed, 0), b.epsilon)
	if width := got.value.Upper - got.value.Lower; width > b.epsilon+rounding {
		err = fmt.Errorf("ε = %g: an interval of width %g", b.epsilon, width)
	}
	return safe, got, err
}

// rounding is the error of intervals at chance nodes.
const rounding = 1e-9

// measure implements special.
func (b *bounded) measure(ctx context.Context, row *Row) error {
	began := time.Now()
	var ratio, bound mean
	expansions := 0.0
	row.Epsilon = b.epsilon
	for seed := range uint64(babInstances) {
		safe, got, err := b.pair(seed)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			row.Note = fmt.Sprintf("stopped after %d of %d instances; ", seed, babInstances)
			break
		}
		row.Value = [2]float64{got.value.Lower, got.value.Upper}
		ratio.add(float64(got.expansions) / float64(safe.expansions))
		bound.add(got.value.Upper - got.value.Lower)
		expansions += float64(got.expansions)
	}
	if ratio.count == 0 {
		return nil
	}
	row.Nodes, row.Ratio, row.Bound = expansions/ratio.count, ratio.value(), bound.value()
	row.Finished = row.Note == ""
	row.Seconds = time.Since(began).Seconds()
	row.Note += fmt.Sprintf("ER %.2f ± %.2f, AMB %.2f ± %.2f", row.Ratio, ratio.error(), row.Bound, bound.error())
	return nil
}

// mean accumulates numbers for their mean and its error.
type mean struct{ count, sum, squares float64 }

func (m *mean) add(v float64) { m.count, m.sum, m.squares = m.count+1, m.sum+v, m.squares+v*v }

func (m *mean) value() float64 { return m.sum / m.count }

// error returns the standard error of the mean.
func (m *mean) error() float64 {
	if m.count < 2 {
		return math.Inf(1)
	}
	return math.Sqrt(max(0, m.squares/m.count-m.value()*m.value()) / (m.count - 1))
}

// bin is a line of Figures 4 (c) and 5 (c): the mean AMB of all instances, over all ε, whose ER lies in
// one fifth of 0 … 1.
type bin struct {
	number int // 0 … 4
	curve  []run
}

const binCount = 5

func bins(table string, epsilons []float64, one searchOf) []run {
	lines := curve(table, 0, epsilons[1:], one, nil)
	var runs []run
	for i := range binCount {
		low, high := float64(i)/binCount, float64(i+1)/binCount
		runs = append(runs, run{table: table, method: fmt.Sprintf("%.1f < ER ≤ %.1f", low, high), size: i + 1, special: &bin{number: i, curve: lines}})
	}
	return runs
}

// measure implements special.
func (b *bin) measure(ctx context.Context, row *Row) error {
	began := time.Now()
	var bound mean
	for _, line := range b.curve {
		for seed := range uint64(babInstances) {
			if ctx.Err() != nil {
				row.Note = "stopped"
				return nil
			}
			safe, got, err := line.special.(*bounded).pair(seed)
			if err != nil {
				return err
			}
			ratio := float64(got.expansions) / float64(safe.expansions)
			if min(max(int(math.Ceil(ratio*binCount))-1, 0), binCount-1) == b.number {
				bound.add(got.value.Upper - got.value.Lower)
			}
		}
	}
	row.Finished, row.Seconds = true, time.Since(began).Seconds()
	if row.Note = "no instance"; bound.count > 0 {
		row.Bound = bound.value()
		row.Note = fmt.Sprintf("AMB %.2f ± %.2f, %.0f of %d", row.Bound, bound.error(), bound.count, len(b.curve)*babInstances)
	}
	return nil
}
