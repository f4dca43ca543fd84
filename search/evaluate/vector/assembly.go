//go:build amd64 || arm64

package vector

//go:generate go run -C ../../../tools ./vectors -out ../search/evaluate/vector/vector_amd64.s -stubs ../search/evaluate/vector/vector_amd64.go -pkg vector
//go:generate go run -C ../../../tools ./vectors/neon -out ../search/evaluate/vector/vector_arm64.s -stubs ../search/evaluate/vector/vector_arm64.go -pkg vector

func sum(to *Floats, rows []Floats, inputs []uint32) {
	if !vectors {
		sumPortable(to, rows, inputs)
		return
	}
	sumKernel(&to[0], &rows[0][0], &inputs[0], len(inputs))
}

func add(rows []Floats, inputs []uint32, delta *Floats) {
	if !vectors {
		addPortable(rows, inputs, delta)
		return
	}
	addKernel(&rows[0][0], &inputs[0], len(inputs), &delta[0])
}

func change(sums *Shorts, rows []Shorts, from, to []uint64) {
	if !vectors {
		changePortable(sums, rows, from, to)
		return
	}
	changeKernel(&sums[0], &rows[0][0], &from[0], &to[0], len(to))
}

func read(weights, units *Floats) float32 {
	if !vectors {
		return readPortable(weights, units)
	}
	return readKernel(&weights[0], &units[0])
}

func readShorts(weights *Floats, units *Shorts) float32 {
	if !vectors {
		return readShortsPortable(weights, units)
	}
	return readShortsKernel(&weights[0], &units[0])
}

func back(delta, gradient, weights, units *Floats, e float32) {
	if !vectors {
		backPortable(delta, gradient, weights, units, e)
		return
	}
	backKernel(&delta[0], &gradient[0], &weights[0], &units[0], e)
}

func (a *Adam) step(weights, gradient, first, second, mean []Floats) {
	if !vectors {
		a.stepPortable(weights, gradient, first, second, mean)
		return
	}
	constants := [...]float32{a.Scale, a.FirstDecay, 1 - a.FirstDecay, a.SecondDecay, 1 - a.SecondDecay, a.Rate, a.Epsilon, a.Follow, tiny}
	stepKernel(&weights[0][0], &gradient[0][0], &first[0][0], &second[0][0], &mean[0][0], len(weights), &constants[0])
}
