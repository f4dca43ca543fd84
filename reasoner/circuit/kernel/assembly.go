//go:build amd64 || arm64

package kernel

import (
	"unsafe"

	"stackmate/reasoner/machine"
)

//go:generate go run -C ../../../tools ./kernels -out ../reasoner/circuit/kernel/vector_amd64.s -stubs ../reasoner/circuit/kernel/vector_amd64.go -pkg kernel
//go:generate go run -C ../../../tools ./kernels/neon -out ../reasoner/circuit/kernel/vector_arm64.s -stubs ../reasoner/circuit/kernel/vector_arm64.go -pkg kernel

// vectorRoutines are the functions of one instruction set; tools/kernels writes their assembly.
type vectorRoutines struct {
	words      int
	evaluate   func(rows *uint64, code *int32, n int)
	count      func(rows *uint64, legal *int32, blocks int, n *uint64, digits int)
	countTurns func(rows *uint64, legal, other *int32, blocks int, n *uint64, digits int)
	draw       func(fraction *uint64, k int, n, target *uint64, digits int)
	pick       func(rows *uint64, legal *int32, moves int, does, target *uint64, digits int)
	pickTurns  func(rows *uint64, legal, other *int32, moves int, does, otherDoes, target *uint64, digits int)
	restore    func(to, from *uint64, rows int, mask *uint64)
	random     func(state, dst *uint64, rows int)
}

func (a vectorRoutines) kernel(name string) *Kernel {
	return &Kernel{
		name:   name,
		lanes:  64 * a.words,
		run:    func(rows []uint64, code []int32) { a.evaluate(&rows[0], unsafe.SliceData(code), len(code)) },
		choose: a.choose,
		restore: func(to, from, mask []uint64) {
			a.restore(&to[0], &from[0], len(from), &mask[0])
		},
		random: func(rng *machine.Rand, dst []uint64) {
			a.random(&rng.State[0][0], &dst[0], len(dst)/a.words)
		},
		translate: groupRuns,
	}
}

// choose chooses moves as choosePortable does, with vectors.
func (a vectorRoutines) choose(rows []uint64, table *moveTable, random, scratch []uint64) {
	w := a.words
	counted := max(table.digits, minDigits)
	n := scratch[:counted*w]
	target := scratch[(counted+1)*w : (counted+1+table.digits)*w] // draw also writes the row before target
	clear(n)
	clear(target)
	blocks := len(table.legal) / blockMoves
	if table.other == nil {
		a.count(&rows[0], &table.legal[0], blocks, &n[0], table.digits)
	} else {
		a.countTurns(&rows[0], &table.legal[0], &table.other[0], blocks, &n[0], table.digits)
	}
	digits := table.digits
	for digits > 1 && isZero(n[(digits-1)*w:digits*w]) {
		digits--
	}
	if len(random) > 0 {
		a.draw(&random[0], len(random)/w, &n[0], &target[0], digits)
	}
	if table.other == nil {
		a.pick(&rows[0], &table.legal[0], table.moves, &rows[table.does], &target[0], digits)
	} else {
		a.pickTurns(&rows[0], &table.legal[0], &table.other[0], table.moves, &rows[table.does], &rows[table.otherDoes], &target[0], digits)
	}
}

func isZero(row []uint64) bool {
	for _, word := range row {
		if word != 0 {
			return false
		}
	}
	return true
}
