// Package conformance checks players and game managers against the rules of the
// GGP protocol, one by one: what was sent, what was expected, and what came. It
// owns the rules in words and the games that show whether they are kept. It knows
// players and managers by the wire alone.
package conformance
