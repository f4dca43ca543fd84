// Package vector is the arithmetic of networks of Width units: rows of weights added to units,
// gradients added to rows, Adam, and read-outs. It owns the AVX2 and NEON instructions and knows
// neither positions nor learning.
//
// The portable functions (portable.go) define the results to the last bit: the vector kernels add in
// the same order, and neither fuses multiplications and additions. So results do not depend on the
// processor.
//
// Memory safety: assembly accesses only rows of fixed size, through pointers to a row or to the first row of
// a slice. Row numbers are Inputs, or the bits of sets of words, or a list of such bits that one call makes and uses. Inputs
// are checked against a bound at construction and are immutable outside the package. Each function compares the bound, or 64 times the
// number of words, with the number of rows before any access. It panics if rows are missing.
package vector

import (
	"fmt"
	"math/bits"
)

//go:generate go run -C ../../../tools ./vectors -out ../search/evaluate/vector/vector_amd64.s -stubs ../search/evaluate/vector/vector_amd64.go -pkg vector
//go:generate go run -C ../../../tools ./vectors/neon -out ../search/evaluate/vector/vector_arm64.s -stubs ../search/evaluate/vector/vector_arm64.go -pkg vector

// Width is the number of units.
const Width = 64

// Floats is a row of weights, or the units.
type Floats [Width]float32

// Shorts is a row of weights in fixed point, or a sum of rows, modulo 1<<16.
type Shorts [Width]int16

// Inputs is a list of rows: one for each true input, and the bias, the row behind all inputs.
type Inputs struct {
	list  []uint32
	below int // bound of list
}

// SetBits sets the list to the bits of a set.
func (s *Inputs) SetBits(set []uint64) {
	s.grow(len(set))
	n := 0
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			s.list[n] = uint32(i<<6 + bits.TrailingZeros64(w))
			n++
		}
	}
	s.end(n, 64*len(set))
}

// SetImages sets the list to the images of the bits of a set, without negative images.
func (s *Inputs) SetImages(set []uint64, images []int32) {
	s.grow(len(set))
	n, bias := 0, 64*len(set)
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			to := images[i<<6+bits.TrailingZeros64(w)]
			if to < 0 {
				continue
			}
			if int(to) >= bias {
				panic(fmt.Sprintf("vector: expected images below %d, found %d", bias, to))
			}
			s.list[n] = uint32(to)
			n++
		}
	}
	s.end(n, bias)
}

// grow makes room for the bits of the given number of words, and the bias.
func (s *Inputs) grow(words int) {
	if cap(s.list) <= 64*words {
		s.list = make([]uint32, 64*words+1)
	}
	s.list = s.list[:64*words+1]
}

// end appends the bias after n inputs.
func (s *Inputs) end(n, bias int) {
	s.list[n] = uint32(bias)
	s.list, s.below = s.list[:n+1], bias+1
}

// Sum stores the sum of the input rows in to.
func Sum(to *Floats, rows []Floats, inputs *Inputs) {
	check(len(rows), inputs.below)
	if vectors && len(inputs.list) > 0 {
		sumKernel(&to[0], &rows[0][0], &inputs.list[0], len(inputs.list))
	} else {
		sumPortable(to, rows, inputs.list)
	}
}

// Add adds delta to the rows of the inputs.
func Add(rows []Floats, inputs *Inputs, delta *Floats) {
	check(len(rows), inputs.below)
	if vectors && len(inputs.list) > 0 {
		addKernel(&rows[0][0], &inputs.list[0], len(inputs.list), &delta[0])
	} else {
		addPortable(rows, inputs.list, delta)
	}
}

// Change turns the sums of the set `from` into the sums of the set `to`, modulo 1<<16, in each block of units. A block has its
// own sums and rows. The sets have the same number of words. It adds the rows of bits set only in to, and subtracts the rows
// of bits set only in from. Several blocks need c as scratch memory: the bits are found once for all of them.
func Change(sums []Shorts, rows [][]Shorts, from, to []uint64, c *Changes) {
	check(len(rows), len(sums))
	check(len(from), len(to))
	for _, block := range rows {
		check(len(block), 64*len(to))
	}
	if len(sums) == 1 {
		change(&sums[0], rows[0], from, to)
		return
	}
	for word := 0; word < len(to); {
		word = c.find(from, to, word)
		for b := range sums {
			c.apply(&sums[b], rows[b])
		}
	}
}

func change(sums *Shorts, rows []Shorts, from, to []uint64) {
	if vectors && len(to) > 0 {
		changeKernel(&sums[0], &rows[0][0], &from[0], &to[0], len(to))
	} else {
		changePortable(sums, rows, from, to)
	}
}

// Changes lists rows by which the sums of two sets differ.
type Changes struct {
	list [listed]uint32 // 2k+1 adds row k, 2k subtracts it
	n    int
}

// listed is the number of rows that a Changes has room for: the number of values of an index that needs no check.
const listed = 1 << 8

// find lists the bits in which two sets differ, from a word on. It stops when the bits of the next word might not fit, and
// returns the index of this word.
func (c *Changes) find(from, to []uint64, word int) (next int) {
	n := 0
	for ; word < len(to) && n <= listed-64; word++ {
		w := to[word]
		for d := w ^ from[word]; d != 0; d &= d - 1 {
			k := bits.TrailingZeros64(d)
			c.list[uint8(n)] = uint32(word<<6+k)<<1 | uint32(w>>k&1)
			n++
		}
	}
	c.n = n
	return word
}

// apply adds and subtracts the listed rows.
func (c *Changes) apply(sums *Shorts, rows []Shorts) {
	switch {
	case !vectors:
		applyPortable(sums, rows, c.list[:c.n])
	case c.n > 0:
		applyKernel(&sums[0], &rows[0][0], &c.list[0], c.n)
	}
}

// Read returns Σ weights·max(0, units)².
func Read(weights, units *Floats) float32 {
	if vectors {
		return readKernel(&weights[0], &units[0])
	}
	return readPortable(weights, units)
}

// ReadShorts does the same as Read for units in fixed point.
func ReadShorts(weights *Floats, units *Shorts) float32 {
	if vectors {
		return readShortsKernel(&weights[0], &units[0])
	}
	return readShortsPortable(weights, units)
}

// Back propagates the error e of a Read: it adds 2e·weights·max(0, units) to delta, and
// e·max(0, units)² to the gradient of the weights.
func Back(delta, gradient, weights, units *Floats, e float32) {
	if vectors {
		backKernel(&delta[0], &gradient[0], &weights[0], &units[0], e)
	} else {
		backPortable(delta, gradient, weights, units, e)
	}
}

// Adam holds the constants of a step of Adam (Kingma and Ba, 2015).
type Adam struct {
	Scale       float32 // of gradients
	FirstDecay  float32
	SecondDecay float32
	Rate        float32
	Epsilon     float32
	Follow      float32 // rate at which the mean follows the weights
}

// tiny is the threshold below which the mean of a gradient is set to zero. It would not change any
// weight, and would decay to subnormal numbers, which are slow.
const tiny = 1e-30

// Step moves the weights along the gradient, which it clears, and the mean weights towards the weights.
// first and second are the means of the gradient and of its square. In a row without gradient whose
// first is zero only the mean moves. All slices must have the same length.
func (a *Adam) Step(weights, gradient, first, second, mean []Floats) {
	for _, other := range [][]Floats{gradient, first, second, mean} {
		check(len(other), len(weights))
	}
	if !vectors || len(weights) == 0 {
		a.stepPortable(weights, gradient, first, second, mean)
		return
	}
	constants := [...]float32{a.Scale, a.FirstDecay, 1 - a.FirstDecay, a.SecondDecay, 1 - a.SecondDecay, a.Rate, a.Epsilon, a.Follow, tiny}
	stepKernel(&weights[0][0], &gradient[0][0], &first[0][0], &second[0][0], &mean[0][0], len(weights), &constants[0])
}

// check panics if have < need.
func check(have, need int) {
	if have < need {
		tooFew(have, need)
	}
}

func tooFew(have, need int) {
	panic(fmt.Sprintf("vector: expected at least %d rows or words, found %d", need, have))
}
