package cli

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memory is what the process may take altogether, in bytes.
//
// Half of it is given away: at first to whoever compiles rules, later to the
// tables and trees of searches, divided by the number of those that are at work at
// the same time. The other half is for what nobody counts: machines, the garbage
// collector's headroom, the runtime itself.
type memory int64

const (
	mebibyte = 1 << 20
	// leastMemory is room for a small game.
	leastMemory = 64 * mebibyte
	// unaccounted is what machine and runtime take beside the tables of a search, at most.
	unaccounted = 1024 * mebibyte
	// unknownMachine is taken for the memory of a machine that does not tell it.
	unknownMachine = 4096 * mebibyte
)

// limitMemory makes a limit of MiB, or the usual one if that is zero, and tells the runtime.
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

// share is the part of one of n takers, in bytes.
func (m memory) share(n int) int64 { return int64(m) / 2 / int64(max(n, 1)) }

// usualMemory is half of the memory of a machine, on which there is more than this program, or three
// quarters of that of a container, where there is nothing else.
func usualMemory(machine, container uint64) memory {
	usual := machine / 2
	if container < machine {
		usual = min(usual, container/4*3)
	}
	return memory(max(usual, leastMemory))
}

// machineMemory is the memory of the machine and that of the container (control group), the same if
// there is none, in bytes.
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
