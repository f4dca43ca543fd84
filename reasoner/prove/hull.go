package prove

import "stackmate/reasoner/machine"

// hull is the affine hull of positions (Karr, "Affine relationships among variables of a program", 1976). It is the
// solution set of all linear equations over fluents that hold in the positions. A position is a row over a prime
// field: a leading 1, and a 1 for each true fluent. The rows are in reduced echelon form, so a new position costs a
// row operation for each of its true fluents. Each column without a leading 1 is an equation: a linear combination of
// the leading columns.
//
// Most positions lie in the hull already. The probe, a random combination of all equations, finds the exceptions: a
// position outside the hull satisfies it with probability 1/prime.
type hull struct {
	rows  [][]uint32 // by leading column; nil for a column without a row
	rank  int
	probe []uint32
	rng   *machine.Rand
}

// prime is the order of the field: products of two elements fit into 64 bits.
const prime = 1<<31 - 1

func newHull(fluents int) *hull {
	h := &hull{rows: make([][]uint32, fluents+1), rng: machine.NewRand(1)}
	h.draw()
	return h
}

// join adds a position, given by its true fluents, and reports whether the hull has grown.
func (h *hull) join(fluents []int32) bool {
	if h.has(fluents) {
		return false
	}
	row := make([]uint32, len(h.rows))
	row[0] = 1
	for _, f := range fluents {
		row[f+1] = 1
	}
	for c, other := range h.rows {
		if v := row[c]; v != 0 && other != nil {
			subtract(row[c:], other[c:], v)
		}
	}
	lead := 0
	for lead < len(row) && row[lead] == 0 {
		lead++
	}
	if lead == len(row) {
		return false
	}
	for inverse, i := power(row[lead], prime-2), lead; i < len(row); i++ {
		row[i] = uint32(uint64(row[i]) * uint64(inverse) % prime)
	}
	for _, other := range h.rows[:lead] {
		if other != nil && other[lead] != 0 {
			subtract(other[lead:], row[lead:], other[lead])
		}
	}
	h.rows[lead] = row
	h.rank++
	h.draw()
	return true
}

// has reports whether a position lies in the hull, with an error probability of 1/prime.
func (h *hull) has(fluents []int32) bool {
	sum := uint64(h.probe[0])
	for _, f := range fluents {
		sum += uint64(h.probe[f+1])
	}
	return sum%prime == 0
}

// draw sets the probe to a random combination of all equations.
func (h *hull) draw() {
	h.probe = make([]uint32, len(h.rows))
	for c, row := range h.rows {
		if row == nil {
			h.probe[c] = uint32(h.rng.Uint64() % prime)
		}
	}
	for c, row := range h.rows {
		if row == nil {
			continue
		}
		sum := uint64(0)
		for i := c + 1; i < len(row); i++ {
			if row[i] != 0 {
				sum += uint64(row[i]) * uint64(h.probe[i]) % prime
			}
		}
		h.probe[c] = uint32((prime - sum%prime) % prime)
	}
}

// equation returns the equation of a column without a row: the coefficients of the constant and of the fluents in a sum
// that is 0 in all positions, as the smallest integers. It returns false if these integers are not small.
func (h *hull) equation(column int) ([]int, bool) {
	const maxDenominator, maxCoefficient = 6, 200
	for scale := uint64(1); scale <= maxDenominator; scale++ {
		coefficients := make([]int, len(h.rows))
		coefficients[column] = -int(scale)
		ok := true
		for c, row := range h.rows[:column] {
			if row == nil || row[column] == 0 {
				continue
			}
			v := int(uint64(row[column]) * scale % prime)
			if v > prime/2 {
				v -= prime
			}
			coefficients[c] = v
			ok = ok && -maxCoefficient <= v && v <= maxCoefficient
		}
		if ok {
			return coefficients, true
		}
	}
	return nil, false
}

// subtract subtracts a multiple of a row.
func subtract(row, other []uint32, times uint32) {
	minus := uint64(prime - times)
	for i, v := range other {
		if v != 0 {
			row[i] = uint32((uint64(row[i]) + minus*uint64(v)) % prime)
		}
	}
}

// power returns a power in the field.
func power(base uint32, exponent int) uint32 {
	result, b := uint64(1), uint64(base)
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 != 0 {
			result = result * b % prime
		}
		b = b * b % prime
	}
	return uint32(result)
}
