// Package kernel runs Boolean programs on many positions at once: every signal is a row of machine words
// whose bits are that signal in different positions (lanes). It owns the form of programs, the kernels for
// the vector units of processors, and all unsafe code. It does not depend on networks and games.
//
// A program reaches a kernel only through Kernel.Engine, which proves that it accesses only rows of the
// memory that Engine.NewMemory makes (verify.go). So a mistake of the caller is an error and not a stray
// write.
//
// There are kernels of two kinds, and both translate programs first. Interpreting kernels are generated for
// arm64 (tools/kernels/neon) or portable: fuse.go groups gates into runs, and for plain Go cover.go finds
// gates of up to four inputs. Kernels of amd64 make machine code with gates of three inputs, or with AVX2 of
// two: registers_amd64.go chooses registers, assembler_amd64.go writes instructions and proves that they stay
// in their rows, and native_amd64.go makes them executable. kernels.go is the table of kernels.
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

// Header is the length of a run's header in words.
const Header = 4

// Program is straight code and loops, in order.
type Program struct {
	Name     string // for errors
	Segments []Segment
}

// Segment is straight code, or, if it has Vars, a loop: the rows of Vars start as zero, and Code is repeated
// until they no longer change. It must be monotone: each variable can only turn true, so len(Vars)+1
// repetitions suffice and are the limit.
//
// Code is a list of runs. A run has a header (Op, pos, neg, count). For each of count gates, the row of its
// result follows, then the rows of its pos+neg operands, the last neg of them complemented. Runs of one form
// make the branches of an interpreter's inner loops predictable, so the loads dominate the cost: about one
// cycle per operand while the signals fit the first two cache levels.
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
	// restore writes successive rows, at least one, in the lanes of mask: rows of one repeated word each, the words of from.
	restore func(to, from, mask []uint64)
	// random fills rows, at least one, as Rand.FillRows does.
	random func(rng *machine.Rand, dst []uint64)
	// translate replaces the code of an engine's segments by its own form, proved safe, or by functions.
	translate func(e *Engine, p *Plan) error
	// splits is true if translate makes gates of a few inputs, regardless of the width of the program's
	// gates.
	splits bool
}

// Lanes returns the number of positions that the kernel evaluates together.
func (k *Kernel) Lanes() int { return k.lanes }

func (k *Kernel) words() int { return k.lanes / 64 }

// Splits reports whether the kernel decomposes wide gates, so that wide gates in programs save nothing.
func (k *Kernel) Splits() bool { return k.splits }
