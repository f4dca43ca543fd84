//go:build !amd64 && !arm64

package vector

func sum(to *Floats, rows []Floats, inputs []uint32) { sumPortable(to, rows, inputs) }

func add(rows []Floats, inputs []uint32, delta *Floats) { addPortable(rows, inputs, delta) }

func change(sums *Shorts, rows []Shorts, from, to []uint64) { changePortable(sums, rows, from, to) }

func read(weights, units *Floats) float32 { return readPortable(weights, units) }

func readShorts(weights *Floats, units *Shorts) float32 { return readShortsPortable(weights, units) }

func back(delta, gradient, weights, units *Floats, e float32) {
	backPortable(delta, gradient, weights, units, e)
}

func (a *Adam) step(weights, gradient, first, second, mean []Floats) {
	a.stepPortable(weights, gradient, first, second, mean)
}
