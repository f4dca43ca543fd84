// Package kernel runs Boolean programs on many positions at once: every signal is a
// row of machine words whose bits are that signal in different positions (lanes).
// It owns the form of programs, the kernels for the vector units of processors, and
// all unsafe code. It knows nothing of networks and games.
//
// A program gets to a kernel through Kernel.Engine alone, which proves that all it
// touches lies in the rows of the memory that Engine.NewMemory makes (verify.go).
// So whatever a caller hands over, a mistake is an error and not a stray write.
//
// There are kernels of two kinds, and both translate programs first. Interpreting kernels are
// generated for arm64 (tools/kernels/neon) or portable: fuse.go puts gates into runs, and for plain Go cover.go
// finds gates of up to four inputs. Kernels of amd64 make machine code with gates of three inputs, or with AVX2 of two:
// registers_amd64.go chooses registers, assembler_amd64.go writes instructions and proves that
// they stay in their rows, and native_amd64.go makes them executable. kernels.go is the table of all.
package kernel

import (
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
	// translate gives the segments of an engine, proved safe, code or functions of their own.
	translate func(e *Engine, p *Plan) error
	// splits says that translate makes gates of a few inputs, however wide those of programs are.
	splits bool
}

// Lanes is the number of positions that the kernel looks at together.
func (k *Kernel) Lanes() int { return k.lanes }

func (k *Kernel) words() int { return k.lanes / 64 }

// Splits reports whether the kernel decomposes wide gates, so that wide gates in programs save nothing.
func (k *Kernel) Splits() bool { return k.splits }
