package prove

import (
	"cmp"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// candidateIndex lists, by fluent, the proved invariants and the candidates that mention it.
type candidateIndex struct {
	clauses    [][]logic.Lit // by literal: the other literals of its clauses of two literals
	candidates [][]logic.Lit // the same, for candidates only
	single     []logic.Lit   // by fluent: its constant value, or unset
	lasting    []bool        // by literal: a candidate says that it lasts
	groups     []claim[[]int32]
	inGroup    [][]int32 // by fluent: its groups
	equations  []claim[*equation]
	inEquation [][]int32 // by fluent: its equations
}

// claim is a group or an equation, either known or a candidate.
type claim[T any] struct {
	value     T
	candidate bool
}

func newIndex(fluents int, known, candidates *Invariants) *candidateIndex {
	literals := 2*fluents + 2
	x := &candidateIndex{
		clauses: make([][]logic.Lit, literals), candidates: make([][]logic.Lit, literals), lasting: make([]bool, literals),
		inGroup: make([][]int32, fluents), inEquation: make([][]int32, fluents),
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
				x.inEquation[t.fluent] = append(x.inEquation[t.fluent], int32(len(x.equations)))
			}
			x.equations = append(x.equations, claim[*equation]{e, candidate})
		}
	}
	for _, l := range candidates.lasting {
		x.lasting[l] = true
	}
	return x
}

// mentions reports whether a known invariant or a candidate mentions a fluent.
func (x *candidateIndex) mentions(f int32) bool {
	l := literal(f)
	return len(x.candidates[l])+len(x.candidates[l.Not()])+len(x.inGroup[f])+len(x.inEquation[f]) > 0 || x.lasting[l] || x.lasting[l.Not()]
}

// changedFluents lists the fluents of each invariant that only one of two sets contains; fluents may be repeated.
func changedFluents(a, b *Invariants) []int32 {
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

// differ calls f with each element that only one of two ascending lists contains.
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
