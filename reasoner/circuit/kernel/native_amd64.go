//go:build linux || windows

package kernel

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// enter calls code with the address of the rows.
//
//go:noescape
func enter(code unsafe.Pointer, rows *uint64)

// executable reports whether the system lets a process run code that it has written.
var executable = sync.OnceValue(func() bool {
	b, err := mapCode([]byte{ret})
	if err == nil {
		unmapCode(b)
	}
	return err == nil
})

// translators lists the kernels that translate programs: those with AVX-512, then those with AVX2, the widest
// of each first.
func translators() []*Kernel {
	if !executable() {
		return nil
	}
	var list []*Kernel
	family := func(name string, vex bool, of []*Kernel) {
		for i, k := range of {
			t := *k
			if t.name = name; i > 0 {
				t.name += fmt.Sprint("/", k.lanes)
			}
			t.translate, t.splits = translation{vex}.translate, true
			list = append(list, &t)
		}
	}
	of := vectorKernels()
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL {
		family(Native, false, of)
	}
	family(NativeAVX2, true, slices.DeleteFunc(of, func(k *Kernel) bool { return k.words() > 4 }))
	return list
}

// longCode is the bytes of programs from which their machine code, somewhat less than half as
// long, is fetched ahead: then it takes a second-level cache of 1 MB.
const longCode = 2 << 20

// translation is one into instructions with the VEX prefix, or with EVEX.
type translation struct{ vex bool }

// translate gives the straight code of every segment of an engine as machine code. That of a
// plan whose rows are too many for the distances in instructions is interpreted.
func (t translation) translate(e *Engine, p *Plan) error {
	words := int32(e.Words())
	if int64(e.rows)*8*int64(words) > maxDistance {
		return inRuns(e, p)
	}
	observed := observedRows(e, p)
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
