package prove

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// equation is an invariant: the values of some sets of fluents and a constant add up to 0. The pairs imply that at
// most one fluent of a set is true; its coefficient is the value of the set, which is 0 otherwise. Example: a counter
// of pieces equals the number of cells with a piece.
type equation struct {
	sets     [][]term // the largest set last
	constant int
}

// term is a fluent with its coefficient.
type term struct {
	fluent      int32
	coefficient int
}

const (
	// maxColumns bounds the fluents of a game whose equations are searched for.
	maxColumns = 1200
	// maxTerms bounds the fluents of an equation, and maxEquations the equations. Equations of few fluents come first.
	maxTerms     = 500
	maxEquations = 40
	// maxDrift bounds the change of a partial sum in a joint move that keeps the sum of all sets.
	maxDrift = 12
	// maxEquationConflicts bounds the conflicts of the SAT engine for an equation.
	maxEquationConflicts = 20_000
)

// holds reports whether the equation holds in a position.
func (e *equation) holds(s machine.State) bool {
	sum := e.constant
	for _, set := range e.sets {
		for _, t := range set {
			if s.Has(int(t.fluent)) {
				sum += t.coefficient
			}
		}
	}
	return sum == 0
}

// findEquations reads the equations from the hull of the sampled positions. Each group is an equation already and is subtracted,
// so the equations have few fluents and are independent of each other.
func (s *sample) findEquations() {
	s.equations = nil
	if s.hull == nil {
		return
	}
	var found [][]int
	seen := map[string]bool{}
	for c := 1; c < len(s.hull.rows); c++ {
		if s.hull.rows[c] != nil {
			continue
		}
		coefficients, ok := s.hull.equation(c)
		if !ok {
			continue
		}
		normalise(coefficients)
		for _, group := range s.groups {
			shift(coefficients, group)
		}
		normalise(coefficients)
		if key := fmt.Sprint(coefficients); size(coefficients) > 1 && size(coefficients) <= maxTerms && !seen[key] {
			seen[key] = true
			found = append(found, coefficients)
		}
	}
	slices.SortStableFunc(found, func(a, b []int) int { return size(a) - size(b) })
	for _, coefficients := range found[:min(len(found), maxEquations)] {
		if e := s.equation(coefficients); !s.banned[fmt.Sprint(*e)] && e.holds(s.machine.Initial()) {
			s.equations = append(s.equations, e)
		}
	}
}

// ban drops an equation for good.
func (s *sample) ban(e *equation) {
	s.changes++
	if s.banned == nil {
		s.banned = map[string]bool{}
	}
	s.banned[fmt.Sprint(*e)] = true
	s.findEquations()
}

// shift adds a multiple of a group, which has exactly one true fluent, and adapts the constant. It chooses the
// multiple that leaves the fewest fluents of the group with a coefficient.
func shift(coefficients []int, group []int32) {
	count := map[int]int{}
	for _, f := range group {
		count[coefficients[f+1]]++
	}
	best := coefficients[group[0]+1]
	for v, n := range count {
		if n > count[best] || n == count[best] && v < best {
			best = v
		}
	}
	if best != 0 {
		for _, f := range group {
			coefficients[f+1] -= best
		}
		coefficients[0] += best
	}
}

func abs(v int) int { return max(v, -v) }

// normalise divides coefficients by their greatest common divisor, and makes the first coefficient of a fluent positive.
func normalise(coefficients []int) {
	divisor, sign := 0, 0
	for i, v := range coefficients {
		for a, b := divisor, abs(v); ; a, b = b, a%b {
			if b == 0 {
				divisor = a
				break
			}
		}
		if i > 0 && sign == 0 {
			sign = cmp.Compare(v, 0)
		}
	}
	for i := range coefficients {
		if divisor > 0 && sign != 0 {
			coefficients[i] = coefficients[i] / divisor * sign
		}
	}
}

// size returns the number of fluents with a coefficient.
func size(coefficients []int) int {
	n := 0
	for _, v := range coefficients[1:] {
		if v != 0 {
			n++
		}
	}
	return n
}

// equation returns the equation with the given coefficients, its fluents divided into sets of mutually exclusive
// fluents.
func (s *sample) equation(coefficients []int) *equation {
	e := &equation{constant: coefficients[0]}
	left := slices.Clone(coefficients[1:])
	take := func(fluents []int32) {
		var set []term
		for _, f := range fluents {
			if left[f] != 0 && !slices.ContainsFunc(set, func(t term) bool { return !s.excludes(t.fluent, f) }) {
				set = append(set, term{f, left[f]})
				left[f] = 0
			}
		}
		if len(set) > 0 {
			e.sets = append(e.sets, set)
		}
	}
	for _, group := range s.groups {
		take(group)
	}
	for f := range left {
		if left[f] != 0 {
			take([]int32{int32(f)})
		}
	}
	slices.SortStableFunc(e.sets, func(a, b []term) int { return len(a) - len(b) })
	return e
}

// excludes reports whether a pair excludes that two fluents are true together.
func (inv *Invariants) excludes(f, g int32) bool {
	return inv.hasPair(literal(f).Not(), literal(g).Not())
}

// hasPair reports whether a clause of two literals is among the sorted pairs.
func (inv *Invariants) hasPair(l, m logic.Lit) bool {
	_, ok := slices.BinarySearchFunc(inv.pairs, pair{max(l, m), min(l, m)}, comparePairs)
	return ok
}

func comparePairs(p, q pair) int {
	return cmp.Or(int(p.a-q.a), int(p.b-q.b))
}

// extendHull adds the positions of the sample to the hull, and reports whether the hull has grown.
func (s *sample) extendHull() bool {
	if s.hull == nil {
		return false
	}
	before := s.hull.rank
	for i := range s.words() {
		for s.extendHullFrom(i) {
		}
	}
	return s.hull.rank > before
}

// extendHullFrom adds the first position of sample word i that lies outside the hull, and reports whether there is
// such a position.
func (s *sample) extendHullFrom(i int) bool {
	var sums [64]uint64
	for f, row := range s.true {
		if v := uint64(s.hull.probe[f+1]); v != 0 && !s.ticks.Has(f) {
			for w := row[i]; w != 0; w &= w - 1 {
				sums[bits.TrailingZeros64(w)] += v
			}
		}
	}
	for lane, sum := range sums {
		if (sum+uint64(s.hull.probe[0]))%prime == 0 {
			continue
		}
		var position []int32
		for f, row := range s.true {
			if row[i]>>lane&1 != 0 && !s.ticks.Has(f) {
				position = append(position, int32(f))
			}
		}
		return s.hull.join(position)
	}
	return false
}

// values returns, by value of a set, the signal of the positions in which the set has this value.
func values(net *logic.Network, set []term, signalOf func(logic.Lit) logic.Lit) map[int]logic.Lit {
	when := map[int]logic.Lit{}
	var literals []logic.Lit
	for _, t := range set {
		l := signalOf(literal(t.fluent))
		when[t.coefficient] = net.Or(when[t.coefficient], l)
		literals = append(literals, l)
	}
	when[0] = net.Or(literals...).Not()
	return when
}

// extent returns the least and the greatest value of a set.
func extent(set []term) (low, high int) {
	for _, t := range set {
		low, high = min(low, t.coefficient), max(high, t.coefficient)
	}
	return low, high
}

// add returns, by sum of a value and an earlier sum within a range, the signal of the positions with this sum.
func add(net *logic.Network, sums, values map[int]logic.Lit, low, high int) map[int]logic.Lit {
	when := map[int][]logic.Lit{}
	added := sorted(values)
	for _, s := range sorted(sums) {
		for _, v := range added {
			if low <= s+v && s+v <= high {
				when[s+v] = append(when[s+v], net.And(sums[s], values[v]))
			}
		}
	}
	out := make(map[int]logic.Lit, len(when))
	for _, s := range sorted(when) {
		out[s] = net.Or(when[s]...)
	}
	return out
}

// holdsAt returns the signal of the positions in which an equation holds.
func (e *equation) holdsAt(net *logic.Network, signalOf func(logic.Lit) logic.Lit) logic.Lit {
	var low, high int // range of the sum of the remaining sets
	for _, set := range e.sets {
		l, h := extent(set)
		low, high = low+l, high+h
	}
	sums := map[int]logic.Lit{e.constant: logic.True}
	for _, set := range e.sets {
		l, h := extent(set)
		low, high = low-l, high-h
		sums = add(net, sums, values(net, set, signalOf), -high, -low)
	}
	return sums[0]
}

// isKept returns the signal of the transitions whose changes of sets add up to 0: they keep the equation. Hardly any set
// changes, so there are few sums.
func (e *equation) isKept(t transition) logic.Lit {
	net := t.network()
	var altered [][]term
	for _, set := range e.sets {
		if slices.ContainsFunc(set, func(x term) bool { return t.alters(x.fluent) }) {
			altered = append(altered, set)
		}
	}
	sums := map[int]logic.Lit{0: logic.True}
	for i, set := range altered {
		drift := maxDrift
		if i+1 == len(altered) {
			drift = 0
		}
		now, then := values(net, set, t.before), values(net, set, t.after)
		changes := map[int][]logic.Lit{}
		later := sorted(then)
		for _, v := range sorted(now) {
			for _, w := range later {
				if abs(w-v) <= 2*maxDrift {
					changes[w-v] = append(changes[w-v], net.And(now[v], then[w]))
				}
			}
		}
		change := make(map[int]logic.Lit, len(changes))
		for v, lits := range changes {
			change[v] = net.Or(lits...)
		}
		sums = add(net, sums, change, -drift, drift)
	}
	return sums[0]
}

// sorted returns the keys of a map in order.
func sorted[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }
