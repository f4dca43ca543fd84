// Package protocol speaks the GGP protocol: its messages, and the endpoint through
// which a player is reached over HTTP. It owns messages and clocks. It must not
// know how a player thinks, which is behind the interface Agent, nor how matches
// are held, which is what package arena is for.
package protocol
