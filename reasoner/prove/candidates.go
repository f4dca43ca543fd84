package prove

import (
	"cmp"
	"slices"

	"stackmate/reasoner/circuit"
)

// candidateIndex tells by fluent what candidates, and what is known already, say of it.
type candidateIndex struct {
	clauses [][]int32     // by literal: the other literals of the clauses of two with it
	owed    [][]int32     // the same, of the candidates alone
	single  []circuit.Lit // by fluent: what it always is, or unset
	lasting []bool        // by literal: that it lasts is a candidate
	groups  []groupOf     // by number
	inGroup [][]int32     // by fluent: numbers
	sums    []sumOf       // by number
	inSum   [][]int32     // by fluent: numbers
}

// groupOf is a group, and sumOf an equation: known, or owed as a candidate.
type (
	groupOf struct {
		fluents []int32
		owed    bool
	}
	sumOf struct {
		*equation
		fluents []int32
		owed    bool
	}
)

func newIndex(fluents int, known, candidates *Invariants) *candidateIndex {
	x := &candidateIndex{
		clauses: make([][]int32, 2*fluents), owed: make([][]int32, 2*fluents), lasting: make([]bool, 2*fluents),
		inGroup: make([][]int32, fluents), inSum: make([][]int32, fluents),
		single: slices.Repeat([]circuit.Lit{unset}, fluents),
	}
	for _, inv := range []*Invariants{known, candidates} {
		owed := inv == candidates
		for _, p := range inv.pairs {
			x.clauses[p.a] = append(x.clauses[p.a], p.b)
			if owed {
				x.owed[p.a] = append(x.owed[p.a], p.b)
			}
			if p.a == p.b {
				x.single[p.a>>1] = circuit.True ^ circuit.Lit(p.a&1)
			} else {
				x.clauses[p.b] = append(x.clauses[p.b], p.a)
				if owed {
					x.owed[p.b] = append(x.owed[p.b], p.a)
				}
			}
		}
		for _, group := range inv.groups {
			for _, f := range group {
				x.inGroup[f] = append(x.inGroup[f], int32(len(x.groups)))
			}
			x.groups = append(x.groups, groupOf{group, owed})
		}
		for _, e := range inv.equations {
			var fluents []int32
			for _, t := range slices.Concat(e.sets...) {
				fluents = append(fluents, t.fluent)
				x.inSum[t.fluent] = append(x.inSum[t.fluent], int32(len(x.sums)))
			}
			x.sums = append(x.sums, sumOf{e, fluents, owed})
		}
	}
	for _, l := range candidates.lasting {
		x.lasting[l] = true
	}
	return x
}

// owes tells whether a candidate speaks of a fluent.
func (x *candidateIndex) owes(f int32) bool {
	return len(x.owed[2*f])+len(x.owed[2*f+1])+len(x.inGroup[f])+len(x.inSum[f]) > 0 || x.lasting[2*f] || x.lasting[2*f+1]
}

// differing lists fluents of which two sets of invariants don't say the same, some of them twice.
func differing(a, b *Invariants) []int32 {
	var list []int32
	differ(a.pairs, b.pairs, comparePairs, func(p pair) { list = append(list, p.a>>1, p.b>>1) })
	differ(a.groups, b.groups, slices.Compare, func(group []int32) { list = append(list, group...) })
	differ(a.lasting, b.lasting, cmp.Compare, func(l int32) { list = append(list, l>>1) })
	differ(inOrder(a.equations), inOrder(b.equations), compareEquations, func(e *equation) {
		for _, t := range slices.Concat(e.sets...) {
			list = append(list, t.fluent)
		}
	})
	return list
}

// differ calls f with what is in one of two ascending lists alone.
func differ[T any](a, b []T, compare func(T, T) int, f func(T)) {
	for len(a) > 0 && len(b) > 0 {
		switch c := compare(a[0], b[0]); {
		case c < 0:
			f(a[0])
			a = a[1:]
		case c > 0:
			f(b[0])
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	for _, x := range slices.Concat(a, b) {
		f(x)
	}
}

func inOrder(equations []*equation) []*equation {
	return slices.SortedFunc(slices.Values(equations), compareEquations)
}

func compareEquations(a, b *equation) int {
	return cmp.Or(cmp.Compare(a.constant, b.constant), slices.CompareFunc(a.sets, b.sets, func(s, t []term) int {
		return slices.CompareFunc(s, t, func(x, y term) int {
			return cmp.Or(cmp.Compare(x.fluent, y.fluent), cmp.Compare(x.coefficient, y.coefficient))
		})
	}))
}
