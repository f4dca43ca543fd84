// Package circuit holds the ground game as a Boolean network, rewrites it, and
// simulates it word-parallel: every signal is a row of machine words whose bits
// are that signal in different positions (lanes), so one pass over the network
// evaluates all lanes at once, as logic simulators of chip design do. It knows
// nothing of GDL: the front door hands it a Game, and gets a machine.Machine.
package circuit

import "stackmate/reasoner/circuit/logic"

// What signals are made of, see package logic.
type (
	// Lit is a signal of a network, or its complement.
	Lit = logic.Lit
	// Network is a Boolean network.
	Network = logic.Network
	// Substitution rebuilds gates of a network over other inputs.
	Substitution = logic.Substitution
)

// The constants, and the operations of nodes.
const (
	False = logic.False
	True  = logic.True

	OpConst = logic.OpConst
	OpInput = logic.OpInput
	OpLoop  = logic.OpLoop
	OpAnd   = logic.OpAnd
)

// NewNetwork returns a network with the constant alone.
func NewNetwork() *Network { return logic.NewNetwork() }

// NewSubstitution is one with no images but that of the constant.
func NewSubstitution(from, to *Network) *Substitution { return logic.NewSubstitution(from, to) }
