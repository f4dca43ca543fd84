package prove

import (
	"cmp"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// candidateIndex tells by fluent what candidates, and what is known already, say of it.
type candidateIndex struct {
	clauses    [][]logic.Lit // by literal: the other literals of the clauses of two with it
	candidates [][]logic.Lit // the same, of the candidates alone
	single     []logic.Lit   // by fluent: what it always is, or unset
	lasting    []bool        // by literal: that it lasts is a candidate
	groups     []claim[[]int32]
	inGroup    [][]int32 // by fluent: numbers of groups
	sums       []claim[*equation]
	inSum      [][]int32 // by fluent: numbers of sums
}

// claim is a group or an equation: known, or a candidate.
type claim[T any] struct {
	of        T
	candidate bool
}

func newIndex(fluents int, known, candidates *Invariants) *candidateIndex {
	literals := 2*fluents + 2
	x := &candidateIndex{
		clauses: make([][]logic.Lit, literals), candidates: make([][]logic.Lit, literals), lasting: make([]bool, literals),
		inGroup: make([][]int32, fluents), inSum: make([][]int32, fluents),
		single: slices.Repeat([]logic.Lit{unset}, fluents),
	}
	for _, inv := range []*Invariants{known, candidates} {
		candidate := inv == candidates
		for _, p := range inv.pairs {
			literals := []logic.Lit{p.a, p.b}
			if p.a == p.b {
				x.single[fluent(p.a)] = logic.True ^ p.a&1
				literals = literals[:1]
			}
			for i, l := range literals {
				other := literals[len(literals)-1-i]
				x.clauses[l] = append(x.clauses[l], other)
				if candidate {
					x.candidates[l] = append(x.candidates[l], other)
				}
			}
		}
		for _, group := range inv.groups {
			for _, f := range group {
				x.inGroup[f] = append(x.inGroup[f], int32(len(x.groups)))
			}
			x.groups = append(x.groups, claim[[]int32]{group, candidate})
		}
		for _, e := range inv.equations {
			for _, t := range slices.Concat(e.sets...) {
				x.inSum[t.fluent] = append(x.inSum[t.fluent], int32(len(x.sums)))
			}
			x.sums = append(x.sums, claim[*equation]{e, candidate})
		}
	}
	for _, l := range candidates.lasting {
		x.lasting[l] = true
	}
	return x
}

// speaksOf tells whether a candidate speaks of a fluent.
func (x *candidateIndex) speaksOf(f int32) bool {
	l := literal(f)
	return len(x.candidates[l])+len(x.candidates[l.Not()])+len(x.inGroup[f])+len(x.inSum[f]) > 0 || x.lasting[l] || x.lasting[l.Not()]
}

// differing lists fluents of which two sets of invariants don't say the same, some of them twice.
func differing(a, b *Invariants) []int32 {
	var list []int32
	differ(a.pairs, b.pairs, comparePairs, func(p pair) { list = append(list, fluent(p.a), fluent(p.b)) })
	differ(a.groups, b.groups, slices.Compare, func(group []int32) { list = append(list, group...) })
	differ(a.lasting, b.lasting, cmp.Compare, func(l logic.Lit) { list = append(list, fluent(l)) })
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
