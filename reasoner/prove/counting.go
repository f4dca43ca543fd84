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

// Counting, which clauses are bad at (Haken 1985): if of each of m groups of fluents exactly
// one is true, and the same fluents lie in m sets of each of which at most one is true, then
// exactly one of each set is. As many numbers as cells, and each cell has one: each number is
// in some cell.

// maxCounted is the number of fluents that are counted: a bit for each two.
const maxCounted = 2048

// Count adds what counting says of a position.
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
		f.add() // impossible
	}
	for _, set := range sets {
		f.Require(f.fluentsAt(0, set)...)
	}
}

// counted are the fluents, of groups without a common one, that may be true, each with the
// number of its group; and the number of the groups.
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

// excluding divides fluents into sets of which at most one is true, by pairs, with fluents
// of different groups. Each set begins with one fluent; of those that exclude all in it, the
// one comes next that excludes most of the others.
func exclusiveSets(pairs []pair, fluents map[int32]int) [][]int32 {
	list := slices.Sorted(maps.Keys(fluents))
	words := (len(list) + 63) / 64
	index := map[int32]int{}
	excludes := make([]machine.State, len(list)) // as sets of indices
	free := make(machine.State, words)
	for i, f := range list {
		index[f], excludes[i] = i, make(machine.State, words)
		free.Set(i)
	}
	for _, p := range pairs {
		a, b := fluent(p.a), fluent(p.b)
		i, ok := index[a]
		j, too := index[b]
		if p.a.Complemented() && p.b.Complemented() && ok && too && fluents[a] != fluents[b] {
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

// widest is the candidate that excludes most of the others; -1 if there is none.
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
