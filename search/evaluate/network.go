package evaluate

import (
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// A network is one layer of units over the fluents of a position and, for each output, a
// logistic function of their weighted sum:
//
//	unit u    = bias[u] + Σ in[f][u] over the fluents f that are true
//	output o  = σ(unit linear+o + Σ out[o][u]·max(0, unit u) over the rectified units u)
//
// The last units, one for each output, are not rectified: alone they would be logistic
// regression over single fluents, which is learnt first; the others learn what is in
// their conjunctions.
//
// Cost: a position takes width additions for each of its fluents.
type network struct {
	outputs int
	in      []float32 // by fluent, then unit; the last row is bias
	out     []float32 // by output, then rectified unit
}

// width is the number of units: eight words of an evaluation.
const width = 32

// linear is the number of rectified units; the first of the others.
func (n *network) linear() int { return width - n.outputs }

func newNetwork(inputs, outputs int, rng *machine.Rand) *network {
	n := &network{outputs: outputs, in: make([]float32, (inputs+1)*width), out: make([]float32, outputs*(width-outputs))}
	for i := range n.in {
		if i%width < n.linear() {
			n.in[i] = 0.2 * (2*float32(rng.Float64()) - 1)
		}
	}
	for i := range n.out {
		n.out[i] = 0.3 * (2*float32(rng.Float64()) - 1)
	}
	return n
}

// inputs is the number of inputs: fluents and threats.
func (n *network) inputs() int { return len(n.in)/width - 1 }

// row is the weights of a fluent.
func (n *network) row(f int) *[width]float32 { return (*[width]float32)(n.in[f*width:]) }

// forward computes the units of position s, and the outputs.
func (n *network) forward(units *[width]float32, values []float32, s machine.State) {
	*units = *n.row(n.inputs())
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			row := n.row(i<<6 + bits.TrailingZeros64(w))
			for u := range units {
				units[u] += row[u]
			}
		}
	}
	n.read(values, units)
}

// read computes the outputs from the units.
func (n *network) read(values []float32, units *[width]float32) {
	linear := n.linear()
	for o := range values {
		sum := units[linear+o]
		for u, weight := range n.out[o*linear : (o+1)*linear] {
			sum += weight * max(0, units[u])
		}
		values[o] = logistic(sum)
	}
}

func logistic(x float32) float32 { return 1 / (1 + float32(math.Exp(float64(-x)))) }

// trainer fits a network by Adam (Kingma and Ba, 2015) to minimise cross entropy, in
// batches of batchSize positions.
type trainer struct {
	*network
	gradient network
	first    network // means of the gradient
	second   network // means of its square
	mean     network // moving mean of the weights
	count    int     // positions in gradient
	steps    float64
	rate     float32
}

const (
	batchSize   = 256
	firstDecay  = 0.9
	secondDecay = 0.999
	// averaging: the mean of the weights (Polyak and Juditsky, 1992) is that of so many
	// steps, but at first of a smaller part of all that were made. After 1 000 000
	// positions it beats the weights of the last step by 9 ± 4 points in breakthrough
	// and reversi, in duels, by 4 in checkers; with a constant number of steps it loses
	// by as much after 150 000.
	averaging    = 1. / 500
	averagedPart = 8
)

func newTrainer(n *network) *trainer {
	like := func() network {
		return network{n.outputs, make([]float32, len(n.in)), make([]float32, len(n.out))}
	}
	return &trainer{network: n, gradient: like(), first: like(), second: like(), mean: n.clone(), rate: learningRate}
}

// clone is a copy that does not change with n.
func (n *network) clone() network {
	return network{n.outputs, slices.Clone(n.in), slices.Clone(n.out)}
}

// fit moves the network towards targets, by output from 0 to 1, in position s.
func (t *trainer) fit(s machine.State, targets []float32) {
	var units, delta [width]float32
	values := make([]float32, 0, maxOutputs)[:t.outputs]
	t.forward(&units, values, s)
	linear := t.linear()
	for o, v := range values {
		e := v - targets[o]
		delta[linear+o] = e
		weights, gradient := t.out[o*linear:(o+1)*linear], t.gradient.out[o*linear:(o+1)*linear]
		for u, weight := range weights {
			if units[u] > 0 {
				gradient[u] += e * units[u]
				delta[u] += e * weight
			}
		}
	}
	add := func(f int) {
		row := t.gradient.row(f)
		for u := range row {
			row[u] += delta[u]
		}
	}
	add(t.inputs())
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			add(i<<6 + bits.TrailingZeros64(w))
		}
	}
	if t.count++; t.count == batchSize {
		t.step()
	}
}

// step moves the weights by the gradient of a batch.
func (t *trainer) step() {
	t.count = 0
	t.steps++
	rate := t.rate * float32(math.Sqrt(1-math.Pow(secondDecay, t.steps))/(1-math.Pow(firstDecay, t.steps)))
	follow := float32(max(min(1, averagedPart/t.steps), averaging))
	move := func(weights, gradient, first, second, mean []float32) {
		for i, g := range gradient {
			if g == 0 && first[i] == 0 {
				mean[i] += follow * (weights[i] - mean[i])
				continue
			}
			g *= 1. / batchSize
			first[i] = firstDecay*first[i] + (1-firstDecay)*g
			second[i] = secondDecay*second[i] + (1-secondDecay)*g*g
			weights[i] -= rate * first[i] / (float32(math.Sqrt(float64(second[i]))) + 1e-6)
			gradient[i] = 0
			mean[i] += follow * (weights[i] - mean[i])
		}
	}
	move(t.in, t.gradient.in, t.first.in, t.second.in, t.mean.in)
	move(t.out, t.gradient.out, t.first.out, t.second.out, t.mean.out)
}
