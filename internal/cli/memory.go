package cli

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memory is the memory limit of the process, in bytes.
//
// Half of it is budgeted: at first for the compiler, later for the tables and trees of searches, divided by
// the number of concurrent searches. The other half is for memory that is not counted: machines, the
// headroom of the garbage collector, the runtime.
type memory int64

const (
	mebibyte = 1 << 20
	// leastMemory is room for a small game.
	leastMemory = 64 * mebibyte
	// unaccounted bounds the memory of machine and runtime next to the tables of one search.
	unaccounted = 1024 * mebibyte
	// unknownMachine is taken for the memory of a machine that does not tell it.
	unknownMachine = 4096 * mebibyte
)

// limitMemory sets the memory limit of the runtime to mib MiB, or to the default of this machine if mib is 0, and returns
// it. It returns an error for a limit out of range.
func limitMemory(mib int64) (memory, error) {
	m := usualMemory(machineMemory())
	if mib != 0 {
		if least, most := int64(leastMemory/mebibyte), int64(math.MaxInt64/mebibyte); mib < least || mib > most {
			return 0, usageError{fmt.Errorf("--memory: expected %d to %d MiB, found %d", least, most, mib)}
		}
		m = memory(mib * mebibyte)
	}
	debug.SetMemoryLimit(int64(m))
	return m, nil
}

// share returns the budget of one of n users, in bytes.
func (m memory) share(n int) int64 { return int64(m) / 2 / int64(max(n, 1)) }

// usualMemory returns the default limit: half of a machine, which runs other programs, or three quarters of
// a container, which does not.
func usualMemory(machine, container uint64) memory {
	usual := machine / 2
	if container < machine {
		usual = min(usual, container/4*3)
	}
	return memory(max(usual, leastMemory))
}

// machineMemory returns the memory of the machine and of its container (control group), in bytes; both are the
// same without a container.
func machineMemory() (machine, container uint64) {
	machine, err := memlimit.FromSystem()
	if err != nil {
		machine = unknownMachine
	}
	if limit, err := memlimit.FromCgroup(); err == nil && limit < machine {
		return machine, limit
	}
	return machine, machine
}
