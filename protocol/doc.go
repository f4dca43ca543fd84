// Package protocol implements the GGP protocol: its messages, and the HTTP endpoint through which game servers reach
// a player. It owns messages and clocks. The search of a player is behind the interface Agent; package arena runs
// matches.
package protocol
