package montecarlo

import (
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
)

// newSubtraction returns a game of turns in which one to three counters are taken.
func newSubtraction(roles []string, start int) machine.Machine {
	return toys.Subtraction{Roles: roles, Start: start, Most: 3}.Machine()
}

func newLock(depth int) machine.Machine { return toys.Lock{Depth: depth}.Machine() }
