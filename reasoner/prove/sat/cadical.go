//go:build cadical && cgo

package sat

// #cgo LDFLAGS: -lcadical -lstdc++ -lm
// #include <ccadical.h>
// #include <stdint.h>
// #include <stdlib.h>
//
// static int stackmate_stopped(void *state) { return *(volatile int32_t *)state; }
// static void stackmate_begin(CCaDiCaL *s, int32_t *flag) {
//   ccadical_set_option(s, "quiet", 1);
//   ccadical_set_terminate(s, flag, stackmate_stopped);
// }
import "C"

import (
	"context"
	"sync/atomic"
	"unsafe"
)

// cadical is CaDiCaL (Biere et al.) through its C interface.
type cadical struct {
	solver *C.CCaDiCaL
	vars   int32
	lits   int64
	stop   *C.int32_t // in C memory: 1 stops the current call
}

// New returns a CaDiCaL engine with the empty formula.
func New() Engine {
	c := &cadical{solver: C.ccadical_init(), stop: (*C.int32_t)(C.calloc(1, 4))}
	C.stackmate_begin(c.solver, c.stop)
	c.NewVar()
	c.Add(litTrue)
	return c
}

// dimacs returns the DIMACS number of a literal.
func dimacs(l Lit) C.int {
	if l&1 != 0 {
		return -C.int(l.Var() + 1)
	}
	return C.int(l.Var() + 1)
}

// NewVar implements Engine.
func (c *cadical) NewVar() Lit {
	c.vars++
	return Lit(c.vars-1) << 1
}

// Add implements Engine.
func (c *cadical) Add(clause ...Lit) {
	for _, l := range clause {
		C.ccadical_add(c.solver, dimacs(l))
	}
	C.ccadical_add(c.solver, 0)
	c.lits += int64(len(clause))
}

// Solve implements Engine.
func (c *cadical) Solve(ctx context.Context, lim Limits, assumptions ...Lit) Status {
	if ctx.Err() != nil || lim.MaxBytes > 0 && c.Bytes() > lim.MaxBytes {
		return Unknown
	}
	for _, l := range assumptions {
		C.ccadical_assume(c.solver, dimacs(l))
	}
	if lim.MaxConflicts > 0 {
		name := C.CString("conflicts")
		C.ccadical_limit(c.solver, name, C.int(min(lim.MaxConflicts, 1<<30)))
		C.free(unsafe.Pointer(name))
	}
	flag := (*int32)(unsafe.Pointer(c.stop))
	atomic.StoreInt32(flag, 0)
	ended := make(chan struct{})
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		select {
		case <-ctx.Done():
			atomic.StoreInt32(flag, 1)
		case <-ended:
		}
	}()
	answer := C.ccadical_solve(c.solver)
	close(ended)
	<-idle
	return map[C.int]Status{10: Sat, 20: Unsat}[answer]
}

// Value implements Engine.
func (c *cadical) Value(l Lit) bool { return C.ccadical_val(c.solver, dimacs(l&^1)) > 0 != (l&1 != 0) }

// Bytes implements Engine, by an estimate from the numbers of variables and literals.
func (c *cadical) Bytes() int64 { return 200*int64(c.vars) + 20*c.lits }

// Close implements Engine.
func (c *cadical) Close() {
	C.ccadical_release(c.solver)
	C.free(unsafe.Pointer(c.stop))
}
