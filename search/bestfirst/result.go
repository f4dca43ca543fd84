package bestfirst

import (
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// result returns the result of the search so far.
func (s *Searcher) result() search.Result {
	n := s.root
	r := search.Result{
		Values:     []search.Interval{search.Exact(s.goal(0, n.value)), search.Exact(s.goal(1, n.value))},
		Strategies: make([][]search.Weighted, 2), Moves: make([][]search.Known, 2), Line: n.line(), Counters: s.counters,
	}
	r.PeakBytes = s.bytes
	for role := range r.Moves {
		for i, m := range n.moves[role] {
			if p := n.mixes[role][i]; p > 0 {
				r.Strategies[role] = append(r.Strategies[role], search.Weighted{Move: m, Probability: p})
			}
			estimate, visits := n.against(role, i)
			r.Moves[role] = append(r.Moves[role], search.Known{Move: m, Bounds: search.GoalRange, Estimate: s.goal(role, estimate), Visits: visits})
		}
	}
	return r
}

// goal returns the goal of a role where the first player gets value.
func (s *Searcher) goal(role int, value float64) float64 {
	if role == 1 {
		value = s.sum - value
	}
	return search.GoalRange.Clamp(value)
}

// against returns the value for the first player if a role makes its i-th move against the other's equilibrium strategy,
// and the number of descents by this move.
func (n *node) against(role, i int) (value float64, visits int64) {
	for j, p := range n.mixes[1-role] {
		c := i*len(n.moves[1]) + j
		if role == 1 {
			c = j*len(n.moves[1]) + i
		}
		value += p * n.elements[c]
		if n.kids != nil {
			visits += n.kids[c].visits
		}
	}
	return value, visits
}

// line returns the most probable joint moves from n to the end of the tree.
func (n *node) line() (line [][]machine.Move) {
	for n != nil {
		i, j := likeliest(n.mixes[0]), likeliest(n.mixes[1])
		line = append(line, []machine.Move{n.moves[0][i], n.moves[1][j]})
		if n.kids == nil {
			break
		}
		n = n.kids[i*len(n.moves[1])+j].to
	}
	return line
}

func likeliest(mix []float64) int { return slices.Index(mix, slices.Max(mix)) }
