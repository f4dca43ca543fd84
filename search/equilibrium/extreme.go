package equilibrium

import (
	"fmt"
	"math/big"
)

// maxExtreme bounds the rows plus columns of a matrix whose extreme equilibria are listed: 12 choose 6 vertices a side.
const maxExtreme = 12

// Extreme returns all extreme equilibria: pairs of vertices of the best response polytopes with all labels. In a nondegenerate game these are
// all equilibria; in a degenerate one every equilibrium is a convex combination of some (Mangasarian 1964). The error
// is for a matrix of more than 12 rows and columns together.
func (g Bimatrix) Extreme() ([]Profile, error) {
	m, n := len(g.Row), len(g.Row[0])
	if m+n > maxExtreme {
		return nil, fmt.Errorf("expected at most %d rows and columns together, found %d", maxExtreme, m+n)
	}
	var found []Profile
	ofQ := vertices(positive(g.Row), m, 0, m+n)
	for _, x := range vertices(positive(transposed(g.Column)), 0, m, m+n) {
		for _, y := range ofQ {
			if x.labels|y.labels == 1<<(m+n)-1 {
				found = append(found, Profile{x.strategy(0, m), y.strategy(m, n)})
			}
		}
	}
	return found, nil
}

// vertex is a vertex of a best response polytope other than the origin.
type vertex struct {
	values []*big.Rat // by variable
	labels uint64     // the variables that are 0
}

// vertices lists the vertices of {v ≥ 0, Mv ≤ 1} without the origin, each once: with slacks the system has one equation a row, and a
// vertex is a nonnegative solution of some basis.
func vertices(m [][]*big.Rat, variable, slack, labels int) (list []vertex) {
	seen := make(map[string]bool)
	for basis := range uint64(1) << labels {
		columns := ones(basis)
		if len(columns) != len(m) {
			continue
		}
		v, ok := basicSolution(newTableau(m, variable, slack, labels).rows, columns, labels)
		key := fmt.Sprint(v.values)
		if !ok || seen[key] || v.isOrigin(variable, labels-len(m)) {
			continue
		}
		seen[key] = true
		list = append(list, v)
	}
	return list
}

// ones returns the numbers of the bits that are set.
func ones(set uint64) (list []int) {
	for k := 0; set>>k != 0; k++ {
		if set>>k&1 != 0 {
			list = append(list, k)
		}
	}
	return list
}

// basicSolution solves a system for the variables of some columns, all others being 0. It reports whether there is one
// solution and it is nonnegative.
func basicSolution(rows [][]*big.Rat, columns []int, labels int) (vertex, bool) {
	for r, k := range columns {
		p := r
		for p < len(rows) && rows[p][k].Sign() == 0 {
			p++
		}
		if p == len(rows) {
			return vertex{}, false
		}
		rows[r], rows[p] = rows[p], rows[r]
		eliminate(rows, r, k)
	}
	v := vertex{values: make([]*big.Rat, labels), labels: 1<<labels - 1}
	for k := range v.values {
		v.values[k] = new(big.Rat)
	}
	for r, k := range columns {
		v.values[k] = rows[r][labels]
		if v.values[k].Sign() < 0 {
			return vertex{}, false
		}
		if v.values[k].Sign() > 0 {
			v.labels &^= 1 << k
		}
	}
	return v, true
}

// isOrigin reports whether n variables from one on are 0.
func (v vertex) isOrigin(from, n int) bool {
	zero := uint64(1<<n-1) << from
	return v.labels&zero == zero
}

// strategy returns n variables from one on, scaled to a distribution.
func (v vertex) strategy(from, n int) []*big.Rat { return distribution(v.values[from : from+n]) }
