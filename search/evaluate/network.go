package evaluate

import (
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search/evaluate/vector"
)

// A network is one layer of units over the fluents and signals of a position and, for each output, a
// logistic function of their weighted sum. The units form blocks b of width units u:
//
//	unit b,u  = bias[b][u] + Σ in[b][f][u] over the true fluents f
//	output o  = σ(unit 0,linear+o + Σ out[b][o][u]·max(0, unit b,u)² over the rectified units b,u)
//
// The last units of the first block, one for each output, are not rectified. They alone are a logistic regression over
// single fluents, which is learnt first; the rectified units learn conjunctions of fluents.
//
// Cost: width additions for each block and true fluent of a position, eight at a time (package vector).
type network struct {
	outputs int
	blocks  []block
}

// block holds the weights of width units.
type block struct {
	in  []vector.Floats // by input, padded to whole words; the last row is the bias
	out []vector.Floats // by output, then unit: zero for units that are not rectified
}

// width is the number of units of a block. After 4 s of learning, 64 units beat 32 by 5 points in the mean of
// 11 games (docs/lab/evaluation.md) at 5 % more time for an evaluation; 48 units gain less.
const width = vector.Width

// linear returns the index of the first linear unit of the first block.
func (n *network) linear() int { return width - n.outputs }

// rectified returns the number of rectified units of a block.
func (n *network) rectified(block int) int {
	if block == 0 {
		return n.linear()
	}
	return width
}

// maxBlocks returns the number of blocks that a network may have.
func (n *network) maxBlocks() int { return max(1, min(maxBlocks, maxRows/n.rows())) }

// emptyBlock returns a block of zeros for positions of the given number of words.
func emptyBlock(words, outputs int) block {
	return block{make([]vector.Floats, 64*words+1), make([]vector.Floats, outputs)}
}

// clone returns a deep copy.
func (b block) clone() block { return block{slices.Clone(b.in), slices.Clone(b.out)} }

// randomize sets the first units of rows to random numbers of up to the given size.
func randomize(rows []vector.Floats, units int, size float32, rng *machine.Rand) {
	for i := range rows {
		for u := range units {
			rows[i][u] = size * (2*float32(rng.Float64()) - 1)
		}
	}
}

// newBlock returns a block with the given number of random units, which do not count yet; only the first inputs bits of the words
// can be true.
func newBlock(words, inputs, outputs, units int, rng *machine.Rand) block {
	b := emptyBlock(words, outputs)
	randomize(b.in[:inputs], units, 0.2, rng)
	randomize(b.in[len(b.in)-1:], units, 0.2, rng) // bias
	return b
}

// newNetwork returns a random network of one block; see newBlock.
func newNetwork(words, inputs, outputs int, rng *machine.Rand) *network {
	n := &network{outputs: outputs}
	b := newBlock(words, inputs, outputs, n.linear(), rng)
	randomize(b.out, n.linear(), 0.3, rng)
	n.blocks = []block{b}
	return n
}

// grow adds a block. The outputs stay the same. It reports whether there is room for a block.
func (n *network) grow(inputs int, rng *machine.Rand) bool {
	if len(n.blocks) == n.maxBlocks() {
		return false
	}
	n.blocks = append(n.blocks, newBlock(n.inputs()/64, inputs, n.outputs, width, rng))
	return true
}

// inputs returns the number of inputs: the bits of the words of fluents and signals.
func (n *network) inputs() int { return n.rows() - 1 }

// rows returns the number of rows of a block: the inputs and the bias.
func (n *network) rows() int { return len(n.blocks[0].in) }

// forward computes the outputs and the rectified units, by block; it sets the linear units to zero.
func (n *network) forward(units []vector.Floats, values []float32, inputs *vector.Inputs) {
	for b := range n.blocks {
		vector.Sum(&units[b], n.blocks[b].in, inputs)
	}
	linear := n.linear()
	for o := range values {
		values[o] = units[0][linear+o]
		units[0][linear+o] = 0
	}
	for o, v := range values {
		for b := range n.blocks {
			v += vector.Read(&n.blocks[b].out[o], &units[b])
		}
		values[o] = logistic(v)
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
	fits   []fitting // by block
	units  []vector.Floats
	count  int // positions in the gradients
	steps  float64
	former float64 // steps of earlier learners, restored from a file
}

// fitting is the state of Adam for one block.
type fitting struct {
	gradient block
	first    block   // means of the gradient
	second   block   // means of its square
	mean     block   // moving mean of the weights
	born     float64 // steps of the trainer before it
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
	t := &trainer{network: n}
	t.follow()
	return t
}

// grow adds a block to the network. It reports whether there is room for a block.
func (t *trainer) grow(inputs int, rng *machine.Rand) bool {
	grown := t.network.grow(inputs, rng)
	t.follow()
	return grown
}

// follow adds the state of Adam for new blocks.
func (t *trainer) follow() {
	like := func() block { return emptyBlock(t.inputs()/64, t.outputs) }
	for _, b := range t.blocks[len(t.fits):] {
		t.fits = append(t.fits, fitting{like(), like(), like(), b.clone(), t.steps})
	}
	t.units = make([]vector.Floats, len(t.blocks))
}

// mean returns the network of the mean weights.
func (t *trainer) mean() *network {
	n := &network{outputs: t.outputs}
	for i := range t.fits {
		n.blocks = append(n.blocks, t.fits[i].mean.clone())
	}
	return n
}

// fit moves the network towards targets (by output, from 0 to 1) in the position with the given inputs.
func (t *trainer) fit(inputs *vector.Inputs, targets []float32) {
	values := make([]float32, 0, maxOutputs)[:t.outputs]
	t.forward(t.units, values, inputs)
	for b := range t.blocks {
		var delta vector.Floats
		gradient := &t.fits[b].gradient
		for o, v := range values {
			vector.Back(&delta, &gradient.out[o], &t.blocks[b].out[o], &t.units[b], v-targets[o])
		}
		if b == 0 {
			for o, v := range values {
				delta[t.linear()+o] = v - targets[o]
			}
		}
		vector.Add(gradient.in, inputs, &delta)
	}
	if t.count++; t.count == batchSize {
		t.step()
	}
}

// rate returns the learning rate of the present step: it falls with the square root of the steps.
func (t *trainer) rate() float64 {
	return learningRate / math.Sqrt(1+(t.former+t.steps)/constantSteps)
}

// step moves the weights along the gradient of a batch.
func (t *trainer) step() {
	t.count = 0
	t.steps++
	for i := range t.fits {
		t.fits[i].step(&t.blocks[i], t.rate(), t.steps-t.fits[i].born)
	}
}

// step moves the weights of a block, for the given time.
func (f *fitting) step(b *block, rate, steps float64) {
	a := vector.Adam{
		Scale: 1. / batchSize, FirstDecay: firstDecay, SecondDecay: secondDecay, Epsilon: 1e-6,
		Rate:   float32(rate * math.Sqrt(1-math.Pow(secondDecay, steps)) / (1 - math.Pow(firstDecay, steps))),
		Follow: float32(max(min(1, averagedPart/steps), averaging)),
	}
	a.Step(b.in, f.gradient.in, f.first.in, f.second.in, f.mean.in)
	a.Step(b.out, f.gradient.out, f.first.out, f.second.out, f.mean.out)
}
