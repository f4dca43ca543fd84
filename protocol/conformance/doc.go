// Package conformance checks players and game managers against the rules of the GGP protocol, one rule at a time. A
// report shows the request, the expected reply and the reply. The package owns the texts of the rules and the games
// that test them. It reaches players and managers over HTTP alone.
package conformance
