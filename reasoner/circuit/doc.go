// Package circuit holds the ground game as a Boolean network (package logic), rewrites it, and
// simulates it word-parallel: every signal is a row of machine words whose bits
// are that signal in different positions (lanes), so one pass over the network
// evaluates all lanes at once, as logic simulators of chip design do. It knows
// nothing of GDL: the front door hands it a Game, and gets a machine.Machine.
package circuit
