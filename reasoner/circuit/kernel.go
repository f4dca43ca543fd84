package circuit

import (
	"fmt"
	"slices"
	"unsafe"

	"stackmate/reasoner/machine"
)

// The portable kernel: one 64-bit word per row, so 64 lanes.
//
// A program is a list of segments, a segment a list of runs, a run a header
// (op, pos, neg, count) and then, for each of count gates of that form, the row
// it is stored in and the rows of its pos+neg operands. Runs of one form make
// all branches of the inner loops predictable, so the cost is that of the loads:
// about one cycle per operand while the signals fit the first two cache levels.
// The code comes from the scheduler alone, so the kernels index without bounds
// checks.

// kernelOp is the operation of a run.
type kernelOp int32

const (
	kernelAnd kernelOp = iota
	kernelOr
)

const runHeader = 4

// program is straight code and loops, in order.
type program struct{ segments []segment }

// segment is straight code, or, if it has vars, a loop: the rows of vars start
// as zero, and code is repeated until they no longer change.
type segment struct {
	code []int32
	vars []int32
}

// kernel evaluates straight code on rows of lanes/64 words.
type kernel struct {
	name  string
	lanes int
	run   func(rows []uint64, code []int32)
	// choose picks random legal moves; see choice.go.
	choose func(rows []uint64, c *choice, random, scratch []uint64)
	// blend copies, in the lanes of mask, rows lying one after the other.
	blend func(to, from, mask []uint64)
	// random fills rows, at least one, as Rand.FillRows does.
	random func(rng *machine.Rand, dst []uint64)
}

var portable = kernel{
	name:   "portable",
	lanes:  64,
	run:    kernel64,
	choose: choose64,
	blend:  blend64,
	random: func(rng *machine.Rand, dst []uint64) { rng.FillRows(dst, 1) },
}

// kernelFor is the kernel with that many lanes, or the widest one for 0.
func kernelFor(lanes int) (kernel, error) {
	available := kernels()
	if lanes == 0 {
		return available[0], nil
	}
	for _, k := range available {
		if k.lanes == lanes {
			return k, nil
		}
	}
	return kernel{}, fmt.Errorf("no kernel with %d lanes on this processor", lanes)
}

// narrowKernel is the quickest kernel for a handful of positions: two words a row
// keep most circuits in the first-level cache, and 128-bit operations are as
// quick as those on one word.
func narrowKernel() kernel {
	for _, k := range kernels() {
		if k.lanes == 128 {
			return k
		}
	}
	return portable
}

// run evaluates p. The array old has room for the variables of any loop.
func (p *program) run(k *kernel, rows, old []uint64) {
	words := k.lanes / 64
	for i := range p.segments {
		seg := &p.segments[i]
		if len(seg.vars) == 0 {
			k.run(rows, seg.code)
			continue
		}
		for _, v := range seg.vars {
			clear(rows[v : int(v)+words])
		}
		for changed := true; changed; {
			for j, v := range seg.vars {
				copy(old[j*words:(j+1)*words], rows[v:])
			}
			k.run(rows, seg.code)
			changed = false
			for j, v := range seg.vars {
				changed = changed || !slices.Equal(old[j*words:(j+1)*words], rows[v:int(v)+words])
			}
		}
	}
}

// kernel64 evaluates straight code on one-word rows.
func kernel64(rows []uint64, code []int32) {
	base := unsafe.Pointer(unsafe.SliceData(rows))
	for len(code) > 0 {
		op, pos, neg, count := kernelOp(code[0]), int(code[1]), int(code[2]), int(code[3])
		n := count * (1 + pos + neg)
		gates := code[runHeader : runHeader+n]
		code = code[runHeader+n:]
		switch {
		case op == kernelAnd && pos == 2 && neg == 0:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) & *row(base, gates[2])
			}
		case op == kernelOr && pos == 2 && neg == 0:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) | *row(base, gates[2])
			}
		case op == kernelAnd && pos == 1 && neg == 1:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) &^ *row(base, gates[2])
			}
		case op == kernelAnd && pos == 3 && neg == 0:
			for ; len(gates) >= 4; gates = gates[4:] {
				*row(base, gates[0]) = *row(base, gates[1]) & *row(base, gates[2]) & *row(base, gates[3])
			}
		case op == kernelOr && pos == 3 && neg == 0:
			for ; len(gates) >= 4; gates = gates[4:] {
				*row(base, gates[0]) = *row(base, gates[1]) | *row(base, gates[2]) | *row(base, gates[3])
			}
		default:
			wide64(base, gates, op, pos, neg)
		}
	}
}

// wide64 evaluates a run of gates with any number of operands.
func wide64(base unsafe.Pointer, gates []int32, op kernelOp, pos, neg int) {
	stride := 1 + pos + neg
	for ; len(gates) >= stride; gates = gates[stride:] {
		plain, complemented := gates[1:1+pos], gates[1+pos:stride]
		var acc uint64
		switch op {
		case kernelAnd:
			acc = ^uint64(0)
			for _, g := range plain {
				acc &= *row(base, g)
			}
			for _, g := range complemented {
				acc &^= *row(base, g)
			}
		case kernelOr:
			for _, g := range plain {
				acc |= *row(base, g)
			}
			for _, g := range complemented {
				acc |= ^*row(base, g)
			}
		}
		*row(base, gates[0]) = acc
	}
}

func blend64(to, from, mask []uint64) {
	m := mask[0]
	from = from[:len(to)]
	for i, old := range to {
		to[i] = old ^ (old^from[i])&m
	}
}

func row(base unsafe.Pointer, i int32) *uint64 {
	return (*uint64)(unsafe.Add(base, uintptr(uint32(i))*8))
}
