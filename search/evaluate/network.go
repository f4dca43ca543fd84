package evaluate

import (
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search/evaluate/vector"
)

// A network is one layer of units over the fluents and signals of a position and, for each output, a
// logistic function of their weighted sum:
//
//	unit u    = bias[u] + Σ in[f][u] over the true fluents f
//	output o  = σ(unit linear+o + Σ out[o][u]·max(0, unit u)² over the rectified units u)
//
// The last units, one for each output, are not rectified. They alone are a logistic regression over
// single fluents, which is learnt first; the rectified units learn conjunctions of fluents.
//
// Cost: width additions for each true fluent of a position, eight at a time (package vector).
type network struct {
	outputs int
	in      []vector.Floats // by input, padded to whole words; the last row is the bias
	out     []vector.Floats // by output, then unit: zero for units that are not rectified
}

// width is the number of units. After 4 s of learning, 64 units beat 32 by 5 points in the mean of
// 11 games (docs/lab/evaluation.md) at 5 % more time for an evaluation; 48 units gain less.
const width = vector.Width

// linear returns the number of rectified units, which is the index of the first linear unit.
func (n *network) linear() int { return width - n.outputs }

// emptyNetwork returns a network of zeros for positions of the given number of words.
func emptyNetwork(words, outputs int) network {
	return network{outputs: outputs, in: make([]vector.Floats, 64*words+1), out: make([]vector.Floats, outputs)}
}

// newNetwork returns a random network; only the first inputs bits of the words can be true.
func newNetwork(words, inputs, outputs int, rng *machine.Rand) *network {
	n := emptyNetwork(words, outputs)
	random := func(rows []vector.Floats, size float32) {
		for i := range rows {
			for u := range n.linear() {
				rows[i][u] = size * (2*float32(rng.Float64()) - 1)
			}
		}
	}
	random(n.in[:inputs], 0.2)
	random(n.in[n.inputs():], 0.2) // bias
	random(n.out, 0.3)
	return &n
}

// inputs returns the number of inputs: the bits of the words of fluents and signals.
func (n *network) inputs() int { return len(n.in) - 1 }

func (n *network) bias() *vector.Floats { return &n.in[len(n.in)-1] }

// forward computes the outputs and the rectified units; it sets the linear units to zero.
func (n *network) forward(units *vector.Floats, values []float32, inputs *vector.Inputs) {
	vector.Sum(units, n.in, inputs)
	linear := n.linear()
	for o := range values {
		values[o] = units[linear+o]
		units[linear+o] = 0
	}
	for o, v := range values {
		values[o] = logistic(v + vector.Read(&n.out[o], units))
	}
}

// logistic returns 1/(1+e^-x) to within 1e-6, in a third of the time of math.Exp. It splits e^-x = 2^t:
// the whole part of t is the exponent, and a Taylor polynomial computes 2^f of the fraction f, from -½
// to ½.
func logistic(x float32) float32 {
	t := -math.Log2E * x
	if t > maxExponent {
		t = maxExponent
	}
	if t < -maxExponent {
		t = -maxExponent
	}
	exponent := int32(t + exponentBias + 0.5)
	f := t - float32(exponent-exponentBias)
	p := 1 + f*(0.6931472+f*(0.2402265+f*(0.05550411+f*(0.009618129+f*0.001333356))))
	return 1 / (1 + p*math.Float32frombits(uint32(exponent)<<23))
}

const (
	exponentBias = 127 // of float32 (IEEE 754)
	maxExponent  = 126
)

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
	former   float64 // steps of earlier learners, restored from a file
}

const (
	batchSize   = 256
	firstDecay  = 0.9
	secondDecay = 0.999
	// averaging and averagedPart: the mean weights (Polyak and Juditsky, 1992) cover the last eighth of
	// all steps, and at most the last 10 000 (docs/lab/evaluation.md).
	averaging    = 1. / 10_000
	averagedPart = 8
)

func newTrainer(n *network) *trainer {
	like := func() network { return emptyNetwork(n.inputs()/64, n.outputs) }
	return &trainer{network: n, gradient: like(), first: like(), second: like(), mean: n.clone()}
}

// clone returns a deep copy.
func (n *network) clone() network {
	return network{n.outputs, slices.Clone(n.in), slices.Clone(n.out)}
}

// fit moves the network towards targets (by output, from 0 to 1) in the position with the given inputs.
func (t *trainer) fit(inputs *vector.Inputs, targets []float32) {
	var units, delta vector.Floats
	values := make([]float32, 0, maxOutputs)[:t.outputs]
	t.forward(&units, values, inputs)
	for o, v := range values {
		vector.Back(&delta, &t.gradient.out[o], &t.out[o], &units, v-targets[o])
	}
	for o, v := range values {
		delta[t.linear()+o] = v - targets[o]
	}
	vector.Add(t.gradient.in, inputs, &delta)
	if t.count++; t.count == batchSize {
		t.step()
	}
}

// rate returns the learning rate of the present step: it falls with the square root of the steps.
func (t *trainer) rate() float64 { return learningRate / math.Sqrt(1+(t.former+t.steps)/constantSteps) }

// step moves the weights along the gradient of a batch.
func (t *trainer) step() {
	t.count = 0
	t.steps++
	a := vector.Adam{
		Scale: 1. / batchSize, FirstDecay: firstDecay, SecondDecay: secondDecay, Epsilon: 1e-6,
		Rate:   float32(t.rate() * math.Sqrt(1-math.Pow(secondDecay, t.steps)) / (1 - math.Pow(firstDecay, t.steps))),
		Follow: float32(max(min(1, averagedPart/t.steps), averaging)),
	}
	a.Step(t.in, t.gradient.in, t.first.in, t.second.in, t.mean.in)
	a.Step(t.out, t.gradient.out, t.first.out, t.second.out, t.mean.out)
}
