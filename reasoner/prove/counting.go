package prove

import (
	"context"
	"maps"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// Counting arguments are hard for resolution (Haken 1985), so they are added as clauses. Let m disjoint groups of
// fluents have exactly one true fluent each. Let m sets contain the same fluents, with at most one true fluent each.
// Then each set has exactly one true fluent. Example: a Latin square has as many numbers as cells in a row, and each
// cell has a number; so each number is in a cell.

// maxCounted bounds the fluents that are counted; the exclusion matrix has a bit for each pair.
const maxCounted = 2048

// Count adds the clauses of the counting argument about step 0.
func (f *Formula) Count(ctx context.Context, inv *Invariants) {
	fluents, groups := f.possibleFluents(ctx, inv)
	if len(fluents) == 0 || len(fluents) > maxCounted {
		return
	}
	sets := exclusiveSets(inv.pairs, fluents)
	switch {
	case len(sets) > groups:
		return
	case len(sets) < groups:
		f.add() // the empty clause
	}
	for _, set := range sets {
		f.Require(f.fluentsAt(0, set)...)
	}
}

// possibleFluents returns the fluents that may be true in pairwise disjoint groups, each with the number of its
// group, and the number of groups.
func (f *Formula) possibleFluents(ctx context.Context, inv *Invariants) (fluents map[int32]int, groups int) {
	fluents = map[int32]int{}
	for _, group := range inv.groups {
		var possible []int32
		for _, g := range group {
			if _, taken := fluents[g]; taken {
				possible = nil
				break
			}
			if l := f.SignalAt(0, literal(g)); f.Solve(ctx, sat.Limits{MaxConflicts: 1}, l) != sat.Unsat {
				possible = append(possible, g)
			} else if l != logic.False {
				f.Require(l.Not())
			}
		}
		if len(possible) > 0 {
			for _, g := range possible {
				fluents[g] = groups
			}
			groups++
		}
	}
	return fluents, groups
}

// exclusiveSets divides fluents greedily into sets of at most one true fluent, by pairs of fluents of different
// groups. A set grows by the candidate that excludes the most other candidates.
func exclusiveSets(pairs []pair, fluents map[int32]int) [][]int32 {
	list := slices.Sorted(maps.Keys(fluents))
	words := (len(list) + 63) / 64
	index := map[int32]int{}
	excludes := make([]machine.State, len(list)) // sets of indices
	free := make(machine.State, words)
	for i, f := range list {
		index[f], excludes[i] = i, make(machine.State, words)
		free.Set(i)
	}
	for _, p := range pairs {
		a, b := fluent(p.a), fluent(p.b)
		i, okI := index[a]
		j, okJ := index[b]
		if p.a.Complemented() && p.b.Complemented() && okI && okJ && fluents[a] != fluents[b] {
			excludes[i].Set(j)
			excludes[j].Set(i)
		}
	}
	var sets [][]int32
	for i := range list {
		if !free.Has(i) {
			continue
		}
		var set []int32
		candidates := slices.Clone(free)
		for next := i; next >= 0; {
			set = append(set, list[next])
			free[next>>6] &^= 1 << (next & 63)
			for w := range candidates {
				candidates[w] &= excludes[next][w]
			}
			next = mostExclusive(excludes, candidates)
		}
		sets = append(sets, set)
	}
	return sets
}

// mostExclusive returns the candidate that excludes the most other candidates, or -1 if there is no candidate.
func mostExclusive(excludes []machine.State, candidates machine.State) int {
	best, most := -1, -1
	for w, word := range candidates {
		for ; word != 0; word &= word - 1 {
			i := w<<6 | bits.TrailingZeros64(word)
			n := 0
			for v, c := range candidates {
				n += bits.OnesCount64(c & excludes[i][v])
			}
			if n > most {
				best, most = i, n
			}
		}
	}
	return best
}
