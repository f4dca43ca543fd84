// Package evaluate learns from the rules alone what positions are worth: a small
// network over fluents, fitted to games that it plays against itself in the lanes of a
// batch. It owns the network, the learning and the form of it that is quick to
// evaluate; it knows state machines, never rules, and searches know it as a function of
// positions.
//
// Supported: games of any number of roles up to maxOutputs, with turns, simultaneous
// moves and chance, on machines with a closed table of fluents.
package evaluate

import (
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// maxOutputs is the most players, and maxFluents the most fluents (a megabyte of
// weights), that are worth the memory.
const (
	maxOutputs = 8
	maxFluents = 1 << 14
)

// Evaluation estimates what positions of one machine are worth to each role. It is
// immutable and safe for concurrent use.
//
// The weights into four units are one word, as numbers of 16 bits in fixed point of
// which each carries into the next: adding words adds all four, and taking the carries
// out again, from the lowest up, is exact as long as no sum leaves its 16 bits. The
// scale is chosen so that none does for as many fluents as were ever true in learning; a
// position with more may get a wrong value, no more.
type Evaluation struct {
	players []machine.Role
	roles   int
	sum     float64 // of the goals of two players, if network has one output for both
	view    *view
	network *network
	words   []uint64 // by input, then unit/4; the last are the bias
	scale   float32
	nothing machine.State // in which no fluent is true
}

// packed is the number of words for the units.
const packed = width / 4

// quantise makes an evaluation of a network, for positions of up to the given number of
// fluents.
func (e *Evaluation) quantise(active int) {
	n := e.network
	e.scale = min(1024, math.MaxInt16/max(1, n.reach(active)))
	e.nothing, e.words = make(machine.State, e.view.wide()), make([]uint64, len(n.in)/4)
	for i := range e.words {
		for k := 3; k >= 0; k-- {
			e.words[i] = e.words[i]<<16 + uint64(int64(math.Round(float64(n.in[4*i+k]*e.scale))))
		}
	}
}

// reach is the largest that a unit can be in positions of so many fluents.
func (n *network) reach(active int) float32 {
	weights := make([]float32, n.inputs())
	largest := float32(0)
	for u := range width {
		for f := range weights {
			weights[f] = max(n.row(f)[u], -n.row(f)[u])
		}
		slices.SortFunc(weights, func(a, b float32) int {
			if a > b {
				return -1
			}
			return 1
		})
		sum := max(n.row(n.inputs())[u], -n.row(n.inputs())[u]) + 1
		for _, w := range weights[:min(active, len(weights))] {
			sum += w
		}
		largest = max(largest, sum)
	}
	return largest
}

// Values writes what the positions, laid out one after the other, are worth to each
// role, in goal points: position by position, 0 for chance. Those of siblings, one after the
// other, are had for less: only the fluents are added up that differ from the position before.
func (e *Evaluation) Values(dst []float64, states []uint64) {
	e.view.look(states, func(seen []uint64) {
		var units [width]float32
		values := make([]float32, 0, maxOutputs)[:e.network.outputs]
		wide := e.view.wide()
		bias := [packed]uint64(e.words[len(e.words)-packed:])
		sums, before := bias, e.nothing
		for ; len(seen) > 0; seen = seen[wide:] {
			now := seen[:wide]
			if distance(before, now) > distance(e.nothing, now) {
				sums, before = bias, e.nothing
			}
			e.add(&sums, before, now)
			e.unpack(&units, &sums)
			e.network.read(values, &units)
			e.byRole(dst[:e.roles], values)
			dst, before = dst[e.roles:], now
		}
	})
}

// distance is the number of inputs that differ.
func distance(a, b machine.State) int {
	n := 0
	for i, w := range a {
		n += bits.OnesCount64(w ^ b[i])
	}
	return n
}

// ValuesOf writes what the positions, laid out one after the other, are worth to role r.
func (e *Evaluation) ValuesOf(r machine.Role, dst []float64, states []uint64) {
	var buffer [256]float64
	at := buffer[:len(buffer)/e.roles*e.roles]
	for len(dst) > 0 {
		n := min(len(dst), len(at)/e.roles)
		e.Values(at[:n*e.roles], states[:n*e.view.words])
		for i := range n {
			dst[i] = at[i*e.roles+int(r)]
		}
		dst, states = dst[n:], states[n*e.view.words:]
	}
}

// rest is what the second of two players gets if the first one gets value.
func (e *Evaluation) rest(value float64) float64 { return min(max(0, e.sum-value), machine.MaxGoal) }

// byRole turns outputs into goal points.
func (e *Evaluation) byRole(dst []float64, values []float32) {
	clear(dst)
	if e.network.outputs < len(e.players) {
		dst[e.players[0]] = 100 * float64(values[0])
		dst[e.players[1]] = e.rest(dst[e.players[0]])
		return
	}
	for i, r := range e.players {
		dst[r] = 100 * float64(values[i])
	}
}

// add makes the sums of one position, by unit/4, those of another one.
func (e *Evaluation) add(sums *[packed]uint64, from, to machine.State) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	for i, w := range to {
		before := from[i]
		for more := w &^ before; more != 0; more &= more - 1 {
			row := (*[packed]uint64)(e.words[(i<<6+bits.TrailingZeros64(more))*packed:])
			s0 += row[0]
			s1 += row[1]
			s2 += row[2]
			s3 += row[3]
			s4 += row[4]
			s5 += row[5]
			s6 += row[6]
			s7 += row[7]
		}
		for less := before &^ w; less != 0; less &= less - 1 {
			row := (*[packed]uint64)(e.words[(i<<6+bits.TrailingZeros64(less))*packed:])
			s0 -= row[0]
			s1 -= row[1]
			s2 -= row[2]
			s3 -= row[3]
			s4 -= row[4]
			s5 -= row[5]
			s6 -= row[6]
			s7 -= row[7]
		}
	}
	*sums = [packed]uint64{s0, s1, s2, s3, s4, s5, s6, s7}
}

// unpack takes the units out of their sums.
func (e *Evaluation) unpack(units *[width]float32, sums *[packed]uint64) {
	inverse := 1 / e.scale
	for i, sum := range sums {
		for k := range 4 {
			low := int16(sum)
			units[4*i+k] = float32(low) * inverse
			sum = (sum - uint64(int64(low))) >> 16
		}
	}
}
