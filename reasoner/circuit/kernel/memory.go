package kernel

import (
	"bytes"
	"runtime"
	"time"
	"unsafe"

	"stackmate/reasoner/machine"
)

// Kernel returns the name of the engine's kernel.
func (e *Engine) Kernel() string { return e.kernel.name }

// Lanes returns the number of positions that the engine evaluates together.
func (e *Engine) Lanes() int { return e.kernel.lanes }

// Words returns the length of a row, and of a lane mask: Lanes()/64.
func (e *Engine) Words() int { return e.kernel.words() }

// VerifiedIn returns the time that the proof of the programs took.
func (e *Engine) VerifiedIn() time.Duration { return e.took }

// CodeBytes returns the size of the programs.
func (e *Engine) CodeBytes() int64 {
	n := 0
	for _, p := range e.programs {
		for _, s := range p {
			n += len(s.Code) + len(s.Vars)
		}
	}
	for _, c := range e.choices {
		n += len(c.legal) + len(c.other)
	}
	return int64(n)*4 + int64(e.native)
}

// MemoryBytes returns the size of a memory.
func (e *Engine) MemoryBytes() int64 {
	return 8 * int64(e.Words()) * (int64(e.rows) + int64(e.spare) + int64(e.vars) + int64(e.random) + int64(e.scratchRows()))
}

// scratchRows returns the number of rows for the counters of a choice: n, the row before the target, and the
// target.
func (e *Engine) scratchRows() int { return 2*e.digits + 1 }

// Memory is the set of rows of one goroutine. Its engine made it, so it holds every row that the engine's
// programs access.
type Memory struct {
	engine  *Engine
	rows    []uint64
	old     []uint64 // the variables of a loop before a sweep
	random  []uint64 // the random rows of one choice
	scratch []uint64
}

// NewMemory makes a memory whose rows are zero.
func (e *Engine) NewMemory() *Memory {
	w := e.Words()
	return &Memory{
		engine:  e,
		rows:    aligned((e.rows + e.spare) * w)[:e.rows*w],
		old:     make([]uint64, e.vars*w),
		random:  make([]uint64, e.random*w),
		scratch: aligned(e.scratchRows() * w),
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

// Run evaluates a program of the plan.
func (m *Memory) Run(program int) {
	e := m.engine
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
	e := m.engine
	for i := range e.choices {
		c := &e.choices[i]
		random := m.random[:c.fractionRows()*e.Words()]
		if len(random) > 0 {
			e.kernel.random(rng, random)
		}
		e.kernel.choose(m.rows, c, random, m.scratch)
		for _, w := range c.waits {
			copy(m.rows[w[0]:w[0]+int32(e.Words())], m.rows[w[1]:])
		}
	}
	if rows := m.rows[e.bits[0]:e.bits[1]]; len(rows) > 0 {
		e.kernel.random(rng, rows)
		m.Run(e.chooses)
	}
}

// Fluents returns the rows of the fluents.
func (m *Memory) Fluents() []uint64 { return m.rows[m.engine.fluents[0]:m.engine.fluents[1]] }

// Restore writes the fluents of one position in the lanes of mask: values are words, each zero or all ones.
func (m *Memory) Restore(values, mask []uint64) {
	e, to := m.engine, m.Fluents()
	if n := min(len(values), len(to)/e.Words()); n > 0 {
		e.kernel.restore(to[:n*e.Words()], values[:n], mask[:e.Words()])
	}
}
