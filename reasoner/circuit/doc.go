// Package circuit holds the ground game as a Boolean network (package logic), optimises it, and simulates it
// word-parallel: each signal is a row of machine words, with one bit for each position (lane). So one pass over the
// network evaluates all lanes, as in logic simulators of chip design. The package does not depend on GDL: it compiles
// a Game to a machine.Machine.
package circuit
