package kernel

import (
	"bytes"
	"runtime"
	"time"
	"unsafe"

	"stackmate/reasoner/machine"
)

// Executable is an image that the verifier has proved safe on one kernel. It is immutable.
type Executable struct {
	kernel     *Kernel
	rows       int
	programs   [][]block
	moveTables []moveTable // move tables of the roles
	fluents    [2]int      // the words that Restore writes: from, to
	bits       [][2]int    // the words that ChooseRandom fills with random bits: from, to
	chooses    int         // the program that ChooseRandom runs
	vars       int         // most variables in a loop
	digits     int         // most digits in a choice, at least three
	random     int         // most random rows in a choice
	spare      int         // rows after the rows of the image, for translated code
	native     int         // bytes of machine code
	took       time.Duration
}

// block is a segment with its code as a function. Translated code has word offsets in place of row numbers.
type block struct {
	Segment
	run  func(rows []uint64)
	vars [][2]int // ranges of words of Vars, merged if adjacent: from, to
}

// Kernel returns the name of the executable's kernel.
func (e *Executable) Kernel() string { return e.kernel.name }

// Lanes returns the number of positions that the executable evaluates together.
func (e *Executable) Lanes() int { return e.kernel.lanes }

// Words returns the length of a row, and of a lane mask: Lanes()/64.
func (e *Executable) Words() int { return e.kernel.words() }

// VerifiedIn returns the time that the proof of the programs took.
func (e *Executable) VerifiedIn() time.Duration { return e.took }

// CodeBytes returns the size of the programs.
func (e *Executable) CodeBytes() int64 {
	n := 0
	for _, p := range e.programs {
		for _, s := range p {
			n += len(s.Code) + len(s.Vars)
		}
	}
	for _, table := range e.moveTables {
		n += len(table.legal) + len(table.other)
	}
	return int64(n)*4 + int64(e.native)
}

// MemoryBytes returns the size of a memory.
func (e *Executable) MemoryBytes() int64 {
	return 8 * int64(e.Words()) * (int64(e.rows) + int64(e.spare) + int64(e.vars) + int64(e.random) + int64(e.scratchRows()))
}

// scratchRows returns the number of rows for the counters of a choice: n, the row before the target, and the
// target.
func (e *Executable) scratchRows() int { return 2*e.digits + 1 }

// Memory is the set of rows of one goroutine. Its executable made it, so it holds every row that
// the programs access.
type Memory struct {
	executable *Executable
	rows       []uint64
	old        []uint64 // the variables of a loop before a sweep
	random     []uint64 // the random rows of one choice
	scratch    []uint64
}

// NewMemory makes a memory whose rows are zero.
func (e *Executable) NewMemory() *Memory {
	w := e.Words()
	return &Memory{
		executable: e,
		rows:       aligned((e.rows + e.spare) * w)[:e.rows*w],
		old:        make([]uint64, e.vars*w),
		random:     make([]uint64, e.random*w),
		scratch:    aligned(e.scratchRows() * w),
	}
}

// cacheLine is the alignment of rows, in words: the size of a 512-bit vector.
const cacheLine = 8

// aligned makes a slice of n words that begins at a cache line.
func aligned(n int) []uint64 {
	s := make([]uint64, n+cacheLine)
	skip := 0
	for uintptr(unsafe.Pointer(&s[skip]))%(cacheLine*8) != 0 {
		skip++
	}
	return s[skip : skip+n : skip+n]
}

// Rows returns the rows, one after the other. Row 0 is the constant false and must stay zero.
func (m *Memory) Rows() []uint64 { return m.rows }

// Run evaluates a program of the image.
func (m *Memory) Run(program int) {
	e := m.executable
	segments := e.programs[program]
	for i := range segments {
		if s := &segments[i]; len(s.Vars) == 0 {
			s.run(m.rows)
		} else {
			m.loop(s)
		}
	}
	runtime.KeepAlive(e) // its code must not be freed while it runs
}

// loop repeats a segment until its variables stay the same. In every lane each sweep but the last turns a
// variable true. Layouts give the variables of a loop adjacent rows, so that one comparison finds changes; a
// comparison for each variable took longer than the gates.
func (m *Memory) loop(s *block) {
	for _, span := range s.vars {
		clear(m.rows[span[0]:span[1]])
	}
	for range len(s.Vars) + 1 {
		old := m.old[:0]
		for _, span := range s.vars {
			old = append(old, m.rows[span[0]:span[1]]...)
		}
		s.run(m.rows)
		changed := false
		for _, span := range s.vars {
			rows := m.rows[span[0]:span[1]]
			changed, old = changed || !equal(rows, old[:len(rows)]), old[len(rows):]
		}
		if !changed {
			return
		}
	}
}

// equal compares words as bytes, many at a time.
func equal(a, b []uint64) bool {
	return bytes.Equal(unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), 8*len(a)), unsafe.Slice((*byte)(unsafe.Pointer(&b[0])), 8*len(b)))
}

// ChooseRandom draws, in every lane, a uniformly random legal move for every role that has a legal move.
func (m *Memory) ChooseRandom(rng *machine.Rand) {
	e := m.executable
	for i := range e.moveTables {
		table := &e.moveTables[i]
		random := m.random[:table.fractionRows()*e.Words()]
		if len(random) > 0 {
			e.kernel.random(rng, random)
		}
		e.kernel.choose(m.rows, table, random, m.scratch)
		for _, w := range table.waits {
			copy(m.rows[w[0]:w[0]+int32(e.Words())], m.rows[w[1]:])
		}
	}
	for _, span := range e.bits {
		e.kernel.random(rng, m.rows[span[0]:span[1]])
	}
	if len(e.bits) > 0 {
		m.Run(e.chooses)
	}
}

// Fluents returns the rows of the fluents.
func (m *Memory) Fluents() []uint64 { return m.rows[m.executable.fluents[0]:m.executable.fluents[1]] }

// Restore writes the fluents of one position in the lanes of mask: values are words, each zero or all ones.
func (m *Memory) Restore(values, mask []uint64) {
	e, to := m.executable, m.Fluents()
	if n := min(len(values), len(to)/e.Words()); n > 0 {
		e.kernel.restore(to[:n*e.Words()], values[:n], mask[:e.Words()])
	}
}
