// Package evaluate learns an evaluation of positions from the rules alone: a small network over
// fluents, fitted to games of self-play in the lanes of a batch. It owns the network, its
// training and its quantised form. It knows state machines but no rules; searches call it as a
// function of positions.
//
// Supported: games of up to maxOutputs players, with turns, simultaneous moves and chance, on
// machines with a closed table of fluents.
package evaluate

import (
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search/evaluate/vector"
)

// Limits of memory: maxOutputs is the maximum number of players, maxFluents of fluents (two
// megabytes of weights). A network of several blocks has at most maxRows rows, and maxBlocks blocks.
const (
	maxOutputs = 8
	maxFluents = 1 << 14
	maxRows    = 2*maxFluents + 1
	maxBlocks  = 8
)

// Evaluation estimates the value of positions of one machine for each role. It is immutable and
// safe for concurrent use.
//
// Weights are 16-bit fixed-point numbers. Their sums are exact as long as no sum overflows. The
// scale rules overflow out for positions with as many fluents as any position of the training had;
// a position with more fluents may get a wrong value.
type Evaluation struct {
	players []machine.Role
	roles   int
	sum     float64 // sum of the goals of both players, if network has one output for both
	view    *view
	network *network
	rows    [][]vector.Shorts // by block, then input; the last one is the bias
	turned  [][]vector.Shorts // by block, then input of a position that the mirror turns: the row of its image
	out     [][]vector.Floats // by block, then output: of units in fixed point
	scale   float32           // of the units of the first block
	nothing machine.State     // the position without true fluents
	share   float64           // see Share
	alone   Score             // see Alone
}

// Share returns the share of the evaluation in the best blend with the mean of playouts, from 0 to 1, or 0 before
// Learner.Weigh.
func (e *Evaluation) Share() float64 { return e.share }

// Alone returns the score that the file of the evaluation records (Record) of a search with the evaluation alone against a
// search with the evaluation beside playouts. It has no games without such a record.
func (e *Evaluation) Alone() Score { return e.alone }

// quantise computes the fixed-point rows of the network, scaled block by block for positions of up to active
// fluents.
func (e *Evaluation) quantise(active int) {
	e.nothing = make(machine.State, e.network.inputs()/64)
	e.rows, e.turned, e.out = nil, nil, nil
	for i, b := range e.network.blocks {
		scale := min(1024, math.MaxInt16/max(1, b.reach(active)))
		if i == 0 {
			e.scale = scale
		}
		rows, out := b.quantise(scale)
		e.rows, e.out = append(e.rows, rows), append(e.out, out)
		if e.view.mirror != nil {
			e.turned = append(e.turned, e.view.mirror.rows(rows))
		}
	}
}

// quantise returns the rows in fixed point, and the read-outs of the units that are their sums.
func (b block) quantise(scale float32) (rows []vector.Shorts, out []vector.Floats) {
	rows, out = make([]vector.Shorts, len(b.in)), slices.Clone(b.out)
	for i := range b.in {
		for u, w := range b.in[i] {
			rows[i][u] = int16(math.Round(float64(w * scale)))
		}
	}
	for o := range out {
		for u := range out[o] {
			out[o][u] /= scale * scale
		}
	}
	return rows, out
}

// reach bounds the absolute value of a unit in positions of up to active fluents. For any threshold
// t, the sum of the k largest of n absolute weights is at most k·t + Σ max(0, |weight| - t). The
// bound is smallest if t is the k-th largest: about mean·ln(n/k) for exponentially distributed
// weights.
func (b block) reach(active int) float32 {
	var threshold, sum vector.Floats
	for i := range b.in {
		for u, w := range b.in[i] {
			threshold[u] += max(w, -w)
		}
	}
	most := float32(active + 1) // with bias
	all := max(most, float32(len(b.in)))
	for u := range threshold {
		threshold[u] *= float32(math.Log(float64(all/most))) / all
		sum[u] = 1 + most*threshold[u]
	}
	for i := range b.in {
		for u, w := range b.in[i] {
			sum[u] += max(w-threshold[u], -w-threshold[u], 0)
		}
	}
	return slices.Max(sum[:])
}

// blockOutputs is the number of outputs between the two loops of Values.
const blockOutputs = 256

// Values writes the value of each position of states for each role to dst, in goal points: position
// by position, 0 for chance. Consecutive siblings are cheap: only changed fluents update the
// accumulator. The logistic functions of a block of positions have a loop of their own, in which the
// processor computes several at a time.
func (e *Evaluation) Values(dst []float64, states []uint64) {
	e.view.withSignals(states, func(seen []uint64) {
		wide, outputs := e.view.wide(), e.network.outputs
		var buffer [blockOutputs]float32
		var memory [maxBlocks]vector.Shorts
		var changes vector.Changes
		sums, before, turned := memory[:len(e.rows)], e.nothing, false
		e.reset(sums)
		for len(seen) > 0 {
			n := min(len(seen)/wide, blockOutputs/outputs)
			values := buffer[:n*outputs]
			for i := range n {
				now := seen[i*wide : (i+1)*wide]
				if turns := e.view.mirror.turns(now); turns != turned || distance(before, now) > distance(e.nothing, now) {
					turned, before = turns, e.nothing
					e.reset(sums)
				}
				vector.Change(sums, e.rowsSeen(turned), before, now, &changes)
				e.read(values[i*outputs:(i+1)*outputs], sums)
				before = now
			}
			for i, v := range values {
				values[i] = logistic(v)
			}
			for i := range n {
				at := dst[i*e.roles : (i+1)*e.roles]
				e.byRole(at, values[i*outputs:(i+1)*outputs])
				if e.view.mirror.turns(seen[i*wide:]) {
					first, second := e.players[0], e.players[1]
					at[first], at[second] = at[second], at[first]
				}
			}
			dst, seen = dst[n*e.roles:], seen[n*wide:]
		}
	})
}

// reset sets the sums of all blocks to their biases.
func (e *Evaluation) reset(sums []vector.Shorts) {
	for i, rows := range e.rows {
		sums[i] = rows[len(rows)-1]
	}
}

// read computes the arguments of the logistic functions of the outputs from the units.
func (e *Evaluation) read(values []float32, units []vector.Shorts) {
	linear := e.network.linear()
	for o := range values {
		v := float32(units[0][linear+o]) / e.scale
		for i := range units {
			v += vector.ReadShorts(&e.out[i][o], &units[i])
		}
		values[o] = v
	}
}

// rowsSeen returns the rows of the inputs of positions that the mirror turns, or of all others.
func (e *Evaluation) rowsSeen(turned bool) [][]vector.Shorts {
	if turned {
		return e.turned
	}
	return e.rows
}

// distance returns the number of inputs that differ.
func distance(a, b machine.State) int {
	n := 0
	for i, w := range a {
		n += bits.OnesCount64(w ^ b[i])
	}
	return n
}

// ValuesOf writes the value of each position of states for role r to dst.
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

// opponentValue returns the goal of the second player if the first player gets value.
func (e *Evaluation) opponentValue(value float64) float64 {
	return min(max(0, e.sum-value), machine.MaxGoal)
}

// byRole converts the outputs to goal points by role.
func (e *Evaluation) byRole(dst []float64, values []float32) {
	clear(dst)
	if e.network.outputs < len(e.players) {
		dst[e.players[0]] = 100 * float64(values[0])
		dst[e.players[1]] = e.opponentValue(dst[e.players[0]])
		return
	}
	for i, r := range e.players {
		dst[r] = 100 * float64(values[i])
	}
}
