// Package kernel runs Boolean programs on many positions at once: every signal is a
// row of machine words whose bits are that signal in different positions (lanes).
// It owns the form of programs, the kernels for the vector units of processors, and
// all unsafe code. It knows nothing of networks and games.
//
// A program gets to a kernel through Kernel.Engine alone, which proves that all it
// touches lies in the rows of the memory that Engine.NewMemory makes (verify.go).
// So whatever a caller hands over, a mistake is an error and not a stray write.
//
// There are kernels of two kinds. Those that interpret programs are generated
// (tools/kernels) or portable. Those that translate them make machine code of gates of
// three inputs: cover.go finds the gates, registers_amd64.go chooses registers,
// assembler_amd64.go writes instructions and proves that they stay in their rows, and
// native_linux_amd64.go makes them executable.
package kernel

import (
	"slices"
	"unsafe"

	"stackmate/reasoner/machine"
)

// Op is the operation of a run.
type Op int32

// The operations.
const (
	And Op = iota
	Or
)

// Header is the number of words that begin a run.
const Header = 4

// Program is straight code and loops, in order.
type Program struct {
	Name     string // for errors
	Segments []Segment
}

// Segment is straight code, or, if it has Vars, a loop: the rows of Vars start as
// zero, and Code is repeated until they no longer change, which must be monotone:
// each variable can only turn true, so len(Vars)+1 repetitions are always enough,
// and there are no more.
//
// Code is a list of runs, a run a header (Op, pos, neg, count) and then, for each of
// count gates of that form, the row it is stored in and the rows of its pos+neg
// operands, of which the last neg are complemented. Runs of one form make all
// branches of an interpreter's inner loops predictable, so the cost is that of the
// loads: about one cycle per operand while the signals fit the first two cache levels.
type Segment struct {
	Code []int32
	Vars []int32
}

// Kernel evaluates programs on rows of Lanes()/64 words.
type Kernel struct {
	name  string
	lanes int
	// run evaluates straight code, whose row numbers are word offsets.
	run func(rows []uint64, code []int32)
	// choose picks random legal moves; see choose.go.
	choose func(rows []uint64, c *choice, random, scratch []uint64)
	// blend copies, in the lanes of mask, rows lying one after the other, at least one.
	blend func(to, from, mask []uint64)
	// restore is blend of rows that are one word each, in all columns.
	restore func(to, from, mask []uint64)
	// random fills rows, at least one, as Rand.FillRows does.
	random func(rng *machine.Rand, dst []uint64)
	// translate gives the segments of an engine, proved safe, functions of their own
	// instead of run; nil if the kernel cannot.
	translate func(e *Engine, p *Plan) error
}

var portable = &Kernel{
	name:    "portable",
	lanes:   64,
	run:     run64,
	choose:  choose64,
	blend:   blend64,
	restore: blend64,
	random:  func(rng *machine.Rand, dst []uint64) { rng.FillRows(dst, 1) },
}

// Name says which instructions the kernel uses.
func (k *Kernel) Name() string { return k.name }

// Lanes is the number of positions that the kernel looks at together.
func (k *Kernel) Lanes() int { return k.lanes }

func (k *Kernel) words() int { return k.lanes / 64 }

// All lists the kernels of this processor, widest first; the portable one is always
// the last.
func All() []*Kernel { return slices.Concat(translators(), vectorKernels(), []*Kernel{portable}) }

// Translates tells whether the kernel turns programs into machine code, so that long
// runs of one form are worth nothing to it.
func (k *Kernel) Translates() bool { return k.translate != nil }

// run64 evaluates straight code on one-word rows.
func run64(rows []uint64, code []int32) {
	base := unsafe.Pointer(unsafe.SliceData(rows))
	for len(code) > 0 {
		op, pos, neg, count := Op(code[0]), int(code[1]), int(code[2]), int(code[3])
		n := count * (1 + pos + neg)
		gates := code[Header : Header+n]
		code = code[Header+n:]
		switch {
		case op == And && pos == 2 && neg == 0:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) & *row(base, gates[2])
			}
		case op == Or && pos == 2 && neg == 0:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) | *row(base, gates[2])
			}
		case op == And && pos == 1 && neg == 1:
			for ; len(gates) >= 3; gates = gates[3:] {
				*row(base, gates[0]) = *row(base, gates[1]) &^ *row(base, gates[2])
			}
		case op == And && pos == 3 && neg == 0:
			for ; len(gates) >= 4; gates = gates[4:] {
				*row(base, gates[0]) = *row(base, gates[1]) & *row(base, gates[2]) & *row(base, gates[3])
			}
		case op == Or && pos == 3 && neg == 0:
			for ; len(gates) >= 4; gates = gates[4:] {
				*row(base, gates[0]) = *row(base, gates[1]) | *row(base, gates[2]) | *row(base, gates[3])
			}
		default:
			wide64(base, gates, op, pos, neg)
		}
	}
}

// wide64 evaluates a run of gates with any number of operands.
func wide64(base unsafe.Pointer, gates []int32, op Op, pos, neg int) {
	stride := 1 + pos + neg
	for ; len(gates) >= stride; gates = gates[stride:] {
		plain, complemented := gates[1:1+pos], gates[1+pos:stride]
		var acc uint64
		switch op {
		case And:
			acc = ^uint64(0)
			for _, g := range plain {
				acc &= *row(base, g)
			}
			for _, g := range complemented {
				acc &^= *row(base, g)
			}
		case Or:
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
