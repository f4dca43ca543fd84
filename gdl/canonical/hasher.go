package canonical

import (
	"cmp"
	"slices"
)

// hasher computes hashes of rules that depend neither on names nor on the order of conditions, and numbers variables.
type hasher struct {
	work      int      // steps so far; beyond the budget results are arbitrary
	literals  []uint64 // hashes of the literals of the rule
	variables []uint64 // colours of the variables of the rule
	sums      []uint64 // by variable: the sum of the hashes of its occurrences
	sorted    []uint64 // the colours in order
}

// mix returns a hash of a pair.
func mix(h, x uint64) uint64 {
	h = h*0x9e3779b97f4a7c15 + x
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return h ^ h>>29
}

// hash returns a hash of a rule under the colours of its symbols. Variables with different occurrences get different colours.
func (h *hasher) hash(r *rule, colours []int32) uint64 {
	h.variables = append(h.variables[:0], make([]uint64, len(r.variables))...)
	h.sums = append(h.sums[:0], h.variables...)
	return h.refine(r, colours)
}

// canon returns a hash of a rule under different colours of all symbols; rules with the same hash differ in the names of
// variables and the order of conditions at most. All variables get different colours.
func (h *hasher) canon(r *rule, colours []int32) uint64 {
	return h.individualise(r, colours, h.hash(r, colours))
}

// refine returns a hash of a rule. It refines the colours of the variables until their number remains.
func (h *hasher) refine(r *rule, colours []int32) (sum uint64) {
	number, _ := h.distinct()
	for before := -1; number != before && h.work <= budget; {
		sum = h.look(r, colours)
		if before = number; number < len(h.variables) {
			for v, s := range h.sums {
				h.variables[v] = mix(h.variables[v], s)
			}
			number, _ = h.distinct()
		}
	}
	return sum
}

// look hashes each literal, and adds the literals up for the rule and the occurrences of each variable.
func (h *hasher) look(r *rule, colours []int32) (sum uint64) {
	h.literals = h.literals[:0]
	clear(h.sums)
	for _, literal := range r.literals {
		h.work += len(literal)
		hash := uint64(len(literal))
		for _, x := range literal {
			if x < 0 {
				hash = mix(hash, ^h.variables[-1-x])
			} else {
				hash = mix(hash, uint64(colours[x]))
			}
		}
		for i, x := range literal {
			if x < 0 {
				h.sums[-1-x] += mix(hash, uint64(i))
			}
		}
		h.literals = append(h.literals, hash)
		sum += hash
	}
	return sum
}

// distinct returns the number of different colours of the variables, and the least colour of several variables.
func (h *hasher) distinct() (number int, shared uint64) {
	h.sorted = append(h.sorted[:0], h.variables...)
	slices.Sort(h.sorted)
	number = len(h.sorted)
	for i := len(h.sorted) - 1; i > 0; i-- {
		if h.sorted[i] == h.sorted[i-1] {
			number, shared = number-1, h.sorted[i]
		}
	}
	return number, shared
}

// individualise gives different colours to variables that share a colour. Of all ways it takes the way with the least hash.
func (h *hasher) individualise(r *rule, colours []int32, sum uint64) uint64 {
	number, shared := h.distinct()
	if number == len(h.variables) || h.work > budget {
		return sum
	}
	before, best := slices.Clone(h.variables), []uint64(nil)
	for v, colour := range before {
		if colour != shared {
			continue
		}
		copy(h.variables, before)
		h.variables[v]++
		if found := h.individualise(r, colours, h.refine(r, colours)); best == nil || found < sum {
			sum, best = found, slices.Clone(h.variables)
		}
	}
	copy(h.variables, best)
	return sum
}

// ranked returns the variables in order of their colours.
func (h *hasher) ranked() []int {
	order := make([]int, len(h.variables))
	for v := range order {
		order[v] = v
	}
	slices.SortStableFunc(order, func(v, w int) int { return cmp.Compare(h.variables[v], h.variables[w]) })
	return order
}
