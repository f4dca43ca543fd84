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
	"stackmate/search/evaluate/vector"
)

// maxOutputs is the most players, and maxFluents the most fluents (two megabytes
// of weights), that are worth the memory.
const (
	maxOutputs = 8
	maxFluents = 1 << 14
)

// Evaluation estimates what positions of one machine are worth to each role. It is
// immutable and safe for concurrent use.
//
// Weights are numbers of 16 bits in fixed point, whose sums are exact as long as none leaves
// its 16 bits. The scale is chosen so that none does for as many fluents as were ever true in
// learning; a position with more may get a wrong value, no more.
type Evaluation struct {
	players []machine.Role
	roles   int
	sum     float64 // of the goals of two players, if network has one output for both
	view    *view
	network *network
	rows    []vector.Shorts // by input; the last one is the bias
	scale   float32
	nothing machine.State // in which no fluent is true
	weight  float64       // see Weight

	correlation float64 // see Correlation
}

// Weight is how many playouts an estimate is worth; 0 if that was not found out (Learner.Weigh).
func (e *Evaluation) Weight() float64 { return e.weight }

// Correlation is that of estimates with the outcomes of games that were unseen then, from -1 to 1.
func (e *Evaluation) Correlation() float64 { return e.correlation }

// quantise makes an evaluation of a network, for positions of up to the given number of
// fluents.
func (e *Evaluation) quantise(active int) {
	n := e.network
	e.scale = min(1024, math.MaxInt16/max(1, n.reach(active)))
	e.nothing, e.rows = make(machine.State, n.inputs()/64), make([]vector.Shorts, len(n.in))
	for i := range n.in {
		for u, w := range n.in[i] {
			e.rows[i][u] = int16(math.Round(float64(w * e.scale)))
		}
	}
}

// reach bounds what a unit can be in positions of so many fluents: the sum of the k largest of n
// weights, by absolute value, is at most k·t + Σ max(0, |weight| - t) for any t, and that is
// least where t is the k-th largest, which is about mean·ln(n/k) where weights are distributed
// exponentially.
func (n *network) reach(active int) float32 {
	var threshold, sum vector.Floats
	for i := range n.in {
		for u, w := range n.in[i] {
			threshold[u] += max(w, -w)
		}
	}
	most := float32(active + 1) // with bias
	all := max(most, float32(len(n.in)))
	for u := range threshold {
		threshold[u] *= float32(math.Log(float64(all/most))) / all
		sum[u] = 1 + most*threshold[u]
	}
	for i := range n.in {
		for u, w := range n.in[i] {
			sum[u] += max(w-threshold[u], -w-threshold[u], 0)
		}
	}
	return slices.Max(sum[:])
}

// Values writes what the positions, laid out one after the other, are worth to each
// role, in goal points: position by position, 0 for chance. Those of siblings, one after the
// other, are had for less: only the fluents are added up that differ from the position before.
func (e *Evaluation) Values(dst []float64, states []uint64) {
	e.view.look(states, func(seen []uint64) {
		values := make([]float32, 0, maxOutputs)[:e.network.outputs]
		wide := e.view.wide()
		bias := e.rows[len(e.rows)-1]
		sums, before := bias, e.nothing
		for ; len(seen) > 0; seen = seen[wide:] {
			now := seen[:wide]
			if distance(before, now) > distance(e.nothing, now) {
				sums, before = bias, e.nothing
			}
			vector.Change(&sums, e.rows, before, now)
			e.read(values, &sums)
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

// read computes the outputs from the units.
func (e *Evaluation) read(values []float32, units *vector.Shorts) {
	linear := e.network.linear()
	for o := range values {
		values[o] = logistic((float32(units[linear+o]) + vector.ReadShorts(&e.network.out[o], units)/e.scale) / e.scale)
	}
}
