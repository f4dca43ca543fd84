// Package kernel runs Boolean programs on many positions at once: every signal is a row of machine words
// whose bits are that signal in different positions (lanes). It owns the form of programs, the kernels for
// the vector units of processors, and all unsafe code. It does not depend on networks and games.
//
// A program reaches a kernel only through Kernel.Verify, which proves that it accesses only rows of the
// memory that Executable.NewMemory makes (verify.go). So a mistake of the caller is an error and not a stray
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

// Image holds the programs and the row numbers of one machine. Rows are numbered from 0. Row 0 is the constant
// false and is read only. After a program, the rows that the image names and the rows that other programs read
// hold its results; the contents of other rows are unspecified.
type Image struct {
	Rows     int // number of rows, at least 1
	Programs []Program
	Moves    []Moves // of each role, or of two roles that take turns
	// Random lists the rows that Memory.ChooseRandom fills with random bits before it runs Program. Program
	// chooses for the roles without an entry in Moves. Without rows, ChooseRandom does neither.
	Random struct {
		Rows    []int32
		Program int
	}
	// Fluents is the range of rows that Memory.Restore writes.
	Fluents struct{ First, Count int }
	// Read and Written are the rows that the caller reads and writes.
	Read, Written []int32
}

// Moves is the move table of a role: the row of the legal bit of each move, and the row that says whether the
// first move is chosen. The rows of the other moves follow it.
type Moves struct {
	Legal []int32
	Does  int32
	Turns *Turns // nil if the role does not share the table
}

// Turns is a second role that has a choice exactly if the first role has none: so one choice serves both. It
// has as many moves as the first role, and in no lane both have legal bits. These moves exclude the move of a
// waiting role: Waits are pairs of rows, of which the second is copied to the first.
type Turns struct {
	Legal []int32
	Does  int32
	Waits [][2]int32
}

// Kernel evaluates programs on rows of Lanes()/64 words.
type Kernel struct {
	name  string
	lanes int
	// run evaluates straight code, whose row numbers are word offsets.
	run func(rows []uint64, code []int32)
	// choose picks random legal moves; see choose.go.
	choose func(rows []uint64, table *moveTable, random, scratch []uint64)
	// restore writes successive rows, at least one, in the lanes of mask: rows of one repeated word each, the words of from.
	restore func(to, from, mask []uint64)
	// random fills rows, at least one, as Rand.FillRows does.
	random func(rng *machine.Rand, dst []uint64)
	// translate replaces the code of an executable's segments by its own form, proved safe, or by functions.
	translate func(e *Executable, image *Image) error
	// splits is true if translate makes gates of a few inputs, regardless of the width of the program's
	// gates.
	splits bool
}

// Lanes returns the number of positions that the kernel evaluates together.
func (k *Kernel) Lanes() int { return k.lanes }

func (k *Kernel) words() int { return k.lanes / 64 }

// Splits reports whether the kernel decomposes wide gates, so that wide gates in programs save nothing.
func (k *Kernel) Splits() bool { return k.splits }
