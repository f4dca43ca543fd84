package evaluate

import (
	"math"
	"slices"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/search/evaluate/vector"
)

func TestTheLogisticFunctionIsThatOfTheExponential(t *testing.T) {
	for x := -40.0; x <= 40; x += 1. / 512 {
		if got, want := float64(logistic(float32(x))), 1/(1+math.Exp(-x)); math.Abs(got-want) > 1e-6 {
			t.Fatalf("of %v: %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1e3, 1e30, math.Inf(1)} {
		if below, above := logistic(float32(-x)), logistic(float32(x)); below < 0 || below > 1e-30 || above != 1 {
			t.Errorf("of ±%v: %v and %v", x, below, above)
		}
	}
}

// grown returns a network of three random blocks, all of which count.
func grown(words, inputs, outputs int, rng *machine.Rand) *network {
	n := newNetwork(words, inputs, outputs, rng)
	for range 2 {
		n.grow(inputs, rng)
		randomize(n.blocks[len(n.blocks)-1].out, width, 0.3, rng)
	}
	return n
}

// A network that grows has the same outputs, and the gradient of the new units is not zero.
func TestAGrowingNetworkStaysTheSameFunction(t *testing.T) {
	rng := machine.NewRand(6)
	n := grown(2, 100, 2, rng)
	before, after := make([]float32, 2), make([]float32, 2)
	for range 50 {
		var inputs vector.Inputs
		inputs.SetBits(machine.State{uint64(rng.Intn(1 << 30)), uint64(rng.Intn(1 << 30))})
		n.forward(make([]vector.Floats, len(n.blocks)), before, &inputs)
		tr := newTrainer(n)
		tr.grow(100, rng)
		n.forward(make([]vector.Floats, len(n.blocks)), after, &inputs)
		if !slices.Equal(before, after) {
			t.Fatalf("%v before it grows, %v after", before, after)
		}
		last := len(n.blocks) - 1
		tr.fit(&inputs, []float32{0, 1})
		if g := tr.fits[last].gradient; slices.Equal(g.out, make([]vector.Floats, 2)) || !slices.Equal(n.blocks[last].in[100:128], make([]vector.Floats, 28)) {
			t.Fatal("the new units learn nothing, or begin with weights of inputs that are never true")
		}
		n.blocks = n.blocks[:last]
	}
}

// The first step of new units is as large as the first step of all: the rate.
func TestNewUnitsBeginToLearnLikeTheFirstOnes(t *testing.T) {
	rng := machine.NewRand(7)
	tr := newTrainer(newNetwork(1, 64, 1, rng))
	var inputs vector.Inputs
	inputs.SetBits(machine.State{0x10f0f})
	learn := func(batches int, target float32) {
		for range batches * batchSize {
			tr.fit(&inputs, []float32{target})
		}
	}
	learn(500, 1)
	tr.grow(64, rng)
	learn(1, 0)
	largest := 0.
	for u, w := range tr.blocks[1].out[0] {
		largest = max(largest, math.Abs(float64(w)))
		if mean := tr.fits[1].mean.out[0][u]; mean != w {
			t.Errorf("unit %d: the mean of one weight, %v, is %v", u, w, mean)
		}
	}
	if math.Abs(largest-tr.rate()) > 0.01*tr.rate() {
		t.Errorf("the first step moves units by up to %v, want %v", largest, tr.rate())
	}
}

func TestReachIsLittleMoreThanTheLargestUnit(t *testing.T) {
	rng := machine.NewRand(4)
	for _, words := range []int{1, 2, 7} {
		b := emptyBlock(words, 2)
		for i := range b.in {
			for u := range b.in[i] {
				b.in[i][u] = float32(math.Log(rng.Float64()+1e-9) * math.Copysign(1, rng.Float64()-0.5))
			}
		}
		for _, active := range []int{1, 10, 50, 64 * words, 1000} {
			largest := float32(0)
			for u := range width {
				var weights []float32
				for i := range b.in {
					weights = append(weights, -max(b.in[i][u], -b.in[i][u]))
				}
				slices.Sort(weights)
				sum := float32(0)
				for _, w := range weights[:min(active+1, len(weights))] {
					sum -= w
				}
				largest = max(largest, sum)
			}
			if got := b.reach(active); got < largest || got > 1.1*largest+1 && active > 1 {
				t.Errorf("%d words, %d inputs: reach %v, the largest unit is %v", words, active, got, largest)
			}
		}
	}
}
