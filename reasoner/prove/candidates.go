package prove

import (
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
	hash    []uint64      // by fluent: of all that is said of it
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
		inGroup: make([][]int32, fluents), inSum: make([][]int32, fluents), hash: make([]uint64, fluents),
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
			x.note([]int32{p.a >> 1, p.b >> 1}, int(p.a), int(p.b))
		}
		for _, group := range inv.groups {
			for _, f := range group {
				x.inGroup[f] = append(x.inGroup[f], int32(len(x.groups)))
			}
			x.groups = append(x.groups, groupOf{group, owed})
			x.note(group, len(group))
		}
		for _, e := range inv.equations {
			var fluents []int32
			said := []int{e.constant}
			for _, t := range slices.Concat(e.sets...) {
				fluents, said = append(fluents, t.fluent), append(said, int(t.fluent), t.coefficient)
				x.inSum[t.fluent] = append(x.inSum[t.fluent], int32(len(x.sums)))
			}
			x.sums = append(x.sums, sumOf{e, fluents, owed})
			x.note(fluents, said...)
		}
	}
	for _, l := range candidates.lasting {
		x.lasting[l] = true
		x.note([]int32{l >> 1}, int(l))
	}
	return x
}

// note takes note that something is said of fluents.
func (x *candidateIndex) note(fluents []int32, said ...int) {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴/φ
	hash := uint64(len(said))
	for _, v := range said {
		hash = (hash ^ uint64(v)) * odd
		hash ^= hash >> 29
	}
	for _, f := range fluents {
		hash = (hash ^ uint64(f)) * odd
		hash ^= hash >> 32
	}
	for _, f := range fluents {
		x.hash[f] += hash
	}
}

// owes tells whether a candidate speaks of a fluent.
func (x *candidateIndex) owes(f int32) bool {
	return len(x.owed[2*f])+len(x.owed[2*f+1])+len(x.inGroup[f])+len(x.inSum[f]) > 0 || x.lasting[2*f] || x.lasting[2*f+1]
}

// hashOf is that of all that is said of some fluents.
func (x *candidateIndex) hashOf(fluents []int32) uint64 {
	sum := uint64(0)
	for _, f := range fluents {
		sum += x.hash[f]
	}
	return sum
}
