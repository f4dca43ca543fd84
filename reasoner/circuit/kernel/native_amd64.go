//go:build linux || windows

package kernel

import (
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// enter calls code with the address of the rows.
func enter(code unsafe.Pointer, rows *uint64)

// mayRunCode reports whether the system lets a process run code that it has written.
var mayRunCode = sync.OnceValue(func() bool {
	b, err := mapCode([]byte{ret})
	if err == nil {
		unmapCode(b)
	}
	return err == nil
})

// The instruction sets. Machine code evaluates programs, so the routines have no evaluate function.
var (
	avx512 = vectorRoutines{8, nil, countAVX512, countTurnsAVX512, drawAVX512, pickAVX512, pickTurnsAVX512, restoreAVX512, randomAVX512}
	avx2   = vectorRoutines{4, nil, countAVX2, countTurnsAVX2, drawAVX2, pickAVX2, pickTurnsAVX2, restoreAVX2, randomAVX2}
	avx128 = vectorRoutines{2, nil, countAVX128, countTurnsAVX128, drawAVX128, pickAVX128, pickTurnsAVX128, restoreAVX128, randomAVX128}
)

// vectorKernels lists the kernels of this processor that translate programs: the kernels with AVX-512, then the kernels
// with AVX2, the widest of each family first.
func vectorKernels() []*Kernel {
	if !mayRunCode() || !cpu.X86.HasAVX2 {
		return nil
	}
	var list []*Kernel
	family := func(name string, vex bool, sets ...vectorRoutines) {
		for i, a := range sets {
			k := a.kernel(name)
			if i > 0 {
				k.name += fmt.Sprint("/", k.lanes)
			}
			k.translate, k.splits = translation{vex}.translate, true
			list = append(list, k)
		}
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL {
		family(familyNative, false, avx512, avx2, avx128)
	}
	family(familyAVX2, true, avx2, avx128)
	return list
}

// longCode is the size of programs, in bytes, from which their machine code is prefetched. Their machine code
// is somewhat less than half as long, so it fills a second-level cache of 1 MB.
const longCode = 2 << 20

// translation is the translation into instructions with the VEX prefix, or with EVEX.
type translation struct{ vex bool }

// translate makes machine code of the straight code of every segment of an executable. It returns an error if the
// rows are too many for the distances in instructions.
func (t translation) translate(e *Executable, image *Image) error {
	words := int32(e.Words())
	if int64(e.rows)*8*int64(words) > maxDistance {
		return fmt.Errorf("%d rows of %d words exceed the address range of instructions", e.rows, words)
	}
	observed := observedRows(e, image)
	w := newWriter(assembler{vex: t.vex, words: words, long: e.CodeBytes() > longCode})
	var ends []int
	for _, program := range e.programs {
		for i := range program {
			w.cover.reset(program[i].Code, observed)
			w.translate()
			ends = append(ends, len(w.out.code))
		}
	}
	if len(ends) == 0 {
		return nil
	}
	code, err := mapCode(w.out.code)
	if err != nil {
		return err
	}
	runtime.AddCleanup(e, unmapCode, code)
	start := 0
	for _, program := range e.programs {
		for i := range program {
			part := code[start:ends[0]]
			began := time.Now()
			if err := proveCode(part, words, int32(e.rows)); err != nil {
				return err
			}
			e.took += time.Since(began)
			run := unsafe.Pointer(unsafe.SliceData(part))
			program[i].run, program[i].Code = func(rows []uint64) { enter(run, &rows[0]) }, nil
			start, ends = ends[0], ends[1:]
		}
	}
	e.native = len(code)
	return nil
}
