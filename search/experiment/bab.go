package experiment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/sequential"
)

// Random trees of the Bounded Alpha-Beta paper: two players in turn, a fixed depth and
// branching factor, leaves uniform in 0 … 100. For each tolerance ε the ratio of
// expansions to those at ε = 0 (ER) and the width of the interval at the root (AMB),
// means of as many trees as in the paper, by Algorithm 1 as printed.

const (
	babPaper = "Bounded Alpha-Beta"
	babTrees = 50
)

// bounded is a line of this experiment.
type bounded struct {
	branching, depth int
	epsilon          float64
}

// boundedTrees lists the lines, by branching factor, ε and depth.
func boundedTrees() []run {
	published := map[bounded]string{
		{4, 3, 32}: "ER 0.67", {4, 5, 32}: "ER 0.37", {4, 7, 32}: "ER 0.18", {4, 9, 32}: "ER 0.05, AMB 30.97", {4, 9, 64}: "AMB 61.88",
	}
	var runs []run
	for _, branching := range []int{2, 3, 4, 5} {
		for _, epsilon := range []float64{0, 8, 16, 32, 64} {
			for _, depth := range []int{3, 5, 7, 9} {
				b := bounded{branching, depth, epsilon}
				r := run{
					table: fmt.Sprintf("Random trees of %d moves, by depth", branching), method: fmt.Sprintf("ε = %g", epsilon),
					size: depth, bounded: &b,
				}
				if note := published[b]; note != "" {
					r.paper = &Published{Source: babPaper, Note: note}
				}
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// measure searches the trees of a line.
func (b bounded) measure(ctx context.Context, row *Row) error {
	began := time.Now()
	for seed := range uint64(babTrees) {
		m := randomTree(b.branching, b.depth, 100, seed)
		all, err := b.search(ctx, m, 0)
		if err != nil {
			return err
		}
		r, err := b.search(ctx, m, b.epsilon)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			row.Note = fmt.Sprintf("stopped after %d of %d trees", seed, babTrees)
			return nil
		}
		row.Value = [2]float64{r.Values[0].Lower, r.Values[0].Upper}
		row.Nodes += float64(r.Nodes)
		row.Ratio += float64(r.Nodes) / float64(all.Nodes)
		row.Bound += r.Values[0].Upper - r.Values[0].Lower
	}
	row.scale(1. / babTrees)
	row.Ratio, row.Bound = row.Ratio/babTrees, row.Bound/babTrees
	row.Seconds = time.Since(began).Seconds()
	row.Note = fmt.Sprintf("ER %.2f, AMB %.2f", row.Ratio, row.Bound)
	row.Finished = true
	return nil
}

func (b bounded) search(ctx context.Context, m machine.Machine, epsilon float64) (search.Result, error) {
	c := sequential.Config{Epsilon: epsilon, Without: sequential.Literal}
	return sequential.New(c).Search(ctx, m, m.Initial(), search.Limits{})
}

// randomTree is a machine whose positions are made as they are met: a hash of the moves
// that lead there, and the depth. Leaves are uniform in 0 … most, for max.
func randomTree(branching, depth, most int, seed uint64) machine.Machine {
	names := &machine.Names{Roles: []string{"max", "min"}, Fluents: make([]string, 128)}
	for range names.Roles {
		moves := []string{"wait"}
		for i := range branching {
			moves = append(moves, fmt.Sprint("move ", i+1))
		}
		names.Moves = append(names.Moves, moves)
	}
	return machine.NewScalar(names, machine.State{seed, 0}, machine.Info{Engine: "random tree"},
		func() machine.Stepper { return &leaf{branching: branching, most: most, depth: uint64(depth)} })
}

// leaf stands in a random tree, mostly not yet at a leaf.
type leaf struct {
	branching, most int

	depth uint64
	at    machine.State
}

// SetState implements machine.Stepper.
func (l *leaf) SetState(s machine.State) { l.at = append(l.at[:0], s...) }

// Terminal implements machine.Stepper.
func (l *leaf) Terminal() bool { return l.at[1] == l.depth }

// Goal implements machine.Stepper.
func (l *leaf) Goal(r machine.Role) int32 {
	points := int32(machine.NewRand(l.at[0]).Intn(l.most + 1))
	if r == 1 {
		return int32(l.most) - points
	}
	return points
}

// AppendLegal implements machine.Stepper.
func (l *leaf) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if uint64(r) != l.at[1]%2 {
		return append(dst, 0)
	}
	dst = slices.Grow(dst, l.branching)
	for m := range l.branching {
		dst = append(dst, machine.Move(m+1))
	}
	return dst
}

// Next implements machine.Stepper.
func (l *leaf) Next(dst machine.State, joint []machine.Move) {
	dst[0] = machine.NewRand(l.at[0]*64 + uint64(joint[0]+joint[1])).Uint64()
	dst[1] = l.at[1] + 1
}
