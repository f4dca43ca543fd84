// Package protocol speaks the GGP protocol, on both sides: the endpoint through
// which a player is reached over HTTP, and the game manager that holds matches,
// series and tournaments. It owns messages, clocks, match records and ratings.
// It must not know how a player thinks: that is behind the interface Agent.
package protocol
